"""Assumption 2: what its rows measure.  The chapter: ``book/scan-snap/assumption_02.ipynb``."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from ledgerbook import Checks, claim, control, group, once, real, seed, step, whole
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum, minimum
from lib.scan_snap.mean_ascent import overlap_path
from lib.scan_snap.overlaps import (
    assumption_2,
    graph_gram,
    in_pairs,
    overlap,
    random_overlap,
    spectrum,
    xi_over_gamma,
)
from lib.scan_snap.sequence_classes import SequenceClasses, syn_medium, syn_small

GOLDEN = (1 + np.sqrt(5)) / 2  # four in a row: eigenvalues +-GOLDEN and +-1/GOLDEN
QUERIES = 1, 3, 5, 10  # of the paper's Syn-Medium
SINGULAR = {
    "three in a row": nx.path_graph(3),
    "five in a row": nx.path_graph(5),
    "star of four": nx.star_graph(3),
    "a pair and one alone": nx.disjoint_union(nx.path_graph(2), nx.empty_graph(1)),
}


class Family(NamedTuple):
    """An overlap pattern and the least vocabulary in which it meets the assumption."""

    name: str
    graph: Any
    smallest: int

    @property
    def below(self) -> int:
        return self.smallest - 1


FAMILIES = {
    f"{K}-pairs": Family(f"{K} classes in pairs", in_pairs(K), 36 * K**2 + 1) for K in (2, 8)
}
FAMILIES |= {
    f"{K}-common": Family(
        f"{K} classes, one common token", nx.complete_graph(K), 36 * K**2 * (K - 1) ** 2 + 1
    )
    for K in (3, 8)
}
FAMILIES["4-row"] = Family(
    "4 classes in a row, equal overlaps", nx.path_graph(4), int(np.ceil((24 * GOLDEN**2) ** 2))
)


def pattern(graph: nx.Graph) -> Array:
    """The overlap pattern of a graph: 1 where two classes overlap."""
    return graph_gram(graph, 1.0) - np.eye(len(graph))


def met(graph: nx.Graph, vocabulary: int, share: float = 1 - 1e-9) -> bool:
    """Whether a multiple of an overlap pattern meets Assumption 2: ``share`` of what H2 lets."""
    E = pattern(graph)
    return assumption_2(share / (len(E) * abs(spectrum(E)[0])) * E, vocabulary).satisfied


def of_any_strength(graph: nx.Graph) -> sp.Matrix:
    """E of an overlap pattern, each edge with a symbol of its own."""
    E = sp.zeros(len(graph), len(graph))
    for number, (i, j) in enumerate(graph.edges):
        E[i, j] = E[j, i] = sp.Symbol(f"s_{number}", positive=True)
    return E


def first_attention(classes: SequenceClasses) -> Array:
    """Rows f_n at Z = 0: the conditionals, normalized."""
    table = classes.conditional
    return table / np.linalg.norm(table, axis=1, keepdims=True)


class Published(NamedTuple):
    """One of the paper's data sets at uniform attention."""

    classes: Any
    E: np.ndarray
    margins: Any

    @property
    def room(self) -> float:
        """M / (36 K^2), M as in the public code."""
        return self.classes.vocab_size / (36 * self.classes.num_classes**2)


@dataclass
class Assumption02(Checks):
    """Assumption 2: what data meet it, whether the paper's do, whether training keeps it."""

    steps: int = whole(800, 400, 1600, holds=(400, 1000))
    wide: int = whole(300, 150, 600, holds=(250, 310))
    common_weight: float = real(0.5, 0.25, 1, holds=(0.46, 0.52))
    seed: int = seed()

    tag = "scan-snap.assumption-02"
    hypotheses = {
        "H1": r"many more tokens than pairs of classes, $M\gg K^2$",
        "H2": r"upper half: the largest eigenvalue has $|\lambda_1(E)|<1/K$",
        "H3": r"lower half: $|\lambda_i(E)|\ge6/\sqrt M$ for every $i$",
    }
    kernel_theorems = {"room": {}, "both_signs": {}, "two_classes": {}, "no_class_alone": {}}

    @step("decided", concludes=True)
    def room(self) -> bool:
        """H2 and H3 imply $M>36K^2$, all $K$: H1 is a consequence, with the constant 36"""
        K, root, band, _ = self.band()
        return follows(root * root > 36 * K * K, *band)

    @staticmethod
    def band() -> tuple[
        z3.ArithRef, z3.ArithRef, tuple[z3.BoolRef, ...], tuple[z3.ArithRef, z3.ArithRef]
    ]:
        """K, the root of M, H2 and H3 for the least and largest modulus, and these two."""
        K, low, high, root = z3.Reals("K low high sqrt_M")
        known = K >= 2, root > 0, 6 <= low * root, low <= high, high * K < 1
        return K, root, known, (low, high)

    @step("decided", concludes=True)
    def odd_needs_more(self) -> bool:
        r"""for odd $K$ the trace makes it $M>36K^2\big(\frac{K+1}{K-1}\big)^2$; at $K=3$ no
        constant above $36.2$ will do"""
        (K, root, band, (low, high)), m = self.band(), z3.Real("m")
        majority = *band, 2 * m >= K + 1, m < K, m * low <= (K - m) * high
        least, size = K * (K + 1), root * (K - 1)
        needed = follows(size > 6 * least, *majority)
        return needed and not follows(size > z3.Q(601, 100) * least, *majority, K == 3)

    @step("symbolic")
    def never(self) -> Facts:
        r"""an eigenvalue is exactly 0 for three in a row, five in a row, star of four, a pair and
        one alone, whatever the strengths of the overlaps: their determinants; a ring of four has
        $(s_0s_3-s_1s_2)^2$, 0 where all are equal"""
        s = sp.symbols("s_0:4", positive=True)
        determinants = [sp.Determinant(of_any_strength(graph)) for graph in SINGULAR.values()]
        ring = sp.Determinant(of_any_strength(nx.cycle_graph(4)))
        return [*((each, 0) for each in determinants), (ring, (s[0] * s[3] - s[1] * s[2]) ** 2)]

    data = group()

    @claim(
        "==",
        [False, True, False],
        "inequality",
        subject="@{case.name}, $M=@{case.smallest}$",
        met=True,
        cases=FAMILIES,
    )
    def family(self, case: Family) -> list[bool]:
        """@{case.name}: met at $M=@{case.smallest}$ and not at $M=@{case.below}$, nor with
        overlaps beyond H2 at twice that $M$"""
        graph, smallest = case.graph, case.smallest
        beyond = met(graph, 2 * smallest, 1 + 1e-9)
        return [met(graph, smallest - 1), met(graph, smallest), beyond]

    @claim("<=", 1e-9, "identity")
    def by_singular_values(self, rng: Generator) -> float:
        r"""$\frac1{K|\lambda_1|}$ of H2 and $\frac{\sqrt M}6\min_i|\lambda_i|$ of H3 for sixty
        random overlaps of 2 to 9 classes, $|\lambda_1|=0.1$, $M=500$, from eigenvalues and from
        singular values: largest difference"""
        off = []
        for K in rng.integers(2, 10, 60).tolist():
            E = random_overlap(K, 0.1, rng)
            least = np.linalg.svd(E, compute_uv=False)[-1]
            wanted = 1 / (K * 0.1), least * np.sqrt(500) / 6
            off.append(np.abs(np.subtract(assumption_2(E, 500), wanted)).max())
        return maximum(off)

    published_data = group()

    @once
    def published(self) -> list[Published]:
        """Syn-Medium with 1, 3, 5 and 10 queries."""
        found = []
        for queries in QUERIES:
            classes = syn_medium(queries)
            E = overlap(first_attention(classes))
            found.append(Published(classes, E, assumption_2(E, classes.vocab_size)))
        return found

    @claim(">", 1, "inequality", subject="Syn-Medium, 1 to 10 queries, at the start", met=False)
    def paper(self) -> float:
        r"""$\frac1{K|\lambda_1|}$ of H2, largest of the four"""
        return maximum(each.margins.upper for each in self.published)

    training = group()

    @once
    def paper_path(self) -> Array:
        """The overlap of Syn-Small's classes before each step, (steps,)."""
        return overlap_path(syn_small(), syn_small().vocab_size, self.steps)

    @once
    def inside_path(self) -> Array:
        """The same with weaker common tokens in the wide vocabulary."""
        return overlap_path(syn_small(self.common_weight), self.wide, self.steps)

    @property
    def inside_first(self) -> float:
        return self.inside_path[0]

    @property
    def inside_last(self) -> float:
        return self.inside_path[-1]

    def smaller_margin(self, now: float) -> float:
        """The smaller margin of the band for two classes with this overlap; 1 at its ends."""
        return minimum(0.5 / now, now * np.sqrt(self.wide) / 6)

    @claim("<", 0, "sign")
    def overlap_falls(self) -> float:
        """from the second step on (at the first $Y=0$) the overlap falls at every step, both runs:
        largest increase"""
        return maximum(np.diff(path[1:]).max() for path in (self.paper_path, self.inside_path))

    @claim(
        ">",
        1,
        "inequality",
        subject="weaker common tokens, $M=@{wide}$, at the start",
        met=True,
        rtol=1e-4,
    )
    def inside_at_first(self) -> float:
        """weaker common tokens, $M=@{wide}$, at the start: the smaller margin of the band, overlap
        @{inside_first:.3f}"""
        return self.smaller_margin(self.inside_first)

    @claim(
        ">",
        1,
        "inequality",
        subject="weaker common tokens, at step @{steps}",
        met=False,
        rtol=1e-4,
    )
    def lower_lost(self) -> float:
        """weaker common tokens, $M=@{wide}$, at step @{steps}: the smaller margin of the band,
        overlap @{inside_last:.3f}"""
        return self.smaller_margin(self.inside_last)

    without = group()

    @control("H1", "==", 0, kind="exact")
    def h1_implied(self, rng: Generator) -> int:
        """superfluous: of 400 random overlaps of 2 to 9 classes, each scaled up to H2, those that
        meet H3 at $M=36K^2$, where H1 begins to fail"""

        def meets(size: int) -> bool:
            E = random_overlap(size, (1 - 1e-9) / size, rng)
            return assumption_2(E, 36 * size**2).satisfied

        return sum(meets(size) for size in rng.integers(2, 10, 400).tolist())

    @control("H2", "<", 0, kind="sign")
    def h2_xi(self) -> float:
        r"""$\xi_n$ of Theorem 1 can turn negative: a hub with $|\lambda_1|=0.9$, $M=200$ (H1 and H3
        are gone there too)"""
        hub = np.zeros((6, 6))
        hub[:5, :5] = 0.45 * pattern(nx.star_graph(4))
        hub[0, 5] = hub[5, 0] = 0.002
        return xi_over_gamma(hub, 200)[5]

    @control("H3", ">", 0, kind="sign")
    def h3_too_strong(self) -> float:
        r"""H3 is more than $\xi_n>0$ needs: three classes in a row have a zero eigenvalue, and yet
        $\xi_n>0$ holds for each"""
        return xi_over_gamma(0.2 * pattern(nx.path_graph(3)), 500).min()
