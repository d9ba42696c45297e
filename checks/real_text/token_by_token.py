"""Token by token: what the rows measure.  The chapter: ``book/real-text/token_by_token.ipynb``."""

import math
import statistics
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from checks.real_text.texts import OnText
from ledgerbook import claim, control, finding, group, once, real, whole
from lib.arrays import Array, Ids
from lib.measure import maximum
from lib.real_text.cells import run_cell
from lib.real_text.cooccurrence import KeyTable
from lib.real_text.experiments import token_cell
from lib.real_text.partial_effects import variance_inflation
from lib.real_text.tables import stored
from lib.real_text.token_effects import (
    agreement,
    combined,
    effects,
    matrix,
    pair_table,
    reliability,
    shuffled_table,
)

FREQUENCY, TOGETHER, CHOOSY = range(3)  # the columns of the features
SLOWER = 50.0  # rate of the runs here that tell how the size depends on the rate
FEWEST = 5  # events by which a pair is counted at all


def excess(found: dict[str, tuple[Array, Array, Array]], feature: int) -> float:
    """An effect in the text above that in the shuffled copy."""
    return found["text"][0][feature] - found["shuffled"][0][feature]


def read(text: Ids, length: int = 35) -> list[tuple[int, int, set[int]]]:
    """Events of a text, (query, next token, the keys before it), position by position."""
    cut = [
        text[start : start + length + 1].tolist() for start in range(0, len(text) - length, length)
    ]
    return [(one[t], one[t + 1], set(one[:t])) for one in cut for t in range(1, length)]


def by_definition(query: int, key: int, events: list[tuple[int, int, set[int]]]) -> list[float]:
    """Logarithms of a pair's frequency, co-occurrence and choosiness: overall and at the query."""
    own = Counter(n for m, n, _ in events if m == query)
    pair = Counter(n for m, n, keys in events if m == query and key in keys)
    anywhere = Counter(n for _, n, keys in events if key in keys)
    collisions = lambda counts: sum(k * (k - 1) for k in counts.values())
    pairs = lambda counts: counts.total() * (counts.total() - 1)

    def choosiness(counts: Counter[int], others: Counter[int]) -> float:
        rate = collisions(others) / pairs(others)
        return (collisions(counts) + 50) / (pairs(counts) + 50 / rate) / rate

    share = maximum(sum(m == key for m, _, _ in events), 0.5) / len(events)
    lift = pair.total() / own.total() / (anywhere.total() / len(events))
    total = Counter(n for _, n, _ in events)
    return [*map(math.log, (share, lift, choosiness(anywhere, total), choosiness(pair, own)))]


def by_residuals(logits: Array, columns: Array, query: Ids) -> Array:
    """Correlation of what is left of the logits and of each column, after least squares on the
    other columns and a level for each query."""
    levels, found = (query[:, None] == np.unique(query)).astype(float), []
    for k in range(columns.shape[1]):
        others = np.column_stack([levels, np.delete(columns, k, axis=1)])
        both = np.column_stack([logits, columns[:, k]])
        left = both - others @ np.linalg.lstsq(others, both, rcond=None)[0]
        found.append(np.corrcoef(left.T)[0, 1])
    return np.array(found)


def unexplained(columns: Array, query: Ids) -> Array:
    """1 - R^2 of each column by least squares on the others, of what varies within queries."""
    levels, found = (query[:, None] == np.unique(query)).astype(float), []
    left = lambda y, x: ((y - x @ np.linalg.lstsq(x, y, rcond=None)[0]) ** 2).sum()
    for k in range(columns.shape[1]):
        others = np.column_stack([levels, np.delete(columns, k, axis=1)])
        found.append(left(columns[:, k], others) / left(columns[:, k], levels))
    return np.array(found)


def correlation_in_common(one: KeyTable, other: KeyTable) -> float:
    """Correlation of co-occurrence over the pairs that two tables have."""
    mine, theirs = (
        dict(zip(zip(t.query.tolist(), t.key.tolist(), strict=True), t.log_lift, strict=True))
        for t in (one, other)
    )
    both = [(mine[pair], theirs[pair]) for pair in mine if pair in theirs]
    return statistics.correlation(*zip(*both, strict=True))


def less_means(logits: Array, table: KeyTable) -> dict[int, dict[int, float]]:
    """By query and key of a table, each query's mean over these keys taken off."""
    keys = sorted(set(table.key.tolist()))
    rows = {m: [float(logits[m, key]) for key in keys] for m in set(table.query.tolist())}
    return {
        m: {key: value - statistics.fmean(row) for key, value in zip(keys, row, strict=True)}
        for m, row in rows.items()
    }


def in_one_direction(logits: dict[int, dict[int, float]]) -> float:
    """The largest eigenvalue of the queries' products over the sum of all."""
    rows = np.array([list(row.values()) for row in logits.values()])
    found = np.linalg.eigvalsh(rows @ rows.T)
    return found[-1] / found.sum()


@dataclass
class TokenByToken(OnText):
    """Two biases, asked of a real text."""

    vocab_size: int = whole(500, 250, 1000, holds=(500, 1000))
    iterations: int = whole(200, 100, 400, holds=(200, 300))
    minimum: int = whole(10, FEWEST, 30)
    rate: float = real(200.0, 100, 400, holds=(100, 300))
    seeds: int = whole(2, 1, 4, holds=(2, 3))

    tag = "real-text.token-by-token"
    hypotheses = {
        "H1": (
            "the text has an order: what stands before a query says something about what comes next"
        ),
        "H2": "frequency is held fixed when choosiness is tested",
        "H3": "the parameters are $(Y,Z)$, one free number for each (query, key) pair",
        "H4": r"the decoder is not much faster than attention ($\eta_Y=\eta_Z$)",
    }
    standing = "ours"
    unknown = {
        "H4": "the run with the slower attention has a slower decoder, too, and its attention is"
        " less far: what the ratio of the rates does alone was not measured",
    }

    @once
    def table(self) -> dict[str, Any]:
        """The stored runs on WikiText-2, with their origin."""
        return stored("token_by_token.json")

    def effect(
        self, cell: str, counted: str = "unseen", iteration: int = 1500
    ) -> tuple[Array, Array, Array]:
        """Mean, low, high (features,) of a stored cell over its seeds."""
        wanted = cell, counted, iteration
        rows = self.table["cells"]
        return combined([r for r in rows if (r["cell"], r["counted"], r["iteration"]) == wanted])

    def agreement(self, cell: str) -> list[float]:
        """Correlations of two seeds' logits, one for each pair of seeds."""
        return self.table["agreement"][cell]["seeds"]

    def one_direction(self, cell: str) -> float:
        """Share of the logits' variance in one direction."""
        return self.table["agreement"][cell]["one_direction"]

    @once
    def attenuation(self) -> float:
        """The share of its size at which an effect of choosiness shows (Spearman and Brown)."""
        halves = self.table["reliability"]["choosiness_global"]
        return np.sqrt(2 * halves / (1 + halves))

    def largest(self, cell: str, feature: int) -> float:
        """The limit of a stored effect that is further from zero."""
        return np.abs([limit[feature] for limit in self.effect(cell)[1:]]).max()

    @once
    def trained(self) -> dict[tuple[str, int], Any]:
        """Logits of the (Y, Z) layer here at the end, by kind of text and seed."""
        last = self.iterations
        cell = token_cell(self.text.vocab_size, rate=self.rate, iterations=last, every=last)
        runs = {}
        for kind in ("text", "shuffled"):
            for seed in range(self.seeds):
                own = replace(cell.trained(seed=seed), shuffled=kind == "shuffled")
                runs[kind, seed] = run_cell(self.text, own, keep=(last,))["logits"][last]
        return runs

    @once
    def by_rate(self) -> dict[Any, Any]:
        """Excess of the effect of co-occurrence over that in the shuffled copy, by rate: seed 0."""
        return {rate: self.excess_at(rate) for rate in (SLOWER, self.rate)}

    def excess_at(self, rate: float) -> float:
        """That excess, over pairs of ``minimum`` events, after training at a rate."""
        found = {}
        for kind in ("text", "shuffled"):
            logits = self.trained[kind, 0] if rate == self.rate else self.logits_at(rate, kind)
            known = self.pairs[kind, 0].at_least(self.minimum)
            effect = effects(logits, known, np.random.default_rng(0), draws=20)
            found[kind] = effect.value[TOGETHER]
        return found["text"] - found["shuffled"]

    def logits_at(self, rate: float, kind: str) -> Array:
        """Logits of the (Y, Z) layer here at the end of a run at a rate, seed 0."""
        last = self.iterations
        cell = token_cell(self.text.vocab_size, rate=rate, iterations=last, every=last)
        own = replace(cell, shuffled=kind == "shuffled")
        return run_cell(self.text, own, keep=(last,))["logits"][last]

    @property
    def fewest(self) -> int:
        return FEWEST

    @once
    def pairs(self) -> dict[Any, Any]:
        """Counts of the pairs of ``FEWEST`` events or more, by kind of text and seed."""
        ordered = pair_table(self.text, minimum=FEWEST)
        return {
            (kind, seed): ordered if kind == "text" else shuffled_table(self.text, seed, FEWEST)
            for kind, seed in self.trained
        }

    @once
    def here(self) -> dict[int, dict[str, tuple[Array, Array, Array]]]:
        """By number of events that make a pair count and kind of text: mean, low, high of the
        effects, whose interval is asked for at ``minimum`` alone.
        """
        found = {}
        for events in sorted({FEWEST, 10, 20, 30, self.minimum}):
            rows = {"text": [], "shuffled": []}
            for (kind, seed), logits in self.trained.items():
                known = self.pairs[kind, seed].at_least(events)
                draws = 100 if events == self.minimum else 20
                effect = effects(logits, known, np.random.default_rng(0), draws=draws)
                rows[kind].append({"value": effect.value, "spread": effect.draws.std(axis=0)})
            found[events] = {kind: combined(own, level=0.95) for kind, own in rows.items()}
        return found

    stored_runs = group()

    @claim(">", 0, "statistical", concludes=True)
    def together_token(self) -> float:
        """frequency bias in $(Y,Z)$: lower 99 % limit of the effect of co-occurrence, above that in
        the shuffled text"""
        (mean, _, high), (null, _, null_high) = (
            [limit[TOGETHER] for limit in self.effect(cell)]
            for cell in ("token (Y, Z)", "token (Y, Z), shuffled")
        )
        return mean - null - np.hypot(high - mean, null_high - null)

    def together_least(self) -> float:
        """Lower 99 % limit of the effect of co-occurrence in (Y, Z)."""
        return self.effect("token (Y, Z)")[1][TOGETHER]

    @claim("<", together_least, "statistical", concludes=True)
    def choosy_token(self) -> float:
        """discriminative bias in $(Y,Z)$, at equal frequency: an effect of choosiness, of either
        sign, as large as the least of co-occurrence is excluded, over pairs that share at least 50
        events (99 % limit further from zero, corrected for the feature's noise, below the lower
        limit there)"""
        return self.largest("token (Y, Z)", CHOOSY) / self.attenuation

    @claim("<", together_least, "statistical", concludes=True)
    def choosy_plain(self) -> float:
        """discriminative bias in the plain embedding layer, at equal frequency: an effect of
        choosiness, of either sign, as large as the least of co-occurrence in $(Y,Z)$ is excluded
        (99 % limit further from zero, corrected for the feature's noise, below the lower limit of
        co-occurrence)"""
        return self.largest("plain", CHOOSY) / self.attenuation

    @claim("<", together_least, "statistical")
    def together_plain(self) -> float:
        """frequency bias in the plain embedding layer is smaller, if there is one: upper 99 % limit
        of the effect of co-occurrence, below the lower one in $(Y,Z)$"""
        return self.effect("plain")[2][TOGETHER]

    @claim("<", 0.5, "statistical")
    def seeds_plain(self) -> np.floating:
        """in the plain embedding layer the seed decides more than the text: mean correlation of two
        seeds' logits, the share of their variance that they have in common"""
        return np.mean(self.agreement("plain"))

    @claim(">", lambda self: maximum(self.agreement("plain")), "statistical")
    def seeds_token(self) -> float:
        """in $(Y,Z)$ two seeds agree better than in the plain embedding layer: least correlation of
        their logits, above the largest in the plain layer"""
        return np.min(self.agreement("token (Y, Z)"))

    @claim(">", 0, "statistical")
    def frequent_win(self) -> float:
        """in $(Y,Z)$ frequent keys win rather than lose: lower 99 % limit of the effect of
        frequency"""
        return self.effect("token (Y, Z)")[1][FREQUENCY]

    @claim(">", 0, "statistical")
    def frequent_win_shuffled(self) -> float:
        """in $(Y,Z)$ frequent keys win in the shuffled text too, which is not the text's doing:
        lower 99 % limit of the effect of frequency"""
        return self.effect("token (Y, Z), shuffled")[1][FREQUENCY]

    @finding("choosy-token", "choosy-plain")
    def no_discriminative_bias(self) -> None:
        """On WikiText-2 (8,000 types, 1,500 iterations) no effect of choosiness on the logits is
        seen at equal frequency, in $(Y,Z)$ or in the plain embedding layer; one as
        large as that of co-occurrence is excluded."""

    @finding("seeds-plain", "together-plain", "together-token")
    def embeddings_by_seed(self) -> None:
        """In the plain embedding layer, on the same text, which keys win differs from seed to seed;
        a frequency bias, if there is one, is smaller there than in $(Y,Z)$, where it is seen."""

    runs_here = group()

    @claim(">", 0, "sign", rtol=0.9, atol=0.05)
    def live_together(self) -> float:
        """this text, $(Y,Z)$: the effect of co-occurrence exceeds that in the shuffled copy, with
        @{fewest}, 10, 20 or 30 events for a pair to count (least excess)"""
        return np.min([excess(found, TOGETHER) for found in self.here.values()])

    @claim(">", 0, "sign", rtol=0.9, atol=0.05)
    def live_rate(self) -> float:
        """this text, $(Y,Z)$: excess of the effect of co-occurrence over the shuffled copy at rate
        @{rate:g} minus that at rate 50, so that its size is no property of the text alone"""
        return self.by_rate[self.rate] - self.by_rate[SLOWER]

    @claim("<=", 1e-9, "identity")
    def features_by_definition(self) -> float:
        """frequency, co-occurrence and choosiness, overall and per query, of ten pairs from all
        over the table, counted position by position: largest difference of a logarithm"""
        table, events = self.pairs["text", 0], read(self.text.train)
        names = "log_frequency", "log_lift", "choosiness_global", "choosiness"
        chosen = np.linspace(0, len(table.key) - 1, 10).astype(int)
        wanted = [by_definition(table.query[k], table.key[k], events) for k in chosen.tolist()]
        found = np.array([getattr(table, name)[chosen] for name in names]).T
        return np.abs(found - wanted).max()

    @claim("<=", 1e-9, "identity")
    def effects_by_residuals(self) -> float:
        """the three effects of seed 0 over pairs of @{minimum} events or more, taken from one
        inverse matrix, against the correlation of what two least squares leave, with a level for
        each query: largest difference"""
        table, logits = self.pairs["text", 0], self.trained["text", 0]
        every = logits[table.query, table.key], matrix(table), table.query
        given = [one[table.events >= self.minimum] for one in every]
        known = table.at_least(self.minimum)
        found = effects(logits, known, np.random.default_rng(0), draws=20)
        return np.abs(found.value - by_residuals(*given)).max()

    @claim("<=", 1e-6, "identity")
    def beside_the_effects(self) -> float:
        """this text and its shuffled copy, seed 0: variance inflation against one over what least
        squares on the other features leave; correlation of the co-occurrence of two tables, and of
        the logits of two runs, pair by pair; share of the logits' variance in one direction, by
        eigenvalues: largest relative difference"""
        kinds = ("text", 0), ("shuffled", 0)
        table, other = (self.pairs[one] for one in kinds)
        runs = [self.trained[one] for one in kinds]
        found = agreement(runs, table)
        levelled = [less_means(run, table) for run in runs]
        pairs = list(zip(table.query.tolist(), table.key.tolist(), strict=True))
        same = statistics.correlation(*([one[m][key] for m, key in pairs] for one in levelled))
        columns = matrix(table)
        off = [
            *(variance_inflation(columns, table.query) * unexplained(columns, table.query)),
            reliability(table, other, "log_lift") / correlation_in_common(table, other),
            found["seeds"][0] / same,
            found["one_direction"] / np.mean([in_one_direction(one) for one in levelled]),
        ]
        return np.abs(np.array(off) - 1).max()

    @claim("<=", 1e-9, "identity")
    def intervals_by_seed(self) -> float:
        """the stored 99 % intervals of $(Y,Z)$, seed by seed: mean of the seeds; square of the half
        width, mean of the seeds' squared spreads and a share of their variance, in 2.5758 standard
        deviations: largest relative difference"""
        cell = "token (Y, Z)", "unseen", 1500
        named = lambda row: (row["cell"], row["counted"], row["iteration"])
        rows, (mean, low, high) = (
            filter(lambda r: named(r) == cell, self.table["cells"]),
            self.effect(cell[0]),
        )
        seeds = [(row["value"], row["spread"]) for row in rows]
        off = []
        for k in range(len(mean)):
            values, squares = [v[k] for v, _ in seeds], [s[k] ** 2 for _, s in seeds]
            error = statistics.fmean(squares) + statistics.variance(values) / len(seeds)
            half = statistics.NormalDist().inv_cdf(0.995) * math.sqrt(error)
            middle = statistics.fmean(values)
            off += [mean[k] / middle, (high[k] - middle) / half, (middle - low[k]) / half]
        return np.abs(np.array(off) - 1).max()

    without = group()

    @control("H1", "<", together_least, kind="statistical")
    def shuffled(self) -> float:
        """in the shuffled text less is left: upper 99 % limit of the effect of co-occurrence, below
        the lower one in the real text"""
        return self.effect("token (Y, Z), shuffled")[2][TOGETHER]

    @control("H1", "<=", 0, rtol=0.9, atol=0.05)
    def live_shuffled(self) -> float:
        """the text that is run here: lower 95 % limit of the effect of co-occurrence in the
        shuffled copy"""
        return self.here[self.minimum]["shuffled"][1][TOGETHER]

    @control("H2", ">=", 2)
    def omega_is_frequency(self) -> float:
        r"""$-\ln|\Omega|$ is largely a name for frequency: variance inflation, against that of
        choosiness"""
        return self.table["inflation_omega"][2] / self.table["inflation"][2]

    @control("H3", ">=", 0.5)
    def plain_one_direction(self) -> float:
        """on the text, embeddings of the same layer put most of the logits' variance into one
        direction"""
        return self.one_direction("plain")

    @control("H3", "<", 0.5)
    def token_many_directions(self) -> float:
        """on the text, $(Y,Z)$ puts less than half of the logits' variance into one direction"""
        return self.one_direction("token (Y, Z)")

    @claim(">", lambda self: maximum(self.agreement("token (Y, Z)")), "inequality")
    def slow_seeds(self) -> float:
        """with attention ten times slower than the decoder, itself at a quarter of its rate, the
        seeds agree better: least correlation of their logits, above the largest at equal rates"""
        return np.min(self.agreement("token (Y, Z), slow attention"))
