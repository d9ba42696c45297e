"""Attention trained on samples of very unequal weight, on the clock sigma = log t / log r.

The heaviest sample weighs 1, sample i weighs r^-wake_i.  As r grows, W / log r becomes the point
that a shrinking polyhedron pushes before it (Moreau's sweeping process, 1971),

    C(sigma) = { v : rows_j . v >= sigma - wake_j  for each row whose sample is awake },

rows_j . v the score gap of a label over one rival; a sample is awake from sigma = wake_i on.
With equal weights C(sigma) = sigma C(1), and the point is sigma W_svm.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from lib.validation import require, require_real


class Gaps(NamedTuple):
    """rows: (m, q), the gaps' gradients in the outer coordinates; samples: (m,), whose they are."""

    rows: np.ndarray
    samples: np.ndarray


def gaps(split):
    """``Gaps`` of a ``SplitLoss``, one for each label and rival outside its component."""
    return Gaps(-split.outer_features[split.outside], np.argwhere(split.outside)[:, 0])


def nearest(rows, bounds, point):
    """The point of {v : rows v >= bounds} nearest to ``point`` (q,): Lawson and Hanson's problem.

    rows: (m, q); bounds: (m,).  Raises ``ValueError`` where no v meets all bounds.
    """
    short = bounds - rows @ point
    if (short <= 0).all():
        return point
    size = short.max()
    stacked = np.vstack([rows.T, short / size])
    aim = np.r_[np.zeros(rows.shape[1]), 1.0]
    duals, distance = nnls(stacked, aim, maxiter=100 * len(rows))
    require(distance > 1e-9, "bounds", bounds.tolist(), "bounds that some point meets")
    rest = stacked @ duals - aim
    return point - size * rest[:-1] / rest[-1]


def sweeping_process(found, wakes, clocks, step=0.05):
    """V at ``clocks`` (increasing, >= 0), (m, q), from V = 0: each step to the nearest point of C.

    found: ``Gaps``; wakes: (n,), one for each sample.  The steps ``step`` stop at every wake and
    every clock; between two changes of what is tight V is linear, and steps make no error.
    """
    clocks, wakes = np.asarray(clocks, dtype=float), np.asarray(wakes, dtype=float)
    require((np.diff(clocks) > 0).all(), "clocks", clocks.tolist(), "increasing clocks")
    require_real("clocks[0]", float(clocks[0]), at_least=0)
    require(wakes.min() >= 0, "wakes", wakes.tolist(), "numbers >= 0: the heaviest weighs 1")
    require_real("step", step, above=0)
    of_row = wakes[found.samples]
    grid = np.unique(np.r_[np.arange(0, clocks[-1], step), wakes[wakes < clocks[-1]], clocks])
    v, path = np.zeros(found.rows.shape[1]), []
    for clock in grid:
        awake = of_row <= clock
        v = nearest(found.rows[awake], clock - of_row[awake], v)
        path.append(v)
    return np.array(path)[np.isin(grid, clocks)]


class Turn(NamedTuple):
    """When two samples' W turns from the heavy one's direction to that of W_svm.

    ratio: gap of the light sample over that of the heavy one at which W is at equal angles to both.
    clock: limit of log t / log r there, t and the weights (1, 1/r) on the heavy sample's clock.
    wait: limit of t / (r log r) where the clock is 1 (the light sample has just woken), else nan.
    """

    ratio: float
    clock: float
    wait: float


def turn(gram):
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


def turning_log_time(log_times, ratio, heavy, light):
    """log t at which ``light`` first reaches ``ratio`` times ``heavy``; nan if it never does.

    All (m,), gaps along a path; between two points of the path the difference is taken as linear.
    """
    ahead = np.asarray(light) - ratio * np.asarray(heavy)
    crossed = np.flatnonzero((ahead[:-1] < 0) & (ahead[1:] >= 0))
    if not len(crossed):
        return np.nan
    i = crossed[0]
    share = ahead[i] / (ahead[i] - ahead[i + 1])
    return float(log_times[i] + share * (log_times[i + 1] - log_times[i]))
