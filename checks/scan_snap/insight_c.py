"""Theorem 4, insight (c).  The chapter: ``book/scan-snap/theorem_04.ipynb``."""

from dataclasses import dataclass

import numpy as np
from ledgerbook.ledger.facts import Facts

from checks.scan_snap.insight_b import map_by_gain
from checks.scan_snap.scanning_and_snapping import Parameters
from ledgerbook import chapter, claim, finding, step
from lib.scan_snap.decoder import stages


@dataclass
class InsightC(Parameters):
    """Insight (c): a slower decoder, more gain in the end."""

    tag = "scan-snap.insight-c"
    parts = {"a smaller rate, more growth": ("kernel-insight-c",), "a sparser map": ("sparser",)}
    trusts = (
        chapter("scan-snap.theorem-02", "(98): distinct tokens rise", "a sparser map"),
        chapter("scan-snap.theorem-03", r"(11): a loser's part falls with $\chi$", "a sparser map"),
    )
    kernel_theorems = {
        "insight_c": dict(
            concludes=True,
            equation="Section 6, insight (c)",
            condition=r"$t_0$ is that of the slower decoder, and $M\ge8$",
        )
    }

    @step("symbolic", "Section 6, insight (c), the map", concludes=True)
    def sparser(self) -> Facts:
        r"""a sparser map: the scores go with $B_n$ alone, by (98), (118) and (119), and of two runs
        from one start the one with the larger $B_n$ leaves a loser a smaller part of the winner's
        $f^2$, $\frac1{1+r(0)\chi}$ by (11)"""
        return map_by_gain()

    def stepped_lead(self, moment: float) -> float:
        """Gain at eta_Y = 0.1 less gain at 0.8, decoders in steps, at step ``moment``."""
        place = int(moment / self.K)
        gains = [self.stepped_gain(rate, self.eta_z)[place] for rate in (0.1, 0.8)]
        return float(np.subtract(*gains))

    @claim("<", 0, "sign")
    def fast_t0(self) -> float:
        r"""at the $t_0$ of the *faster* decoder the order is reversed:
        $B_n(\eta_Y=0.1)-B_n(\eta_Y=0.8)$, decoders in steps"""
        return self.stepped_lead(stages(self.M, 0.8, self.K)[1])

    @claim(
        ">",
        0,
        "sign",
        "Section 6, insight (c)",
    )
    def slow_t0(self) -> float:
        r"""at the $t_0$ of the *slower* decoder the order is as stated:
        $B_n(\eta_Y=0.1)-B_n(\eta_Y=0.8)$, decoders in steps"""
        return self.stepped_lead(stages(self.M, 0.1, self.K)[1])

    @finding("fast-t0", "slow-t0")
    def which_t0(self) -> None:
        """Insight (c) does not say whose $t_0$; at the faster decoder's the order is reversed where
        the rates are far apart."""
