"""Lemma 12: what its rows measure.  The chapter: ``book/scan-snap/lemma_12.ipynb``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Fact, Facts
from numpy.random import Generator
from scipy import stats
from scipy.linalg import null_space

from ledgerbook import (
    Checks,
    Sharper,
    chapter,
    claim,
    control,
    erratum,
    group,
    once,
    real,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array, Ids
from lib.decide import follows
from lib.measure import furthest, maximum, minimum, power_law, relative_error
from lib.scan_snap.concentration import joint_coverage, miss_probability
from lib.scan_snap.decoder import h, h_star, speed, zeta
from lib.scan_snap.overlaps import feature_ascent
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention, random_classes

K, N, L = sp.symbols("K N L", positive=True)  # L = ln(2K/delta)
LEAST_DELTA = 1e-3


def least_steps(K: int, delta: float = LEAST_DELTA) -> int:
    """Steps from which the bound is well below 1: a rare class can be told from a common one."""
    heard = 2 * K**2 * np.log(K / delta) * ((K + 1) / (K - 1)) ** 2
    return int(maximum(10 * K**2, np.ceil(heard)))


def printed_bound(N: int, K: int, delta: float) -> float:
    """The lemma's bound on |theta_n|, with the constant 1."""
    return K / np.sqrt(N) * np.sqrt(np.log(K / delta))


def theta_quantile(N: int, classes: int, vocabulary: int, rate: float, delta: float) -> float:
    """What no |theta_n| exceeds with probability 1 - delta: exact tails, added over the classes."""
    tail = delta / (2 * classes)
    ends = stats.binom.ppf([tail, 1 - tail], N, 1 / classes)
    return np.abs(h(ends, vocabulary, rate) / h(N / classes, vocabulary, rate) - 1).max()


def counts_inside(N: int, classes: int, vocabulary: int, rate: float, bound: float) -> Ids:
    """Least and largest number of visits at which |theta_n| is at most ``bound``, after N steps."""
    expected = np.ceil(N / classes)
    theta = h(np.arange(N + 1), vocabulary, rate) / h(expected, vocabulary, rate) - 1
    return np.flatnonzero(np.abs(theta) <= bound)[[0, -1]]


@dataclass
class Lemma12(Checks):
    """Lemma 12: the decoder under random sampling."""

    M: int = whole(60, 8, 150)
    K: int = whole(6, 2, lambda self: minimum(12, self.M // 2))
    eta_y: float = real(0.5, 0.1, 1)
    steps: int = whole(
        3000,
        lambda self: least_steps(self.K),
        10_000,
        why="of more classes a rare one is told from a common one only later",
    )
    delta: float = real(0.05, LEAST_DELTA, 0.5)
    seed: int = seed()

    tag = "scan-snap.lemma-12"
    hypotheses = {
        "H1": "the decoder starts at zero, $Y(0)=0$, and $Z$ is fixed",
        "H2": "$Y$ moves by the modified update (26)",
        "H3": "every step's class is an independent, uniform draw",
        "H4": r"$N\gg K^2$",
        "H5": "$h^*$ may be replaced by $h$",
    }
    parts = {
        "(66)": ("kernel-equation-66",),
        "(67)–(69)": ("kernel-lemma-12",),
        "$Y$": ("matrix-all",),
        r"the bound on $\theta$, with its probability": ("theta-bound",),
    }
    kernel_theorems = {
        "equation_66": dict(as_printed=True, equation="(66)", concludes=True),
        "lemma_12": dict(as_printed=True, equation="(67)–(69)", concludes=True),
        "visits_sum": dict(equation="(66)"),
    }
    trusts = (
        chapter(
            "scan-snap.lemma-10",
            "the counts of all classes at once",
            r"the bound on $\theta$, with its probability",
        ),
        chapter(
            "scan-snap.lemma-11",
            r"(61): $|\theta_n|\le|N_n-\bar N|/\bar N$",
            r"the bound on $\theta$, with its probability",
        ),
        textbook("Bernstein's inequality", "beyond the print"),
        textbook("central limit theorem", "beyond the print"),
    )
    sharper = (
        Sharper(
            "theta",
            "Lemma 12, Theorem 5",
            r"$|\theta_i|\lesssim\frac K{\sqrt N}\sqrt{\ln\frac K\delta}$",
            r"$|\theta_i|\le\sqrt{\frac{2(K-1)}N\ln\frac{2K}\delta}+O\big(\frac KN\ln\frac"
            r" K\delta\big)$",
            r"sharper for rare classes: about $\sqrt{K/2}$ for many steps; can be wider for few;"
            r" best in order, $\sqrt{K/N}$",
            upper="theta-root-k",
            lower="theta-spread",
        ),
    )

    @step("symbolic", "Lemma 12", concludes=True)
    def matrix_all(self) -> Iterator[Fact]:
        r"""$F'^\top Y=[W;\ F^{\circ\top}FG^{-1}W]$: it is $W'$ exactly if the second block is
        zero, as for $F^\circ\perp F$, all sizes"""
        m, k, d = sp.symbols("m k d", integer=True, positive=True)
        G, W = sp.MatrixSymbol("G", k, k), sp.MatrixSymbol("W", k, m)  # Y = F G^-1 W, G = F^T F
        C = sp.MatrixSymbol("C", d, k)  # F_o^T F
        yield G * G.I * W, W  # F^T Y
        yield (C * G.I * W).subs(C, sp.ZeroMatrix(d, k)), sp.ZeroMatrix(d, m)  # F_o^T Y

    @step("decided", "bound on θ", as_printed=True, concludes=True)
    def theta_bound(self) -> bool:
        r"""what $|N_n-\bar N|\le2\sqrt{NL}$, and with it $|\theta_n|\le\frac{2K}{\sqrt N}\sqrt L$,
        needs beside Hoeffding's inequality: $2\sqrt{NL}-1\ge\sqrt{NL}$ covers the rounding of
        $\bar N$, and for all classes $K\cdot2\delta^2/K^2\le\delta$"""
        root, failure, classes = z3.Reals("root failure classes")  # sqrt(N L), delta, K
        covered = 2 * root - 1
        return (
            follows(covered >= root, root >= 1)
            and not follows(covered > root, root >= 1)
            and follows(2 * failure**2 <= failure * classes, 0 < failure, failure < 1, classes >= 2)
            and bool((4 * sp.log(2)).evalf() > 1)  # N L >= 4 ln 2
        )

    better = group()

    @step("symbolic")
    def theta_root_k(self) -> Facts:
        r"""Bernstein's radius over $\frac NK$ is
        $\sqrt{\frac{2(K-1)L}N}+\frac{2KL}{3N}$, $L=\ln\frac{2K}\delta$"""
        count_radius = sp.sqrt(2 * N / K * (1 - 1 / K) * L) + 2 * L / 3
        return count_radius * K / N, sp.sqrt(2 * (K - 1) * L / N) + 2 * K * L / 3 / N

    @step("symbolic")
    def theta_spread(self) -> Facts:
        r"""the mean square of $\frac{N_n}{N/K}-1$ is $\frac{K-1}N$, from the variance of a count
        (Lemma 10): while $h$ is linear, at a fixed $\delta$ and for $N\gg K$, the order
        $\sqrt{K/N}$ cannot be beaten (central limit theorem)"""
        return N / K * (1 - 1 / K) * (K / N) ** 2, (K - 1) / N

    @once
    def labels(self, rng: Generator) -> Ids:
        """The class of every step."""
        return rng.integers(self.K, size=self.steps)

    @once
    def visits(self) -> np.ndarray:
        """N_n, (K,)."""
        return np.bincount(self.labels, minlength=self.K)

    @once
    def h_star(self) -> Array:
        """h* after 0, 1, ... visits."""
        return h_star(self.steps, self.M, self.eta_y)

    @once
    def fair_height(self) -> float:
        """h at the fair share of visits, N-bar."""
        return float(h(-(-self.steps // self.K), self.M, self.eta_y))

    @once
    def theta(self) -> Array:
        """theta_n of the run, with h* in the rows, (K,)."""
        return self.h_star[self.visits] / self.fair_height - 1

    @once
    def classes(self, rng: Generator) -> SequenceClasses:
        """Random classes that overlap far more than Assumption 2 allows."""
        return random_classes(self.K, self.M, rng, density=0.6)

    @once
    def F(self, rng: Generator) -> Array:
        """Their rows f_n under random attention, (K, M)."""
        return normalized_attention(self.classes, rng.normal(size=(self.M, self.M)))

    @once
    def Y(self) -> Array:
        """The run, in the full Y space with (26)."""
        return feature_ascent(self.labels, self.F, self.eta_y)

    @once
    def zetas(self) -> np.ndarray:
        """zeta_n of all classes, (K, M)."""
        return np.array([zeta(n, self.M) for n in range(self.K)])

    def matrix_at(self, theta: Array, completed: Array) -> Array:
        """(F')^{-T} (I + Theta') W-bar' of the lemma; completed: F'."""
        bar_w = (self.M - 1) * self.fair_height * self.zetas
        unused = np.zeros((self.M - self.K, self.M))
        return np.linalg.solve(completed.T, np.r_[(1 + theta)[:, None] * bar_w, unused])

    @once
    def formula(self) -> Array:
        """The same of the run, F_o orthogonal to F."""
        return self.matrix_at(self.theta, np.c_[self.F.T, null_space(self.F)])

    check = group()

    @claim("<=", 1e-10, "identity", "Lemma 12", as_printed=True, atol=1e-4)
    def matrix_any(self, rng: Generator) -> float:
        r"""$Y=(F')^{-\top}(I+\Theta')\bar W'$ with an $F'$ of full rank: relative error"""
        skew = null_space(self.F) + 0.3 * (self.F.T @ rng.normal(size=(self.K, self.M - self.K)))
        return relative_error(self.Y, self.matrix_at(self.theta, np.c_[self.F.T, skew]))

    @claim("<=", 1e-10, "identity", "Lemma 12")
    def matrix(self) -> float:
        r"""$Y=(F')^{-\top}(I+\Theta')\bar W'$ with $F^\circ$ orthogonal to $F$: relative error"""
        return relative_error(self.Y, self.formula)

    @claim(
        "in",
        lambda self: [1 - self.eta_y / 25, 1 + self.eta_y / 25],
        "limit",
        "(66)",
        as_printed=True,
        rtol=1e-4,
    )
    def flow_for_steps(self) -> float:
        r"""(66) with $h$ for $h^*$: relative error of a row over
        $\frac{\dot h}{2h}\ln\frac{\dot h(0)}{\dot h}$ at $N_n$, which vanishes: furthest from
        1, up to $\eta_Y/25$"""
        flowing = h(self.visits, self.M, self.eta_y)
        pace = speed(flowing, self.M)
        by_law = self.eta_y * pace / 2 * np.log(speed(0, self.M) / pace)  # Euler's steps
        return furthest((self.h_star[self.visits] - flowing) / by_law, 1)

    @erratum(
        "E10",
        r"Lemma 12, $F'=[F,F^\circ]$",
        "$F'$ has full rank, and nothing more is asked of $F^\\circ$",
        fails="matrix-any",
        holds="matrix",
        reach="harmless",
    )
    def e10(self) -> dict[str, Any]:
        r"""$F^\circ$ must be orthogonal to $F$, as the proof of Theorem 5 takes it to be, for $W'$
        to be the run of the update (26). The numbers are $Y_{10}$ after
        three steps, $\eta_Y=1$, two tokens, one class $f=(0.6,0.8)$, with $F^\circ=(1,0)$ and
        with the orthogonal one."""
        height = h_star(3, 2, 1.0)[-1]
        skew = np.array([[0.6, 1.0], [0.8, 0.0]])  # F' = [f, e_0]
        printed = np.linalg.solve(skew.T, height * np.array([[1.0, -1.0], [0.0, 0.0]]))[1, 0]
        run = feature_ascent([0, 0, 0], np.array([[0.6, 0.8]]), 1.0)
        return dict(printed=printed, corrected=0.8 * height, measured=run[1, 0])

    without = group()

    @control("H1", "in", [0.97, 1.03], kind="rate", rtol=1e-4)
    def random_start(self, rng: Generator) -> float:
        r"""what training adds to a random start of size $s$ is not the formula: exponent in $s$ of
        its relative error, $s=10^{-4}..10^{-2}$"""
        start, scales = rng.normal(size=(self.M, self.M)), [1e-4, 1e-3, 1e-2]

        def error(scale: float) -> float:
            run = feature_ascent(self.labels, self.F, self.eta_y, start=scale * start)
            return relative_error(run - scale * start, self.formula)

        return power_law(scales, [error(scale) for scale in scales]).exponent

    @control("H2", ">", 0.01, rtol=1e-4)
    def original_update(self) -> float:
        """with the original update (7): relative error of the formula"""
        return relative_error(feature_ascent(self.labels, self.F, self.eta_y, self.F), self.formula)

    @control("H3", ">", 0.5)
    def unequal(self) -> float:
        r"""while $h$ is linear, classes with $\mathbb P(n)\propto n$: exact probability that the
        rarest leaves the bound"""
        allowed = printed_bound(self.steps, self.K, self.delta)
        ends = counts_inside(self.steps, self.K, 10**6, 1e-3, allowed)
        return float(miss_probability(self.steps, 2 / (self.K * (self.K + 1)), *ends))

    @once
    def few_bound(self) -> float:
        """The lemma's bound after 2K steps."""
        return printed_bound(2 * self.K, self.K, self.delta)

    @control("H4", ">", lambda self: self.delta)
    def few_steps(self) -> float:
        r"""$N=2K$ steps, where the bound is @{few_bound:.1f}: exact probability
        that some class was not seen, $\theta_n=-1$, or has $\theta_n\ge1$"""
        below_one = np.nextafter(1, 0)
        ends = counts_inside(2 * self.K, self.K, self.M, self.eta_y, below_one)
        return 1 - joint_coverage(2 * self.K, np.full(self.K, 1 / self.K), *ends)

    @control(
        "H5",
        ">",
        1e-5,
        rtol=1e-4,
        witness="the flow leaves the steps by a term of first order in the rate, and a slip in"
        " either formula makes the two differ more",
    )
    def flow_gap(self) -> float:
        r"""the replacement is not exact: relative difference of $Y$ with $h$ for $h^*$"""
        theta = h(self.visits, self.M, self.eta_y) / self.fair_height - 1
        flowing = self.matrix_at(theta, np.c_[self.F.T, null_space(self.F)])
        return relative_error(self.Y, flowing)
