"""The loss of ``lib.bridge.joint_training`` from its definition, in arbitrary precision.

It is what the fast gradients are compared with, and it is written like the paper: without
logarithms of probabilities and without a scale.  Where the fast code keeps the logarithm of e^-800,
this one computes with 700 digits.
"""

from typing import Any

import mpmath as mp
import numpy as np

from lib.arrays import Array
from lib.mechanics.samples import NextTokenData


def loss_in_digits(data: NextTokenData, Y: Any, Z: Any, normalize: bool = False) -> Any:
    """L as an ``mpmath`` number.  Y (K, C), Z (K, K): matrices of ``mpmath``, whose precision
    counts.
    """
    total, tokens = mp.mpf(0), range(data.counts.shape[1])
    for counts, last, label, weight in zip(
        data.counts.tolist(),
        data.last.tolist(),
        data.label.tolist(),
        data.weight,  # type: ignore[arg-type]
        strict=True,
    ):
        mass = mp.matrix([counts[l] * mp.exp(Z[last, l]) for l in tokens])
        logits = Y.T * (mass / mp.norm(mass, 2 if normalize else 1))
        total += mp.mpf(weight) * (mp.log(sum(map(mp.exp, logits))) - logits[label])
    return total


def slopes_in_digits(
    data: NextTokenData,
    Y: Array,
    Z: Array,
    normalize: bool = False,
    log_scale: float = 0.0,
    digits: int = 700,
) -> tuple[Array, Array]:
    """e^log_scale times the slopes of L in Y and in Z, as (K, C) and (K, K): central differences.

    Their step is 10^(-digits/4), so what they leave out is of the order of its square.
    """
    found = np.zeros_like(Y, dtype=float), np.zeros_like(Z, dtype=float)
    with mp.workdps(digits):
        step, at = mp.mpf(10) ** (-digits // 4), (mp.matrix(Y.tolist()), mp.matrix(Z.tolist()))
        for matrix, slopes in zip(at, found, strict=True):
            for place in np.ndindex(slopes.shape):
                here, ends = matrix[place], []
                for matrix[place] in (here + step, here - step):
                    ends.append(loss_in_digits(data, *at, normalize))
                matrix[place] = here
                slopes[place] = (ends[0] - ends[1]) / (2 * step) * mp.exp(log_scale)
    return found
