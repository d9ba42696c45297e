"""Two samples of unequal weight: when attention turns from the heavy one to both.

Weights (1, 1/r), one rival each; W turns where it comes as near to W_svm as to the heavy sample's
direction.  Own results; proofs: the chapter ``book/bridge/early_bias.ipynb``.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from lib.arrays import Array, ArrayLike
from lib.validation import require, require_real


class Turn(NamedTuple):
    """When two samples' W turns from the heavy one's direction to that of W_svm.

    ratio: gap of the light sample over that of the heavy one at which W is at equal angles to both.
    clock: limit of log t / log r there, t and the weights (1, 1/r) on the heavy sample's clock.
    wait: limit of t / (r log r) where the clock is 1 (the light sample has just woken), else nan.
    """

    ratio: float
    clock: float
    wait: float


def turn(gram: ArrayLike) -> Turn:
    """``Turn`` of two samples with one rival each; gram: (2, 2), of the two gaps' gradients.

    Heavy sample first.  Raises ``ValueError`` unless W_svm needs both (gram[0, 1] below both
    lengths squared).
    """
    gram = np.asarray(gram, dtype=float)
    both = gram[0, 1] < min(gram[0, 0], gram[1, 1]) and np.linalg.det(gram) > 0
    require(both, "gram", gram.tolist(), "two gaps of which neither implies the other")
    duals = np.linalg.solve(gram, np.ones(2))
    ratio = (np.sqrt(duals.sum() / gram[0, 0]) - duals[0]) / duals[1]
    if ratio > 0:
        return Turn(float(ratio), float(1 / (1 - ratio)), np.nan)
    pull = gram[0, 1] / gram[0, 0]
    return Turn(float(ratio), 1.0, float((ratio - pull) / (gram[1, 1] - pull * gram[0, 1])))


def turning_log_time(
    log_times: Sequence[float] | Array, ratio: float, heavy: ArrayLike, light: Array
) -> float:
    """log t from which on ``light`` is at least ``ratio`` times ``heavy``; nan if it ends below.

    All (m,), gaps along a path; between two points of the path the difference is taken as linear.
    Raises ``ValueError`` for a path that is never below.
    """
    ahead = np.asarray(light) - ratio * np.asarray(heavy)
    least = np.minimum.accumulate(ahead[::-1])[::-1]  # from here on: it rises, as interp wants it
    require(least[0] < 0, "light", float(light[0]), f"a path that is once below {ratio} x heavy")
    return float(np.interp(0.0, least, log_times, right=np.nan))


def turning_bounds(angle: float, log_r: float) -> tuple[float, float]:
    """(lower, upper) of log(G t) at the turn, pulls of length^2 G at ``angle`` (radians), W(0) = 0.

    Weights (1, 1/r), each label as frequent as its one rival.  ``ValueError`` unless
    r > 1 + 2 cos(angle / 2): else it does not turn.  The lower one is -inf where it says nothing.
    """
    require_real("angle", angle, above=0, below=np.pi)
    half = np.cos(angle / 2)
    never = np.log1p(2 * half)
    require(log_r > never, "log_r", log_r, f"> {never:.4f}, else it does not turn")
    if half > np.sqrt(0.5):
        return _agreeing(half, log_r)
    return _apart(half, log_r) if half > 0.5 + 1e-12 else _conflicting(half, log_r)


def _log_expm1(x: float) -> float:
    """log(e^x - 1), -inf for x <= 0."""
    return float(x + np.log(-np.expm1(-x))) if x > 0 else -np.inf


def _agreeing(half: float, log_r: float) -> tuple[float, float]:
    """Up to 90 degrees; the lower bound is the root of an equation for log(1 + G t / 2)."""
    ratio, clock, need = 2 * half - 1, 0.5 / (1 - half), log_r - np.log(4 * half * (1 + half))

    def ahead(x: float) -> float:
        return x - np.logaddexp(0, ratio * x) - need

    least = brentq(ahead, 0, (need + np.log(2)) * clock, xtol=1e-14)  # below 0 it says nothing
    high = _log_expm1((log_r + 2 * np.log(2 * half)) * (clock - 1))
    return np.log(2) + _log_expm1(least), np.log(2) + log_r + high


def _apart(half: float, log_r: float) -> tuple[float, float]:
    """From 90 to below 120 degrees; the upper bound is the root of an equation for log(G t)."""
    ratio, against = 2 * half - 1, 1 - 2 * half**2
    least = (log_r - np.log1p(2 * half)) / (1 - ratio)  # of the heavy gap
    low = max(_log_expm1(least), log_r + _log_expm1(ratio * least))

    def ahead(x: float) -> float:
        served = ratio * np.logaddexp(0, x)
        offset = np.log(served + 23 + against * (np.log(2) + log_r))
        return np.log(1 - against) + x - log_r - np.logaddexp(served, offset)

    return low, float(brentq(ahead, min(low, 0) - 1, max(low, 0) + 100 / (1 - ratio)))


def _conflicting(half: float, log_r: float) -> tuple[float, float]:
    """From 120 degrees: r log r on both sides, up to r."""
    ratio, against = 2 * half - 1, 1 - 2 * half**2
    log_ratio = log_r - np.log1p(2 * half)
    least = max(log_ratio / (1 - ratio), _log_expm1(log_ratio))  # of the heavy gap
    most = log_r + np.log(2 / against - np.exp(-log_r))
    done = max(0.0, _log_expm1(log_r + np.log(against)))  # of it, before the light sample wakes
    late = against * (1 + np.exp(-1) + most - done) + 2 * np.log(2)
    pace = np.log(2 * half * (1 + half))
    rest = late / (2 * half * (1 - half))
    return float(log_r + np.log(least) - pace), float(log_r + np.log(most + rest) - pace)
