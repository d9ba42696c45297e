"""Roots of functions, for claims: where there is none the answer is NaN, and the claim fails."""

import math
from collections.abc import Callable
from typing import Any

from scipy.optimize import brentq


def root(function: Callable[[float], float], low: float, high: float, **options: Any) -> float:
    """A root of a continuous function between ``low`` and ``high``, by Brent's method.

    options: of ``scipy.optimize.brentq``.

    Returns a float; NaN where the function has one sign at both ends or is NaN there, so that the
    claim fails and its chapter goes on.
    """
    at_low, at_high = function(low), function(high)
    crosses = at_low <= 0 <= at_high or at_high <= 0 <= at_low
    return brentq(function, low, high, **options) if crosses else math.nan
