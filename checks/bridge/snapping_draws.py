"""The draws and runs on which the direction of snapping is measured, and what they must have.

The chapter: ``book/bridge/snapping_direction.ipynb``.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from ledgerbook import Checks, once, seed, whole
from lib.arrays import Array
from lib.bridge.joint_training import features, one_hot_data
from lib.bridge.late_runs import (
    LATE,
    QUICKLY,
    FewLabels,
    Normalized,
    OwnLabels,
    normalized_run,
    steepness,
)
from lib.bridge.slow_direction import decides, losers, mixed_draw, shared_label_draw
from lib.measure import minimum
from lib.mechanics.draws import drawn
from lib.mechanics.samples import NextTokenData

TOKENS, LABELS = 8, 5


def off(found: Array, wanted: Array) -> float:
    """Relative distance, in the Frobenius norm."""
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def reasons(one: FewLabels) -> Iterator[tuple[str, Any]]:
    """What a draw of few labels must have, in words, and whether it has: later ones are asked only
    where there is a winner."""
    yield "no winner yet", one.settled
    yield "a winner of two labels", one.names_labels
    yield "no ally", one.allied.any()
    yield "an ally no lighter", one.lighter_allies
    yield "both laws alike", off(one.two_everywhere, one.svm.Z) > 0.01


def missing(one: FewLabels) -> str | None:
    """The first reason to leave a draw out, or ``None``."""
    return next((why for why, met in reasons(one) if not met), None)


def near(one: FewLabels) -> float:
    """Gamma / 8 of (e), summed pair by pair."""
    weight = np.asarray(one.data.weight)
    won = [sum(weight[one.kept[:, k]].tolist()) for k in range(TOKENS)]
    winner = one.kept.argmax(axis=1)
    heavier = [math.log(won[winner[i]] / won[l]) for i, l in np.argwhere(one.allied)]
    return minimum([2.0, *heavier]) / 8


def differs(one: FewLabels) -> bool:
    """Whether, at ln t = 40, each sample has a winner, each winner a label, no loser has won as
    much weight of its winner's label, and margins of 1 change the least matrix."""
    return missing(one) is None


def meets_hypotheses(one: OwnLabels) -> bool:
    """Whether each sample has a winner at ln t = 40, and these decide the labels."""
    mass = features(one.data, one.early.Z[0])[one.kept]
    return mass.min() > 0.9 and decides(one.data, one.kept)


def kept_misses(data: NextTokenData) -> float | None:
    """Normalized: relative error of 2 W of the graph *kept over the rest*; ``None`` where a run
    stops early or loses nothing."""
    try:
        run = normalized_run(data, LATE, **QUICKLY)
    except RuntimeError:
        return None
    lost = losers(data, run.held).any()
    return off(steepness(run.path), 2 * run.target) if lost else None


def of_own_tokens(rng: Generator) -> NextTokenData:
    """Four samples, three tokens each that no other has; one token of each is the most frequent."""
    counts = np.zeros((4, 14))
    for i in range(4):
        counts[i, 3 * i : 3 * i + 3] = rng.permutation([rng.integers(3, 6), *rng.integers(1, 3, 2)])
    return one_hot_data(counts, 12 + np.arange(4) % 2, [0, 1, 2, 0], rng.dirichlet(np.full(4, 3.0)))


def classes_alike(rng: Generator) -> NextTokenData:
    """Four classes, two to a query, three tokens of their own, two that all share."""
    own, shared = rng.permutation([4, *rng.integers(1, 4, 2)]), rng.integers(5, 9, 2)
    counts = np.zeros((4, 16))
    counts[:, 12:14] = shared
    for i in range(4):
        counts[i, 3 * i : 3 * i + 3] = own
    return one_hot_data(counts, 14 + np.arange(4) // 2, np.arange(4))


@dataclass
class SnappingDraws(Checks):
    """Draws of own labels and of few labels, and runs of both."""

    draws: int = whole(7, 3, 14, holds=(4, 10))
    normalized_draws: int = whole(5, 2, 10, holds=(3, lambda self: self.draws))
    shared_draws: int = whole(60, 20, 120, holds=(20, 60))
    seed: int = seed(2026)

    @once
    def sets(self, rng: Generator) -> list[OwnLabels]:
        """The draws that meet the hypotheses."""
        draw = lambda: OwnLabels(mixed_draw(rng, K=TOKENS, n=LABELS))
        sizes = "TOKENS, LABELS", (TOKENS, LABELS)
        return [drawn(draw, meets_hypotheses, *sizes) for _ in range(self.draws)]

    @once
    def left_out(self, rng: Generator) -> tuple[int, int]:
        """Of a hundred further draws, how many have no winner yet at ln t = 40 in some sample, and
        how many winners that do not decide the labels: two whole numbers."""
        ones = [OwnLabels(mixed_draw(rng, K=TOKENS, n=LABELS)) for _ in range(100)]
        mass = [features(one.data, one.early.Z[0])[one.kept].min() for one in ones]
        open_ = sum(one <= 0.9 for one in mass)
        return open_, 100 - open_ - sum(meets_hypotheses(one) for one in ones)

    @once
    def shared(self, rng: Generator) -> list[FewLabels]:
        """The draws of few labels in which the two laws differ."""
        draw = lambda: FewLabels(shared_label_draw(rng))
        sizes = "shared_draws", self.shared_draws
        return [drawn(draw, differs, *sizes) for _ in range(self.shared_draws)]

    @once
    def left_out_shared(self, rng: Generator) -> dict[str, int]:
        """Of a hundred further draws of few labels, how many are left out, by the first reason."""
        named = "no winner yet", "a winner of two labels", "no ally", "an ally no lighter"
        counted = dict.fromkeys((*named, "both laws alike"), 0)
        for _ in range(100):
            if why := missing(FewLabels(shared_label_draw(rng))):
                counted[why] += 1
        return counted

    @once
    def normalized(self) -> list[Normalized]:
        """The ``Normalized`` run of the first draws."""
        times = 1e2, *LATE  # late: earlier not all that leave are gone
        return [normalized_run(one.data, times) for one in self.sets[: self.normalized_draws]]
