"""Theorem 2: what its rows measure.  The chapter: ``book/scan-snap/theorem_02.ipynb``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import torch
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from ledgerbook import Checks, chapter, claim, control, finding, group, once, real, seed, whole
from lib.arrays import Array, Mask
from lib.measure import maximum, relative_error
from lib.scan_snap.attention_flow import (
    attention_velocity,
    block_classes,
    finite_beta,
    leading_beta,
    random_block_classes,
    row_velocity,
    xi,
)
from lib.scan_snap.decoder import h_star, speed
from lib.scan_snap.four_classes import four_classes
from lib.scan_snap.overlaps import (
    assumption_2,
    feature_ascent,
    overlap,
    shortfall,
    xi_over_gamma,
)
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention
from lib.scan_snap.yz_transformer import gradients

CLASSES = four_classes()


def flat_features(classes: SequenceClasses) -> Array:
    """Rows f_n before attention moves."""
    return normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))


def gamma_after(rounds: int, M: int, eta_y: float) -> float:
    """gamma of Theorem 1 after so many visits of each class."""
    height = h_star(rounds, M, eta_y)[-1]
    return (M - 1) ** 2 * height * speed(height, M)


def model_gradient(
    classes: SequenceClasses, Z: Array, F: Array, eta_y: float, rounds: int = 10
) -> Array:
    """The model's own mean gradient by Z, for a decoder trained by (26) on the rows f_n."""
    Y = feature_ascent(np.tile(np.arange(classes.num_classes), rounds), F, eta_y)
    parts = Y, Z, classes.conditional, classes.query, classes.next_token
    return gradients(*(torch.tensor(part) for part in parts))[1].numpy()


def two_of_three_common(
    rng: Generator, groups: Sequence[int] = (0, 0)
) -> tuple[Array, float, Mask]:
    """Two random classes with three common tokens: weights, overlap, which of them rise."""
    weights = np.exp(rng.normal(0, 1.5, (2, 3))), np.exp(rng.normal(0, 1, (2, 2)))
    classes = block_classes(*weights, groups=list(groups))
    F = flat_features(classes)
    moves = attention_velocity(classes, F, leading_beta(F))[classes.query[0], :3]
    return F[:, :3], F[0] @ F[1], moves > 0


def hub_classes(leaves: int, leaf_overlap: float, touch: float) -> SequenceClasses:
    """Class 0 touches class 1, the hub, which overlaps with each leaf; all else is distinct."""
    weights = np.zeros((leaves + 2, 2 * leaves + 6))
    leaf, in_hub = 0.9, leaf_overlap / 0.9
    weights[1, :leaves] = in_hub
    for j in range(leaves):
        weights[2 + j, [j, leaves + j]] = leaf, np.sqrt(1 - leaf**2)
    shared = np.sqrt(1 - leaves * in_hub**2) / 2
    weights[0, [2 * leaves, 2 * leaves + 1]] = touch / shared, np.sqrt(1 - (touch / shared) ** 2)
    weights[1, [2 * leaves, 2 * leaves + 2]] = shared, np.sqrt(3) * shared
    law = weights / weights.sum(axis=1, keepdims=True)
    return SequenceClasses(law, query=np.full(leaves + 2, 2 * leaves + 5))


def first_row(classes: SequenceClasses, size: int) -> tuple[Array, Array]:
    """Velocity (10) of the row of class 0 before attention moves, and the overlaps."""
    F = flat_features(classes)
    return attention_velocity(classes, F, finite_beta(F, size))[classes.query[0]], overlap(F)


@dataclass
class Theorem02(Checks):
    """Theorem 2: distinct tokens rise, the only common token falls."""

    instances: int = whole(300, 50, 600)
    vocabulary: int = whole(40_000, 5000, 10**6)
    eta_y: float = real(0.5, 0.1, 1)
    seed: int = seed()

    tag = "scan-snap.theorem-02"
    hypotheses = {
        "H1": (r"Assumption 2: weak correlations, $|\lambda_1|<1/K$ and $|\lambda_i|\ge6/\sqrt M$"),
        "H2": "the dynamics are (10), with the coefficients of Theorem 1",
        "H3": "(a): the token is distinct among *all* classes, whatever their queries",
        "H4": "(b): there is exactly one common token",
        "H5": "(b): some class of the query has a distinct token",
    }
    parts = {
        "(a)": ("kernel-equation-98", "kernel-theorem-2a"),
        "(b)": ("kernel-equation-99", "kernel-equation-100", "kernel-theorem-2b"),
    }
    kernel_theorems = {
        "equation_98": dict(as_printed=True, concludes=True, equation="(98)"),
        "theorem_2a": dict(
            as_printed=True,
            concludes=True,
            equation="(98)",
            condition="the classes have been visited comparably often",
        ),
        "equation_99": dict(as_printed=True, concludes=True, equation="(99)"),
        "equation_100": dict(as_printed=True, concludes=True, equation="(100)"),
        "theorem_2b": dict(
            as_printed=True,
            concludes=True,
            equation="(100)",
            condition="the classes have been visited comparably often",
        ),
    }
    trusts = (chapter("scan-snap.theorem-01", r"(a), the sign of $\xi_n$"),)

    @once
    def scatter(self, rng: Generator) -> tuple[Array, Array, Mask]:
        """Of three common tokens each: weaker over stronger weight, overlap, whether it rises."""
        drawn = [two_of_three_common(rng) for _ in range(self.instances)]
        ratios = [weights.min(axis=0) / weights.max(axis=0) for weights, _, _ in drawn]
        overlaps = np.repeat([s for _, s, _ in drawn], 3)
        return np.concatenate(ratios), overlaps, np.concatenate([up for *_, up in drawn])

    proof = group()

    @claim("==", True, "symbolic")
    def boundary(self) -> Facts:
        r"""two classes, one query, entries $a\ge b$ of a common token: $\dot z\propto
        s(a^2+b^2)-2ab$, which vanishes exactly at $s=\frac{2\varrho}{1+\varrho^2}$,
        $\varrho=b/a$"""
        a, b, s = sp.symbols("a b s", positive=True)
        velocity, ratio = a * (s * a - b) + b * (s * b - a), b / a  # (97) of both classes
        return [
            (velocity, s * (a**2 + b**2) - 2 * a * b),
            (velocity.subs(s, 2 * ratio / (1 + ratio**2)), 0),
            (sp.Derivative(velocity, s), a**2 + b**2),  # a line that is not flat: one zero
        ]

    model = group()

    @once
    def data(self, rng: Generator) -> list[tuple[SequenceClasses, Array, Any, Any]]:
        """Twelve data sets with one common token and two queries: classes, f_n, gradient, gamma."""
        found = []
        for _ in range(12):
            K = int(rng.integers(2, 6))
            weight, groups = rng.uniform(0.1, 3), np.arange(K) % 2
            classes = random_block_classes(K, 1, 3, rng, weight, groups=groups)
            Z = rng.normal(size=(classes.vocab_size,) * 2)
            F, gamma = normalized_attention(classes, Z), gamma_after(10, len(Z), self.eta_y)
            found.append((classes, F, model_gradient(classes, Z, F, self.eta_y), gamma))
        return found

    @claim("<=", 1e-9, "identity", "(98)", as_printed=True)
    def distinct(self) -> int:
        """(98) is the model's gradient at distinct tokens, added up over the classes, 12 random
        data sets with one common token, each with a random $Z$"""
        worst = 0
        for classes, F, gradient, gamma in self.data:
            pull = gamma * xi(F, finite_beta(F, classes.vocab_size)) / len(F)
            for n, query in enumerate(classes.query):
                tokens = classes.distinct_tokens(n)
                found = relative_error(gradient[query, tokens], F[n, tokens] ** 2 * pull[n])
                worst = maximum(worst, found)
        return worst

    @claim("<=", 1e-9, "identity", "(100)", as_printed=True)
    def common(self) -> int:
        """(100) is the model's gradient at the only common token, added up over the classes, 12
        random data sets, each with a random $Z$"""
        worst = 0
        for classes, F, gradient, gamma in self.data:
            pull = gamma * xi_over_gamma(overlap(F), classes.vocab_size) / len(F)
            terms, rows = -(1 - F[:, 0] ** 2) * pull, np.unique(classes.query)
            falls = [terms[classes.query == row].sum() for row in rows]
            worst = maximum(worst, relative_error(gradient[rows, 0], falls))
        return worst

    dropped = group()

    @control("H1", "<", 0, kind="sign")
    def hub(self) -> float:
        r"""beyond $|\lambda_1|<1/K$ a distinct token can fall ($M=100$; velocity over the fastest
        of its class)"""
        classes = hub_classes(8, 0.3, 0.005)
        row = first_row(classes, 100)[0]
        return row[classes.distinct_tokens(0)[0]] / np.abs(row[classes.support[0]]).max()

    @control("H2", ">", 0.2)
    def random_decoder(self, rng: Generator) -> float:
        """with a decoder that started at random, some distinct token falls in this share of
        cases"""
        classes = random_block_classes(2, 1, 3, rng)
        F, tokens, falls = flat_features(classes), classes.distinct_tokens(0), 0
        trained = feature_ascent([0, 1] * 5, F, 0.5)
        for _ in range(self.instances):
            Y = rng.normal(size=trained.shape) + trained
            falls += (row_velocity(F[0], Y @ shortfall(Y, F, 0))[tokens] < 0).any()  # type: ignore[assignment]
        return falls / self.instances

    dropped_tokens = group()

    @control("H3", "<", -0.1, kind="sign")
    def locally_distinct(self) -> float:
        """a token distinct only within its query falls (velocity over largest)"""
        distinct = [[1, 0.6], [0.7, 0.9], [1, 1]]
        classes = block_classes([[1, 0.1], [0, 0.1], [1, 0]], distinct, groups=[0, 0, 1])
        row = first_row(classes, self.vocabulary)[0]
        return row[0] / np.abs(row).max()

    @control("H4", ">", 0.01, kind="sign")
    def two_common(self) -> float:
        """with two common tokens, under Assumption 2, one of them can rise (velocity over
        largest)"""
        weights = np.array([[0.5, 0.3], [0.02, 0.3]])
        rest = np.sqrt((1 - (weights**2).sum(axis=1, keepdims=True)) / 2)
        row, E = first_row(block_classes(weights, rest * np.ones((2, 2))), self.vocabulary)
        return row[0] / np.abs(row).max() if assumption_2(E, self.vocabulary).satisfied else np.nan

    @control("H5", "<=", 1e-15, kind="identity")
    def no_distinct(self) -> float:
        r"""without a distinct token in the row's only class the common token does not move
        (velocity over $\gamma$)"""
        bare = block_classes([[1], [0.3]], [[0, 0], [1, 0.5]], groups=[0, 1])
        return abs(first_row(bare, self.vocabulary)[0][0])

    @finding("boundary")
    def common_by_degree(self) -> None:
        r"""Of several common tokens the unevenly used ones can rise: two classes of one query that
        overlap by $s$ push a token up whose entries have the ratio $\varrho$ as soon as
        $s>2\varrho/(1+\varrho^2)$."""
