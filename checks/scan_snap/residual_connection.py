"""Section 7, residual connection: what its rows measure.

The chapter: ``book/scan-snap/residual_connection.ipynb``.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from ledgerbook import Checks, claim, control, finding, group, once, real, seed, whole
from lib.arrays import Array, Mask
from lib.measure import maximum, minimum, power_law, relative_error
from lib.roots import root
from lib.scan_snap.attention_flow import (
    class_velocities,
    leading_beta,
    random_block_classes,
    xi,
)
from lib.scan_snap.decoder_training import decoder_epochs
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import (
    assumption_2,
    feature_coefficients,
    gram,
    overlap,
    vectors_with_gram,
)
from lib.scan_snap.residual_connection import residual_features, residual_gram
from lib.scan_snap.residual_training import (
    ResidualDecoder,
    confusion,
    shared_token_features,
    shared_token_velocity,
    trained_token_velocity,
)
from lib.scan_snap.sequence_classes import normalized_attention

SIZES = np.geomspace(1e-4, 0.1, 7)  # overlaps that shrink together
RATIOS = np.geomspace(0.3, 12, 25)  # overlap within the query over that across
SHARING = 2, 3, 6  # queries that share a token
WEAK = 0.04  # all overlaps of the classes that share one
M = 10**6  # and their vocabulary
ALIKE = (
    r"for the constants of $\beta$, and with them for $g$: as many classes to each query, all"
    r" overlaps equal, and $\frac1M$ small beside them"
)
OUTWEIGHS = (
    r"two classes to a query, whose queries share no other token: $s_{\rm near}$ exceeds $\frac43$"
    r" times the number of other queries that use the token times $s_{\rm far}$, for weak overlaps,"
    r" beside which $\frac1M$ is small, and the decoder of (26) after equally many visits"
)

s, p, S = sp.symbols("s p S", positive=True)  # overlap, classes to a query, queries
near, far, r = sp.symbols("near far r", positive=True)  # overlaps within a query, across; ratio
a, b, c = sp.symbols("a b c", positive=True)  # overlaps of classes 0 and 2, 1 and 2, 1 and 3
FOUR_BAR = sp.Matrix([[2, 1, a, 0], [1, 2, b, c], [a, b, 2, 1], [0, c, 1, 2]]) / 2


def alike_column() -> list[Any]:
    """Column n of (I + E)^{-1} when all contents overlap by s: own, partner's, another's entry."""
    own, partner, other = sp.symbols("own partner other")
    near_link, far_link = (1 + s) / 2, s / 2
    equations = [
        own + (p - 1) * near_link * partner + (S - 1) * p * far_link * other - 1,
        near_link * own + (1 + (p - 2) * near_link) * partner + (S - 1) * p * far_link * other,
        far_link * (own + (p - 1) * partner)
        + (1 + (p - 1) * near_link + (S - 2) * p * far_link) * other,
    ]
    found = sp.solve(equations, [own, partner, other])
    return [found[kind] for kind in (own, partner, other)]


def alike_in_full(column: list[sp.Expr]) -> list[tuple[sp.Expr, sp.Expr]]:
    """The three entries at one point, and those of the inverse in full: four queries of three."""
    point = {s: sp.Rational(1, 5), p: 3, S: 4}
    halves = sp.Matrix(12, 12, lambda i, j: (1 if i == j else s) + int(i // 3 == j // 3))
    inverse = (halves.subs(point) / 2).inv()  # content and query, half each
    return [(column[kind].subs(point), inverse[i, 0]) for kind, i in enumerate((0, 1, 3))]


def local_column() -> tuple[sp.Expr, sp.Expr]:
    """Column of (I + E)^{-1} of a class that uses the token: its own, its twin's, another user's.

    Two classes a query; the users of the token overlap by ``far``, those of a query by ``near``.
    """
    own, twin, user, idle = sp.symbols("self twin user idle")
    link = (1 + near) / 2
    equations = [
        own + link * twin + (S - 1) * far / 2 * user - 1,
        link * own + twin,
        far / 2 * own + user + link * idle + (S - 2) * far / 2 * user,
        link * user + idle,
    ]
    found = sp.solve(equations, [own, twin, user, idle])
    return found[twin], found[user]


def local_velocities() -> tuple[sp.Expr, sp.Expr]:
    """Velocity of the token, over its squared entry and gamma, and its own query's part in it."""
    twin, user = local_column()
    return -twin * near + (S - 1) * user * (1 - far), -twin * near


def local_velocity_in_full(point: dict[sp.Expr, sp.Expr]) -> sp.Expr:
    """The same at one point with three queries, from the inverse in full."""
    overlaps = lambda i, j: near if i // 2 == j // 2 else far * int(i % 2 == j % 2 == 0)
    content = sp.Matrix(6, 6, lambda i, j: 1 if i == j else overlaps(i, j))
    one_query = sp.Matrix(6, 6, lambda i, j: int(i // 2 == j // 2))
    weight = ((content + one_query) / 2).subs(point).inv()[:, 0]
    return sum(weight[j] * (int(j % 2 == 0) - content[0, j].subs(point)) for j in range(6))


def unit_rows(rows: Array) -> Array:
    """Rows over their norms."""
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def most_overlap(there: "ResidualConnection", share: float) -> float:
    """The largest equal overlap of which a class's add up to a share, never above 0.29."""
    return minimum(0.29, share / (there.queries * there.per_query - 1))


@dataclass
class ResidualConnection(Checks):
    """Section 7: what a residual connection does to the dynamics of attention."""

    queries: int = whole(3, 2, 5, why="a single one overlaps with no other, six overlap too much")
    per_query: int = whole(
        2,
        1,
        lambda self: 10 // self.queries,
        holds=(2, lambda self: 10 // self.queries),
        why="more classes overlap too much",
    )
    overlap_size: float = real(
        0.1,
        0.01,
        lambda self: most_overlap(self, 1),
        holds=(0.01, lambda self: most_overlap(self, 0.99)),
        why="the overlaps of a class add up to 1 at most",
    )
    eta_y: float = real(0.5, 0.1, 1)
    rounds: int = whole(20, 5, 60)
    vocabulary: int = whole(400, 40, 10_000)
    seed: int = seed()

    tag = "scan-snap.residual-connection"
    hypotheses = {
        "H1": (
            r"embeddings are orthonormal, so that $\bar u_T$ can be written in $(Y,Z)$ coordinates"
        ),
        "H2": "no context contains a query token",
        "H3": "overlaps are small",
        "H4": (
            r"the decoder is that of Theorem 1 for the features it now sees, with classes visited"
            r" equally often and $\frac1M$ small beside the overlaps"
        ),
    }
    parts = {
        r"the sizes of $\beta$": ("kernel-residual-gram", "same-constant", "other-constant"),
        "$g$": ("kernel-half-speed", "other-constant"),
        "local tokens": ("local-threshold",),
    }
    kernel_theorems = {
        "residual_gram": dict(concludes=True),
        "half_speed": dict(concludes=True),
    }

    @property
    def K(self) -> int:
        """How many classes there are."""
        return self.queries * self.per_query

    @property
    def owner(self) -> np.ndarray:
        """The query of each class, (K,)."""
        return np.repeat(np.arange(self.queries), self.per_query)

    @property
    def same(self) -> Mask:
        """Pairs of one query, and a class with itself: (K, K)."""
        return self.owner[:, None] == self.owner

    @property
    def off(self) -> np.ndarray:
        """Pairs of different classes: (K, K)."""
        return ~np.eye(self.K, dtype=bool)

    @property
    def partners(self) -> Mask:
        """Pairs of different classes of one query: (K, K)."""
        return self.same & self.off

    def features(self, size: float) -> tuple[Array, Array]:
        """Rows f_n and residual features when all overlap by ``size``: 600 tokens, then queries."""
        content = vectors_with_gram(equal_overlap_gram(self.K, size), 600)
        F = np.c_[content, np.zeros((self.K, self.queries))]
        return F, residual_features(F, 600 + self.owner)

    def from_others(self, F: Array, beta: Array) -> np.floating:
        """The share of the step that comes from the classes of other queries."""
        whole_step, near_step = class_velocities(F, beta), class_velocities(F, beta * self.same)
        return np.linalg.norm(whole_step - near_step) / np.linalg.norm(whole_step)

    @once
    def shrinking(self) -> np.ndarray:
        """At each of SIZES: beta of the same query, of another, share of the step from others."""
        found = []
        for size in SIZES:
            F, bars = self.features(size)
            beta = leading_beta(bars)
            means = beta[self.partners].mean(), beta[~self.same].mean()
            found.append([*means, self.from_others(F, beta * self.off)])
        return np.array(found).T

    @once
    def local(self) -> dict[Any, Any]:
        """Velocity of a locally distinct token at each of RATIOS by the queries that share."""
        return {
            sharing: np.array([shared_token_velocity(1e-3 * r, 1e-3, sharing) for r in RATIOS])
            for sharing in SHARING
        }

    walk = group()

    @once
    def trained(self, rng: Generator) -> ResidualDecoder:
        """Random classes at random attention."""
        classes = random_block_classes(self.K, 2, 12, rng, groups=self.owner)
        Z = 0.3 * rng.normal(size=(classes.vocab_size,) * 2)
        return ResidualDecoder(classes, Z, self.rounds, self.eta_y)

    @claim("<=", 1e-12, "identity")
    def two_projectors(self) -> float:
        """the two-projector formula is the gradient of $J$ with the residual connection (automatic
        differentiation), contexts with and without the query token"""
        plain, size = self.trained.classes, len(self.trained.Z)
        # a tenth of each context is the query itself: only there the second projector counts
        seen = 0.9 * plain.conditional + 0.1 * np.eye(size)[plain.query]
        return maximum(
            relative_error(self.trained.by_row(some), self.trained.differentiated(some))
            for some in (plain, replace(plain, conditional=seen))
        )

    @claim("<=", 1e-9, "identity", "Section 7, g")
    def all_classes(self) -> float:
        r"""each class moves by half of Lemma 4 with $\bar\beta$ and the sum over *all* classes"""
        steps = self.trained.steps(self.trained.classes)
        return relative_error(steps, self.trained.lemma_4 / 2)

    @claim("<=", 1e-12, "identity")
    def gram_in_context(self, rng: Generator) -> float:
        """overlaps in `residual_gram` of contexts that may contain queries, two classes of three on
        one query, against those of the unit vectors along $f_n$ plus the query's: largest
        difference"""
        F, query = unit_rows(rng.random((3, 6))), np.array([4, 4, 5])
        with_query = unit_rows(F + np.eye(6)[query])
        return np.abs(residual_gram(F, query) - with_query @ with_query.T).max()

    constants = group()

    @claim("==", True, "symbolic", "Section 7, β", as_printed=True, concludes=True, condition=ALIKE)
    def same_constant(self) -> Facts:
        r"""$\bar\beta$ of the same query, $M\to\infty$, tends to the constant $\frac2{1+p}$ as all
        overlaps $s\to0$: $p$ classes to a query, any number of queries"""
        column = alike_column()
        return [*alike_in_full(column), (sp.Limit(-column[1], s, 0), 2 / (1 + p))]

    @claim("==", True, "symbolic", "Section 7, β", as_printed=True, concludes=True, condition=ALIKE)
    def other_constant(self) -> Facts:
        r"""$\bar\beta$ of another query, $M\to\infty$, is of the order of the overlap,
        $\frac{2s}{(1+p)^2}$, as all overlaps $s\to0$: $p$ classes to a query, any number of
        queries"""
        column = alike_column()
        return [*alike_in_full(column), (sp.Limit(-column[2] / s, s, 0), 2 / (1 + p) ** 2)]

    @claim("<=", 1e-3, "limit", rtol=1e-3)
    def constants_here(self) -> float:
        r"""$\bar\beta$, $M\to\infty$, of the same query and of another in `residual_features` at
        $s=10^{-4}$ against their limits: largest relative error"""
        p, (near_beta, far_beta, _) = self.per_query, self.shrinking[:, 0]
        return maximum(
            abs(near_beta * (1 + p) / 2 - 1), abs(far_beta / SIZES[0] * (1 + p) ** 2 / 2 - 1)
        )

    @claim("in", [0.97, 1.03], "rate", atol=1e-3)
    def neglected_order(self) -> float:
        """the share of the step that comes from other queries vanishes with the overlap:
        exponent"""
        return power_law(SIZES[:4], self.shrinking[2, :4]).exponent

    negative = group()

    @claim("<=", 1e-10, "identity")
    def negative_xi(self) -> float:
        r"""$\xi_n$ can be negative with a residual connection: $E_{02}=0.02$, $E_{12}=0.1$,
        $E_{13}=0.05$, within Assumption 2 for $M=10^6$, relative error of $\xi_0/\gamma$ against
        the exact number, which is negative"""
        here = {a: sp.Rational(1, 50), b: sp.Rational(1, 10), c: sp.Rational(1, 20)}
        exact = float((-a * FOUR_BAR.inv()[0, 2]).subs(here))
        E = np.array([[0, 0, 0.02, 0], [0, 0, 0.1, 0.05], [0.02, 0.1, 0, 0], [0, 0.05, 0, 0]])
        F = np.c_[vectors_with_gram(np.eye(4) + E, 30), np.zeros((4, 2))]
        found = xi(F, leading_beta(residual_features(F, 30 + np.array([0, 0, 1, 1]))))[0]
        met = assumption_2(E, M).satisfied
        return abs(found / exact - 1) if met and exact < 0 else np.nan

    tokens = group()

    @claim("==", True, "symbolic", "Section 7, local tokens", as_printed=True, condition=OUTWEIGHS)
    def local_threshold(self) -> Facts:
        r"""$M\to\infty$: for weak overlaps the velocity of $l$ is
        $\frac23s_{\rm near}-\frac89\,(\text{number of other queries})\,s_{\rm far}$: it rises iff
        $s_{\rm near}$ exceeds $\frac43$ times that number times $s_{\rm far}$; two classes a
        query, any number of queries"""
        velocity, point = (
            local_velocities()[0],
            {near: sp.Rational(1, 5), far: sp.Rational(1, 7), S: 3},
        )
        weak = sp.simplify(velocity.subs(near, r * far) / far)
        return [
            (velocity.subs(point), local_velocity_in_full(point)),
            (sp.Limit(weak, far, 0), 2 * r / 3 - sp.Rational(8, 9) * (S - 1)),
        ]

    @claim("<=", 1e-10, "identity")
    def local_velocity(self) -> float:
        """a token that one class of each query uses: closed forms of its velocity and of its own
        query's part in it, against `class_velocities` of `residual_features`, 2, 3 and 6 queries,
        25 ratios: largest relative error"""
        forms = local_velocities()
        return maximum(
            relative_error(found, sp.lambdify((near, far, S), form)(1e-3 * RATIOS, 1e-3, sharing))
            for sharing, values in self.local.items()
            for form, found in zip(forms, values.T, strict=True)
        )

    @once
    def weak(self) -> Array:
        """Three queries that share a token, and nothing else."""
        return shared_token_features(WEAK, WEAK, 3)

    @once
    def modified(self) -> tuple[Array, float]:
        """``trained_token_velocity`` of them in round 20 of (26)."""
        return trained_token_velocity(self.weak, 20, M, modified=True)

    @once
    def original(self) -> list[tuple[Array, float]]:
        """``trained_token_velocity`` of them in rounds 1 to 50 of (7)."""
        rounds = range(1, 51)
        return [trained_token_velocity(self.weak, one, M, modified=False) for one in rounds]

    def rounds_of_fall(self, size: int) -> int:
        """In how many of these rounds the token falls in a vocabulary of some size."""
        slope = lambda one: trained_token_velocity(self.weak, one, size, modified=False)[1]
        return sum(slope(one) < 0 for one in range(1, 51))

    @once
    def path(self) -> np.ndarray:
        """The gradient of J in those rounds."""
        return np.array([slope for _, slope in self.original])

    @once
    def turn(self) -> float:
        """The round, interpolated, at which the token turns from falling to rising, if once."""
        changes = np.flatnonzero(np.diff(np.sign(self.path)))
        if len(changes) != 1 or self.path[0] >= 0:
            return np.nan
        before, after = self.path[changes[0] :][:2]
        return changes[0] + 1 + before / (before - after)

    @claim("<", 0, "sign")
    def local_distinct_falls(self) -> float:
        r"""a token that one class of each query uses falls where Theorem 2 within each query would
        have it rise: three queries, overlaps $0.04$, $M=10^6$, decoder of (26) after 20 rounds at
        $\eta_Y=\frac12$, gradient of $J$ at that token over the sum of its query"""
        parts, measured = self.modified
        return measured / parts[:2].sum()

    @claim("<=", 1e-10, "identity", "Section 7, g")
    def local_by_gradient(self) -> float:
        """the sum over all classes is that gradient (relative error, automatic differentiation);
        the $f_n$ meet Assumption 2"""
        parts, measured = self.modified
        met = assumption_2(overlap(self.weak), M).satisfied
        return abs(parts.sum() / measured - 1) if met else np.nan

    @claim("in", [0.985, 1.015], "limit", rtol=1e-4)
    def local_under_7(self) -> float:
        r"""under (7), $S=3$, overlaps $0.04$, $\eta_Y=\frac12$, $M=10^6$, the token falls, turns
        once, rises up to round 50: round of the turn over $a/\eta_Y$, with
        $\varphi(k)=(a+\frac1k)(e^{ka}-1)$ and $a$ the root of $s_{\rm
        near}\varphi(\frac{1+s_{\rm near}}2)=(S-1)(1-s_{\rm far})\varphi(\frac{s_{\rm far}}2)$"""
        refund = lambda learned: WEAK * confusion((1 + WEAK) / 2, learned)
        tax = lambda learned: 2 * (1 - WEAK) * confusion(WEAK / 2, learned)
        return self.turn / (root(lambda learned: refund(learned) - tax(learned), 1, 13) / 0.5)

    @claim("in", [0.98, 1.02], "limit", "Section 7, local tokens", rtol=1e-4)
    def local_under_7_late(self) -> float:
        r"""under (7) at $\eta_Y=\frac12$, $M=10^6$ its own query decides at round 50, as Section 7
        says: the sum over it over the gradient of $J$"""
        parts, measured = self.original[-1]
        return parts[:2].sum() / measured

    control_plain = group()

    @control("H1", ">", 0.05)
    def random_embeddings(self, rng: Generator) -> float:
        """with random embeddings in 24 dimensions the overlaps differ from the formula (largest
        error)"""
        U = rng.normal(size=(60, 24)) / np.sqrt(24)
        classes = random_block_classes(4, 2, 10, rng, groups=[0, 0, 1, 1])
        rows = normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))
        seen = unit_rows(unit_rows(rows @ U[: rows.shape[1]]) + U[classes.query])
        pair_same = classes.query[:, None] == classes.query
        return np.abs(seen @ seen.T - (gram(rows) + pair_same) / 2).max()

    @control("H2", ">", 2)
    def queries_in_context(self) -> float:
        """when contexts contain the other query, classes of different queries overlap by this many
        times what the formula says"""
        # tokens 2 and 3 are the queries of classes 1 and 0
        F = unit_rows(np.array([[0.3, 0.0, 0.5, 0.0], [0.0, 0.4, 0.0, 0.5]]) + 0.05)
        return residual_gram(F, np.array([3, 2]))[0, 1] / (gram(F)[0, 1] / 2)

    @once
    def flat(self) -> Array:
        """Rows f_n of the random classes at even attention."""
        return normalized_attention(self.trained.classes, np.zeros_like(self.trained.Z))

    @once
    def largest_overlap(self) -> float:
        """The largest of their overlaps."""
        return overlap(self.flat).max()

    @control("H3", ">", 0.05)
    def strong_overlaps(self) -> np.floating:
        """at overlaps up to @{largest_overlap:.2f} other queries contribute this share of the
        step"""
        beta = leading_beta(residual_features(self.flat, self.trained.classes.query))
        return self.from_others(self.flat, beta)

    control_update = group()

    def under_7(self, visits: int, grammar: Array) -> Array:
        """beta / iota (K, K) under (7) after so many visits of each class."""
        W = decoder_epochs(visits, self.vocabulary, self.eta_y, grammar)
        found = [feature_coefficients(W, grammar - np.eye(self.K), n) for n in range(self.K)]
        return -np.array(found) / np.diagonal(found)[:, None]

    def separation(self, visits: int) -> tuple[float, float, float]:
        """Its means: same query, other query, and without a residual connection."""
        F, bars = self.features(self.overlap_size)
        seen, plain = self.under_7(visits, gram(bars)), self.under_7(visits, gram(F))
        return seen[self.partners].mean(), seen[~self.same].mean(), plain[self.off].mean()

    @control("H4", ">", 1, rtol=1e-4)
    def original_update(self) -> float:
        r"""under (7), after 300 visits, $\bar\beta$ of the same query over that of others exceeds
        the ratio of Theorem 1's decoder (ratio of ratios)"""
        ours, others, _ = self.separation(300)
        predicted = leading_beta(self.features(self.overlap_size)[1])
        of_theorem_1 = predicted[self.partners].mean() / predicted[~self.same].mean()
        return ours / others / of_theorem_1

    @finding("local-threshold", "local-distinct-falls")
    def other_queries_count(self) -> None:
        r"""Section 7 says, approximately and for future work, that only classes with the same query
        interact. As overlaps vanish together this is right for the size of the step and not for its
        signs, with the decoder of (26): a token that one class of each of several queries uses
        alike rises only if $s_{\rm near}>\frac43\,$(number of other queries that use
        it)$\,s_{\rm far}$, overlaps within the query and across, with two classes to a query that
        share no other token across. Assumption 2 is about the $f_n$ there; the features $\bar f_n$
        cannot meet it, as two classes of one query overlap by at least $\frac12\ge\frac1K$."""

    @once
    def falls_for(self) -> float:
        """How many rounds the token falls."""
        return np.floor(self.turn)

    @once
    def fastest_fall(self) -> float:
        """Its largest speed downwards, in 1e-7."""
        return -self.path.min() * 1e7

    @once
    def rise_20(self) -> float:
        """Its speed upwards in round 20, in 1e-6."""
        return self.path[19] * 1e6

    @finding("local-under-7", "local-under-7-late")
    def right_after_a_while(self) -> None:
        r"""Under (7) at $\eta_Y=\frac12$, classes in turn, $M=10^6$, that token falls for
        @{falls_for:.0f} rounds, at a speed of at most $@{fastest_fall:.1f}\cdot10^{-7}$, then rises
        ($@{rise_20:.1f}\cdot10^{-6}$ at round 20) as long as we looked, up to round 50. So there
        Section 7's conclusion is right, but not at first."""
