"""Theorem 4, insight (a).  The chapter: ``book/scan-snap/theorem_04.ipynb``."""

from dataclasses import dataclass

import numpy as np
import sympy as sp
from ledgerbook.ledger.checks import claim, once, step
from scipy.special import lambertw

from checks.scan_snap.theorem_04 import K, M, Parameters, eta_y, t, u
from lib.measure import furthest
from lib.scan_snap.decoder import stages, time_at_height

ON_FLOW = (sp.exp(u) + (M - 1) * u - 1) / M  # tau at the height u
CLOCK_45 = sp.exp(u) + (M - 1) * u - M * eta_y * t / K - 1
c = sp.symbols("c", positive=True)


def peak(values):
    """The place of the largest value, by the parabola through it and its neighbours."""
    top = int(np.argmax(values))
    before, at, after = values[top - 1 : top + 2]
    return top + (before - after) / (before - 2 * at + after) / 2


@dataclass
class InsightA(Parameters):
    """Insight (a): a faster decoder ends the scan earlier."""

    tag = "scan-snap.insight-a"
    parts = {"a larger rate, an earlier $t_0$": ("kernel-insight-a",)}
    kernel_theorems = {
        "insight_a": dict(as_printed=True, concludes=True, equation="Section 6, insight (a)")
    }

    @step("symbolic", "Section 6, insight (a)", as_printed=True)
    def time_scale(self):
        r"""$\gamma$ at $(t,\eta_Y)$ is $\gamma$ at $(ct,\eta_Y/c)$, $c>0$: (45) and (85) see time
        as $\eta_Yt$ only, so the peak, $t_0'$ and $t_0$ go as $1/\eta_Y$"""
        scaled = CLOCK_45.subs({t: c * t, eta_y: eta_y / c}, simultaneous=True)
        return (scaled, CLOCK_45), (CLOCK_45.subs(t, ON_FLOW * K / eta_y), 0)

    @once
    def height_at_peak(self):
        """u = M h where gamma peaks under the flow, e^u (u - 1) = M - 1."""
        return 1 + float(lambertw((self.M - 1) / np.e).real)

    @claim("in", [0.97, 1.03], "limit", "Section 6, insight (a)", as_printed=True)
    def peak_place(self):
        r"""the step at which the returned error peaks, decoder in steps, over that where the flow
        has $e^u(u-1)=M-1$, which goes as $\frac1{\eta_Y}$: $\eta_Y=0.1$ to $0.8$, each by a
        parabola through the three highest steps, furthest from 1"""
        flow = lambda rate: float(time_at_height(self.height_at_peak / self.M, self.M, rate))
        return furthest([peak(self.returned(rate)) / flow(rate) for rate in self.runs], 1)

    @claim("in", [0.97, 1.03], "limit")
    def bend(self):
        r"""the bend, where $e^u$ overtakes $(M-1)u$ in the run, over $t_0$, $\eta_Y=0.1$"""
        heights = self.M * self.runs[0.1][1:]
        overtaken = np.argmax(np.exp(heights) > (self.M - 1) * heights)
        return self.K * overtaken / stages(self.M, 0.1, self.K)[1]
