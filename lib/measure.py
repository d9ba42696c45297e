"""Measuring: relative errors, worst cases and exponents, the same way in every chapter."""

import math
from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy import stats

from lib.validation import require


def relative_error(value, reference):
    """Largest entry of |value - reference| over the largest of |reference|, over 1 if that is 0.

    ``inf`` for arrays of different shapes: then the claim fails, not its chapter.  Raises
    ``ValueError`` for one array on both sides: it would be compared with itself.
    """
    same = value is reference and not isinstance(value, Real)
    require(not same, "reference", "the value itself", "another array, list or table")
    value, reference = np.asarray(value), np.asarray(reference)
    if value.shape != reference.shape:
        return math.inf
    scale = np.max(np.abs(reference), initial=0)
    return float(np.max(np.abs(value - reference), initial=0) / (scale if scale > 0 else 1))


def maximum(*values, default=None):
    """As ``max``, of several values or of one iterable, but NaN if any of them is NaN.

    ``max(0.1, nan)`` is 0.1: a worst case would pass over what could not be computed.  Raises
    ``ValueError`` for an empty iterable where there is no ``default``.
    """
    return _extreme(max, values, default)


def minimum(*values, default=None):
    """As ``min``, of several values or of one iterable, but NaN if any of them is NaN."""
    return _extreme(min, values, default)


def _extreme(builtin, values, default):
    items = list(values[0]) if len(values) == 1 else list(values)
    unknown = [item for item in items if isinstance(item, float) and item != item]
    if unknown or not items and default is not None:
        return unknown[0] if unknown else default
    return builtin(items)


def furthest(values, point):
    """The one of ``values`` (1-D) that lies furthest from ``point``; NaN if any of them is NaN."""
    values = np.asarray(values, dtype=float)
    require(values.ndim == 1 and len(values) > 0, "values.shape", values.shape, "1-D, not empty")
    return float(values[np.argmax(np.abs(values - point))])


class PowerLaw(NamedTuple):
    """``y = constant * x**exponent`` fitted in logarithms; ``stderr`` is that of the exponent."""

    exponent: float
    constant: float
    stderr: float


def power_law(x, y):
    """Least-squares power law through positive points (x, y) of equal length."""
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    require(len(x) == len(y) >= 3, "points", (len(x), len(y)), "at least 3 pairs")
    require((x > 0).all() and (y > 0).all(), "points", "values <= 0", "positive values")
    fit = stats.linregress(np.log(x), np.log(y))
    return PowerLaw(float(fit.slope), float(np.exp(fit.intercept)), float(fit.stderr))
