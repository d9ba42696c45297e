"""Gradient descent on the attention layer's W, all trials of a ``DataBatch`` at once (*Mechanics*).

W is (..., d, d) with the leading axes of the data.  What is observed at every step is computed on
blocks of steps, so nothing but the observables is kept.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.random import Generator

from lib.arrays import Array
from lib.mechanics.attention_layer import Data, Loss, gradient, log_loss
from lib.validation import require_integer, require_rate, require_real

BLOCK = 250


def initial_weights(trials: int, d: int, rng: Generator) -> Array:
    """The authors' initialization, (trials, d, d): entries uniform in +-1/sqrt(d)."""
    return rng.uniform(-1, 1, size=(trials, d, d)) / np.sqrt(d)


def descend(
    W: Array,
    data: Data,
    eta: float | Callable[[int], float],
    steps: int,
    *,
    normalized: bool = False,
    eps: float = 0.0,
    loss: Loss = log_loss,
    observe: Callable[[Array], dict[str, Array]] | None = None,
) -> tuple[Array, dict[str, Array]]:
    """Gradient descent from W; what ``observe`` says of W(0), ..., W(steps).

    normalized: divide the gradient by its Frobenius norm (per trial) plus ``eps``.  The authors'
        eps is that of float64: once the gradient is as small, their steps shorten and W stops.
    eta: a number, or a function of the step 0, 1, ... for decaying steps.
    observe: a function of a block of weights (b, ..., d, d) that returns a dict of arrays
        with first axis b; the blocks are joined.  Omitted: ``{"W": W}``, the whole trajectory.
    Returns (last W, dict).
    """
    require_integer("steps", steps, 1)
    size = eta if callable(eta) else lambda step: eta
    require_rate("eta", float(size(0)))
    require_real("eps", eps, at_least=0)
    observe = observe or (lambda block: {"W": block.copy()})
    W, block, found = np.array(W, dtype=float), [], []
    for step in range(steps + 1):
        block.append(W)
        if len(block) == BLOCK or step == steps:
            found.append(observe(np.stack(block)))
            block = []
        if step < steps:
            W = W - size(step) * _direction(W, data, loss, normalized, eps)
    return W, {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def descended(
    W: Array, data: Data, eta: float | Callable[[int], float], steps: int, **options: Any
) -> Array:
    """The last W of ``descend``, without what it passes on the way: (..., d, d).

    >>> from lib.mechanics.five_samples import five_samples
    >>> W = descended(np.zeros((5, 5)), five_samples(), 1.0, 100)
    >>> bool(W[0, 4] > W[2, 4] > W[3, 4])  # in the order of the token-priority graph
    True
    """
    return descend(W, data, eta, steps, observe=lambda block: {}, **options)[0]


def _direction(W: Array, data: Data, loss: Loss, normalized: bool, eps: float) -> Array:
    slope = gradient(W, data, loss)
    if normalized:
        norm = np.sqrt(np.einsum("...ab,...ab->...", slope, slope))[..., None, None] + eps
        slope = np.divide(slope, norm, out=slope, where=norm > 0)
    return slope


def cosine(W: Array, V: Array) -> Array:
    """Cosine of the angle between two matrices in the Frobenius inner product.

        <W, V> / (|W| |V|),    <W, V> = sum_ab W_ab V_ab

    W, V: (..., d, d), of shapes that broadcast.

    Returns (...); NaN, without a warning, where one of them is zero, as a descent from zero is at
    its start.

    >>> round(float(cosine(np.eye(2), np.ones((2, 2)))), 6)  # 45 degrees
    0.707107
    """
    inner = np.einsum("...ab,...ab->...", W, V)
    squares = np.einsum("...ab,...ab->...", W, W) * np.einsum("...ab,...ab->...", V, V)
    with np.errstate(invalid="ignore"):
        return inner / np.sqrt(squares)


def sine(W: Array, V: Array) -> Array:
    """The sine of the angle between W and V (..., d, d): shape (...).

    By what W has off V, so that a small angle keeps its digits, which 1 minus the cosine does not.
    """
    along = np.einsum("...ab,...ab->...", W, V) / (V**2).sum(axis=(-2, -1))
    off = W - along[..., None, None] * V
    return np.linalg.norm(off, axis=(-2, -1)) / np.linalg.norm(W, axis=(-2, -1))
