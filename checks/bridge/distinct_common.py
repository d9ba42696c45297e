"""Common and distinct losers: what the rows measure.

The chapter: ``book/bridge/distinct_common.ipynb``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy.special import log_softmax

from ledgerbook import (
    Checks,
    chapter,
    claim,
    control,
    group,
    once,
    real,
    seed,
    step,
    unproved,
    whole,
)
from lib.arrays import Array
from lib.bridge.class_contexts import class_contexts, class_multipliers, uneven_multipliers
from lib.bridge.joint_training import joint_flow, one_hot_data
from lib.bridge.kept_attention import Leaks, chosen, kept, leaks
from lib.decide import follows
from lib.measure import maximum, minimum
from lib.mechanics.attention_layer import scores
from lib.mechanics.draws import acyclic_with_priorities, drawn, random_draw
from lib.mechanics.exact_margin import certificate
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import pair_matrices

k, d, rho = sp.symbols("K D rho", positive=True)
BY_COMMON, BY_DISTINCT = class_multipliers(k, d, rho)
OWN = BY_COMMON + d * BY_DISTINCT  # the losers of a context, inner product 1 with each other


def log_shares(data: NextTokenData, W: Array) -> Array:
    """(n, K): log attention."""
    return log_softmax(scores(W, data) + data.log_counts, axis=1)


def flow_shares(
    data: NextTokenData, times: list[float], start_rng: Generator | None = None
) -> Array:
    """(times, n, K): log of t weight attention of the losers; the flow starts at 0 or at random."""
    split = Problem(data).split
    begin = np.zeros(split.finite_basis.shape[1:])
    if start_rng is not None:
        begin = start_rng.normal(size=begin.shape)
    path = gradient_flow(split, *split.coordinates(begin), times)
    each = zip(path.log_time, path.x, path.z, strict=True)
    logs = [log_shares(data, split.matrix(x, z)) + t for t, x, z in each]
    losers = np.where(data.one_hot > 0, -np.inf, np.log(data.weight)[:, None])
    return np.array(logs) + losers


def exact_multipliers(data: NextTokenData) -> tuple[bool, dict[tuple[int, int], Fraction]]:
    """Whether the certificate holds, and {(label, loser): multiplier}, in rationals."""
    triples = [
        (int(q), int(y), int(j))
        for q, y, row in zip(data.last, data.label, data.counts, strict=True)
        for j in np.flatnonzero(row)
        if j != y
    ]
    found = certificate(pair_matrices(data, triples).reshape(len(triples), -1), triples)
    named = {(y, j): m for (_, y, j), m in zip(triples, found.multipliers, strict=True)}
    return found.holds, named


def as_formula(classes: int, distinct: int, one_query: bool) -> bool:
    """Whether the certificate holds and has the multipliers of the formula."""
    holds, named = exact_multipliers(class_contexts(classes, distinct, one_query))
    by = class_multipliers(Fraction(classes), distinct, one_query)
    shared = classes + classes * distinct
    return holds and all(m == by[0 if loser == shared else 1] for (_, loser), m in named.items())


def uneven_as_said(own: Sequence[int]) -> bool:
    """Whether the certificate holds, and has the formula's multipliers if none is negative."""
    classes, total = len(own), sum(own)
    present = [[1, 1] + [1] * mine + [0] * (3 - mine) for mine in own]
    holds, named = exact_multipliers(class_contexts(classes, 3, 1, counts=present))
    common = 4 * classes
    by_common = [uneven_multipliers(Fraction(classes), mine, total)[0] for mine in own]
    by_distinct = uneven_multipliers(Fraction(classes), 0, total)[1]
    of_common = [named.get((n, common), 0) for n in range(classes)]
    of_distinct = {m for (_, loser), m in named.items() if loser != common}
    same = of_common == by_common and of_distinct <= {by_distinct}
    return holds and same == (minimum(by_common) >= 0)


def any_data(rng: Generator, n: int = 6, T: int = 4, K: int = 6) -> NextTokenData:
    """n contexts of T of K tokens without a cycle; queries, counts and weights at random."""
    draw = lambda: random_draw(rng, n, T, K, np.eye(K))
    data = drawn(draw, acyclic_with_priorities, "n, T, K", (n, T, K))
    counts, weight = data.counts * rng.integers(1, 5, data.counts.shape), rng.uniform(0.2, 1, n)
    return NextTokenData(counts, data.last, data.label, data.embeddings, weight, complete=False)


def shortest(problem: Leaks) -> Array:
    """(p,): numbers of least length whose sum times the tight rows is W_svm; 0 where not tight."""
    found = np.zeros(len(problem.share))
    found[problem.tight] = np.linalg.lstsq(problem.rows[problem.tight].T, problem.W, rcond=None)[0]
    return found


def joint_data(classes: int, one_query: int) -> NextTokenData:
    """The class contexts with one distinct loser each, embeddings one-hot."""
    base = class_contexts(classes, 1, one_query)
    return one_hot_data(base.counts, base.last, base.label)


@dataclass
class DistinctCommon(Checks):
    """What a graph sees of common and distinct losers."""

    classes: int = whole(8, 2, 16, holds=(2, 12))
    distinct: int = whole(1, 1, 3)
    log_time: float = real(1e4, 5000, 1e5)
    seed: int = seed(2000)

    tag = "bridge.distinct-common"
    hypotheses = {
        "H1": r"the decoder hands on mass: the loss is $-\ln s_y$",
        "H2": "the common token is never a label behind these queries",
        "H3": "the embeddings of the context's tokens are orthonormal",
    }
    parts = {
        "the multipliers": ("margin-common", "margin-distinct", "multipliers-positive"),
        "equal depth": ("equal-depth",),
        "the attention that they keep": ("ratio", "clock"),
        "uneven classes": ("uneven", "one-short"),
        "other data": ("any-graph",),
    }
    standing = "ours"
    trusts = (
        chapter(
            "mechanics.graph-svm",
            "its conditions of optimality",
            *("the multipliers", "equal depth", "uneven classes"),
        ),
        unproved(
            "the flow's rescaled leaks converge to the multipliers (Soudry et al. 2018 for this"
            " kind of loss), where the constraints are linearly independent",
            "the attention that they keep",
        ),
        unproved(
            "in other data, too, the flow goes on like W_svm ln t plus a constant matrix",
            "other data",
        ),
    )

    @step("symbolic", concludes=True)
    def margin_common(self) -> Facts:
        r"""margin of a common token: its own and its context's multipliers and $(K-1)\rho$ times
        the common ones of the other classes are 1, all $K$, $D$, $\rho$"""
        return OWN + BY_COMMON + (k - 1) * rho * BY_COMMON, 1

    @step("symbolic", concludes=True)
    def margin_distinct(self) -> Facts:
        r"""margin of a distinct loser: its own and its context's multipliers are 1, all $K$, $D$,
        $\rho$"""
        return OWN + BY_DISTINCT, 1

    @step("decided", concludes=True)
    def multipliers_positive(self) -> bool:
        r"""$u(1+D)+1>0$ for $u\ge1$, $D\ge0$: both multipliers are positive"""
        u, losers = z3.Reals("u D")
        return follows(u * (1 + losers) + 1 > 0, u >= 1, losers >= 0)

    @step("symbolic", concludes=True)
    def equal_depth(self) -> Facts:
        r"""score of the common token behind a class's query, $-\lambda_{\rm common}(1+(K-1)\rho)$,
        and of a distinct loser, $-\lambda_{\rm distinct}$, are equal"""
        return -BY_COMMON * (1 + (k - 1) * rho), -BY_DISTINCT

    @step("symbolic", concludes=True)
    def ratio(self) -> Facts:
        r"""the ratio of the multipliers is $1/(1+(K-1)\rho)$; at $\rho=1$ it is $1/K$, at 0 it is
        1"""
        found = BY_COMMON / BY_DISTINCT
        ends = (found.subs(rho, 1), 1 / k), (found.subs(rho, 0), 1)
        return (found, 1 / (1 + (k - 1) * rho)), *ends

    @step("symbolic", concludes=True)
    def uneven(self) -> Facts:
        r"""one query, $D_n$ distinct losers in class $n$: with the statement's multipliers the
        margins of a distinct and of the common token are 1, any $K$, $D_n$, $S$"""
        total, own = sp.symbols("S D_n", positive=True)
        common, each = uneven_multipliers(k, own, total)
        all_common = k * common.subs(own, total / k)  # affine in D_n: K times that of the mean
        return (common + (own + 1) * each, 1), (common + own * each + all_common, 1)

    @step("decided", concludes=True)
    def one_short(self) -> bool:
        r"""one query: no multiplier is negative exactly if all $D_n$ are equal or one class has one
        distinct loser fewer, all $K$, $D_n$; in whole numbers, by what the class that lacks most
        lacks to the largest $D_n$ and what the others lack in all"""
        number, total, most = z3.Reals("K S most")
        lacks, others = z3.Ints("lacks others")
        common, _ = uneven_multipliers(number, most, total)  # the least of the common ones
        short = lacks + others
        known = lacks >= 0, others >= 0, number >= 1, most >= 0, total >= 0
        shortage = total == number * most - z3.ToReal(short)
        lacks_most = z3.Implies(lacks == 0, others == 0)
        equal_or_one = z3.Or(short == 0, z3.And(lacks == 1, others == 0))
        return follows((common >= 0) == equal_or_one, *known, shortage, lacks_most)

    @step("symbolic")
    def price(self) -> Facts:
        r"""$\|W^{svm}\|^2$, the sum of the multipliers, is $K(1+Du)/(u(1+D)+1)$: one query, no
        distinct loser, $\frac K{K+1}$; orthogonal queries $K\frac{1+D}{2+D}$"""
        square, u = k * OWN, 1 + (k - 1) * rho
        return (
            (square, k * (1 + d * u) / (u * (1 + d) + 1)),
            (square.subs({rho: 1, d: 0}), k / (k + 1)),
            (square.subs(rho, 0), k * (1 + d) / (2 + d)),
        )

    formula = group()

    @claim("==", 0, "exact")
    def exact(self) -> int:
        """$K=2..8$, $D=0,1,2$, one query or orthogonal ones: cases in which the rational
        certificate fails or differs from the formula"""
        return sum(not as_formula(*case) for case in product(range(2, 9), (0, 1, 2), (0, 1)))

    @claim("==", 0, "exact")
    def uneven_exact(self) -> int:
        """one query, 2 or 3 classes of 0 to 3 distinct losers: of all 80 designs, those in which
        the rational certificate fails, or is not the formula although no multiplier of that is
        negative, or is it although one is"""
        designs = [*product(range(4), repeat=2), *product(range(4), repeat=3)]
        return sum(not uneven_as_said(own) for own in designs)

    @once
    def ends(self, rng: Generator) -> list[tuple[Any, Any, Any, Any]]:
        """Of four designs: K, D, rho and t w s at the end, (K, 1 + D), the common token first."""
        found = []
        for K, D, overlap in (
            (self.classes, self.distinct, 1),
            (self.classes, self.distinct, 0.3),
            (5, 3, 0.5),
            (3, 2, 0.0),
        ):
            counts, weight = rng.integers(1, 6, (K, D + 2)), rng.uniform(0.2, 1, K)
            data = class_contexts(K, D, overlap, counts=counts, weight=weight)
            end = np.exp(flow_shares(data, [self.log_time], rng)[0])
            own = K + D * np.arange(K)[:, None] + np.arange(D)
            losers = np.c_[np.full(K, K + K * D), own]
            found.append((K, D, overlap, np.take_along_axis(end, losers, axis=1)))
        return found

    @claim("<=", 1e-8, "limit", atol=1e-8, concludes=True)
    def clock(self) -> float:
        r"""$t\,w_ns_{nl}$ at $\ln t=@{log_time:g}$ against the multipliers, four designs, random
        starts, multiplicities and weights: largest relative difference"""
        off = []
        for K, D, overlap, end in self.ends:
            common, own = class_multipliers(K, D, overlap)
            off.append(np.abs(end / np.r_[common, np.full(D, own)] - 1).max())
        return np.max(off)

    wider = group()

    @once
    def any_ends(self, rng: Generator) -> list[tuple[Leaks, Array]]:
        """Of thirty random draws: ``Leaks`` and what is kept of them at the end."""
        found = []
        for _ in range(30):
            data = any_data(rng)
            shares = np.exp(flow_shares(data, [self.log_time], rng)[0])
            found.append((leaks(data), kept(data, shares)))
        return found

    @claim("<=", 1e-6, "limit", atol=1e-7, concludes=True)
    def any_graph(self) -> float:
        r"""six contexts of four of six tokens without a cycle, queries, counts, weights and starts
        at random, thirty draws: $t\,w\,s$, added up over contexts that share a pair, against the
        multipliers of least relative entropy to $w\,m_l/m_y$ (largest difference)"""
        return maximum(np.abs(end - chosen(one)).max() for one, end in self.any_ends)

    @claim(">", 0.01, "limit", atol=5e-3)
    def other_choice(self) -> float:
        r"""six contexts of four of six tokens, those draws in which the multipliers are not unique:
        $t\,w\,s$ at the end against the multipliers of least length (largest difference)"""
        return maximum(
            np.abs(end - shortest(one)).max() for one, end in self.any_ends if not one.one_choice
        )

    without = group()

    @control("H1", ">", 0, kind="sign", rtol=1e-3)
    def learned_decoder(self) -> float:
        r"""decoder learned from zero, at $\ln t=8$, four classes: least lead of the distinct token
        over the common one, one query or separate, normalized or not"""
        lead = []
        for one_query, normalize in product((1, 0), (False, True)):
            data = joint_data(4, one_query)
            start = np.zeros((data.counts.shape[1],) * 2)
            row = joint_flow(data, start, start, [8.0], normalize=normalize).Z[0][data.last[0]]
            lead.append(row[4] - row[8])
        return np.min(lead)

    @control("H2", ">", 0.3, rtol=1e-6)
    def common_is_a_label(self) -> float:
        r"""the common token is the label of one more context: its attention in the first one, at
        $\ln t=@{log_time:g}$"""
        base = class_contexts(2, 1, 1)  # labels 0, 1; distinct 2, 3; common 4; query 5
        extra = np.zeros((1, len(base.embeddings)))
        extra[0, [0, 4]] = 1
        cyclic = NextTokenData(
            np.vstack([base.counts, extra]),
            np.r_[base.last, base.last[:1]],
            np.r_[base.label, 4],
            base.embeddings,
            complete=False,
        )
        problem = Problem(cyclic)
        start = problem.split.coordinates(0 * problem.svm.W)
        path = gradient_flow(problem.split, *start, [20.0, self.log_time])
        W = problem.split.matrix(path.x[-1], path.z[-1])
        return np.exp(log_shares(cyclic, W))[0, 4]

    @control("H3", ">", 0.01, rtol=1e-3)
    def tilted(self) -> float:
        """four classes, one query, the common embedding tilted towards the distinct ones: distance
        of the ratio kept from 0.25"""
        data = class_contexts(4, 1, 1)
        tilted = data.embeddings.copy()
        tilted[8] = 0.8 * tilted[8] + 0.3 * tilted[4:8].sum(axis=0)  # still a unit vector
        end = flow_shares(data.with_embeddings(tilted), [self.log_time])[0, 0]
        return abs(np.exp(end[8] - end[4]) - 0.25)
