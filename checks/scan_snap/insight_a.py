"""Theorem 4, insight (a).  The chapter: ``book/scan-snap/theorem_04.ipynb``."""

from dataclasses import dataclass

import numpy as np

from checks.scan_snap.scanning_and_snapping import Parameters
from ledgerbook import claim
from lib.arrays import Array
from lib.measure import furthest
from lib.scan_snap.decoder import peak


def place_of_largest(values: Array) -> float:
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

    @claim("in", [0.97, 1.03], "limit", "Section 6, insight (a)", as_printed=True)
    def peak_place(self) -> float:
        r"""the step at which the returned error peaks, decoder in steps, over that where the flow
        has $e^u(u-1)=M-1$, which goes as $\frac1{\eta_Y}$: $\eta_Y=0.1$ to $0.8$, each by a
        parabola through the three highest steps, furthest from 1"""
        found = {rate: place_of_largest(self.returned(rate)) for rate in self.runs}
        return furthest([step / (peak(self.M) / rate) for rate, step in found.items()], 1)
