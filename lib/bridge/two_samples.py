"""Two samples of unequal weight, one rival each: when training turns, measured.

The heavy sample comes first, weights (1, 1/r), W(0) = 0, and t is the heavy sample's time.  What
is predicted of the turn stands in ``lib.bridge.turning``.
Own results; proofs: the chapter ``book/bridge/early_bias.ipynb``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.bridge.joint_training import joint_flow, one_hot_data
from lib.bridge.sweeping import gaps
from lib.bridge.turning import turn, turning_bounds, turning_log_time
from lib.bridge.unequal_weights import flow_from_zero
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData
from lib.validation import require_choice, require_real

# (counts, labels) over five tokens, the last of which is the query, and the pulls' angle.
PAIRS = {
    "conflict": ([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0]], [0, 1]),  # a over b, b over c: 120 degrees
    "unrelated": ([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]], [0, 2]),  # a over b, c over d: 90
    "agreement": ([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]], [0, 0]),  # a over b, a over c: 60
}


def named_pair(name: str, log_r: float) -> Problem:
    """The ``Problem`` of a pair of ``PAIRS`` with weights (1, 1/r), orthonormal tokens.

    >>> round(turn(gap_gram(named_pair("unrelated", 1.0))).clock, 12)  # 1 + 1 / sqrt 2
    1.707106781187
    """
    counts, labels = PAIRS[require_choice("name", name, PAIRS)]
    return Problem(one_hot_data(counts, [4, 4], labels, [1, np.exp(-log_r)]))


def pair_over(tokens: Array, log_r: float) -> Problem:
    """The unrelated pair over other embeddings ``tokens`` (5, d), weights (1, 1/r)."""
    counts, labels = PAIRS["unrelated"]
    weight, four = np.array([1, np.exp(-log_r)]), np.array([4, 4])
    return Problem(
        NextTokenData(np.array(counts), four, np.array(labels), tokens, weight, complete=False)
    )


def pair_at_angle(degrees: float, log_r: float) -> Problem:
    """Two samples whose gaps have gradients of length^2 2 at this angle, weights (1, 1/r).

    degrees: between 0 and 180.
    """
    require_real("degrees", degrees, above=0, below=180)
    angle, e = np.radians(degrees), np.eye(6)
    third = e[2] + np.cos(angle) * (e[0] - e[1]) + np.sin(angle) * np.sqrt(2) * e[3]
    return pair_over(np.array([e[0], e[1], third, e[2], e[5]]), log_r)


def cos_half(degrees: float) -> float:
    """h of the statement: the cosine of half the angle between the pulls."""
    return np.cos(np.radians(degrees) / 2)


def gap_gram(problem: Problem) -> Array:
    """(m, m): inner products of the gaps' gradients, G [[1, cos], [cos, 1]] at equal lengths."""
    rows = gaps(problem.split).rows
    return rows @ rows.T


def gap_paths(problem: Problem, log_times: ArrayLike, rtol: float = 1e-6) -> Array:
    """The gaps of labels over rivals along the flow from W = 0: (gaps, m), heavy sample first."""
    return (flow_from_zero(problem, log_times, rtol) @ gaps(problem.split).rows.T).T


def measured_turn(problem: Problem, log_r: float, until: float = 6.0, points: int = 40) -> float:
    """log t at which training of a pair turns: the light gap is ``turn().ratio`` of the heavy one.

    until: log t, in units of log r, up to where one looks.  points: where the flow is read, between
    which the gaps are taken as linear.

    Returns nan if it has not turned by then.
    """
    expected = turn(gap_gram(problem))
    times = np.linspace(0.2 * log_r, until * log_r + 10, points)
    if expected.ratio <= 0:  # it turns just after waking: look closely there
        times = np.linspace(log_r + 0.5, log_r + 7, 4 * points)
    return turning_log_time(times, expected.ratio, *gap_paths(problem, times))


def turn_growth(make: Callable[[float], Problem], log_r: float) -> float:
    """Growth of the turning log t per unit of log r, from half of ``log_r`` to it.

    make: a pair of samples for each log r.
    """
    low, high = log_r / 2, log_r
    until = 1.3 * turn(gap_gram(make(low))).clock
    turned = [measured_turn(make(size), size, until) for size in (high, low)]
    return (turned[0] - turned[1]) / (high - low)


class BoundedTurn(NamedTuple):
    """log t of a turn, and the explicit lower and upper bounds on it."""

    log_time: float
    low: float
    high: float


def bounded_turn(degrees: float, log_r: float, rtol: float = 1e-7) -> BoundedTurn:
    """The turn of ``pair_at_angle``, read off closely, beside ``turning_bounds`` on it.

    rtol: tolerance of the solver.

    Returns ``BoundedTurn``, its time nan where the bounds exclude each other or it turns outside
    of them by more than 1.  Raises ``ValueError`` unless r > 1 + 2 cos(angle / 2).
    """
    low, high = np.array(turning_bounds(np.radians(degrees), log_r)) - np.log(2)  # G = 2
    if not low < high:
        return BoundedTurn(np.nan, low, high)
    problem, times = pair_at_angle(degrees, log_r), np.linspace(low - 1, high + 1, 300)
    for near in (5e-4, 0):
        paths = gap_paths(problem, times, rtol)
        when = turning_log_time(times, 2 * cos_half(degrees) - 1, *paths)
        if np.isnan(when):  # a bound is far off
            break
        times = when + np.linspace(-near, near, 9)
    return BoundedTurn(when, low, high)


def ever_nearer_to_heavy(degrees: float, log_r: float) -> bool:
    """Whether W is once nearer to the heavy sample's direction than to W_svm (t to e^12)."""
    heavy, light = gap_paths(pair_at_angle(degrees, log_r), np.linspace(-8, 12, 80), 1e-8)
    return bool((light < (2 * cos_half(degrees) - 1) * heavy).any())


class JointTurn(NamedTuple):
    """log t of a turn in the joint layer (nan: none), and both gaps at the last time."""

    log_time: float
    heavy: float
    light: float


def joint_turn(problem: Problem, log_times: ArrayLike, **options: Any) -> JointTurn:
    """The turn of a pair of ``PAIRS`` where the decoder is softmax(Y^T f), from Y = I and Z = 0.

    The gaps are those of attention's logits.  log_times: (m,), increasing.
    options: of ``joint_flow``; ``eta_y=0`` freezes the decoder.
    """
    data, times = problem.data, np.asarray(log_times, dtype=float)
    path = joint_flow(data, np.eye(5), np.zeros((5, 5)), times, rtol=1e-6, atol=1e-8, **options)
    heavy, light = (
        path.Z[:, 4, label] - path.Z[:, 4, next(j for j in range(4) if row[j] and j != label)]
        for row, label in zip(data.counts, data.label, strict=True)
    )
    ratio = turn(gap_gram(problem)).ratio
    return JointTurn(turning_log_time(times, ratio, heavy, light), heavy[-1], light[-1])
