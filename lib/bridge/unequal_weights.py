"""Attention trained from W = 0 on samples whose weights are r^-wake: what happens as r grows.

The flow is followed in the time clock = log t / log r, in which W / log r approaches the path of
``lib.bridge.sweeping``.  Own results; proofs: the chapter ``book/bridge/early_bias.ipynb``.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from lib.arrays import Array, ArrayLike, Mask
from lib.bridge.sweeping import Gaps, gaps, nearest, sweeping_process
from lib.bridge.turning import turning_log_time
from lib.mechanics.limit_offset import Leaks, leaks, tight_rows, unsupported
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData
from lib.validation import require, require_real

LATE = 4990.0, 5000.0  # log times between which the flow's growth is read off


def flow_from_zero(problem: Problem, log_times: ArrayLike, rtol: float = 1e-8) -> Array:
    """Gradient flow on the log-loss from W = 0, in the outer coordinates z of the split: (m, q).

    problem: a training set.  log_times: (m,), increasing values of log t.
    rtol: tolerance of the solver (``lib.mechanics.limit_paths.gradient_flow``).

    Raises ``ValueError`` for times that do not increase, or that the solver does not reach.
    """
    x, z = problem.split.coordinates(np.zeros((problem.data.shape[2],) * 2))
    return gradient_flow(problem.split, x, z, log_times, rtol).z


@dataclass(frozen=True, eq=False)
class UnequalWeights:
    """Samples whose weights are r^-wake, for any r.

    data: n samples; their own weights do not matter.  wakes: (n,), 0 for the heaviest ones.
    """

    data: NextTokenData
    wakes: Array

    def at(self, log_r: float) -> Problem:
        """The ``Problem`` with the weights r^-wakes."""
        return Problem(replace(self.data, weight=np.exp(-np.asarray(self.wakes) * log_r)))

    @property
    def gaps(self) -> Gaps:
        """The gaps of labels over rivals outside their components, which no weight changes."""
        return gaps(self.at(0.0).split)

    def swept(self, clocks: ArrayLike) -> Array:
        """V of the sweeping process at ``clocks`` (m,): (m, q), the limit of ``trained``/log r."""
        return sweeping_process(self.gaps, self.wakes, clocks)

    def trained(self, log_r: float, clocks: ArrayLike, rtol: float = 1e-8) -> Array:
        """W of training from 0 at t = r^clock, in outer coordinates: (m, q)."""
        return flow_from_zero(self.at(log_r), np.asarray(clocks) * log_r, rtol)

    def growth(self, log_r: float, clock: float) -> Array:
        """Growth of W (q,) at one clock per unit of log r, from half of ``log_r`` to it.

        Its limit is V(clock) too, and what of W is bounded drops out.
        """
        half, whole = (self.trained(size, [clock])[0] for size in (log_r / 2, log_r))
        return (whole - half) / (log_r / 2)

    def miss(self, log_r: float, clocks: ArrayLike) -> float:
        """Largest Euclidean |W - V log r| at ``clocks``."""
        off = self.trained(log_r, clocks) - log_r * self.swept(clocks)
        return np.linalg.norm(off, axis=1).max()


class DirectionTurn(NamedTuple):
    """Where W comes as near to W_svm as to the direction of the heavy samples.

    swept: clock at which the sweeping process does.
    trained: growth of log t at which training does, per unit of log r.
    """

    swept: float
    trained: float


def direction_turn(
    samples: UnequalWeights, log_r: float, clocks: ArrayLike
) -> DirectionTurn | None:
    """Where W turns from the direction of the samples that wake at 0 to W_svm: ``DirectionTurn``.

    Nearer means of the larger cosine.  The heavy samples' direction is the shortest v with
    rows . v >= 1 for their gaps, W_svm the shortest one for all gaps.  Training is compared between
    half of ``log_r`` and ``log_r``.

    clocks: (m,), increasing; between two of them the difference of the cosines is taken as linear.

    Returns ``None`` where the sweeping process is nearer to W_svm at the first clock.
    Raises ``ValueError`` where no v meets all gaps.
    """
    require_real("log_r", log_r, above=0)
    clocks, found = np.asarray(clocks, dtype=float), samples.gaps
    heavy = np.asarray(samples.wakes)[found.samples] == 0
    require(heavy.any(), "wakes", np.asarray(samples.wakes).tolist(), "a sample with a gap at 0")
    ends = [_shortest(found.rows[heavy]), _shortest(found.rows)]

    def cosines(path: Array) -> list[Array]:
        return [_unit(path) @ _unit(end) for end in ends]

    near_heavy, near_all = cosines(samples.swept(clocks))
    if near_all[0] >= near_heavy[0]:
        return None
    swept = turning_log_time(clocks, 1, near_heavy, near_all)
    half, whole = (
        turning_log_time(clocks * size, 1, *cosines(samples.trained(size, clocks, 1e-6)))
        for size in (log_r / 2, log_r)
    )
    return DirectionTurn(swept, 2 * (whole - half) / log_r)


def _shortest(rows: Array) -> Array:
    """The shortest v (q,) with rows v >= 1."""
    return nearest(rows, np.ones(len(rows)), np.zeros(rows.shape[1]))


def _unit(v: Array) -> Array:
    """Vectors along the last axis, of length 1."""
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class LateGrowth:
    """Samples late in training, from equal weights and from weights r^-wake.

    wakes: (n,).  found: the leading ``Leaks``.  w: (q,), W_svm in outer coordinates.
    plain, weighted: (2, q), z of the flow from 0 at the log times ``LATE``.
    """

    wakes: Array
    found: Leaks
    w: Array
    plain: Array
    weighted: Array

    @property
    def tight(self) -> Mask:
        """(m,): the gaps that W_svm only just serves."""
        return tight_rows(self.found, self.w)

    @property
    def unique_positive(self) -> bool:
        """Whether the multipliers of the tight gaps are unique and positive."""
        independent = np.linalg.matrix_rank(self.found.rows[self.tight]) == self.tight.sum()
        return bool(independent and not unsupported(self.found, self.w).any())


def late_growth(samples: UnequalWeights, log_r: float) -> LateGrowth:
    """``LateGrowth`` of samples without cycles, with weights r^-wake beside equal ones."""
    plain, heavy = samples.at(0.0), samples.at(log_r)
    w = plain.split.coordinates(plain.svm.W)[1]
    paths = (flow_from_zero(problem, LATE) for problem in (plain, heavy))
    return LateGrowth(samples.wakes, leaks(plain.split, plain.fin.x), w, *paths)
