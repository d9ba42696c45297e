"""Theorem 4, insight (c).  The chapter: ``book/scan-snap/theorem_04.ipynb``."""

from dataclasses import dataclass

import numpy as np
import sympy as sp
from ledgerbook.ledger.checks import chapter, claim, finding, step
from scipy.optimize import minimize_scalar

from checks.scan_snap.insight_a import ON_FLOW
from checks.scan_snap.insight_b import SLOPE_U
from checks.scan_snap.theorem_04 import SIZE, M, Parameters, U, X, tau, u
from lib.decide import follows
from lib.measure import maximum, relative_error
from lib.scan_snap.decoder import h, lags, stages, time_at_height
from lib.scan_snap.phase_transition import big_gamma, crossing_level, gain

TURN = sp.exp(u) * (u - 2) - (M - 1) * u + 2


@dataclass
class InsightC(Parameters):
    """Insight (c): a slower decoder, more gain in the end."""

    tag = "scan-snap.insight-c"
    parts = {"a smaller rate, more growth": ("kernel-insight-c",), "a sparser map": ()}
    trusts = (
        chapter("scan-snap.theorem-03", "a larger $B_n$ is a sparser attention", "a sparser map"),
    )
    kernel_theorems = {
        "insight_c": dict(
            concludes=True,
            equation="Section 6, insight (c)",
            condition=r"$t_0$ is that of the slower decoder, and $M\ge8$",
        )
    }

    @step("symbolic")
    def where_it_turns(self):
        r"""$\frac{\partial}{\partial\ln\eta_Y}\ln\frac{u^2}{\eta_Y}=-\frac{e^u(u-2)-(M-1)u+2}{u(e^u+M-1)}$
        at fixed $t$, $\eta_Z$"""
        return (2 * SLOPE_U / u - 1).subs(tau, ON_FLOW), -TURN / (u * (sp.exp(u) + M - 1))

    @step(
        "decided",
        "Section 6, insight (c)",
        concludes=True,
        condition=r"$t_0$ is that of the slower decoder, and $M\ge8$",
    )
    def past_t0(self):
        r"""where $e^u\ge(M-1)u$ and $u\ge3$ this is negative: $B_n$ falls with $\eta_Y$"""
        falls = X * (U - 2) - (SIZE - 1) * U + 2 > 0
        return follows(falls, SIZE > 1, U >= 3, X >= (SIZE - 1) * U)

    @step("symbolic")
    def from_eight(self):
        r"""$u\ge3$ at $t_0$ for every $M\ge8$: there $e^u/u=M-1\ge7>e^3/3$, and $e^u/u$ rises
        beyond $u=1$"""
        slope = sp.Derivative(sp.exp(u) / u, u)
        return [sp.exp(3) < 21, (slope, (u - 1) * sp.exp(u) / u**2)]

    def stepped_lead(self, moment):
        """Gain at eta_Y = 0.1 less gain at 0.8, decoders in steps, at step ``moment``."""
        place = int(moment / self.K)
        gains = [self.stepped_gain(rate, self.eta_z)[place] for rate in (0.1, 0.8)]
        return float(np.subtract(*gains))

    @claim("<", 0, "sign")
    def fast_t0(self):
        r"""at the $t_0$ of the *faster* decoder the order is reversed:
        $B_n(\eta_Y=0.1)-B_n(\eta_Y=0.8)$, decoders in steps"""
        return self.stepped_lead(stages(self.M, 0.8, self.K)[1])

    @claim(
        ">",
        0,
        "sign",
        "Section 6, insight (c)",
    )
    def slow_t0(self):
        """at the $t_0$ of the slower one it is as stated"""
        return self.stepped_lead(stages(self.M, 0.1, self.K)[1])

    @claim("<=", 1e-12, "identity")
    def in_steps(self):
        r"""what steps change: after round $s$ their $B_n$ is the flow's at Lemma 7's lead,
        $h^*(s)=h(s+\Delta)$, with $\frac{K(M-1)^2\eta_Z}{2\eta_Y}\sum(h^*(j)-h^*(j-1))^2$ off its
        $\Gamma$, since $\sum h\,\delta h$ falls short of $\frac{h^2}2$: largest relative
        difference, four rates"""
        return maximum(self.off_in_steps(rate) for rate in self.runs)

    def off_in_steps(self, rate):
        """The same for one rate, from the first round with a gain on."""
        rounds = np.arange(2, len(self.runs[rate]))
        lead = lags(len(self.runs[rate]) - 1, self.M, rate)
        heights = h(np.arange(len(lead)) + lead, self.M, rate)
        lost = np.cumsum(np.diff(heights) ** 2)[rounds - 1]
        clock = big_gamma(heights[rounds], self.M, self.K, rate / self.eta_z)
        clock = clock - self.K * (self.M - 1) ** 2 * self.eta_z / (2 * rate) * lost
        return relative_error(self.stepped_gain(rate, self.eta_z)[rounds - 1], gain(clock, self.c0))

    @claim("<=", 1e-6, "identity", atol=1e-6)
    def turning_rate(self):
        """the rate with the largest $B_n$ at a given $t$ stands at the height where
        $e^u(u-2)=(M-1)u-2$: maximized numerically, over computed, distance from 1"""
        best = minimize_scalar(
            lambda log_rate: log_rate - 2 * np.log(float(h(100.0, self.M, np.exp(log_rate)))),
            bounds=(-5, 3),
            method="bounded",
            options={"xatol": 1e-9},
        )
        wanted = float(time_at_height(crossing_level(self.M) / self.M, self.M, 1.0))
        return abs(np.exp(best.x) * 100 / wanted - 1)

    @finding("fast-t0", "slow-t0")
    def which_t0(self):
        """Insight (c) does not say whose $t_0$; at the faster decoder's the order is reversed where
        the rates are far apart."""
