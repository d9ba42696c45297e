"""Lemma 7: what its rows measure.  The chapter: ``book/scan-snap/lemma_07.ipynb``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Fact, Facts

from ledgerbook import Checks, Sharper, claim, control, erratum, group, once, real, step, whole
from lib.arrays import Array
from lib.decide import follows
from lib.scan_snap.decoder import h, h_star, lags, speed

M, eta, u, d, p, x = sp.symbols("M eta u d p x", positive=True)
share = sp.symbols("share", positive=True)  # M / (M - 1 + e^u)
height, a, b, eps = sp.symbols("h a b epsilon", real=True)
STEP = M * eta / (M - 1 + sp.exp(u))  # of u = M h*
EXCESS = sp.exp(u) * (sp.exp(d) - 1 - d) / (M * eta)
LEVEL = sp.log((M - 1 + sp.exp(u)) / M)  # 2 L: from 0 at u = 0, grows by the token's share
LEAD_SMALL = share * sp.log(1 / share) / 2
LAG_NEXT = M / (12 * (M - 1)) * ((3 * p**2 / 2 - p) - (3 / M**2 / 2 - 1 / M))  # A

SPAN = 0.1  # M epsilon, at M = 50 and eta_Y = 0.1, where 2 eta_Y = 0.2 is allowed


def rises_from_zero(f: sp.Expr, x: sp.Expr, order: int) -> Iterator[Fact]:
    """Facts: f >= 0 for all x >= 0, and f is of that very order at 0.

    Derivatives vanish at 0 until one has no negative term, and up to the order.
    """
    derivative = lambda k: sp.Derivative(f, (x, k))
    plain = (k for k in range(order) if sp.expand(derivative(k).doit()).is_nonnegative)
    last = sp.expand(derivative(next(plain, order)).doit())
    yield sp.Ge(last, 0, evaluate=False)
    yield from ((sp.Subs(derivative(k), x, 0), 0) for k in range(order))
    yield sp.Ne(derivative(order).doit().subs(x, 0), 0)


def leads(steps: int, M: int, eta_y: float) -> Array:
    """(h*(s) - h(s)) M / eta_Y for s = 0..steps."""
    return (h_star(steps, M, eta_y) - h(np.arange(steps + 1), M, eta_y)) * M / eta_y


def stepped(start: float, schedule: list[float], M: int) -> Array:
    """Values of the recursion from ``start`` with the given rates."""
    values = [start]
    for rate in schedule:
        values.append(values[-1] + rate * float(speed(values[-1], M)))
    return np.array(values)


@dataclass
class Parameters(Checks):
    """What both statements of the chapter are asked at."""

    M: int = whole(50, 10, 1000)
    eta_y: float = real(1.0, 0.1, 2, holds=(0.1, 1))
    steps: int = whole(100_000, 50_000, 300_000, holds=(100_000, 300_000))

    @once
    def long_run(self) -> dict[Any, Any]:
        """How far the steps run ahead in time, three vocabularies."""
        return {size: lags(self.steps, size, self.eta_y) for size in (10, 50, 1000)}


@dataclass
class Lemma07(Parameters):
    """Lemma 7: steps and flow stay together."""

    tag = "scan-snap.lemma-07"
    hypotheses = {
        "H1": "both start at $h^*(0)=h(0)=0$",
        "H2": r"both run at the same rate $\eta_Y$",
        "H3": r"(second half of (a)) $s\le\ln(M)/\eta_Y$",
    }
    parts = {
        "(a), both bounds": ("kernel-lemma-7a",),
        "(a), the shift": ("kernel-lemma-7a-shift-all-rates",),
        "(b)": ("kernel-lemma-7b",),
        "beside it": ("slower", "never-far", "slope-of-gap", "bracket-half"),
    }
    kernel_theorems = {
        "lemma_7a": dict(as_printed=True, equation="Lemma 7(a)", concludes=True),
        "lemma_7a_constant_1": dict(equation="Lemma 7(a)"),
        "lemma_7a_shift": dict(as_printed=True, equation="Lemma 7(a)", concludes=True),
        "lemma_7a_shift_all_rates": dict(as_printed=True, equation="Lemma 7(a)", concludes=True),
        "lemma_7b": dict(as_printed=True, equation="Lemma 7(b)", concludes=True),
        "lemma_7b_rate": dict(equation="Lemma 7(b)"),
    }
    sharper = (
        Sharper(
            "lead",
            "Lemma 7(a)",
            r"$h^*(s)-h(s)\le\frac{2\eta_Y}M$",
            r"$h^*(s)-h(s)\le\frac{\eta_Y}M$",
            "2",
            upper="kernel-lemma-7a-constant-1",
            lower="one-is-best",
        ),
    )

    @step("symbolic", "(46), (47)", as_printed=True)
    def slower(self) -> Facts:
        """(47): the speed falls strictly in $h$, so a faster flow is below where the step began"""
        below = sp.exp(M * height) + M - 1
        falls = -M * sp.exp(M * height)
        return (sp.Derivative(1 / below, height) * below**2, falls), sp.Lt(falls, 0, evaluate=False)

    @step("decided", "(46), Lemma 7(a)", as_printed=True)
    def never_far(self) -> bool:
        r"""$h^\circ-h\le\eta_Y/M\le2\eta_Y/M$ after any part of a step, whether or not the flow
        passed $h^*(s)$; a whole first step behind the flow's start has that gap"""
        star, now, move, part, went, first = z3.Reals("star now move part went first")
        common = [star - now <= first, 0 < move, move <= first, 0 <= part, part <= 1]
        behind = [now + went <= star, went >= part * move]  # slower speeds lie above: went further
        passed = now + went > star
        lead = star + part * move - (now + went)
        attained = not follows(lead < first, *common, *behind, part == 1, move == first)
        within = follows(lead <= first, *common, *behind)
        return within and follows(lead < first, *common, passed) and attained

    printed_proof = group()

    @step("symbolic", "(48), the equality", as_printed=True)
    def slope_of_gap(self) -> Facts:
        r"""(48): the difference of the two slopes in closed form, all $M$, $h$, $\epsilon$"""
        ahead, behind = M - 1 + sp.exp(a + eps), M - 1 + sp.exp(b)
        closed = -eta * sp.exp(a) * (sp.exp(eps) - sp.exp(b - a)) / (ahead * behind)
        return eta / ahead - eta / behind, closed

    @once
    def brackets(self) -> Array:
        """e^{M eps} - e^{M (h(s+1) - h(s))} at late s = 10^2, ..., 10^7."""
        clocks = np.array([10.0**k for k in range(2, 8)])
        rises = 50 * (h(clocks + 1, 50, 0.1) - h(clocks, 50, 0.1))
        return np.exp(SPAN) - np.exp(rises)

    @claim(">=", 1, "inequality", "(48), the bound", as_printed=True)
    def bracket_printed(self) -> float:
        r"""(48): $e^{M\epsilon}-e^{M(h(s+1)-h(s))}$ over $\frac12e^{M\epsilon}$ for late $s$: the
        largest up to $s=10^7$, $M=50$, $\eta_Y=0.1$, $M\epsilon=0.1$"""
        return self.brackets.max() / (np.exp(SPAN) / 2)

    @step("decided", "(48), the bound, (49)")
    def bracket_half(self) -> bool:
        r"""(48), (49): $e^{M\epsilon}-e^{M(h(s+1)-h(s))}\ge\frac12(e^{M\epsilon}-1)$ as soon as
        $e^{M(h(s+1)-h(s))}\le\frac12(1+e^{M\epsilon})$; then the product of both speeds'
        denominators is at most $e^{2Mh(s)}(\frac12+e^{M\epsilon})(1+\frac12e^{M\epsilon})$ where
        $2(M-1)\le e^{Mh(s)}$"""
        X, Y, A, m = z3.Reals("X Y A m")  # e^{M eps}, e^{M (h(s+1) - h(s))}, e^{M h(s)}, M - 1
        product = (m + A * X) * (m + A * Y)
        late_bound = A * A * (z3.RealVal("1/2") + X) * (1 + X / 2)
        late = 0 < m, 1 <= Y
        out_of_reach = follows(X - Y < X / 2, Y > 1, X <= 2)  # the printed bound
        return (
            follows(X - Y >= (X - 1) / 2, Y >= 1, Y <= (1 + X) / 2)
            and out_of_reach
            and follows(product <= late_bound, *late, 2 * m <= A, 2 * Y <= 1 + X)
            and follows(product == late_bound, *late, 2 * m == A, 2 * Y == 1 + X)
        )

    @erratum(
        "E35",
        "Lemma 7(b), proof, Eq. (48)",
        r"some $s_0'$ has $h(s+1)-h(s)\le\epsilon+\frac{\ln(1/2)}M$ for $s\ge s_0'$, so that"
        r" $e^{M\epsilon}-e^{M(h(s+1)-h(s))}\ge\frac12e^{M\epsilon}$",
        fails="bracket-printed",
        holds="bracket-half",
        reach="harmless",
        proof=True,
    )
    def e35(self) -> dict[str, Any]:
        r"""for $\epsilon\le\frac{\ln2}M$ no $s$ does;
        $M(h(s+1)-h(s))\le\ln\frac{1+e^{M\epsilon}}2$ for late $s$, which gives
        $\frac12(e^{M\epsilon}-1)$ and the same conclusion. The numbers are both lower bounds and
        the difference itself at $s=10^7$, $M=50$, $\eta_Y=0.1$, $M\epsilon=0.1$."""
        measured = float(self.brackets[-1])
        return dict(printed=np.exp(SPAN) / 2, corrected=np.expm1(SPAN) / 2, measured=measured)

    @step("decided", "Lemma 7(b), proof, its opening")
    def negation(self) -> bool:
        r"""without (b) the lead is at least $\epsilon$ again and again: if each lead of at least
        $\frac12\epsilon$ shrinks, (48), and no step adds $\frac12\epsilon$, then a lead below
        $\epsilon$ stays below, so that the lead is at least $\epsilon$ from some $s$ on"""
        lead, after, least = z3.Reals("lead after epsilon")
        shrinks = z3.Implies(lead >= least / 2, after < lead)
        return follows(after < least, least > 0, lead < least, shrinks, after - lead < least / 2)

    best_constant = group()

    @step("decided")
    def one_is_best(self) -> bool:
        r"""$h^*(1)=\frac{\eta_Y}M$ and, by (45), $Mh(1)\le\ln(1+M\eta_Y)$, so the first lead over
        $\frac{\eta_Y}M$ tends to 1 as $\eta_Y\to\infty$, all $M$"""
        power, size, level, grown = z3.Reals("e_u M u M_eta")  # (45) at t = 1, u = M h(1)
        at_one = power + (size - 1) * level == grown + 1
        first_step = STEP.subs(u, 0) / M == eta / M
        tends = sp.limit(1 - sp.log(1 + M * eta) / eta, eta, sp.oo) == 1
        return first_step and tends and follows(power <= 1 + grown, size >= 1, level >= 0, at_one)

    check = group()

    @claim("==", True, "symbolic")
    def small_rate_maximum(self) -> Facts:
        r"""$\frac12x\ln\frac1x$ is largest at $x=\frac1e$ with the value $\frac1{2e}$, $L$ is
        the small-rate limit of the lag, and $\eta_YA$ is what comes next"""
        more = p * (sp.exp(d) - 1 - d) / d - sp.log(1 - p + p * sp.exp(d)) / 2  # of a step: lag - L
        decay = M * eta / (M - 1 + sp.exp(u))  # du/dt
        growth = p * (1 - p) * M * (1 - p) / (M - 1)  # dp = p (1-p) d
        return [
            (sp.Derivative(LEAD_SMALL, share), -(1 + sp.log(share)) / 2),  # falls through 0 at 1/e
            (LEAD_SMALL.subs(share, sp.exp(-1)), sp.exp(-1) / 2),
            (sp.series(more, d, 0, 3).removeO(), p * (3 * p - 1) / 12 * d**2),
            (
                sp.Derivative(LAG_NEXT, p) * growth,
                p * (3 * p - 1) / 12 * (M * (1 - p) / (M - 1)) ** 2,
            ),
            (LAG_NEXT.subs(p, 1), (M + 3) / (24 * M)),
            (sp.Derivative(decay, u) * decay, -(decay**2) * sp.exp(u) / (M - 1 + sp.exp(u))),
            (sp.Limit(EXCESS.subs(d, STEP) / STEP, eta, 0), sp.Derivative(LEVEL / 2, u)),
        ]

    controls = group()

    @property
    def range_end(self) -> int:
        """The last s of H3."""
        return int(np.log(self.M) / self.eta_y)

    @control("H1", ">", 2.0)
    def other_start(self) -> float:
        r"""steps that start $10\eta_Y/M$ ahead: at the last $s\le\ln(M)/\eta_Y$ the lead is still,
        in units of $\eta_Y/M$"""
        run = stepped(10 * self.eta_y / self.M, [self.eta_y] * self.range_end, self.M)
        return (run[-1] - h(self.range_end, self.M, self.eta_y)) * self.M / self.eta_y

    @control("H2", ">", 2.0)
    def other_rate(self) -> float:
        r"""steps at $\eta_Y=0.011$, flow at $0.01$: largest lead in units of $0.01/M$"""
        faster = h_star(20_000, self.M, 0.011) - h(np.arange(20_001), self.M, 0.01)
        return faster.max() * self.M / 0.01

    @control(
        "H3",
        ">",
        lambda self: self.long_run[10][: int(np.log(10) / self.eta_y) + 1].max(),
        rtol=1e-5,
    )
    def late(self) -> float:
        r"""at $s=@{steps}$, $M=10$, the needed $c$ is above the largest for
        $s\le\ln(M)/\eta_Y$"""
        return self.long_run[10][-1]
