"""Early leader and late winner: what the rows measure.

The chapter: ``book/bridge/winner.ipynb``.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import z3
from numpy.random import Generator
from scipy.stats import binomtest, fisher_exact

from ledgerbook import Checks, claim, control, finding, group, once, seed, step, whole
from lib.arrays import Array, Ids, Mask
from lib.bridge.joint_training import one_hot_data
from lib.bridge.many_runs import attention, run_many, stacked
from lib.decide import follows
from lib.measure import minimum
from lib.mechanics.samples import NextTokenData

K, COMMON, OWN, QUERIES = 4, 2, 3, 2  # classes, common tokens, distinct ones a class, queries
FAMILY = {  # other distributions, common tokens as frequent as distinct ones
    "uneven": "class weights from Dirichlet(1)",
    "half-shared": "one own token of each class also in the other class of its query",
    "zipf": "counts from Zipf's law of exponent 2, at most 100",
}
MOMENTS = [-6.0, 8.0]  # log t: the early moment and the late one
TEST = 1  # seed of the draws; others were looked at before
WEIGHTS = 1, 2, 4
FORMS = {"plain": "plain", "normalized": "normalized"}  # end of an id, how attention is taken


def classes(rng: Generator, weight: int, kind: str | None = None) -> NextTokenData:
    """Random counts: 2 common tokens times ``weight``, 3 distinct ones a class, 5 to 20 each.

    kind: a key of ``FAMILY``.
    """
    if kind == "zipf":
        return zipf_classes(rng)
    first_query = COMMON + K * OWN
    counts = np.zeros((K, first_query + QUERIES), dtype=int)
    counts[:, :COMMON] = weight * rng.integers(5, 21, (K, COMMON))
    for n in range(K):
        counts[n, COMMON + n * OWN : COMMON + (n + 1) * OWN] = rng.integers(5, 21, OWN)
        if kind == "half-shared":
            counts[(n + QUERIES) % K, COMMON + n * OWN] = rng.integers(5, 21)
    weights = rng.dirichlet(np.ones(K)) if kind == "uneven" else None
    return one_hot_data(counts, first_query + np.arange(K) % QUERIES, np.arange(K), weights)


def zipf_classes(rng: Generator) -> NextTokenData:
    """The same tokens, all counts from Zipf's law of exponent 2, at most 100."""
    first_query = COMMON + K * OWN
    counts = np.zeros((K, first_query + QUERIES), dtype=int)
    counts[:, :COMMON] = np.minimum(rng.zipf(2, (K, COMMON)), 100)
    for n in range(K):
        own = slice(COMMON + n * OWN, COMMON + (n + 1) * OWN)
        counts[n, own] = np.minimum(rng.zipf(2, OWN), 100)
    return one_hot_data(counts, first_query + np.arange(K) % QUERIES, np.arange(K))


class Trained(NamedTuple):
    """Of class 0 of each draw: counts (b, V), which tokens are its own, gain z (m, b, V) and
    attention (m, b, V)."""

    counts: np.ndarray
    own: np.ndarray
    gain: np.ndarray
    mass: np.ndarray

    @property
    def leader(self) -> Ids:
        """(b,): the token whose logit has gained most early."""
        return np.nanargmax(self.gain[0], axis=-1)

    @property
    def winner(self) -> Ids:
        """(b,): the token with most attention late."""
        return self.mass[1].argmax(axis=1)

    def same(self, first: Ids, second: Ids) -> Mask:
        """(b,): whether two guesses are one token, or two own ones of equal count.

        Nothing tells such two apart, so that they share for ever.
        """
        rows = np.arange(len(first))
        alike = self.counts[rows, first] == self.counts[rows, second]
        return (first == second) | (alike & self.own[rows, first] & self.own[rows, second])

    @property
    def guesses(self) -> dict[str, Ids]:
        """(b,) each: what three rules name."""
        return {
            "early leader": self.leader,
            "most frequent distinct": np.where(self.own, self.counts, 0).argmax(axis=1),
            "most frequent": self.counts.argmax(axis=1),
        }

    @property
    def shares(self) -> dict[str, tuple[float, float, float]]:
        """How often each rule names the winner, with limits."""
        return {name: limits(self.same(guess, self.winner)) for name, guess in self.guesses.items()}

    @property
    def static_is_right(self) -> Mask:
        """Where leader and static rule differ and one of them names the winner: is it the rule?"""
        static = self.guesses["most frequent distinct"]
        by_rule, by_leader = self.same(static, self.winner), self.same(self.leader, self.winner)
        return by_rule[by_rule != by_leader]

    @property
    def more_than_half(self) -> tuple[float, float, float]:
        """How often the winner has more than half of the attention, with limits."""
        return limits(self.mass[1].max(axis=1) > 0.5)

    @property
    def head_start(self) -> Array:
        """Log of the count of the winner over that of the leader, where the leader lost."""
        rows = np.flatnonzero(~self.same(self.leader, self.winner))
        own, other = self.counts[rows, self.winner[rows]], self.counts[rows, self.leader[rows]]
        return np.log(own / other)


def limits(hits: Mask) -> tuple[float, float, float]:
    """Share of hits with its exact (Clopper-Pearson) 95 % interval."""
    found = binomtest(int(hits.sum()), len(hits)).proportion_ci(0.95, "exact")
    return float(hits.mean()), float(found.low), float(found.high)


def fewer(here: Trained, there: Trained) -> float:
    """Chance of so few hits of the early leader here, were it right as often as there."""
    hits = [found.same(found.leader, found.winner) for found in (here, there)]
    table = [[right.sum(), (~right).sum()] for right in hits]
    return float(fisher_exact(table, "less").pvalue)


@dataclass
class Winner(Checks):
    """Early leader and late winner."""

    draws: int = whole(200, 100, 400, holds=(150, 250))
    seed: int = seed(4)

    tag = "bridge.winner"
    hypotheses = {
        "H1": "all counts are uniform in 5 to 20, those of common tokens too",
        "H3": "classes weigh the same, a token occurs in one class or in all",
        "H2": "attention starts at zero",
        "H4": "each label is the answer of a class",
    }
    standing = "ours"
    unknown = {"H2": "another start is another head start, as a count is; not measured here"}

    def trained(
        self,
        first_seed: int,
        weight: int = 1,
        ratio: float = 1.0,
        form: str = "plain",
        kind: str | None = None,
        draws: int | None = None,
        spare: int = 0,
    ) -> Trained:
        """The runs of a setting; its draws have generators of their own.

        spare: how many labels of the vocabulary answer nothing.
        """
        numbers = range(draws or self.draws)
        generators = [np.random.default_rng([self.seed, first_seed, s]) for s in numbers]
        data_sets = [classes(rng, weight, kind) for rng in generators]
        runs, V = stacked(data_sets), data_sets[0].counts.shape[1]
        Z = run_many(
            runs, np.zeros((V, K + spare)), MOMENTS, eta_y=np.sqrt(ratio), eta_z=1 / np.sqrt(ratio),
            normalize=form == "normalized", begin=-9, tolerance=0.01,
        ).Z  # fmt: skip
        every = np.array([data.counts for data in data_sets])
        counts, own = every[:, 0], (every[:, 0] > 0) & ((every > 0).sum(axis=1) == 1)
        gain = np.where(counts > 0, (runs.rows @ Z)[:, :, 0], np.nan)
        return Trained(counts, own, gain, attention(runs, Z)[:, :, 0])

    @once
    def tested(self) -> dict[Any, Any]:
        """The runs at equal rates, by weight of the common tokens and form."""
        return {
            (weight, form): self.trained(TEST, weight, form=form)
            for weight in WEIGHTS
            for form in FORMS
        }

    @once
    def shares(self) -> dict[Any, Any]:
        """How often three rules name the winner there, with limits."""
        return {setting: found.shares for setting, found in self.tested.items()}

    @once
    def family(self) -> dict[Any, Any]:
        """The runs on the other distributions, by kind and form."""
        return {
            (kind, form): self.trained(TEST, form=form, kind=kind)
            for kind in FAMILY
            for form in FORMS
        }

    @once
    def many(self) -> list[Trained]:
        """Three times the draws, plain: classes alike, and of random weights."""
        return [self.trained(TEST, kind=kind, draws=3 * self.draws) for kind in (None, "uneven")]

    @once
    def other_ratios(self) -> dict[tuple[float, str], tuple[float, float, float]]:
        """How often the early leader wins at ratios 0.1 and 10 of the rates, with limits."""
        return {
            (ratio, form): self.trained(TEST, ratio=ratio, form=form).shares["early leader"]
            for ratio in (0.1, 10.0)
            for form in FORMS
        }

    check = group()

    @claim(">", 0.9, "statistical", concludes=True, atol=0.02, cases=FORMS)
    def leader(self, case: str) -> float:
        """@{case}: the early leader is the late winner, low end of the 95 % interval, @{draws}
        draws"""
        return self.shares[1, case]["early leader"][1]

    @claim(">", 0.9, "statistical", atol=0.02, cases=FORMS)
    def null(self, case: str) -> float:
        """@{case}: the early leader is the most frequent distinct token, or one of equal count, so
        that the static rule guesses the same: share of draws, low end of the 95 % interval"""
        found = self.tested[1, case]
        return limits(found.same(found.leader, found.guesses["most frequent distinct"]))[1]

    @claim(">", 0.9, "statistical", concludes=True, atol=0.02)
    def any_ratio(self) -> float:
        """ratios 0.1 and 10, plain and normalized: least low end of the four intervals"""
        return minimum(low for _, low, _ in self.other_ratios.values())

    @step("decided")
    def distinct_order(self) -> bool:
        r"""two tokens of one context alone: $r\cdot r'\ge0$ (three labels; more add terms alike),
        and from $f_a\ge f_b$, $h_a\le h_b$ follows that $z_a$ gains at least $(f_a-f_b)(\bar
        h-h_a)$ more than $z_b$, normalized $(f_a-f_b)((f_a+f_b)\bar h-h_a)$"""
        p_1, p_2, p_3, q_1, q_2, q_3 = z3.Reals("p_1 p_2 p_3 q_1 q_2 q_3")  # label 1, two moments
        f_a, f_b, h_a, h_b, mean = z3.Reals("f_a f_b h_a h_b hbar")
        masses = (p_1 + p_2 + p_3 == 1, q_1 + q_2 + q_3 == 1)
        masses += tuple(mass >= 0 for mass in (p_1, p_2, p_3, q_1, q_2, q_3))
        ordered = (f_a >= f_b, f_b >= 0, h_a <= h_b)
        # what z_a gains more than z_b, over eta_Z w
        plain = f_a * (mean - h_a) - f_b * (mean - h_b)
        normalized = (f_a**2 * mean - f_a * h_a) - (f_b**2 * mean - f_b * h_b)
        return (
            follows((p_1 - 1) * (q_1 - 1) + p_2 * q_2 + p_3 * q_3 >= 0, *masses)
            and follows(plain >= (f_a - f_b) * (mean - h_a), *ordered)
            and follows(normalized >= (f_a - f_b) * ((f_a + f_b) * mean - h_a), *ordered)
        )

    @claim(">", 0.5, "statistical", concludes=True, atol=0.04)
    def overtaken(self) -> float:
        """weight 4, plain, where the leader loses: in most cases a common leader loses to a
        distinct winner, low end of the share's 95 % interval"""
        found = self.tested[4, "plain"]
        beaten = ~found.same(found.leader, found.winner)
        return limits(((found.leader < COMMON) & (found.winner >= COMMON))[beaten])[1]

    @claim(">", 0.5, "statistical", atol=0.05)
    def static_rule(self) -> float:
        """weight 4, normalized, where leader and most frequent distinct token differ and one of
        them wins: the static rule is right, low end of the share's 95 % interval"""
        return limits(self.tested[4, "normalized"].static_is_right)[1]

    @finding("overtaken")
    def corrected(self) -> None:
        """Where common tokens are four times as heavy the first gradient of plain attention often
        puts a common token first; where that leader loses, the late winner is mostly distinct."""

    @claim(">", 0.5, "statistical", atol=0.02)
    def plurality(self) -> float:
        """normalized: the winner has half of the attention or less, low end of the interval"""
        return 1 - self.tested[1, "normalized"].more_than_half[2]

    @claim(">", 0.5, "statistical", atol=0.02)
    def majority(self) -> float:
        """plain: the winner has more than half of the attention, low end of the interval"""
        return self.tested[1, "plain"].more_than_half[1]

    without = group()

    def leads(self, case: str) -> float:
        """How often the early leader wins at least, common tokens no heavier."""
        return self.shares[1, case]["early leader"][1]

    @control("H1", "<", leads, kind="statistical", atol=0.02, cases=FORMS)
    def heavy(self, case: str) -> float:
        """@{case}, common tokens four times as heavy: the early leader wins less often than in
        `leader-@{case}`, high end of the interval below the low end there"""
        return self.shares[4, case]["early leader"][2]

    @control("H3", "<=", 0.01, kind="statistical", atol=0.01)
    def uneven_classes(self) -> float:
        """class weights from Dirichlet(1), plain, three times the draws: chance of so few wins of
        the early leader, were it right as often as among classes alike (Fisher's exact test,
        one-sided)"""
        return fewer(*reversed(self.many))

    @control("H3", "<=", 0.01, kind="statistical", atol=0.01, cases=FORMS)
    def half_shared(self, case: str) -> float:
        """@{case}, one own token of each class also in the other one of its query: chance of so few
        wins of the early leader, were it right as often as without (Fisher's exact test)"""
        return fewer(self.family["half-shared", case], self.tested[1, case])

    @control("H1", "<=", 0.01, kind="statistical", atol=0.01, cases=FORMS)
    def zipf(self, case: str) -> float:
        """@{case}, counts of all tokens from Zipf's law of exponent 2: chance of so few wins of
        the early leader, were it right as often as with counts of 5 to 20 (Fisher's exact test)"""
        return fewer(self.family["zipf", case], self.tested[1, case])

    @control("H4", "<=", 0.01, kind="statistical", atol=0.01)
    def spare_plain(self) -> float:
        """plain, twelve labels that answer nothing: chance of so few wins of the early leader, were
        it right as often as without them (Fisher's exact test)"""
        return fewer(self.trained(TEST, spare=12), self.tested[1, "plain"])
