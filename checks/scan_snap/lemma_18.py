"""Lemma 18: what its rows measure.  The chapter: ``book/scan-snap/lemma_18.ipynb``."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from flint import arb
from ledgerbook.ledger.facts import Fact, Facts
from numpy.random import Generator

from ledgerbook import (
    Checks,
    Sharper,
    claim,
    control,
    erratum,
    finding,
    group,
    once,
    real,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array
from lib.measure import maximum, minimum, relative_error
from lib.scan_snap.concentration import (
    hoeffding_radius,
    hoeffding_tail,
    miss_probability,
    outside,
    some_outside,
)
from lib.scan_snap.sequence_classes import random_classes, syn_small, token_counts

p, u, t, level, N, L = sp.symbols("p u t delta N L", positive=True)  # N = T - 1, L = ln(2/delta)
LENGTHS = (1, 2, 3, 5, 8, 15, 31, 63, 127, 511, 2047)
SHORT = {(1, 3): Fraction(2, 3), (2, 8): Fraction(7, 8), (3, 7): Fraction(11, 21)}


def tail_ratio(trials: int) -> float:
    """Largest exact tail over (138): 49 probabilities, every deviation that a count can have."""
    chance = np.linspace(0.02, 0.98, 49)[:, None]
    off = np.abs(np.arange(trials + 1) / trials - chance)
    bound = hoeffding_tail(trials, off)
    seen = bound > 1e-280  # beyond that both underflow
    return (outside(trials, chance, off - 1e-6 / trials)[seen] / bound[seen]).max()


def joint_ratio(trials: int, size: int) -> float:
    """Largest P(some of ``size`` equal tokens is off by t) over (138), where 1e-6 < (138) < 1."""
    off = np.unique(np.abs(np.arange(trials + 1) / trials - 1 / size).round(12))
    bound = hoeffding_tail(trials, off)
    used = (off > 0) & (bound < 1) & (bound > 1e-6)
    law = np.full(size, 1 / size)
    found = [some_outside(trials, law, deviation - 1e-6 / trials) for deviation in off[used]]
    return maximum(np.array(found) / bound[used])


def equal_tokens(trials: int, size: int, off: float | Fraction) -> Fraction:
    """P(some of ``size`` equal tokens is off by ``off`` or more), over every sequence."""
    hits = sum(
        any(abs(Fraction(row.count(k), trials) - Fraction(1, size)) >= off for k in range(size))
        for row in product(range(size), repeat=trials)
    )
    return Fraction(hits, size**trials)


def in_balls(trials: int, size: int, off: Fraction) -> arb:
    """The same over (138), in ball arithmetic."""
    chance, deviation = equal_tokens(trials, size, off), arb(off.numerator) / off.denominator
    allowed = 2 * (-2 * trials * deviation**2).exp()
    return arb(chance.numerator) / chance.denominator / allowed


def sticky_count_law(trials: int, chance: float, stay: float) -> Array:
    """P(count = 0..trials) of a token when positions repeat the last with probability ``stay``."""
    inside, others = np.zeros(trials + 1), np.zeros(trials + 1)  # last token is l / is not l
    inside[1], others[0] = chance, 1 - chance
    for _ in range(trials - 1):
        enter = inside * (stay + (1 - stay) * chance) + others * (1 - stay) * chance
        others = inside * (1 - stay) * (1 - chance) + others * (stay + (1 - stay) * (1 - chance))
        inside = np.r_[0, enter[:-1]]
    return inside + others


def matrix_of(rows: Array, vector: Array) -> Array:
    """X^T diag(h_X) X / (T - 1) with X (T-1, M) written out."""
    return rows.T @ ((rows @ vector)[:, None] * rows) / len(rows)


@dataclass
class Lemma18(Checks):
    """Lemma 18: token counts concentrate."""

    M: int = whole(30, 5, 500)
    T: int = whole(128, 4, 2000)
    delta: float = real(0.05, 1e-6, 0.9)
    seed: int = seed()

    tag = "scan-snap.lemma-18"
    hypotheses = {
        "H1": "each contextual token is one token, a one-hot row of $X$",
        "H2": "query and next token are both given, $x_T=m$, $x_{T+1}=n$: one sequence class",
        "H3": "the $T-1$ contextual tokens are independent draws",
        "H4": "the token $l$ is fixed before the sequence is seen",
    }
    parts = {
        "(134)": ("kernel-equation-134",),
        "(135)": ("kernel-equation-135",),
        "$q$ is a distribution": ("kernel-q-is-a-distribution",),
        "(136), with its probability": ("kernel-equation-136", "kernel-equation-138"),
    }
    kernel_theorems = {
        "equation_134": dict(as_printed=True, equation="(134), (137)", group="accepted"),
        "equation_135": dict(as_printed=True, equation="(135)", group="accepted"),
        "q_is_a_distribution": dict(as_printed=True, equation="Lemma 18", group="accepted"),
        "equation_138": dict(as_printed=True, concludes=True, equation="(138)", group="accepted"),
        "equation_136": dict(as_printed=True, concludes=True, equation="(136)", group="accepted"),
        "equation_136_all_tokens_refuted": dict(group="accepted"),
    }
    trusts = (
        textbook("Bernstein's inequality", "beyond the print"),
        textbook("central limit theorem", "beyond the print"),
    )
    sharper = (
        Sharper(
            "share",
            "Eq. (136)",
            r"$\sqrt{\frac{\ln(2/\delta)}{2(T-1)}}$",
            r"$\sqrt{\frac{2\mathbb P(l)(1-\mathbb"
            r" P(l))\ln(2/\delta)}{T-1}}+\frac{2\ln(2/\delta)}{3(T-1)}$",
            r"sharper for rare tokens: $\frac1{2\sqrt{\mathbb P(l)(1-\mathbb P(l))}}$ for long"
            r" sequences; wider at $\mathbb P(l)=\frac12$; best in order, $\frac1{\sqrt T}$",
            upper="bernstein-share",
            lower="share-spread",
        ),
    )

    better = group()

    @step("symbolic")
    def bernstein_share(self) -> Facts:
        r"""at $\sqrt{\frac{2\mathbb P(l)(1-\mathbb P(l))L}{T-1}}+\frac{2L}{3(T-1)}$ Bernstein's
        exponent is at least $L=\ln\frac2\delta$"""
        variance = N * p * (1 - p)  # of the count
        of_count = N * (sp.sqrt(2 * p * (1 - p) * L / N) + 2 * L / (3 * N))
        left_over = sp.Rational(2, 3) * L * sp.sqrt(2 * variance * L)
        return of_count**2, 2 * L * (variance + of_count / 3) + left_over

    @step("symbolic")
    def share_spread(self) -> Iterator[Fact]:
        r"""the variance of $q_l$ is $\frac{\mathbb P(l)(1-\mathbb P(l))}{T-1}$: each draw adds
        $\mathbb P(l)(1-\mathbb P(l))$ to that of the count, none before the first. So at a fixed
        $\mathbb P(l)$ and $\delta$ no smaller order can hold in long sequences (central limit
        theorem)"""
        mean, square = sp.symbols("mean square")  # of a count and its square, before one draw more
        after = p * (square + 2 * mean + 1) + (1 - p) * square - (mean + p) ** 2
        yield after, square - mean**2 + p * (1 - p)
        yield N * p * (1 - p) / N**2, p * (1 - p) / N

    matrices = group()

    @claim("<=", 1e-13, "identity", "(135)", as_printed=True)
    def matrix(self, rng: Generator) -> float:
        r"""$\frac{1}{T-1}X^\top\mathrm{diag}(h_X)X=\mathrm{diag}(q\circ h)$ with the library's
        counts, 40 sequences, $M=@{M}$, $T=@{T}$"""
        tokens = random_classes(5, self.M, rng).sample(40, self.T, rng).tokens
        shares = token_counts(tokens, self.M) / (self.T - 1)  # (40, M)
        vectors = rng.normal(size=shares.shape)
        return maximum(
            relative_error(matrix_of(np.eye(self.M)[row], vector), np.diag(share * vector))
            for row, share, vector in zip(tokens, shares, vectors, strict=True)
        )

    counts = group()

    @claim("in", [1 - 1e-12, 1 + 1e-12], "inequality", "(138)", as_printed=True)
    def tail(self) -> float:
        r"""exact tail over $2e^{-2(T-1)t^2}$: the largest, over eleven lengths from $T-1=1$ to
        2047 and 49 probabilities, is $\frac{\sqrt e}2<1$, at one position and
        $\mathbb P(l)=\frac12$; ratio to it"""
        return maximum(map(tail_ratio, LENGTHS)) / (np.exp(0.5) / 2)

    @once
    def variance(self) -> Fraction | int:
        """Of q_l at T = 3, P(l) = 1/4, over all sequences."""
        chance = Fraction(1, 4)
        law = {0: 1 - chance, 1: chance}
        pairs = product(law, repeat=2)  # two contextual tokens
        return sum(law[a] * law[b] * (Fraction(a + b, 2) - chance) ** 2 for a, b in pairs)

    @claim("==", str(Fraction(3, 16) / 3), "exact", as_printed=True)
    def draws_T(self) -> str:
        r"""$Tq_l$ is binomial: variance of $q_l$ at $T=3$, $\mathbb P(l)=\frac14$, over all
        sequences"""
        return str(self.variance)

    @erratum(
        "E39",
        "Lemma 18, proof: the law of the count",
        "$Tq_{l|m,n}$ is a binomial count",
        fails="draws-T",
        holds="share-spread",
        reach="harmless",
        misprint=True,
        proof=True,
    )
    def e39(self) -> dict[str, Any]:
        r"""$(T-1)q_{l|m,n}$ is: there are $T-1$ contextual tokens, as (136) and (138) have it. The
        numbers are the variance of $q_l$ at $T=3$, $\mathbb P(l)=\frac14$"""
        return dict(printed=1 / 16, corrected=3 / 32, measured=float(self.variance))

    together = group()

    @once
    def short(self) -> dict[Any, Any]:
        """P(some of M equal tokens is off by that much) over (138), by (T-1, M)."""
        return {case: in_balls(*case, off) for case, off in SHORT.items()}

    @claim(">", 1, "certified", "(138)")
    def short_lengths(self) -> float:
        r"""$T-1=1,2,3$ of $M=3,8,7$ equal tokens, every sequence: P(some token is off by $\frac23$,
        $\frac78$, $\frac{11}{21}$ or more) over (138), the least of the three, in balls"""
        return minimum(float(ratio.lower()) for ratio in self.short.values())

    @claim("<=", 1, "inequality", "(136), (138)")
    def all_tokens_longer(self, rng: Generator) -> float:
        r"""all tokens at once, equal tokens at $T-1$ = 4, 6, 10, 20, 40 and 400 random tables at
        lengths from 4 to 29: the largest exact probability over its bound"""
        sizes = 2, 3, 4, 5, 6, 7, 8, 10, 12, 20, 50
        equal = [joint_ratio(trials, size) for trials in (4, 6, 10, 20, 40) for size in sizes]

        def random_table() -> float:
            size, trials = int(rng.integers(2, 12)), int(rng.integers(4, 30))
            allowed = float(rng.uniform(0.01, 0.99))
            law = rng.dirichlet(np.full(size, rng.choice([0.3, 1.0, 5.0, 50.0])))
            return some_outside(trials, law, hoeffding_radius(trials, allowed)) / allowed

        return maximum(*equal, *(random_table() for _ in range(400)))

    @finding("short-lengths", "all-tokens-longer")
    def one_token_at_a_time(self) -> None:
        r"""(136) is about one token: for all tokens at once its radius fails at $T=2,3,4$; from
        $T=5$ on no failure was found at the lengths tried. $\ln(2M/\delta)$ in place of
        $\ln(2/\delta)$ is safe."""

    without = group()

    @control("H1", ">", 0.01)
    def soft_rows(self, rng: Generator) -> float:
        r"""rows that blend tokens: the largest entry of $X^\top\mathrm{diag}(h_X)X$ off the
        diagonal over the largest of all"""
        soft = rng.dirichlet(np.ones(self.M), size=self.T - 1)
        blended = matrix_of(soft, rng.normal(size=self.M))
        return np.abs(blended - np.diag(np.diag(blended))).max() / np.abs(blended).max()

    @control("H2", ">", lambda self: self.delta)
    def class_unknown(self) -> float:
        """two classes mixed, $T-1=2047$: probability that a distinct token is outside (136) around
        the mixture"""
        pair = syn_small()  # only "some class" is given
        distinct = pair.distinct_tokens(0)[-1]
        middle = 2047 * (pair.prior @ pair.conditional)[distinct]
        reach = 2047 * hoeffding_radius(2047, self.delta)
        ends = middle - reach, middle + reach
        return float(pair.prior @ miss_probability(2047, pair.conditional[:, distinct], *ends))

    @control("H3", ">", lambda self: self.delta)
    def sticky(self) -> float:
        r"""sticky sequences, $T=@{T}$, $\mathbb P(l)=0.5$: exact probability that (136) fails"""
        trials = self.T - 1
        shares = np.arange(self.T) / trials
        missed = np.abs(shares - 0.5) > hoeffding_radius(trials, self.delta)
        return float(sticky_count_law(trials, 0.5, 0.97)[missed].sum())

    @control("H4", ">", 0.1)  # delta
    def chosen_after(self) -> float:
        r"""$T-1=2$, $M=8$ equal tokens, $\delta=0.1$: probability that the token *with the largest
        deviation* is outside (136)"""
        return float(equal_tokens(2, 8, hoeffding_radius(2, 0.1)))
