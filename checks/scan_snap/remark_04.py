"""Remark 4: what its rows measure.  The chapter: ``book/scan-snap/lemma_10.ipynb``."""

from dataclasses import dataclass
from math import comb

import numpy as np
import sympy as sp
from scipy import stats

from checks.scan_snap.lemma_10 import NUMBERS, Parameters
from ledgerbook import claim, control, finding, once
from lib.arrays import Array
from lib.measure import furthest, maximum
from lib.scan_snap.concentration import miss_probability, worst_ratio

K, many = sp.symbols("K s", positive=True)
SIZES = np.array([10, 30, 100, 300, 1000, 3000])
BIG = 10**7  # steps


def exact_deviation(sizes: Array, delta: float) -> Array:
    """Exact relative deviation of a count of BIG steps at the upper quantile of delta / 2."""
    return stats.binom.ppf(1 - delta / 2, BIG, 1 / sizes) / (BIG / sizes) - 1


def enough(size: int, share: float, delta: float) -> float:
    """Least N, to 1 %, at which the exact chances that a class is off by ``share`` add up to delta.

    The union over ``size`` equally likely classes.
    """
    steps = 10.0 * size
    ends = lambda: (int(steps) / size * (1 - share), int(steps) / size * (1 + share))
    while size * miss_probability(int(steps), 1 / size, *ends()) > delta:
        steps *= 1.01
    return steps


@dataclass
class Remark04(Parameters):
    """Remark 4: all classes are seen about equally often."""

    tag = "scan-snap.remark-04"
    hypotheses = {
        "H3": "all $K$ classes are equally likely",
        "H4": r"$N\gg K^2$, with $\delta$ fixed",
    }
    kernel_theorems = {
        "equation_60": dict(as_printed=True, concludes=True, equation="(60)"),
        "equation_60_small": dict(as_printed=True, concludes=True, equation="(60)"),
    }
    parts = {
        r"$|N_n-\bar N|\lesssim\Delta$ for $\delta\le\frac12$": ("kernel-equation-60",),
        r"the same for $\delta>\frac12$": ("constant-one",),
        r"$\Delta\ll\bar N$ for fixed $\delta\le\frac12$": ("kernel-equation-60-small",),
    }

    @once
    def off_by_two(self) -> float:
        """P(two classes are off by 2 or more of 1000 draws) over delta, by counting."""
        near = 2 * comb(1000, 499) + comb(1000, 500)
        return (1 - near / 2**1000) * np.exp(1 / 1000)

    @claim("in", [1 - 1e-9, 1 + 1e-9], "inequality", "(60)", as_printed=True)
    def constant_one(self) -> float:
        r"""(60) with constant exactly 1: exact failure probability over $\delta$, the largest at
        seven $K\le100$, 45 $N\le1000$, every $\delta$, is @{off_by_two:.3f}: two classes, $N=1000$,
        off by 2, by counting; ratio to it"""
        chances = 1 / np.array([2, 3, 4, 5, 10, 30, 100])[:, None]
        bound = lambda N, j: np.exp(-((j - 1) ** 2) / N)
        return maximum(worst_ratio(N, chances, bound) for N in NUMBERS) / self.off_by_two

    @once
    def gauss(self) -> float:
        """The normal quantile."""
        return stats.norm.isf(self.delta / 2)

    @claim("in", [0.98, 1.02], "rate")
    def true_size(self) -> float:
        r"""exact upper quantile of the relative deviation over $@{gauss:.2f}\sqrt{(K-1)/N}$,
        $K=10..3000$, $N=10^7$: furthest from 1"""
        normal = self.gauss * np.sqrt((SIZES - 1) / BIG)
        return furthest(exact_deviation(SIZES, self.delta) / normal, 1)

    @claim("in", [0.98, 1.02], "rate", rtol=2e-2)
    def enough(self) -> float:
        r"""least $N$ at which the chances of the $K$ classes to be off by 10 % add up to
        $\delta$, over $(K-1)\,(z/0.1)^2$, $z$ the normal quantile at $\frac\delta{2K}$:
        furthest from 1, $K=30..3000$ (Remark 4 asks for $K^2$)"""
        sizes = SIZES[1:]
        normal = (sizes - 1) * (stats.norm.isf(self.delta / (2 * sizes)) / 0.1) ** 2
        return furthest([enough(size, 0.1, self.delta) for size in sizes] / normal, 1)

    @finding("true-size", "enough")
    def fewer_steps(self) -> None:
        r"""Remark 4's $N\gg K^2$ is sufficient but far from needed: relative deviations are of
        order $\sqrt{K/N}$, so $N\gg K\ln(K/\delta)$ is enough for all classes at once."""

    @control("H3", ">", 0.5)
    def unequal(self) -> float:
        r"""unequal classes, $\mathbb P(n)\propto n$: exact probability that the rarest is outside
        (60)"""
        rarest = 2 / (self.K * (self.K + 1))
        middle = np.ceil(self.steps / self.K)
        gap = np.ceil(np.sqrt(self.steps * np.log(1 / self.delta)))
        return float(miss_probability(self.steps, rarest, middle - gap, middle + gap))

    @once
    def by_normal(self) -> float:
        """The steps of ``far_fewer_steps`` with the normal quantile for the exact chances."""
        return 999 * (stats.norm.isf(self.delta / 2000) / 0.35) ** 2 / 1000**2

    @once
    def by_chernoff(self) -> float:
        """The same by Chernoff's bound on the upper tail, which is the larger one."""
        return np.log(2000 / self.delta) / (1.35 * np.log(1.35) - 0.35) / 1000

    @control("H4", "in", lambda self: [self.by_normal, self.by_chernoff], rtol=2e-2)
    def far_fewer_steps(self) -> float:
        r"""not needed: steps after which all $K=1000$ classes are within 35 %, over $K^2$: more
        than the $\frac{K-1}{K^2}\big(\frac z{0.35}\big)^2$ of the normal quantile $z$ at
        $\frac\delta{2K}$, fewer than Chernoff's
        $\frac{\ln(2K/\delta)}{K\,(1.35\ln1.35-0.35)}$"""
        return enough(1000, 0.35, self.delta) / 1000**2
