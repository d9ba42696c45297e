"""Lemma 9: what its rows measure.  The chapter: ``book/scan-snap/lemma_09.ipynb``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Fact, Facts
from scipy.optimize import brentq
from scipy.special import lambertw

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
    step,
    whole,
)
from lib.decide import follows
from lib.measure import maximum
from lib.scan_snap.decoder import crossings, gamma, h, peak, stages

SIZES = [5, 10, 100, 10**3, 10**4, 10**6, 10**9, 10**12]
WIDE, MANY, SLOW = 10**12, 10**4, 1e-9  # M, K, eta_Y: far above M^-0.99, and M is 10^4 K^2

M, eta, height, x, q = sp.symbols("M eta h x q", positive=True)  # x = M h, q = 1/M
TIME = (sp.exp(M * height) + (M - 1) * M * height - 1) / (M * eta)  # (45), solved for t
SIGNAL = (M - 1) ** 2 * height / (M - 1 + sp.exp(M * height))  # gamma
ELAPSED = (sp.exp(x) - 1 + (M - 1) * x) / M  # (45): eta_Y t / K at M h = x
HALF = M - 2 + (M - 1) * sp.log(M - 1)  # M times that at e^x = M - 1
LATER = HALF - M * sp.log(M)

m, e, u, tau, top, D = z3.Reals("m e u tau top D")  # m = M - 1, e = e^u
CLOCK = e + m * u == (m + 1) * tau + 1  # (45)
REACHED = top * (1 + D) * m - 1  # at most this is M tau where u <= top and e = D m u


def displays() -> dict[Any, Any]:
    """Both sides of (53), (54), (56) and (57), by (45)."""
    D1 = sp.exp(M * height) / (M - 1)
    D2 = D1 / (M * height)
    total = M * eta * TIME + 1
    X = sp.simplify(total / (1 + 1 / D2))
    return {
        "(53)": [(height, total / ((1 + D2) * M * (M - 1)))],
        "(54)": [
            (SIGNAL, (M - 1) * height / (1 + D1)),
            (SIGNAL, total / ((1 + D1) * (1 + D2) * M)),
        ],
        "(56)": [(height, sp.log(X) / M)],
        "(57)": [(SIGNAL, (M - 1) ** 2 / M * sp.log(X) / ((1 + 1 / D1) * X))],
    }


def second_ratio(scaled: float, size: int) -> float:
    """Delta_2 at scaled time, by bisection of (45)."""
    clock = lambda v: np.expm1(v) + (size - 1) * v - size * scaled
    found = brentq(clock, 0, 2 * scaled, xtol=1e-30, rtol=1e-14)
    return np.exp(found) / ((size - 1) * found)


def line_begins_at(size: int) -> float:
    """M eta_Y t / K where Delta_2 passes 1, by bisection up to u = 1."""
    passes = lambda m_tau: second_ratio(m_tau / size, size) - 1
    return brentq(passes, 1e-3, np.e + size - 2, rtol=1e-14)


def lower_end(size: int) -> float:
    """M eta_Y t / K at the lower crossing of Lemma 8."""
    return 2 * np.exp(crossings(size)[0]) - 1


@dataclass
class Lemma09(Checks):
    """Lemma 9: two stages of the decoder."""

    M: int = whole(1000, 300, 10**12)
    K: int = whole(20, 2, lambda self: self.M)
    eta_y: float = real(0.5, 1e-6, 1)

    tag = "scan-snap.lemma-09"
    hypotheses = {
        "H1": r"the vocabulary is large; $M\ge5$ is enough",
        "H2": r"the decoder's rate is not too small, $M^{-0.99}\ll\eta_Y<1$ (Remark 3)",
        "H3": "$t$ lies in one of the two stages",
    }
    parts = {
        "stage 1": ("kernel-upper-bounds", "kernel-stage-1", "kernel-stage-1-line"),
        "stage 2": ("kernel-stage-2",),
        "beside it": (
            "equation-53",
            "equation-54",
            "equation-56",
            "equation-57",
            "equation-55",
            "order-stage-1",
            "order-stage-2",
        ),
    }
    trusts = (chapter("scan-snap.lemma-08", "the two crossings, and the signs between them"),)
    kernel_theorems = {
        "upper_bounds": dict(as_printed=True, equation="Lemma 9, stage 1", concludes=True),
        "stage_1": dict(as_printed=True, equation="(52)", concludes=True),
        "stage_1_line": dict(equation="Lemma 9, stage 1, the line", concludes=True),
        "stage_1_from_zero_refuted": dict(equation="Lemma 9, stage 1, the line"),
        "stage_2": dict(as_printed=True, equation="Lemma 9, stage 2", concludes=True),
        "stage_2_lower": dict(equation="Lemma 9, stage 2, from below"),
    }
    sharper = (
        Sharper(
            "stage-1-end",
            "Lemma 9, stage 1",
            r"$t\le\frac{K\ln M}{\eta_Y}$",
            r"$t\le\frac K{\eta_Y}\cdot\frac{M-2+(M-1)\ln(M-1)}M$, and no later",
            r"later by $\frac K{\eta_Y}$ for large $M$",
            upper="stage-1-exact",
            lower="stage-1-exact",
        ),
        Sharper(
            "h-stage-1",
            "Lemma 9, stage 1",
            r"$h=O\big(\frac{\eta_Yt}{MK}\big)$",
            r"$h\le\frac{\eta_Yt}{MK}$",
            "an order becomes its constant, 1",
            upper="kernel-upper-bounds",
            lower="h-constant",
        ),
        Sharper(
            "gamma-stage-2",
            "Lemma 9, stage 2",
            r"$\gamma=O\big(\frac{K\ln(M\eta_Yt/K)}{\eta_Yt}\big)$",
            r"$\gamma\le\frac{2K}{\eta_Yt}\ln\big(\frac{M\eta_Yt}K+1\big)$",
            "an order becomes its constant, 2",
            upper="order-stage-2",
            lower="stage-2-two",
        ),
    )

    @step(
        "symbolic",
        "@{case}",
        as_printed=True,
        cases={name.strip("()"): name for name in ("(53)", "(54)", "(56)", "(57)")},
    )
    def equation(self, case: str) -> Facts:
        r"""@{case} follows from (45), all $M$, $\eta_Y$, $h$"""
        return displays()[case]

    @step("decided", "(55), Lemma 9, stage 2", as_printed=True)
    def equation_55(self) -> bool:
        r"""(55) and stage 2: with $\Delta_2\le1$ and $Mh\le(1+\omega_1)\ln M$ the time is too
        early; else $e^{Mh}\ge M-1$"""
        early = [CLOCK, m >= 4, u > 0, u <= top, e == D * m * u, D > 0]
        late = [CLOCK, m >= 4, u >= 0, e > m * u, tau >= 2 * top, top >= 1]
        return (
            follows((m + 1) * tau <= REACHED, *early)
            and follows(REACHED < 2 * top * (m + 1), m >= 4, top > 0, 0 < D, D <= 1)
            and follows(e >= m, *late)
        )

    @step("decided", "(53), (54), Lemma 9, stage 1", as_printed=True)
    def order_stage_1(self) -> bool:
        r"""$h\le\frac{\eta_Yt}{MK}$, $\gamma\le\frac{\eta_Yt}K$ at all times, and
        $\gamma\ge\frac14\frac{\eta_Yt}K$ from $t=0$ to the end of stage 1"""
        value = z3.Real("value")  # gamma
        law = value * (m + 1) * (m + e) == m * m * u
        return (
            follows(u <= tau, CLOCK, m >= 4, u >= 0, e >= 1 + u)
            and follows(value <= u, law, m >= 4, u >= 0, e >= 1)
            and follows(4 * value >= tau, law, CLOCK, m >= 4, 1 <= e, e <= m, e - 1 <= u * e)
        )

    @step("decided", "(56), (57), Lemma 9, stage 2", as_printed=True)
    def order_stage_2(self) -> bool:
        r"""stage 2: $e^{Mh}\le M\tau+1$, so $h\le\frac1M\ln(M\tau+1)$, and
        $\gamma\le\frac2\tau Mh$, $\tau=\frac{\eta_Yt}K$"""
        value = z3.Real("value")
        law = value * (m + 1) * (m + e) == m * m * u
        return follows(e <= (m + 1) * tau + 1, CLOCK, m >= 4, u >= 0, e >= 1 + u) and follows(
            value * tau <= 2 * u, law, CLOCK, m >= 4, u >= 0, e >= m * u, tau > 0
        )

    better = group()

    @step("symbolic")
    def stage_1_exact(self) -> Iterator[Fact]:
        r"""$e^{Mh}=M-1$ exactly at $\frac{\eta_Yt}K=\frac{M-2+(M-1)\ln(M-1)}M$; what this is later
        than $\ln M$ tends to 1 as $M\to\infty$"""
        yield ELAPSED.subs(x, sp.log(M - 1)), HALF / M
        yield sp.Limit(sp.expand(HALF / M) - sp.log(M), M, sp.oo), 1

    @step("symbolic")
    def h_constant(self) -> Facts:
        r"""$h\big/\frac{\eta_Yt}{MK}\to1$ as $t\to0$: the constant 1 of stage 1 is best, all $M$"""
        return sp.Limit(x / ELAPSED, x, 0), 1

    @step("symbolic")
    def stage_2_two(self) -> Iterator[Fact]:
        r"""where stage 2 begins $\gamma\,\tau/\ln(M\tau+1)$ tends to 2 as $M\to\infty$: it is
        at least $\frac{2(M-1)^2u_1}{M(M+(M+1)u_1)}\cdot\frac{u_1}{\ln(2Mu_1+1)}$"""
        # at tau = 2 u_1: u >= u_1 = x, so e^u = M tau + 1 - (M-1) u <= (M+1) x + 1
        vocabulary = 1 + sp.exp(x) / x  # M, by (M - 1) u_1 = e^u_1
        at_least = (1 - q) ** 2 * 2 * x / (1 + (1 + q) * x)
        argument = 2 * x + q  # (M tau + 1) / M
        yield (vocabulary - 1) * x, sp.exp(x)
        yield at_least.subs(q, 1 / M), 2 * (M - 1) ** 2 * x / (M * (M + (M + 1) * x))
        yield sp.expand(argument.subs(q, 1 / M) * M), 2 * M * x + 1
        of_x = {q: 1 / vocabulary}
        yield sp.Limit(sp.simplify(at_least.subs(of_x)), x, sp.oo), 2
        yield sp.Limit(sp.log(vocabulary * argument.subs(of_x)) / x, x, sp.oo), 1
        slope = sp.diff(at_least, q).subs(q, 0)
        yield slope, -2 * x * (2 + 3 * x) / (1 + x) ** 2

    check = group()

    @claim("<=", 1e-6, "identity")
    def peak_at_rest(self) -> float:
        r"""$\gamma$ peaks where $e^u(u-1)=M-1$: its slope there over $\gamma/t$, for $M=5$, 100 and
        $10^6$ (largest, by a central difference)"""
        near = np.array([-1, 1]) * 1e-4
        pairs = [gamma(peak(size) * (1 + near), size, 1.0) for size in (5, 100, 10**6)]
        return maximum(abs(after - before) / 2e-4 / after for before, after in pairs)

    @claim("<=", 1, "inequality", "Lemma 9, stage 1, the line", as_printed=True)
    def line_printed(self) -> float:
        r"""stage 1, $t\le\frac{K\ln M}{\eta_Y}$, at the first step: $e^{Mh(t/K)}$ over
        $(M-1)Mh(t/K)$ for $M=10^{12}$, $K=10^4$, $\eta_Y=10^{-9}$"""
        return second_ratio(SLOW / MANY, WIDE)

    @claim("<=", 1e-11, "identity", "Lemma 9, stage 1, the line")
    def line_begins(self) -> float:
        r"""the step at which $e^{Mh}$ over $(M-1)Mh$ passes 1 is $\frac K{M\eta_Y}(2e^{u_0}-1)$,
        $u_0$ the lower crossing: largest relative error, eight $M$ from 5 to $10^{12}$"""
        return maximum(abs(line_begins_at(size) / lower_end(size) - 1) for size in SIZES)

    @once
    def above(self) -> float:
        """The rate of the numbers over M^-0.99."""
        return SLOW * WIDE**0.99

    @erratum(
        "E56",
        "Lemma 9, stage 1, its range",
        r"$e^{Mh(t/K)}\le(M-1)Mh(t/K)$ for $t\le\frac{K\ln M}{\eta_Y}$, with no beginning",
        fails="line-printed",
        holds="line-begins",
        reach="harmless",
    )
    def e56(self) -> dict[str, Any]:
        r"""from $t=\frac K{M\eta_Y}(2e^{u_0}-1)$ on, $u_0=\frac{e^{u_0}}{M-1}$ the lower crossing
        of Lemma 8. This matters only where $\eta_Y\lesssim\frac KM$ and $t<K$, which
        $M^{-0.99}\ll\eta_Y$ and $K^2\ll M$ allow for large $M$: Remark 3 sees to $t\ge1$ for one
        class, and for $K$ of them $t\ge K$ is enough, or $t/K$ rounded up as in (85). The orders of
        $h$ and $\gamma$ hold from $t=0$. The numbers are the step at which stage 1
        begins for $M=10^{12}$, $K=10^4$, $\eta_Y=10^{-9}$ (@{above:.0f} times $M^{-0.99}$);
        measured: (45) by bisection."""
        steps = MANY / (WIDE * SLOW)
        return dict(
            printed=0, corrected=steps * lower_end(WIDE), measured=steps * line_begins_at(WIDE)
        )

    @claim("in", [1 - 1e-6, 1 + 1e-6], "limit")
    def stage_1_end(self) -> float:
        r"""at the end of stage 1 $\Delta_1\to\Omega$ ($\Omega e^\Omega=1$), softmax
        $\frac\Omega{1+\Omega}=0.36$: $\Delta_1/\Omega$ at $M=10^{12}$"""
        end = stages(WIDE, 0.5, 3)[0]
        return np.exp(WIDE * float(h(end / 3, WIDE, 0.5))) / WIDE / float(lambertw(1).real)

    without = group()

    @control("H3", "<", 1e-4)
    def stage_1_law_late(self) -> float:
        r"""the law of stage 1 used at $\eta_Yt/K=10^4$: $\gamma$ over $\eta_Yt/K$"""
        return float(gamma(1e4, self.M, 1.0)) / 1e4

    @control("H1", "<", 0)
    def small_vocabulary(self) -> float:
        r"""at $M=4$ the second part of (52) fails: $M-2+(M-1)\ln(M-1)-M\ln M$"""
        return float(LATER.subs(M, 4))

    @control("H2", "in", [1, 1 + 2e-6])
    def before_crossing(self) -> float:
        r"""with one class, $M=10^6$, $\eta_Y=M^{-1.2}$, at $t=1$: $\Delta_2$ over $M^{0.2}$"""
        there = 1e6 * float(h(1.0, 10**6, 1e6**-1.2))
        return np.exp(there) / ((10**6 - 1) * there) / 1e6**0.2
