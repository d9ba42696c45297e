"""Lemma 10: what its rows measure.  The chapter: ``book/scan-snap/lemma_10.ipynb``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Fact, Facts
from numpy.random import Generator

from ledgerbook import (
    Checks,
    Sharper,
    claim,
    control,
    erratum,
    group,
    real,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Ids
from lib.decide import follows
from lib.measure import maximum
from lib.scan_snap.concentration import (
    hoeffding_radius,
    hoeffding_tail,
    joint_coverage,
    miss_probability,
    worst_ratio,
)

N, level, variance, L, p = sp.symbols("N delta sigma2 L p", positive=True)  # L = ln(2/delta)
NUMBERS = [*range(1, 40), 60, 100, 200, 300, 600, 1000]
JUST_ABOVE = 1 / 2 + 1e-8  # where the rounded mean jumps
CHANCES = np.r_[np.geomspace(1e-4, 0.5, 50), np.linspace(0.52, 0.99, 20), JUST_ABOVE][:, None]


def first_half(trials: Any, allowed: float) -> Any:
    """The middle of (58): Hoeffding's radius, and one for the rounding."""
    return trials * hoeffding_radius(trials, allowed) + 1


def first_in_order(allowed: float) -> int:
    """Least N with sqrt(N/2 ln(2/delta)) + 1 < sqrt(N ln(2/delta))."""
    steps = np.arange(1, 100)
    return int(steps[first_half(steps, allowed) < np.sqrt(steps * np.log(2 / allowed))][0])


def sticky_labels(length: int, classes: int, stay: float, runs: int, rng: Generator) -> Ids:
    """Labels that repeat the last one with probability ``stay``: (runs, length)."""
    fresh = rng.random((runs, length)) >= stay
    fresh[:, 0] = True
    drawn = rng.integers(classes, size=(runs, length))
    latest = np.maximum.accumulate(np.where(fresh, np.arange(length), 0), axis=1)
    return np.take_along_axis(drawn, latest, axis=1)


@dataclass
class Parameters(Checks):
    """What both statements of the chapter are asked at."""

    K: int = whole(10, 2, 1000, holds=(2, 300))
    steps: int = whole(
        10_000, lambda self: 100 * self.K, 10**7, holds=(lambda self: 100 * self.K**2, 10**7)
    )
    delta: float = real(0.05, 1e-3, 0.5)
    seed: int = seed()


@dataclass
class Lemma10(Parameters):
    """Lemma 10: how often each class is seen."""

    tag = "scan-snap.lemma-10"
    hypotheses = {
        "H1": "the next token of every step is an independent draw with the same probabilities",
        "H2": "the class $n$ is fixed before the steps are seen",
    }
    parts = {
        "first inequality, with its probability": ("kernel-equation-59", "kernel-lemma-10"),
        "second inequality": ("kernel-equation-58-exactly", "kernel-equation-58-outer"),
    }
    kernel_theorems = {
        "equation_59": dict(as_printed=True, equation="(59)", concludes=True, group="accepted"),
        "lemma_10": dict(
            as_printed=True, equation="(58), first inequality", concludes=True, group="accepted"
        ),
        "equation_58_outer": dict(
            equation="(58), second inequality", concludes=True, group="accepted"
        ),
        "lemma_10_all_classes": dict(group="accepted"),
        "equation_59_radius": dict(
            as_printed=True,
            equation="(58), first inequality, (59)",
            concludes=True,
            group="accepted",
        ),
        "equation_58_rounding": dict(
            as_printed=True, equation="(58), first inequality", concludes=True, group="accepted"
        ),
        "equation_58_exactly": dict(
            equation="(58), second inequality", concludes=True, group="accepted"
        ),
        "equation_58_from_17": dict(equation="(58), second inequality", group="accepted"),
        "equation_58_refuted": dict(equation="(58), second inequality", group="accepted"),
        "equation_58_one_step_refuted": dict(equation="(58), second inequality", group="accepted"),
    }
    trusts = (
        textbook("Bernstein's inequality", "beyond the print"),
        textbook("central limit theorem", "beyond the print"),
    )
    sharper = (
        Sharper(
            "count",
            "Eq. (58)",
            r"$|N_n-N\mathbb P(n)|\le\sqrt{\frac N2\ln\frac2\delta}$",
            r"$\sqrt{2N\mathbb P(n)(1-\mathbb P(n))\ln\frac2\delta}+\frac23\ln\frac2\delta$",
            r"sharper for rare classes: $\frac1{2\sqrt{\mathbb P(n)(1-\mathbb P(n))}}$ for many"
            r" draws; wider by $\frac23\ln\frac2\delta$ at $\mathbb P(n)=\frac12$; best in order,"
            r" $\sqrt N$",
            upper="bernstein-radius",
            lower="variance-of-a-count",
        ),
    )

    @step("decided", "(58), second inequality")
    def second_half_when(self) -> bool:
        r"""$\sqrt{\frac N2\ln\frac2\delta}+1<\sqrt{N\ln\frac2\delta}$ exactly when
        $N\ln\frac2\delta>6+4\sqrt2$, all $N$, $\delta$"""
        v, s = z3.Reals("v s")  # v = sqrt(N ln(2/delta)), s = sqrt(2)
        second = v + s < s * v  # v/s + 1 < v, times s
        return follows(second == (v * v > 6 + 4 * s), v > 0, s > 0, s * s == 2)

    better = group()

    @step("symbolic")
    def bernstein_radius(self) -> Facts:
        r"""Bernstein's exponent $\frac{x^2}{2(\sigma^2+x/3)}$ is at least $L$ at
        $x=\sqrt{2\sigma^2L}+\frac23L$: what is left over is $\frac23L\sqrt{2\sigma^2L}$"""
        x = sp.sqrt(2 * variance * L) + 2 * L / 3
        left_over = sp.Rational(2, 3) * L * sp.sqrt(2 * variance * L)
        return x**2, 2 * L * (variance + x / 3) + left_over

    @step("symbolic")
    def variance_of_a_count(self) -> Iterator[Fact]:
        r"""each draw adds $\mathbb P(n)(1-\mathbb P(n))\le\frac14$ to the variance of the count,
        none before the first. So at a fixed $\mathbb P(n)$ and $\delta$ no radius of a smaller
        order than $\sqrt N$ can hold for many draws (central limit theorem)"""
        mean, square = sp.symbols("mean square")  # of a count and its square, before one draw more
        after = p * (square + 2 * mean + 1) + (1 - p) * square - (mean + p) ** 2
        yield after, square - mean**2 + p * (1 - p)
        yield sp.Rational(1, 4) - p * (1 - p), (p - sp.Rational(1, 2)) ** 2

    check = group()

    @claim("in", [1 - 1e-6, 1 + 1e-9], "inequality", "(58), first inequality", as_printed=True)
    def fixed_class(self) -> float:
        r"""exact probability that the first half of (58) fails, over $\delta$: the largest of 45
        $N\le1000$, 71 $\mathbb P(n)$, every $\delta$, is $\frac e8<1$, at $N=2$ with $\mathbb
        P(n)$ just above $\frac12$; ratio to it"""
        # asked of the radius itself, just above each level at which it reaches a whole number
        tail = lambda N, j: hoeffding_tail(N, (j - 1) / N)
        return maximum(worst_ratio(N, CHANCES, tail, first_half) for N in NUMBERS) / (np.e / 8)

    @claim("==", 1, "exact", "(58), second inequality", as_printed=True)
    def second_half(self) -> int:
        r"""the two right-hand sides of (58) are in the printed order from $N=1$ on; $\delta=0.05$:
        from $N$ ="""
        return first_in_order(0.05)

    @erratum(
        "E8",
        "Eq. (58), second inequality",
        r"$\sqrt{\frac N2\ln\frac2\delta}+1<\sqrt{N\ln\frac2\delta}$, without a condition on $N$",
        fails="second-half",
        holds="second-half-when",
        reach="harmless",
    )
    def e8(self) -> dict[str, Any]:
        r"""exactly when $N\ln\frac2\delta>(2+\sqrt2)^2\approx11.66$; $N\ge17$ suffices for every
        $\delta$, and the section has $N\gg K^2$ throughout. The numbers are the least $N$ from
        which it holds at $\delta=0.05$"""
        least = np.floor((6 + 4 * np.sqrt(2)) / np.log(40)) + 1
        return dict(printed=1, corrected=least, measured=first_in_order(0.05))

    without = group()

    @control("H1", ">", lambda self: self.delta)
    def sticky(self, rng: Generator) -> float:
        """two classes, labels that copy the last one with probability 0.99 and are drawn afresh
        otherwise, $N=2000$: share of runs outside (58)"""
        visits = (sticky_labels(2000, 2, 0.99, 1000, rng) == 0).sum(axis=1)
        return (np.abs(visits - 1000) > first_half(2000, self.delta)).mean()

    @control("H2", ">", 10)
    def chosen_after(self) -> float:
        """choosing the class after the fact, $K=50$, $N=400$: P(some class off by 2 sd) over P(one
        fixed class off by 2 sd)"""
        two = 2 * np.sqrt(400 / 50 * (1 - 1 / 50))
        some = 1 - joint_coverage(400, np.full(50, 1 / 50), 8 - two, 8 + two)
        return some / float(miss_probability(400, 1 / 50, 8 - two, 8 + two))
