"""Measuring: relative errors, worst cases and exponents, the same way in every chapter."""

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from lib.arrays import ArrayLike
from lib.validation import require


def relative_error(value: ArrayLike, reference: ArrayLike) -> float:
    """Relative error of numbers against a reference, in the maximum norm.

        max |value - reference| / max |reference|,    over 1 instead where the reference is 0

    value, reference: numbers or arrays of one shape, in the same unit.

    Returns a float >= 0; ``inf`` for arrays of different shapes, so that the claim fails and
    not its chapter; NaN where an entry is NaN.
    Raises ``ValueError`` for one array on both sides, because it would be compared with itself.

    >>> relative_error([1, 2, 5], [1, 2, 4])
    0.25
    """
    same = value is reference and not isinstance(value, Real)
    require(not same, "reference", "the value itself", "another array, list or table")
    value, reference = np.asarray(value), np.asarray(reference)
    if value.shape != reference.shape:
        return math.inf
    scale = np.max(np.abs(reference), initial=0)
    return float(np.max(np.abs(value - reference), initial=0) / (scale if scale > 0 else 1))


def maximum(*values: Any, default: Any = None) -> Any:
    """The largest of several values, or NaN as soon as one of them is NaN.

    Python's own ``max(0.1, nan)`` is 0.1, so that a worst case would pass over what could not be
    computed.

    values: several numbers, or one iterable of numbers.
    default: what an empty iterable gives.

    Returns one of the values, as it came, or ``default``.
    Raises ``ValueError`` for an empty iterable where there is no ``default``.

    >>> maximum(0.1, 3, 2), maximum([0.1, float("nan")]), maximum([], default=0)
    (3, nan, 0)
    """
    return _extreme(max, values, default)


def minimum(*values: Any, default: Any = None) -> Any:
    """The smallest of several values, or NaN as soon as one of them is NaN.

    values: several numbers, or one iterable of numbers.
    default: what an empty iterable gives.

    Returns one of the values, as it came, or ``default``.
    Raises ``ValueError`` for an empty iterable where there is no ``default``.

    >>> minimum(0.1, 3, 2), minimum([0.1, float("nan")])
    (0.1, nan)
    """
    return _extreme(min, values, default)


def _extreme(builtin: Callable[[list[Any]], Any], values: tuple[Any, ...], default: Any) -> Any:
    items = list(values[0]) if len(values) == 1 else list(values)
    unknown = [item for item in items if isinstance(item, float) and item != item]
    if unknown or not items and default is not None:
        return unknown[0] if unknown else default
    return builtin(items)


def furthest(values: ArrayLike, point: float) -> float:
    """The value that lies furthest from a point: the worst of several measurements of one number.

        values[i] with |values[i] - point| largest

    values: (m,), m >= 1.  point: a number, in the same unit.

    Returns a float, the first of values that are equally far; NaN if any of them is NaN.
    Raises ``ValueError`` for no values, or for an array of more axes.

    >>> furthest([0.9, 1.3, 1.0], 1)
    1.3
    """
    values = np.asarray(values, dtype=float)
    require(values.ndim == 1 and len(values) > 0, "values.shape", values.shape, "1-D, not empty")
    return float(values[np.argmax(np.abs(values - point))])


class PowerLaw(NamedTuple):
    """``y = constant * x**exponent`` fitted in logarithms; ``stderr`` is that of the exponent."""

    exponent: float
    constant: float
    stderr: float


def power_law(x: ArrayLike, y: ArrayLike) -> PowerLaw:
    """Exponent of a power law through points, by least squares in logarithms.

        log y = exponent log x + log constant + error

    x, y: (m,) positive numbers, m >= 3.

    Returns a ``PowerLaw``; its ``stderr`` is the standard error of the exponent.
    Raises ``ValueError`` for fewer points, unequal lengths or values that are not positive.

    >>> law = power_law([1, 2, 4], [3, 12, 48])  # y = 3 x^2
    >>> round(law.exponent, 9), round(law.constant, 9)
    (2.0, 3.0)
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    require(len(x) == len(y) >= 3, "points", (len(x), len(y)), "at least 3 pairs")
    require((x > 0).all() and (y > 0).all(), "points", "values <= 0", "positive values")
    fit = stats.linregress(np.log(x), np.log(y))
    return PowerLaw(float(fit.slope), float(np.exp(fit.intercept)), float(fit.stderr))
