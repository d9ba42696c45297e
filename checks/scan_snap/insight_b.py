"""Theorem 4, insight (b).  The chapter: ``book/scan-snap/theorem_04.ipynb``."""

from dataclasses import dataclass

import numpy as np
import sympy as sp

from checks.scan_snap.theorem_04 import C, L, Parameters, a
from ledgerbook import chapter, claim, finding, step
from lib.measure import minimum

M, tau, u = sp.symbols("M tau u", positive=True)  # u = M h
SLOPE_U = M * tau / (sp.exp(u) + M - 1)  # eta du/d eta at fixed t, from (45)
c = sp.symbols("c", positive=True)


@dataclass
class InsightB(Parameters):
    """Insight (b): both rates larger, more gain."""

    tag = "scan-snap.insight-b"
    parts = {"larger rates, more gain": ("kernel-insight-b",), "a sparser map": ()}
    trusts = (
        chapter("scan-snap.theorem-03", "a larger $B_n$ is a sparser attention", "a sparser map"),
    )
    kernel_theorems = {
        "insight_b": dict(as_printed=True, concludes=True, equation="Section 6, insight (b)")
    }

    @step("symbolic", "Section 6, insight (b)", as_printed=True)
    def larger(self):
        r"""at every time $t$ and fixed $\nu$, $B_n$ rises with the rates: $\frac{\partial
        u}{\partial\ln\eta_Y}$ from (45) is $\frac{M\tau}{e^u+M-1}>0$, and $B_n$ rises with $u$"""
        implicit = M * tau / sp.Derivative(sp.exp(u) + (M - 1) * u, u)
        rises = sp.diff(sp.log(1 + a * u**2 / C) / 4, u) > 0
        return [(SLOPE_U, implicit), rises]

    @step("symbolic")
    def no_lead_left(self):
        r"""both rates times $c$: the lead tends to 0, since $e^{4B_n}$ over $\ln^2(M\tau)$ has the
        same limit for $c\tau$ and $\tau$; $B_n\to\infty$ for both"""
        power = 1 + a * L**2 / C  # e^{4 B_n}
        return [
            (sp.Limit(power.subs(L, L + sp.log(c)) / power, L, sp.oo), 1),
            (sp.Limit(power, L, sp.oo), sp.oo),
        ]

    @claim(
        ">",
        0,
        "sign",
        "Section 6, insight (b)",
        as_printed=True,
    )
    def lead(self):
        """both rates doubled (0.4 against 0.2), decoders in steps: the least lead of $B_n$ over all
        rounds that both ran, from the first with a gain on"""
        run = [self.stepped_gain(rate, rate) for rate in (0.4, 0.2)]
        both = minimum(map(len, run))
        return float(np.subtract(*(each[1:both] for each in run)).min())

    @finding("larger", "no-lead-left")
    def no_limit(self):
        r"""Read as a limit, $B_n(t\to\infty)$ is infinite for every rate and the lead is zero; the
        insight is about each finite time."""
