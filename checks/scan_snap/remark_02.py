"""Remark 2: what its rows measure.  The chapter: ``book/scan-snap/lemma_07.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts

from checks.scan_snap.lemma_07 import LEVEL, M, Parameters, d, leads, rises_from_zero, u
from ledgerbook import Consequence, claim, control, erratum, once, step
from lib.arrays import Array
from lib.measure import maximum, minimum
from lib.scan_snap.decoder import crossings, h, h_star, lags, omegas, stages, time_at_height

SIZES = (10**3, 10**6, 10**12)
RATE = 0.5  # of what is said about s_1


def printed_begin(size: int) -> float:
    """s_1 as printed."""
    return 2 * np.log1p(omegas(size)[1]) / RATE


def log_time(t: float, size: int) -> float:
    """ln(M eta_Y t)."""
    return np.log(size * RATE * t)


@dataclass
class Remark02(Parameters):
    """Remark 2: the lag."""

    tag = "scan-snap.remark-02"
    hypotheses = {"H4": r"$\eta_Y=O(1)$"}
    kernel_theorems = {
        "remark_2_constant_refuted": dict(equation="Remark 2"),
        "reached": dict(equation="Remark 2", concludes=True),
        "lag_law": dict(equation="Remark 2", concludes=True),
        "lag_unbounded": dict(equation="Remark 2", concludes=True),
    }
    parts = {
        "the steps run ahead by the lag": ("kernel-reached",),
        "how large the lag is": ("kernel-lag-law",),
        "no constant is enough": ("kernel-lag-unbounded", "lag-below"),
        "the gap law": ("gap-law",),
        "from where $h$ is a logarithm": ("log-from",),
    }
    consequences = (Consequence("E6", fails="one-constant", holds="lag-below"),)

    @step("symbolic", "Remark 2, the constant")
    def lag_below(self) -> Facts:
        r"""$\mathrm{lag}\ge e^{-\eta_Y}\cdot\frac12\ln\frac{M-1+e^{Mh^*}}M$, which passes every
        constant, all $M$, $\eta_Y$"""
        return [
            *rises_from_zero(2 * (sp.exp(d) - 1 - d) - d**2, d, 3),
            *rises_from_zero(d * sp.exp(d) - sp.exp(d) + 1, d, 2),
            (sp.Limit(LEVEL, u, sp.oo), sp.oo),
            (sp.Derivative(LEVEL, u), sp.exp(u) / (sp.exp(u) + M - 1)),
            (sp.Subs(LEVEL, u, 0), 0),
        ]

    def per_log(self, values: Array) -> float:
        """Growth per unit of ln s in the last decade."""
        return (values[self.steps] - values[self.steps // 10]) / np.log(10)

    @once
    def growths(self) -> list[Any]:
        """That of the lag."""
        return [self.per_log(values) for values in self.long_run.values()]

    @claim("<=", 0.01, "rate", "Remark 2, the constant", as_printed=True, rtol=1e-5)
    def one_constant(self) -> float:
        r"""one constant $c$ with $h^*(s)\le h(s+c)$ for all late $s$: growth of the lag per unit of
        $\ln s$ in the last decade, largest of $M=10,50,1000$"""
        return maximum(self.growths)

    @claim("<=", 0.01, "rate", as_printed=True, rtol=1e-5)
    def gap_law_printed(self) -> float:
        r"""$Mt\,(h^\circ-h)=O(\ln M)$ for all late $t$: growth of the left side per unit of
        $\ln t$"""
        gaps = leads(self.steps, self.M, self.eta_y) * self.eta_y
        return self.per_log(np.arange(self.steps + 1) * gaps)

    @property
    def slow(self) -> float:
        """A rate whose correction to the constant is a share of about it."""
        return 0.3 * self.eta_y

    def gap_law_bound(self) -> list[Any]:
        """eta_Y (M + 3) / (24 M), but for what the row says."""
        clock = self.slow * self.steps
        constant = self.slow * (self.M + 3) / (24 * self.M)
        slack = self.slow * constant + np.log(self.M * clock) * np.log(clock) / clock
        return [constant - slack, constant + slack]

    @claim("in", gap_law_bound, "rate", rtol=1e-5)
    def gap_law(self) -> float:
        r"""$\eta_Y=@{slow:g}$: $Mt\,(h^\circ-h)-\frac12\ln(\eta_Yt)$ at the end is
        $\eta_Y\frac{M+3}{24M}$, but for a share $\eta_Y$ of it and for
        $\ln(M\eta_Yt)\ln(\eta_Yt)/(\eta_Yt)$"""
        clock = self.slow * self.steps
        return clock * leads(self.steps, self.M, self.slow)[-1] - np.log(clock) / 2

    @erratum(
        "E6",
        "Remark 2, the gap law",
        r"$h^\circ(t)-h(t)=O\big(\frac{\ln M}{Mt}\big)$",
        fails="gap-law-printed",
        holds="gap-law",
        reach="harmless",
    )
    def e6(self) -> dict[str, Any]:
        r"""$h^\circ(t)-h(t)\sim\frac{\ln(\eta_Yt)}{2Mt}$; the printed order holds while
        $\eta_Yt$ is at most a fixed power of $M$; later only $h^*-h\to0$ is used, which
        stands. No one $c$ serves all $s>s_1$: the lag grows like $\frac12\ln(\eta_Ys)$, up
        to a factor between $e^{-\eta_Y}$ and $e^{\eta_Y}$. The numbers are the growth of
        $Mt\,(h^\circ-h)$ per unit of $\ln t$ from $t=10^5$ to $10^6$, $M=1000$,
        $\eta_Y=\frac12$."""
        late = np.array([10**5, 10**6])
        gap = late * (h_star(10**6, 1000, 0.5)[late] - h(late, 1000, 0.5)) * 1000
        return dict(printed=0.0, corrected=0.5, measured=(gap[1] - gap[0]) / np.log(10))

    @claim(">=", 0.5, "rate", "Remark 2", as_printed=True)
    def log_from_printed(self) -> Array:
        r"""from $s_1=\frac{2\ln(1+\omega_1)}{\eta_Y}$ on
        $h=\Theta\big(\frac{\ln(M\eta_Yt)}M\big)$: $Mh$ over $\ln(M\eta_Yt)$ at $s_1$ for
        $M=10^{12}$, over the same for $M=10^3$, $\eta_Y=0.5$"""
        begins = {size: printed_begin(size) for size in SIZES}
        shares = [size * h(t, size, RATE) / log_time(t, size) for size, t in begins.items()]
        return shares[-1] / shares[0]

    @claim("in", [1 - 1 / (SIZES[0] - 1) / np.log(2), 1], "limit", "Remark 2")
    def log_from(self) -> float:
        r"""at $\frac{2(1+\omega_1)\ln M}{\eta_Y}$ the logarithm is all but reached:
        $\ln(M\eta_Yt)-Mh$ over $\ln2$, $M=10^3,10^6,10^{12}$, $\eta_Y=0.5$, smallest;
        by (45) within $\frac1{(M-1)\ln2}$ below 1"""
        begins = {size: stages(size, RATE)[1] for size in SIZES}
        misses = [log_time(t, size) - size * h(t, size, RATE) for size, t in begins.items()]
        return minimum(misses) / np.log(2)

    @erratum(
        "E53",
        "Remark 2, $s_1$",
        r"$s_1=\frac{2\ln(1+\omega_1)}{\eta_Y}$, with"
        r" $h=\Theta\big(\frac{\ln(M\eta_Yt)}M\big)$"
        " from there on; no $M$ stands in it",
        fails="log-from-printed",
        holds="log-from",
        reach="harmless",
    )
    def e53(self) -> dict[str, Any]:
        r"""$s_1=\frac{2(1+\omega_1)\ln M}{\eta_Y}$, where stage 2 of Lemma 9 begins; at the printed
        $s_1$ the share $Mh/\ln(M\eta_Yt)$ tends to zero as $M$ grows. The numbers are $s_1$ for
        $M=10^6$, $\eta_Y=0.5$; measured: the time at which $e^{Mh}$ overtakes $(M-1)Mh$ in (45)"""
        size = 10**6
        overtaken = time_at_height(crossings(size)[1] / size, size, RATE)
        corrected = stages(size, RATE)[1]
        return dict(printed=printed_begin(size), corrected=corrected, measured=float(overtaken))

    @control("H4", "in", [1 - 1e-9, 1 + 1e-9])
    def huge_rate(self) -> float:
        r"""at $\eta_Y=20$, $M=10$ a single step gives a lag of $\frac{e^{20}+179}{200}-1$, a
        million times $\ln M$; the lag over this"""
        return lags(1, 10, 20.0)[1] / ((np.exp(20) + 179) / 200 - 1)
