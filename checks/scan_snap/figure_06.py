"""Figure 6: what its rows measure.  The chapter: ``book/scan-snap/figure_06.ipynb``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy import stats

from ledgerbook import Checks, claim, control, finding, group, once, seed, whole
from lib.arrays import Array
from lib.scan_snap.published import ETA_Z, QUERIES, RATIOS, figure_6, figure_6_sweep
from lib.scan_snap.sparsity import distinct_entropy

LARGE = 1  # queries of the panel with more seeds
DRAWS = 10_000  # of ten seeds, for the null


def moments(runs: Array) -> tuple[Array, Array]:
    """Mean and sample standard deviation over seeds: (..., seeds, 4, 4) to (..., 16) each."""
    flat = runs.reshape(*runs.shape[:-2], 16)
    return flat.mean(axis=-2), flat.std(axis=-2, ddof=1)


def compared(
    runs: Sequence[tuple[Array, ...]], others: Sequence[tuple[Array, ...]], seeds: int
) -> Array:
    """z-scores of 64 cells, (..., 64).

    runs, others: for each number of queries the ``moments`` of ``seeds`` runs.
    """
    (mean, std), (other_mean, other_std) = (
        (np.concatenate(part, axis=-1) for part in zip(*side, strict=True))
        for side in (runs, others)
    )
    return (mean - other_mean) / np.sqrt((std**2 + other_std**2) / seeds)


def rms(scores: Array) -> Any:
    """Root mean square of the cells."""
    return np.sqrt(np.mean(scores**2, axis=-1))


def middle(values: Array) -> list[float]:
    """The interval that holds the middle 95 %."""
    return [round(float(edge), 3) for edge in np.quantile(values, [0.025, 0.975])]


def least_t(families: list[Array], alarm: float = 0.01) -> float:
    """Least Student's t of the means of steps, each (seeds, n), over its quantile: above 1 if all
    the steps are positive, at a false alarm of 1 % for all the families together.
    """
    total = sum(steps.shape[1] for steps in families)
    quantile = [stats.t.ppf(1 - alarm / total, len(steps) - 1) for steps in families]
    least = [stats.ttest_1samp(steps, 0).statistic.min() for steps in families]
    return float(np.min(np.divide(least, quantile)))


@dataclass
class Figure06(Checks):
    """Figure 6: the entropy of 640 runs."""

    seeds: int = whole(10, 5, 20, holds=(9, 11))
    more_seeds: int = whole(60, 30, 120, holds=(55, 65))
    steps: int = whole(100, 50, 200, holds=(99, 101))
    seed: int = seed()

    tag = "scan-snap.figure-06"
    hypotheses = {
        "H1": r"every entry of $Y(0)$ and $Z(0)$ is uniform in $\pm1/\sqrt M$",
        "H2": "training in single precision",
    }

    def entropies(self, queries: int, count: int, **options: Any) -> Array:
        """Entropy on distinct tokens after the last step: (seeds, 4 values of eta_Z, 4 ratios)."""
        run = figure_6_sweep(queries, range(count), steps=self.steps, **options)
        found = distinct_entropy(run.attention[:, :, -1], run.layout.classes)
        return found.reshape(count, len(ETA_Z), len(RATIOS))

    @once
    def all_results(self) -> dict[Any, Any]:
        """Entropies from the random start, all seeds, by number of queries."""
        count = {q: self.more_seeds if q == LARGE else self.seeds for q in QUERIES}
        return {q: self.entropies(q, count[q]) for q in QUERIES}

    @once
    def results(self) -> dict[Any, Any]:
        """Those of as many seeds as published."""
        return {q: self.all_results[q][: self.seeds] for q in QUERIES}

    @once
    def from_zero(self) -> dict[Any, Any]:
        """Entropies from the zero start, by number of queries."""
        return {q: self.entropies(q, self.seeds, init="zero") for q in QUERIES}

    @once
    def null(self, rng: Generator) -> Array:
        """z-scores of tens of our own seeds, drawn with replacement, a seed with all its cells,
        against other tens: (10,000, 64).
        """
        runs = self.all_results.values()
        ten = lambda: [
            moments(one[rng.integers(len(one), size=(DRAWS, self.seeds))]) for one in runs
        ]
        return compared(ten(), ten(), self.seeds)

    @once
    def near(self) -> list[float]:
        """The middle of the null's root mean squares."""
        return middle(rms(self.null))

    def against_log(self, results: dict[int, Array]) -> Array:
        """z-scores of results against the authors' log."""
        log = [tuple(part.ravel() for part in panel) for panel in figure_6().values()]
        return compared([moments(results[q]) for q in QUERIES], log, self.seeds)

    @once
    def scores_zero(self) -> Array:
        """z-scores from the zero start."""
        return self.against_log(self.from_zero)

    @once
    def random_start(self) -> Array:
        """z-scores from the random start."""
        return self.against_log(self.results)

    numbers_of_the_log = group()

    @claim(">", lambda self: self.near[1], "reproduction", rtol=0.02)
    def numbers_from_zero(self) -> float:
        """the 64 cells of the authors' log, runs from $Y(0)=Z(0)=0$, the start of Syn-Small: root
        mean square of the z-scores, above 97.5 % of those between our own tens"""
        return rms(self.scores_zero)

    @claim(
        "in",
        lambda self: self.near,
        "reproduction",
        "Section 8",
        as_printed=True,
        condition="a random start, which the text does not name",
        rtol=0.02,
    )
    def numbers_from_random(self) -> float:
        """the 64 cells, runs from the random start: root mean square of the z-scores, among the
        middle 95 % of those between our own tens"""
        return rms(self.random_start)

    @claim(
        "in",
        lambda self: middle(self.null.mean(axis=-1)),
        "reproduction",
        condition="a random start, which the text does not name",
        atol=0.1,
    )
    def offset_from_random(self) -> float:
        """the 64 cells, runs from the random start: mean of the z-scores, among the middle 95 % of
        those between our own tens, in which the cells of a seed move together"""
        return self.random_start.mean()

    @property
    def above_and_below(self) -> tuple[int, int]:
        """How many cells lie above the authors' log and how many below."""
        return int((self.random_start > 0).sum()), int((self.random_start < 0).sum())

    @finding("numbers-from-zero", "numbers-from-random")
    def start_of_the_runs(self) -> None:
        r"""The paper names a start, $Y(0)=Z(0)=0$, for Syn-Small and none for Syn-Medium. In
        the authors' log of this figure the zero start is switched off, which in their code leaves
        entries uniform in $\pm1/\sqrt M$, and of the two starts only this one gives its numbers."""

    readings = group()

    def falls(self, queries: int) -> Array:
        """Falls of the entropy per step of eta_Z: (seeds, 3, 4)."""
        return -np.diff(self.all_results[queries], axis=1)

    def rises(self, queries: int) -> Array:
        """Rises of the entropy per step of the ratio: (seeds, 4, 3)."""
        return np.diff(self.all_results[queries], axis=2)

    @claim(">", 1, "statistical", as_printed=True, rtol=0.05)
    def falls_with_rate(self) -> float:
        r"""the entropy falls with $\eta_Z$: Student's t of 12 steps, averaged over the ratios,
        smallest, over its quantile (false alarm 1 %, all together)"""
        return least_t([self.falls(q).mean(axis=2) for q in QUERIES])

    @claim(
        ">",
        1,
        "statistical",
        as_printed=True,
        condition="three and more queries",
        rtol=0.05,
    )
    def rises_with_ratio(self) -> float:
        r"""the entropy rises with the ratio from 2 on, 3 and more queries: Student's t of 6 steps,
        averaged over $\eta_Z$, smallest, over its quantile (false alarm 1 %, all together)"""
        return least_t([self.rises(q)[:, :, 1:].mean(axis=1) for q in QUERIES[1:]])

    @once
    def fast(self) -> Array:
        """One query, eta_Z = 2, all seeds: (seeds, ratios)."""
        return self.all_results[1][:, 2]

    one_panel = group()

    @claim(
        ">",
        lambda self: int(stats.binom.ppf(0.99, self.more_seeds, 0.5)),
        "statistical",
        atol=3,
    )
    def most_seeds_rise(self) -> int:
        r"""1 query, $\eta_Z=2$: seeds whose entropy rises from ratio 5 to 10, above what a fair
        coin reaches in 99 of 100 cases (sign test, @{more_seeds} seeds)"""
        return int((self.fast[:, 3] > self.fast[:, 2]).sum())

    @claim("<", stats.norm.ppf(0.01), "statistical", rtol=0.05, atol=0.5)
    def few_fall_far(self) -> float:
        r"""1 query, $\eta_Z=2$: the steps of the entropy from ratio 5 to 10 have a long lower tail:
        z-score of the skewness of the steps of all seeds, below the quantile at 1 %"""
        return stats.skewtest(self.fast[:, 3] - self.fast[:, 2]).statistic

    @claim(">", 1, "statistical", rtol=0.05)
    def turn_at_two(self) -> float:
        r"""below ratio 2 it depends on the panel: from 1 to 2 the entropy falls with 3 and more
        queries and rises with one: Student's t of the four steps, averaged over $\eta_Z$, smallest,
        over its quantile (false alarm 1 %, all together)"""
        signs = {q: 1 if q == 1 else -1 for q in QUERIES}
        return least_t([signs[q] * self.rises(q)[:, :, :1].mean(axis=1) for q in QUERIES])

    @finding("most-seeds-rise", "few-fall-far")
    def one_query(self) -> None:
        r"""With one query the entropy of most seeds rises from ratio 5 to 10 at $\eta_Z=2$, and a
        few end far below the rest: the mean of ten seeds, ours or those of the authors' log, says
        little of either."""

    without = group()

    def gap(self, queries: int) -> float:
        """Largest difference of the means between zero and random start."""
        zero, random = (each[queries].mean(axis=0) for each in (self.from_zero, self.results))
        return np.abs(zero - random).max()

    @control("H1", ">", 0.1, rtol=0.05)
    def zero_start(self) -> float:
        """the start matters with one query: largest difference of the means between zero and random
        start"""
        return self.gap(1)

    @control("H2", "<", 0.01, rtol=1.0, atol=5e-3)
    def double(self) -> float:
        """not needed: with one query, two seeds run in double precision: largest difference of the
        entropy from single precision"""
        return np.abs(self.entropies(1, 2, dtype="float64") - self.results[1][:2]).max()
