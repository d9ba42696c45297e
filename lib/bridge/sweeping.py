"""Attention trained on samples of very unequal weight, in the time sigma = log t / log r.

The heaviest sample weighs 1, sample i weighs r^-wake_i.  As r grows, W / log r becomes the point
that a shrinking polyhedron pushes before it (Moreau's sweeping process, 1971),

    C(sigma) = { v : rows_j . v >= sigma - wake_j  for each row whose sample is awake },

rows_j . v the score gap of a label over one rival; a sample is awake from sigma = wake_i on.
Where a sample wakes with a gap below 0 the point jumps, to where the flow of the hinges
max(0, -smallest gap) of the waking samples comes to rest on the walls of the others.
With equal weights C(sigma) = sigma C(1), and the point is sigma W_svm.

Own result; proof: the chapter ``book/bridge/early_bias.ipynb``.
"""

from typing import NamedTuple

import numpy as np

from lib.arrays import Array, ArrayLike, Mask
from lib.mechanics.graph_svm import nonnegative_solution
from lib.mechanics.loss_split import SplitLoss
from lib.validation import require, require_real

TOUCHING = 1e-9  # a gap this near to a wall is on it
FIRM = 10.0  # weight of "the forces of a sample add up to 1"; any size gives the same answer


class Gaps(NamedTuple):
    """rows: (m, q), the gaps' gradients in the outer coordinates; samples: (m,), whose they are."""

    rows: np.ndarray
    samples: np.ndarray


def gaps(split: SplitLoss) -> Gaps:
    """``Gaps`` of a ``SplitLoss``, one for each label and rival outside its component."""
    return Gaps(-split.outer_features[split.outside], np.argwhere(split.outside)[:, 0])


def nearest(rows: Array, bounds: Array, point: Array) -> Array:
    """The point of {v : rows v >= bounds} nearest to ``point`` (q,): Lawson and Hanson's problem.

    rows: (m, q); bounds: (m,).  Raises ``ValueError`` where no v meets all bounds.
    """
    short = bounds - rows @ point
    if (short <= 0).all():
        return point
    # In units of the longest row and of the largest miss: no size makes one of them vanish.
    length, miss = np.linalg.norm(rows, axis=1).max(), short.max()
    require(length > 0, "bounds", bounds.tolist(), "bounds that some point meets")
    stacked = np.vstack([rows.T / length, short / miss])
    aim = np.r_[np.zeros(rows.shape[1]), 1.0]
    duals, distance = nonnegative_solution(stacked, aim)
    require(distance > 1e-9, "bounds", bounds.tolist(), "bounds that some point meets")
    *rest, last = stacked @ duals - aim
    return point - np.array(rest) / last * (miss / length)


def _velocity(found: Gaps, at_floor: Mask, waking: Mask, held: Mask) -> Array:
    """Least sum of pushes (q,) of the rows ``at_floor`` (m,): forces >= 0, those of a ``waking``
    sample add up to 1, or to at most 1 if its smallest gap is 0 (``held``, (m,)).

    The forces come from the method of multipliers: what their sums miss is asked for once more.
    """
    rows = found.rows[at_floor]
    owners = np.where(waking, found.samples, -1)[at_floor]
    samples = np.unique(owners[owners >= 0])
    slack = np.isin(samples, found.samples[held & at_floor])  # these may push with less
    sums = np.hstack([owners == samples[:, None], np.eye(len(samples))[:, slack]])
    pull = np.hstack([rows.T, np.zeros((rows.shape[1], slack.sum()))])
    asked = np.ones(len(samples))
    for _ in range(1000):
        aim = np.r_[np.zeros(len(pull)), FIRM * asked]
        force, _ = nonnegative_solution(np.vstack([pull, FIRM * sums]), aim)
        missing = 1 - sums @ force
        if np.abs(missing).max(initial=0) < 1e-13:
            return pull @ force
        asked = asked + missing
    raise ValueError(f"rows = {rows.tolist()}, allowed: forces whose sums can be met")


def landing(found: Gaps, walls: Array, waking: Mask, v: Array) -> Array:
    """Where samples that wake at ``v`` (q,) come to rest: the flow of sum_i max(0, -gap_i).

    found: ``Gaps``; waking: (m,) booleans, the rows of the samples that wake; gap_i is the smallest
    gap of a sample.  walls: (m,), what the other gaps keep to, -inf for a sample that sleeps on.
    The flow is straight until a gap reaches a wall, 0 or the smallest one of its sample.
    Raises ``ValueError`` where the walls do not let all be served.
    """
    v = np.array(v, dtype=float)
    mine = (found.samples == found.samples[:, None]) & waking
    for _ in range(100 * len(waking)):
        gap = found.rows @ v
        low = np.where(mine, gap, np.inf).min(axis=1, initial=np.inf)
        behind = waking & (low < -TOUCHING)
        if not behind.any():
            return v
        floor = np.where(waking, np.minimum(low, 0), walls)
        at_floor = gap - floor <= TOUCHING
        push = _velocity(found, at_floor, waking, waking & ~behind)
        rate = found.rows @ push
        slope = np.where(mine & at_floor, rate, np.inf).min(axis=1, initial=np.inf)
        slope = np.where(behind, slope, 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            meets = np.where(~at_floor & (rate < slope), (gap - floor) / (slope - rate), np.inf)
            serves = np.where(behind & (slope > 0), -low / slope, np.inf)
        step = min(meets.min(), serves.min())
        require(
            np.isfinite(step), "waking", waking.tolist(), "samples that the walls let be served"
        )
        v = v + step * push
    raise ValueError(f"rows = {found.rows.tolist()}, allowed: hinges that come to rest")


def sweeping_process(found: Gaps, wakes: ArrayLike, clocks: ArrayLike) -> Array:
    """V at ``clocks`` (increasing, >= 0), (m, q), from V = 0: between wakes the slowest motion that
    no tight wall overtakes, straight until the next wall is met; at a wake to the ``landing``.

    found: ``Gaps``; wakes: (n,), one for each sample.
    """
    clocks, wakes = np.asarray(clocks, dtype=float), np.asarray(wakes, dtype=float)
    require((np.diff(clocks) > 0).all(), "clocks", clocks.tolist(), "increasing clocks")
    require_real("clocks[0]", float(clocks[0]), at_least=0)
    require(wakes.min() >= 0, "wakes", wakes.tolist(), "numbers >= 0: the heaviest weighs 1")
    of_row, rest = wakes[found.samples], np.zeros(found.rows.shape[1])
    stops = np.unique(np.r_[wakes[wakes < clocks[-1]], clocks])
    v, now, path = rest, 0.0, []
    for stop in stops:
        awake = of_row < stop
        while now < stop:
            ahead = found.rows @ v - (now - of_row)
            tight = awake & (ahead <= TOUCHING)
            push = nearest(found.rows[tight], np.ones(tight.sum()), rest)
            rate = found.rows @ push
            caught = awake & ~tight & (rate < 1)
            span = min(stop - now, (ahead[caught] / (1 - rate[caught])).min(initial=np.inf))
            v, now = v + span * push, stop if span == stop - now else now + span
        v = landing(found, np.where(awake, stop - of_row, -np.inf), of_row == stop, v)  # type: ignore[assignment]
        path.append(v)
    return np.array(path)[np.isin(stops, clocks)]
