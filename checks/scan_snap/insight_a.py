"""Theorem 4, insight (a).  The chapter: ``book/scan-snap/theorem_04.ipynb``."""

from dataclasses import dataclass

import numpy as np
from scipy.special import lambertw

from checks.scan_snap.scanning_and_snapping import Parameters
from ledgerbook import claim, once
from lib.arrays import Array
from lib.measure import furthest
from lib.scan_snap.decoder import time_at_height


def peak(values: Array) -> float:
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

    @once
    def height_at_peak(self) -> float:
        """u = M h where gamma peaks under the flow, e^u (u - 1) = M - 1."""
        return 1 + float(lambertw((self.M - 1) / np.e).real)

    @claim("in", [0.97, 1.03], "limit", "Section 6, insight (a)", as_printed=True)
    def peak_place(self) -> float:
        r"""the step at which the returned error peaks, decoder in steps, over that where the flow
        has $e^u(u-1)=M-1$, which goes as $\frac1{\eta_Y}$: $\eta_Y=0.1$ to $0.8$, each by a
        parabola through the three highest steps, furthest from 1"""
        flow = lambda rate: float(time_at_height(self.height_at_peak / self.M, self.M, rate))
        return furthest([peak(self.returned(rate)) / flow(rate) for rate in self.runs], 1)
