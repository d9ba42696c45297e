"""Roots that a claim is made about: where there is none, the claim fails, not its chapter."""

import math

from scipy.optimize import brentq


def root(function, low, high, **options):
    """A root of a continuous function between ``low`` and ``high``, by Brent's method.

    ``nan`` where the function has one sign at both ends, or is no number there: no claim about a
    ``nan`` passes.  options: of ``scipy.optimize.brentq``.
    """
    at_low, at_high = function(low), function(high)
    crosses = at_low <= 0 <= at_high or at_high <= 0 <= at_low
    return brentq(function, low, high, **options) if crosses else math.nan
