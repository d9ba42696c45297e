"""Joint ascent of Y and Z from zero on endless sequences, all classes in every step (Lemma 1)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch

from lib.arrays import Array, ArrayLike
from lib.scan_snap.overlaps import overlap
from lib.scan_snap.sequence_classes import SequenceClasses
from lib.scan_snap.yz_transformer import attend, gradients, layer_norm, query_rows
from lib.validation import require, require_integer


class MeanAscent(NamedTuple):
    """Y and Z (moments, rates, M, M); speed: |dJ/dZ| over |dJ/dY|, (moments, rates)."""

    Y: np.ndarray
    Z: np.ndarray
    speed: np.ndarray


def mean_ascent(
    classes: SequenceClasses, eta_y: float, eta_z: ArrayLike, keep: Sequence[int]
) -> MeanAscent:
    """``MeanAscent`` after each number of steps in ``keep``, one run for each rate of attention.

        Y <- Y + eta_Y dJ/dY,    Z <- Z + eta_Z dJ/dZ,    J the mean of (15) over the classes

    classes: K of them over M tokens.  eta_y: the decoder's rate.  eta_z: (R,).
    keep: increasing whole numbers; 0 is the start.
    """
    for number in keep:
        require_integer("keep", number, 0)
    require(list(keep) == sorted(set(keep)), "keep", list(keep), "increasing steps")
    eta_z, M = np.asarray(eta_z), classes.vocab_size
    runs = len(eta_z)
    data = [
        torch.as_tensor(x).expand(runs, *x.shape)
        for x in (classes.conditional, classes.query, classes.next_token)
    ]
    Y, Z = (torch.zeros(runs, M, M, dtype=torch.float64) for _ in range(2))
    rate, kept = torch.as_tensor(eta_z)[:, None, None], []
    for step in range(keep[-1] + 1):
        grad_y, grad_z = gradients(Y, Z, *data)
        if step in keep:
            speed = grad_z.norm(dim=(1, 2)) / grad_y.norm(dim=(1, 2))
            kept.append((Y.numpy().copy(), Z.numpy().copy(), speed.numpy()))
        Y, Z = Y + eta_y * grad_y, Z + rate * grad_z
    return MeanAscent(*(np.array(part) for part in zip(*kept, strict=True)))


def overlap_path(classes: SequenceClasses, vocabulary: int, steps: int, rate: float = 1.0) -> Array:
    """Overlap f_0 . f_1 of classes 0 and 1 before each step of the same ascent: (steps,).

    vocabulary: M, at least the tokens of the classes; the others occur nowhere.
    rate: eta_Y and eta_Z.
    """
    require_integer("vocabulary", vocabulary, classes.vocab_size)
    table = torch.zeros(classes.num_classes, vocabulary, dtype=torch.float64)
    table[:, : classes.vocab_size] = torch.tensor(classes.conditional)
    query, following = torch.tensor(classes.query), torch.tensor(classes.next_token)
    Y = torch.zeros(vocabulary, vocabulary, dtype=torch.float64)
    Z, path = torch.zeros_like(Y), []
    for _ in range(steps):
        path.append(overlap(layer_norm(attend(query_rows(Z, query), table)).numpy())[0, 1])
        grad_y, grad_z = gradients(Y, Z, table, query, following)
        Y, Z = Y + rate * grad_y, Z + rate * grad_z
    return np.array(path)
