"""Figure 11: what its rows measure.  The chapter: ``book/scan-snap/figure_11.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from scipy.stats import entropy as scipy_entropy

from checks.scan_snap.figure_06 import least_t
from ledgerbook import Checks, claim, control, finding, group, once, whole
from lib.arrays import Array
from lib.measure import maximum, minimum, relative_error
from lib.scan_snap.published import (
    ETA_Z,
    QUERIES,
    RATIOS,
    RecallPanel,
    figure_6_sweep,
    recall_drop,
    recall_panel,
)
from lib.scan_snap.sparsity import entropy

TICKS = {1: (0.2, 0.2, 0.3, 0.25), 10: (0.4, 0.5, 0.5, 0.6)}  # lowest on the printed axes, by eta_Z


def off_axis(curves: Array, ticks: tuple[float, float, float, float]) -> Array:
    """Distance of the least recall from the lowest tick, over a tick and its blur, per column.

    curves: (seeds, columns, curves, thresholds).
    """
    lowest = curves.min(axis=(2, 3))  # (seeds, columns)
    blur = np.sqrt(2 / len(curves)) * lowest.std(axis=0, ddof=1)  # of a difference of two means
    return np.abs(curves.mean(axis=0).min(axis=(1, 2)) - ticks) / (0.1 + 2 * blur)


@dataclass
class RecallCurves(Checks):
    """What both figures of recall draw."""

    seeds: int = whole(10, 5, 20, holds=(10, 11))
    points: int = whole(21, 10, 42, holds=(11, 31))

    def panel(self, queries: int, count: int | None = None, **options: Any) -> RecallPanel:
        """Runs of one number of queries, from the random start unless it is said otherwise."""
        return recall_panel(queries, range(count or self.seeds), points=self.points, **options)

    @once
    def panels(self) -> dict[Any, Any]:
        """The figure's runs, by number of queries."""
        return {q: self.panel(q) for q in QUERIES}


@dataclass
class Figure11(RecallCurves):
    """Figure 11: recall by the ratio of the rates."""

    tag = "scan-snap.figure-11"
    hypotheses = {
        "H1": "attention is the softmax of the full row of $Z$ over all $M$ tokens",
        "H2": "the runs are those of Figure 6, from its random start",
    }

    replication = group()

    def steps(self, queries: int) -> Array:
        """Steps of the descent from ratio to ratio: (seeds, 4, 3)."""
        return np.diff(recall_drop(self.panels[queries].recall), axis=2)

    @claim("==", 48, "reproduction", "Figure 11", as_printed=True)
    def steeper(self) -> int:
        """recall descends faster for a larger ratio: mean steps that have the sign, of 48"""
        return int(sum((self.steps(q).mean(axis=0) > 0).sum() for q in QUERIES))

    @claim(">", 1, "statistical", "Figure 11", as_printed=True, rtol=0.05)
    def trend(self) -> float:
        """from ratio 1 to 10 the descent grows, mean of the four rates: Student's t over the seeds,
        smallest of the four numbers of queries, over its quantile (false alarm 1 %, the four
        together)"""
        rises = (self.steps(q).sum(axis=2).mean(axis=1) for q in QUERIES)
        return least_t([rise[:, None] for rise in rises])

    @claim(
        ">",
        1,
        "statistical",
        "Figure 11",
        as_printed=True,
        condition="three and more queries, from a ratio of 2 on",
        rtol=0.05,
    )
    def denser(self) -> float:
        """from ratio 2 to 10 attention becomes denser, the entropy on distinct tokens grows, mean
        of the four rates: Student's t over the seeds, smallest of the three numbers of queries
        above one, over its quantile (false alarm 1 %, the three together)"""
        found = (self.panels[q].entropy for q in QUERIES[1:])
        return least_t([(one[:, :, 3] - one[:, :, 1]).mean(axis=1)[:, None] for one in found])

    @claim("<=", 1, "reproduction", "Figure 11", as_printed=True, rtol=0.05)
    def printed_axes(self) -> float:
        """1 and 10 queries, the panels whose printed axes could be read: distance of the least
        recall from the lowest tick, over 0.1 and two standard errors, largest of 8"""
        return maximum(off_axis(self.panels[q].recall, ticks).max() for q, ticks in TICKS.items())

    measures = group()

    @once
    def entropy_steps(self) -> dict[Any, Any]:
        """Mean steps of the entropy on distinct tokens from ratio to ratio: (4, 3) by queries."""
        return {q: np.diff(self.panels[q].entropy, axis=2).mean(axis=0) for q in QUERIES}

    @once
    def unclear(self) -> list[Any]:
        """Queries, eta_Z and ratio of the steps from ratio 2 on that lead to an entropy higher by
        less than a standard error of the mean step, or to a lower one."""
        count = np.sqrt(self.seeds)
        steps = {q: np.diff(self.panels[q].entropy, axis=2)[:, :, 1:] for q in QUERIES}
        small = {q: s.mean(axis=0) < s.std(axis=0, ddof=1) / count for q, s in steps.items()}
        return [(q, ETA_Z[i], RATIOS[j + 2]) for q in QUERIES for i, j in np.argwhere(small[q])]

    @once
    def row_steps(self) -> dict[Any, Any]:
        """Steps of the whole row's entropy from ratio 1 to 2: (seeds, 4) by queries."""
        return {q: np.diff(self.panels[q].row_entropy, axis=2)[:, :, 0] for q in QUERIES}

    @claim(">", 1, "statistical", rtol=0.05)
    def disagree(self) -> float:
        """from 1 to 2 the entropy of the very rows that recall reads falls in the 8 cells with five
        and more queries: Student's t over the seeds, smallest, over its quantile (false alarm 1 %,
        the eight together)"""
        return least_t([-self.row_steps[q] for q in QUERIES[2:]])

    @claim("<=", 1e-12, "identity")
    def entropies(self) -> float:
        """one query, one seed: the entropies of the rows that recall reads and of $c_n$ on distinct
        tokens, means over the classes, and of $c_n$, which is 0 at other tokens, against those of
        `scipy`: largest relative error"""
        run, panel = figure_6_sweep(1, range(1)), self.panel(1, 1)
        classes, Z = run.layout.classes, run.z[0, :, -1].astype(float)
        rows = softmax(Z[:, run.layout.query_row], axis=-1)
        masses = rows * classes.conditional  # of c_n; ``scipy`` divides by their sum
        own = [masses[:, n, classes.distinct_tokens(n)] for n in range(classes.num_classes)]
        whole = scipy_entropy(rows, axis=-1).mean(axis=-1)
        distinct = np.mean([scipy_entropy(one, axis=-1) for one in own], axis=0)
        found = (
            panel.row_entropy[0].ravel(),
            panel.entropy[0].ravel(),
            entropy(run.attention[0, :, -1]),
        )
        return maximum(
            map(relative_error, found, (whole, distinct, scipy_entropy(masses, axis=-1)))
        )

    @finding("steeper", "disagree")
    def two_measures(self) -> None:
        """From ratio 1 to 2 the descent of recall and the entropy contradict each other: that of
        Figure 6 where there are three or more queries, that of the rows which recall reads where
        there are five or more. A slower descent is not always a sparser attention."""

    without = group()

    @control("H1", ">", 1, rtol=0.05)
    def limit_attention(self) -> float:
        """with $c_n$ in place of the row softmax the least recall misses the printed axes: distance
        from the lowest tick in the measure of `printed-axes`, 10 queries, smallest of 4"""
        return off_axis(self.panels[10].limit, TICKS[10]).min()

    @control("H2", ">", 0, rtol=0.1, atol=2e-3)
    def zero_start(self) -> float:
        """not needed for the order: from zero all 48 mean steps have the sign too (five seeds where
        there is more than one query), smallest"""
        count = {1: self.seeds}  # with more queries a run averages over more classes itself
        panels = (self.panel(q, count.get(q, 5), init="zero") for q in QUERIES)
        drops = (recall_drop(panel.recall) for panel in panels)
        return minimum(np.diff(drop, axis=2).mean(axis=0).min() for drop in drops)
