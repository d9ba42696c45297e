"""Figure 12: what its rows measure.  The chapter: ``book/scan-snap/figure_12.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from checks.scan_snap.figure_06 import least_t
from checks.scan_snap.figure_11 import RecallCurves, off_axis
from ledgerbook import claim, control, once
from lib.arrays import Array
from lib.measure import maximum
from lib.scan_snap.published import QUERIES, recall_drop

TICKS = {1: (0.3, 0.3, 0.2, 0.2), 10: (0.6, 0.5, 0.5, 0.4)}  # lowest on the printed axes, by ratio


@dataclass
class Figure12(RecallCurves):
    """Figure 12: recall by the rate of attention."""

    tag = "scan-snap.figure-12"
    hypotheses = {
        "H1": "the runs are those of Figure 6, from its random start",
        "H2": "training stops after 100 iterations",
    }

    @once
    def fall(self) -> dict[Any, Any]:
        """The share of undecided distinct tokens: (seeds, eta_Z, ratio) by queries."""
        return {q: recall_drop(panel.recall) for q, panel in self.panels.items()}

    def along(self, queries: int) -> Array:
        """Its steps from rate to rate: (seeds, 3, 4)."""
        return np.diff(self.fall[queries], axis=1)

    @claim("==", 48, "reproduction", "Figure 12", as_printed=True)
    def flatter(self) -> int:
        r"""recall descends more slowly for a larger $\eta_Z$: mean steps that have the sign, of
        48"""
        return int(sum((self.along(q).mean(axis=0) < 0).sum() for q in QUERIES))

    @claim(">", 1, "statistical", "Figure 12", as_printed=True, rtol=0.05)
    def trend(self) -> float:
        r"""from $\eta_Z=0.5$ to 3 the descent shrinks, mean of the four ratios: Student's t over
        the seeds, smallest of the four numbers of queries, over its quantile (false alarm 1 %, the
        four together)"""
        falls = (-self.along(q).sum(axis=1).mean(axis=1) for q in QUERIES)
        return least_t([fall[:, None] for fall in falls])

    @claim(">", 1, "statistical", "Figure 12", as_printed=True, rtol=0.05)
    def sparser(self) -> float:
        r"""from $\eta_Z=0.5$ to 3 attention becomes sparser, the entropy on distinct tokens falls,
        mean of the four ratios: Student's t over the seeds, smallest of the four numbers of
        queries, over its quantile (false alarm 1 %, the four together)"""
        found = (panel.entropy for panel in self.panels.values())
        return least_t([(one[:, 0] - one[:, -1]).mean(axis=1)[:, None] for one in found])

    @claim("<=", 1, "reproduction", "Figure 12", as_printed=True, rtol=0.05)
    def printed_axes(self) -> float:
        """1 and 10 queries, the panels whose printed axes could be read: distance of the least
        recall from the lowest tick, over a tick's 0.1 and two standard errors, largest of 8"""
        columns = {q: self.panels[q].recall.swapaxes(1, 2) for q in TICKS}
        return maximum(off_axis(columns[q], ticks).max() for q, ticks in TICKS.items())

    def largest_step(self, queries: int, count: int | None = None, **options: Any) -> float:
        """Largest of the 12 mean steps of the descent along eta_Z; negative when all have the
        sign.
        """
        drop = recall_drop(self.panel(queries, count, **options).recall)
        return np.diff(drop, axis=1).mean(axis=0).max()

    @control("H1", "<", 0, rtol=0.1, atol=2e-3)
    def zero_start_one(self) -> float:
        """not needed with one query, 60 seeds: largest mean step from zero"""
        return self.largest_step(1, 60, init="zero")

    @control("H1", "<", 0, rtol=0.1, atol=2e-3)
    def zero_start_many(self) -> float:
        """not needed with three queries: largest mean step from zero"""
        return self.largest_step(3, init="zero")

    @control("H2", "<", 0, rtol=0.1, atol=2e-3)
    def thousand(self) -> float:
        """not needed: after 1000 iterations the order is the same with three queries, largest step
        of the mean of two seeds"""
        return self.largest_step(3, 2, steps=1000)
