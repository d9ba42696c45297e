"""Sums of exponentials along the last axis, for small arrays in long loops.

The same numbers as ``scipy.special``, which spends most of its time on other array kinds, axes and
data types; it is the plain counterpart.  A row may be minus infinity throughout: its sum is 0.
"""

import numpy as np

from lib.arrays import Array

LONG = 128  # entries of a row, from where on it is taken as it lies, and ``sum`` adds in pairs


def log_sum_exp(logits: Array) -> Array:
    """log sum_j e^{a_j}: (..., p) to (...); minus infinity for a row without a finite entry."""
    top = _finite_top(logits)
    with np.errstate(divide="ignore"):
        return np.log(total(np.exp(logits - top))) + top[..., 0]


def log_softmax(logits: Array) -> Array:
    """a_j - log sum_l e^{a_l}, (..., p); each row needs a finite entry."""
    shifted = logits - _finite_top(logits)
    return shifted - np.log(total(np.exp(shifted)))[..., None]


def softmax(logits: Array) -> Array:
    """e^{a_j} / sum_l e^{a_l}, (..., p); each row needs a finite entry."""
    mass = np.exp(logits - _finite_top(logits))
    return mass / total(mass)[..., None]


def total(mass: Array) -> Array:
    """Sums over the last axis, (..., p) to (...).

    Long rows use ``sum``, which adds in pairs and keeps a digit more.  Short ones use ``einsum``,
    because ``sum`` has a cost for each row.
    """
    return mass.sum(axis=-1) if mass.shape[-1] > LONG else np.einsum("...j->...", mass)


def _finite_top(logits: Array) -> Array:
    """The largest entry of each row, kept as an axis; 0 where it is minus infinity.

    Short rows are compared column by column, because ``max`` has a cost for each row.
    """
    rows = logits.reshape(-1, logits.shape[-1])
    long = rows.shape[-1] > LONG
    top = rows.max(axis=1) if long else np.ascontiguousarray(rows.T).max(axis=0)
    top = top.reshape(*logits.shape[:-1], 1)
    return np.where(top == -np.inf, 0.0, top) if top.min(initial=0.0) == -np.inf else top
