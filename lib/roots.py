"""Roots that a claim is made about: where there is none, the claim fails, not its chapter."""

import math

from scipy.optimize import brentq


def root(function, low, high, **options):
    """A root of a continuous function between ``low`` and ``high``, by Brent's method.

    ``nan`` where the function has one sign at both ends, or is no number there: no claim about a
    ``nan`` passes.  options: of ``scipy.optimize.brentq``.
    """
    ends = function(low) * function(high)
    return brentq(function, low, high, **options) if ends <= 0 else math.nan
