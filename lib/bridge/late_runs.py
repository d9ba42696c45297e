"""Runs of the plain joint layer from zero, late: who won, how fast Z drifts, what pushes it.

    slope of Z in ln ln t,    pushes on losers over their clock,    distance of winners' rows from
    their asymptotes (``lib.bridge.basin``)

Each class holds one data set and computes a run when it is first asked for.
Own results; proofs: the chapter ``book/bridge/snapping_direction.ipynb``.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, Mask
from lib.bridge.basin import asymptotic_rows, gain, largest_leak, rows_apart
from lib.bridge.joint_training import JointPath, features, joint_flow
from lib.bridge.many_runs import attention, run_many, stacked
from lib.bridge.slow_direction import (
    MarginSVM,
    allies,
    late_pushes,
    loser_pushes,
    losers,
    margin_svm,
    names_labels,
    pair_margins,
    winner_svm,
    winners,
    won_weight,
)
from lib.mechanics.graph_svm import GraphSVM
from lib.mechanics.samples import NextTokenData

EARLY = 40.0  # ln t at which the winners are read off
MOMENTS = np.array([1e2, 1e3, 1e4])  # ln t
LATE = np.array([1e5, 1e6])
QUICKLY: dict[str, Any] = {
    "rtol": 1e-6,
    "atol": 1e-8,
}  # the slopes of the draws with few labels move by 1e-4
BASIN = 1000.0  # ln t at which runs start near their asymptotes
CARRIES = 0.05  # a multiplier above it


def zeros(data: NextTokenData) -> tuple[Array, Array]:
    """(Y, Z) of a start from zero, one column of Y for each label up to the largest."""
    V = data.counts.shape[1]
    return np.zeros((V, data.label.max() + 1)), np.zeros((V, V))


def steepness(path: JointPath) -> Array:
    """Slope of Z in ln ln t between the last two points of a path: (K, K)."""
    return (path.Z[-1] - path.Z[-2]) / np.log(path.log_time[-1] / path.log_time[-2])


def pushes_on_clock(data: NextTokenData, kept: Mask, path: JointPath) -> Array:
    """Pushes on losers along a path, over ln t d ln t, margins 2: (moments, pairs).

    kept: (n, K), the winners.  The pairs are those of ``losers``, sample by sample.
    """
    return np.array([
        loser_pushes(data, Y, Z, kept, 1, log_scale=log_t - np.log(log_t))[losers(data, kept)]
        for log_t, Y, Z in zip(path.log_time, path.Y, path.Z, strict=True)
    ])  # fmt: skip


@dataclass(frozen=True, eq=False)
class OwnLabels:
    """A data set whose winners decide the labels, and its plain run from zero."""

    data: NextTokenData

    @cached_property
    def early(self) -> JointPath:
        """The layer at ln t = ``EARLY``."""
        return joint_flow(self.data, *zeros(self.data), [EARLY])

    @cached_property
    def kept(self) -> Mask:
        """(n, K): the winners there."""
        return winners(self.data, self.early.Z[0])

    @cached_property
    def svm(self) -> GraphSVM:
        """The Graph-SVM of their graph."""
        return winner_svm(self.data, self.kept)

    @cached_property
    def path(self) -> JointPath:
        """The run at ``MOMENTS``."""
        return joint_flow(self.data, *zeros(self.data), MOMENTS)

    @cached_property
    def pushes(self) -> Array:
        """On losers at ``MOMENTS``, over their clock: (moments, pairs)."""
        return pushes_on_clock(self.data, self.kept, self.path)

    @cached_property
    def limits(self) -> Array:
        """Of the pushes, (n, K), NaN where there is no loser."""
        return late_pushes(self.data, self.kept, self.path.Y.shape[2])

    @cached_property
    def losers(self) -> Mask:
        """(n, K): tokens of a sample that are not its winner."""
        return losers(self.data, self.kept)

    def support_slopes(self) -> list[float]:
        """Slope in T = ln^2 t of each pair whose multiplier ``CARRIES``, last decade of ln t."""
        grown = steepness(self.path) / 2  # ln T is 2 ln ln t
        pairs = zip(self.svm.pairs, self.svm.duals, strict=True)
        return [grown[k, i] - grown[k, j] for (k, i, j), dual in pairs if dual > CARRIES]


@dataclass(frozen=True, eq=False)
class FewLabels:
    """A data set whose samples share labels, and its plain run from zero."""

    data: NextTokenData

    @cached_property
    def begin(self) -> tuple[Array, Array]:
        """Y and Z of the start."""
        return zeros(self.data)

    @cached_property
    def early(self) -> Array | None:
        """Attention at ln t = ``EARLY``, (n, K); ``None`` where two tokens share for so long."""
        alone, no_decoder = stacked([self.data]), self.begin[0]
        try:
            Z = run_many(alone, no_decoder, [EARLY], begin=-9, tolerance=0.01, most=400).Z
        except RuntimeError:
            return None
        return attention(alone, Z)[0, 0]

    @cached_property
    def kept(self) -> Mask:
        """(n, K): the winners there."""
        return np.eye(self.data.counts.shape[1], dtype=bool)[np.asarray(self.early).argmax(axis=1)]

    @cached_property
    def allied(self) -> Mask:
        """(n, K): losers that win another sample of the same label."""
        return allies(self.data, self.kept)

    @cached_property
    def svm(self) -> MarginSVM:
        """The least matrix with margins 2, and 1 for allies."""
        return margin_svm(self.data, self.kept, pair_margins(self.data, self.kept))

    @cached_property
    def two_everywhere(self) -> Array:
        """The least matrix with margin 2 everywhere: (K, K)."""
        return 2 * winner_svm(self.data, self.kept).W.T

    @cached_property
    def path(self) -> JointPath:
        """The run at ``LATE``."""
        return joint_flow(self.data, *self.begin, LATE, **QUICKLY)

    @property
    def settled(self) -> bool:
        """Whether each sample has a winner at ln t = ``EARLY``."""
        return self.early is not None and bool(self.early[self.kept].min() >= 0.9)

    @property
    def names_labels(self) -> bool:
        """Whether each winner has one label."""
        return names_labels(self.data, self.kept)

    @property
    def lighter_allies(self) -> bool:
        """Whether each winner has won more weight than each of its allies."""
        won = won_weight(self.data, self.kept)
        return bool((won[self.kept.argmax(axis=1)][:, None] > won)[self.allied].all())

    @property
    def leads_of_allies(self) -> Array:
        """Slopes in ln ln t of the pairs with margin 1 whose multiplier ``CARRIES``."""
        grown = steepness(self.path)
        carry = (self.svm.margins == 1) & (self.svm.duals > CARRIES)
        pairs = self.svm.pairs[carry]
        rows, best = self.data.last[pairs[:, 0]], self.kept.argmax(axis=1)[pairs[:, 0]]
        return grown[rows, best] - grown[rows, pairs[:, 1]]

    @cached_property
    def apart(self) -> Array:
        """(2, winners): distances of winners' rows from their asymptotes at ``LATE``."""
        moments = zip(self.path.log_time, self.path.Y, strict=True)
        return np.array([rows_apart(self.data, self.kept, Y, log_t) for log_t, Y in moments])

    @property
    def fading(self) -> tuple[Array, float]:
        """Slopes in ln T, T = ln t, of those distances, and of the largest share that a sample
        leaves to its losers."""
        leaks = [largest_leak(self.data, self.kept, Z) for Z in self.path.Z]
        decades = np.log10(LATE[1] / LATE[0])
        rows = np.log10(self.apart[1] / self.apart[0]) / decades
        return rows, np.log10(leaks[1] / leaks[0]) / decades

    def near_the_limits(self, rng: Generator) -> tuple[Array, Array]:
        """Y and Z at ln t = ``BASIN``, winners' rows and Z at the distances that (e) allows."""
        C = int(self.data.label.max()) + 1
        near, won = gain(self.data, self.kept) / 8, won_weight(self.data, self.kept) > 0
        Y = asymptotic_rows(self.data, self.kept, C, BASIN)
        shift = rng.normal(size=Y.shape)
        shift -= shift.mean(axis=1, keepdims=True)
        Y += shift * (np.where(won, near, 1) / np.linalg.norm(shift, axis=1))[:, None]
        away = np.zeros_like(self.begin[1])
        asked = np.unique(self.data.last)
        away[asked] = rng.normal(size=(len(asked), away.shape[1]))
        return Y, self.svm.Z * np.log(BASIN) + away / np.linalg.norm(away)

    @property
    def off_pushes_of_allies(self) -> float:
        """How far pushes on losers of margin 1, per unit of ln t, are at the end from their limits,
        over the largest share w_i / Omega_o of such a sample: where weights are nearly equal, the
        limit itself is near 0."""
        log_t, Y, Z = self.path.log_time[-1], self.path.Y[-1], self.path.Z[-1]
        found = loser_pushes(self.data, Y, Z, self.kept, 1, log_scale=log_t)
        limits = late_pushes(self.data, self.kept, Y.shape[1])
        share = self.data.weight / won_weight(self.data, self.kept)[self.kept.argmax(axis=1)]
        return np.abs(found - limits)[self.allied].max() / share[self.allied.any(axis=1)].max()


@dataclass(frozen=True, eq=False)
class Normalized:
    """A normalized run from zero, ended at the last of ``log_times``."""

    data: NextTokenData
    path: JointPath

    @cached_property
    def held(self) -> Mask:
        """(n, K): the tokens that samples keep, more than 0.02 of the feature of length 1."""
        return features(self.data, self.path.Z[-1], normalize=True) > 0.02

    @cached_property
    def target(self) -> Array:
        """W of the graph *kept over the rest*, as Z has it: (K, K)."""
        return winner_svm(self.data, self.held).W.T

    @property
    def slope_over_kept(self) -> float:
        """Of Z in ln ln t, along ``target``, in units of it."""
        return (steepness(self.path) * self.target).sum() / (self.target**2).sum()


def normalized_run(data: NextTokenData, log_times: Any, **options: Any) -> Normalized:
    """The ``Normalized`` run.  Raises ``RuntimeError`` where it stops early.  options: of flow."""
    return Normalized(data, joint_flow(data, *zeros(data), log_times, normalize=True, **options))


def own_winners(data: NextTokenData) -> Mask:
    """(n, K): the most frequent of the tokens of each sample that no other sample has."""
    own = (data.counts > 0) & ((data.counts > 0).sum(axis=0) == 1)
    return np.eye(data.counts.shape[1], dtype=bool)[(own * data.counts).argmax(axis=1)]
