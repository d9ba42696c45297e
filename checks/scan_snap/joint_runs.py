"""The runs of the stress test: from Lemma 4 to ordinary training, rung by rung.

The chapter: ``book/scan-snap/stress.ipynb``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ledgerbook import Checks, choice, once, real, seed, whole
from lib.arrays import Array
from lib.scan_snap.attention_flow import finite_beta
from lib.scan_snap.decoder import gamma, h, stages
from lib.scan_snap.engine.train import train
from lib.scan_snap.joint_ascent import coupled_push, joint_ascent
from lib.scan_snap.one_common_token import padded_classes
from lib.scan_snap.overlaps import Margins, assumption_2, overlap
from lib.scan_snap.phase_transition import attention_in_gamma, big_gamma
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention
from lib.scan_snap.survival import Survival, survival

ENDLESS = dict(batch_size=float("inf"), T=float("inf"), momentum=0.0)
RATIOS = 1.0, 10.0  # eta_Y / eta_Z of a survey
LADDER = 1, 10, 100, 1000  # ratios of the ladder


def at_start(classes: SequenceClasses) -> tuple[Array, Margins]:
    """F at Z = 0 and the margins of Assumption 2 (each satisfied above 1)."""
    F = normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))
    return F, assumption_2(overlap(F), classes.vocab_size)


def lemma_4(model: SequenceClasses, moments: Sequence[int], rate: float, ratio: float) -> Array:
    """Logits of the first query's row by Lemma 4, a step being the mean over the classes."""
    M, K = model.vocab_size, model.num_classes
    clock = big_gamma(h(np.array(moments, float) / K, M, rate), M, K, ratio)
    return attention_in_gamma(model, clock, M=M, visits=model.prior).Z[:, model.query[0]]


@dataclass
class JointRuns(Checks):
    """Joint training of decoder and attention on classes with one common token, by other names."""

    K: int = whole(2, 2, 9, holds=(2, 2))
    D: int = whole(
        5,
        2,
        lambda self: 18 // self.K,
        holds=(5, 5),
        why="a survey has 20 tokens, K D + 2 at least",
    )
    M: int = whole(200, 100, 400, holds=(190, 220))
    rho: float = real(0.45, 0.225, 0.9, holds=(0.44, 0.46))
    eta_y: float = real(0.5, 0.25, 1, holds=(0.48, 0.52))
    seeds: int = whole(3, 1, 6, holds=(3, 4))
    draws: int = whole(20_000, 10_000, 40_000, holds=(20_000, 30_000))
    seed: int = seed()
    dtype: str = choice("float64", ("float64", "float32"))

    def make(self, **other: Any) -> SequenceClasses:
        """The chapter's classes, with other parameters where given."""
        return padded_classes(**(dict(K=self.K, D=self.D, rho=self.rho, M=self.M) | other))

    @once
    def classes(self) -> SequenceClasses:
        """The classes that are trained, unless it is said otherwise."""
        return self.make()

    @once
    def F0(self) -> Array:
        """The f_n at Z = 0, (K, M)."""
        return at_start(self.classes)[0]

    @once
    def query(self) -> int:
        """The classes' query."""
        return self.classes.query[0]

    @once
    def t0(self) -> int:
        """The step at which snapping begins."""
        return int(stages(self.M, self.eta_y, self.K)[1])

    @once
    def late(self) -> int:
        """Ten times that."""
        return 10 * self.t0

    @once
    def keep(self) -> list[int]:
        """The steps of the ladder."""
        between = np.logspace(0, np.log10(self.late), 50)
        return sorted({int(t) for t in between} | {self.t0, self.late})

    @once
    def at_t0(self) -> int:
        """The place of t0 among them."""
        return self.keep.index(self.t0)

    def ascent(self, eta_y: float, eta_z: float, step: int, decoder: str = "gradient") -> float:
        """The dominant token's logit in class 0's row after so many steps of joint ascent."""
        Z = joint_ascent(self.classes, eta_y, eta_z, [step], decoder).Z
        return Z[0, self.query, self.D]

    @once
    def ladder(self) -> dict[int, dict[str, Array]]:
        """Paths of the query's row by ratio and by rung, from Lemma 4 to training."""
        found: dict[int, dict[str, Array]] = {}
        for ratio in LADDER:
            found[ratio] = {"Lemma 4": lemma_4(self.classes, self.keep, self.eta_y, ratio)}
            for decoder in ("settled", "modified", "gradient"):
                rates = self.eta_y, self.eta_y / ratio
                path = joint_ascent(self.classes, *rates, self.keep, decoder).Z
                found[ratio][decoder] = path[:, self.query]
        return found

    @once
    def own(self) -> Array:
        """Training at the ratio 100, (times, M)."""
        return self.ladder[100]["gradient"]

    @once
    def slow(self) -> Array:
        """Training at the ratio 1000, common and dominant token: (times, 2)."""
        return self.ladder[1000]["gradient"][:, [0, self.D]]

    @once
    def push(self) -> Array:
        """iota and beta of the plain gradient, step by step."""
        return coupled_push(self.late, self.M, self.K, self.rho, self.eta_y)

    def theorem_1(self, rate: float) -> Array:
        """The beta of Theorem 1 at some rate, step by step."""
        beta = finite_beta(self.F0, self.M)[0, 1]
        return gamma(np.arange(self.late), self.M, rate, self.K) * beta

    def predicted(self, ratio: float) -> Array:
        """Logits by (97), the true beta, F as at the start: common and dominant, (times, 2)."""
        beta = np.concatenate([[0], np.cumsum(self.push[:, 1])])[self.keep]
        clock = beta * self.eta_y / ratio * (self.K - 1) * self.rho
        gains = -(1 - self.rho), self.F0[0, self.D] ** 2 / self.K
        return np.stack([gain * clock for gain in gains], axis=1)

    def survey(
        self,
        model: SequenceClasses | None = None,
        ratios: Sequence[float] = RATIOS,
        rate: float | None = None,
        **options: Any,
    ) -> Survival:
        """Train one run per ratio, by default without end, and say what survives."""
        model, rate = model or self.classes, rate or self.eta_y
        settings = dict(steps=self.late, dtype=self.dtype, keep=[self.t0, self.late]) | ENDLESS
        run = train(model, rate, rate / np.array(ratios), **(settings | options))
        return survival(run, model, self.D)

    @once
    def sampled(self) -> dict[Any, Any]:
        """Settings of runs on batches of sampled sequences."""
        return dict(batch_size=128, dtype="float32", seeds=range(self.seeds))
