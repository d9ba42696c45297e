"""Token-priority graphs: what their rows measure.

The chapter: ``book/mechanics/token_priority_graph.ipynb``.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, claim, control, once, seed, textbook, whole
from lib.arrays import Mask
from lib.measure import maximum
from lib.mechanics.draws import random_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences, gaussian_embeddings
from lib.mechanics.token_priority_graph import cyclic_basis, priority_graphs, project


def reachable(data: NextTokenData, k: int) -> Mask:
    """(K, K) booleans from powers of I + A, arrows from each label to what stood beside it.

    From the samples, without the graphs of lib.
    """
    K, rows = data.counts.shape[1], data.last == k
    adjacency = np.eye(K, dtype=int)
    for counts, label in zip(data.counts[rows], data.label[rows], strict=True):
        adjacency[label, counts > 0] = 1
    return np.linalg.matrix_power(adjacency, K) > 0


class Compared(NamedTuple):
    """Of one data set: wrong pairs, how much too large or small the basis is, what it misses."""

    wrong: int
    excess: int
    missing: float


def compared(data: NextTokenData) -> Compared:
    """The library's graphs and basis against powers of I + A and the definition's matrices."""
    graphs, count, wrong, missing = priority_graphs(data), 0, 0, 0.0
    basis = cyclic_basis(data, graphs)
    for k, graph in graphs.items():
        table = reachable(data, k)
        mutual, seen = table & table.T, sorted(graph.graph.nodes)
        for i, j in ((i, j) for i in seen for j in seen):
            over = table[i, j] and not mutual[i, j]
            wrong += graph.same(i, j) != mutual[i, j] or graph.above(i, j) != over
        count += len(seen) - len({tuple(mutual[one]) for one in seen})
        for i, j in np.argwhere(mutual):
            pair = np.outer(data.embeddings[i] - data.embeddings[j], data.embeddings[k])
            missing = maximum(missing, np.linalg.norm(pair - project(basis, pair)))
    return Compared(wrong, abs(len(basis) - count), missing)


def circles(components: Iterable[Collection[int]]) -> set[tuple[int, int]]:
    """All pairs i < j of one component."""
    return {(i, j) for members in components for i in members for j in members if i < j}


def has_false_circles(data: NextTokenData) -> bool:
    """Whether one graph for all last tokens makes a pair equal that no last token's own does."""
    graphs = priority_graphs(data).values()
    own = set().union(*(circles(graph.components) for graph in graphs))
    pooled = nx.compose_all([graph.graph for graph in graphs])
    return bool(circles(nx.strongly_connected_components(pooled)) - own)


@dataclass
class TokenPriorityGraph(Checks):
    """Token-priority graphs, components, the cyclic subspace."""

    tag = "mechanics.token-priority-graph"
    standing = "reconstructed"
    hypotheses = {
        "H1": "samples are grouped by their last token, one graph each",
        "H2": "labels stand in their own input",
        "H3": "embeddings are linearly independent (dimension count of the cyclic subspace)",
    }
    parts = {
        "a chain within a component": ("components",),
        "a strict order": ("kernel-strict-order",),
        "the label on top": ("kernel-label-on-top",),
        "the dimension": ("dimension",),
    }
    kernel_theorems = {
        "strict_order": dict(as_printed=True, concludes=True, equation="a strict order"),
        "label_on_top": dict(as_printed=True, concludes=True, equation="the label on top"),
        "heights": {},
        "circles_obstruct": {},
    }
    trusts = (
        textbook(
            r"the matrices $e_ie_k^\top$ of independent $e_i$ are independent, and so are the"
            r" differences $e_r-e_{r+1}$ along a chain",
            "the dimension",
        ),
    )

    K: int = whole(6, 3, 12, holds=(5, 8))
    d: int = dimensions(8, 16, holds=(lambda self: self.K + 1, 12))
    T: int = whole(4, 2, lambda self: self.K, why="a sequence shows T different tokens")
    instances: int = whole(100, 20, 300)
    seed: int = seed()

    @once
    def found(self, rng: Generator) -> Compared:
        """The total of wrong pairs, the largest of the other two."""
        draw = lambda: random_draw(rng, n=24, T=self.T, K=self.K, d=self.d)
        each = np.array([compared(draw()) for _ in range(self.instances)])
        return Compared(int(each[:, 0].sum()), *each[:, 1:].max(axis=0))

    @claim("==", 0, "identity", as_printed=True)
    def components(self) -> int:
        r"""$\asymp$ and $\Rightarrow$ are mutual and one-way reachability, by powers of $I+A$:
        wrong pairs in @{instances} data sets of 24 samples"""
        return self.found.wrong

    @claim("<=", 1e-10, "identity")
    def dimension(self) -> float:
        r"""the library's orthonormal basis of $\mathcal S_{fin}$: its number against tokens minus
        components from the same powers, and what it misses of each $(e_i-e_j)e_k^\top$, $i\asymp
        j$: largest difference"""
        return maximum(self.found.missing, self.found.excess)

    @control("H1", ">", 0.5)
    def pooled(self, rng: Generator) -> np.floating:
        """one graph for the last tokens together: share of data sets with false circles"""
        return np.mean([has_false_circles(random_draw(rng)) for _ in range(self.instances)])

    @control("H2", "==", False, kind="identity")
    def absent_label(self) -> bool:
        """a label outside its input: its training context has one component on top"""
        absent = priority_graphs(from_sequences([[0, 1]], [2], np.eye(3), realizable=False))[1]
        return absent.same(0, 1) or absent.above(0, 1) or absent.above(1, 0)

    @once
    def lost(self) -> int:
        """What the dimension should be with K tokens in one component."""
        return self.K - 1

    @control("H3", "==", 3, kind="identity")
    def crowded(self, rng: Generator) -> int:
        r"""$K=@{K}$ tokens in 3 dimensions: $\dim\mathcal S_{fin}$ instead of $K-1=@{lost}$"""
        tokens, E = list(range(self.K)), gaussian_embeddings(self.K, 3, rng)
        everyone = from_sequences([tokens] * self.K, tokens, E, independent=False)
        return len(Problem(everyone).split.finite_basis)
