"""Graph-SVM: what its rows measure.  The chapter: ``book/mechanics/graph_svm.ipynb``."""

import itertools
from dataclasses import dataclass
from typing import Any

import flint
import networkx as nx
import numpy as np
from numpy.random import Generator

from ledgerbook import Checks, claim, control, group, once, seed, whole
from lib.arrays import Array
from lib.measure import maximum, relative_error
from lib.mechanics.descent import cosine
from lib.mechanics.draws import cyclic_draw, drawn
from lib.mechanics.graph_svm import GraphSVM, InfeasibleGraphSVM, graph_svm, least_norm
from lib.mechanics.problem import Problem
from lib.mechanics.samples import (
    NextTokenData,
    from_sequences,
    gaussian_embeddings,
    orthonormal_embeddings,
)
from lib.mechanics.token_priority_graph import pair_matrices, priority_graphs, project


def separately(data: NextTokenData) -> Array | int:
    """Sum over last tokens of the separate solutions, as if they did not share W."""
    graphs = priority_graphs(data)
    return sum(
        graph_svm(data, {k: graph}).W for k, graph in graphs.items() if graph.priority_edges()
    )


def ordered(data: NextTokenData) -> dict[Any, tuple[list[tuple[Any, Any]], list[tuple[Any, Any]]]]:
    """{k: (pairs i < j of one component, pairs i above j)}, by reachability in the samples.

    From the samples, without the graphs of lib.
    """
    found = {}
    for k in sorted(set(data.last.tolist())):
        graph = nx.DiGraph()
        rows = data.last == k
        for row, label in zip(data.counts[rows], data.label[rows].tolist(), strict=True):
            graph.add_edges_from((label, j) for j in np.flatnonzero(row).tolist() if j != label)
        pairs = set(nx.transitive_closure(graph).edges)
        same = [(i, j) for i, j in pairs if i < j and (j, i) in pairs]
        found[k] = sorted(same), sorted((i, j) for i, j in pairs if (j, i) not in pairs)
    return found


def exact_svm(data: NextTokenData) -> tuple[bool, flint.fmpq, Array]:
    """The Graph-SVM's solution for whole-number embeddings, in rationals, from its KKT conditions.

    The solver's support vectors are only a guess of what is tight; all else is exact.  Returns
    (signs, margins and equalities hold for all pairs; |W|^2; W as floats).
    """
    guess, found = Problem(data).svm, ordered(data)
    support = [p for p, dual in zip(guess.pairs, guess.duals, strict=True) if dual > 1e-9]
    chains = [(k, *p) for k, graph in priority_graphs(data).items() for p in graph.cyclic_pairs()]
    rows, gram = support + chains, (data.embeddings @ data.embeddings.T).astype(int).tolist()

    def inner(one: tuple[int, int, int], two: tuple[int, int, int]) -> int:
        (k, i, j), (m, p, q) = one, two
        return gram[k][m] * (gram[i][p] - gram[i][q] - gram[j][p] + gram[j][q])

    system = flint.fmpq_mat(len(rows), len(rows), [inner(r, s) for r in rows for s in rows])
    wanted = flint.fmpq_mat(len(rows), 1, [1] * len(support) + [0] * len(chains))
    solved = system.solve(wanted)
    weights = [solved[r, 0] for r in range(len(rows))]

    def margin(pair: tuple[int, int, int]) -> flint.fmpq:
        terms = (w * inner(row, pair) for w, row in zip(weights, rows, strict=True))
        return sum(terms, flint.fmpq(0))

    holds = all(w >= 0 for w in weights[: len(support)])
    for k, (same, above) in found.items():
        holds &= all(margin((k, *pair)) == 0 for pair in same)
        holds &= all(margin((k, *pair)) >= 1 for pair in above)
    square = sum((w * margin(row) for w, row in zip(weights, rows, strict=True)), flint.fmpq(0))
    W = np.tensordot([int(w.p) / int(w.q) for w in weights], pair_matrices(data, rows), axes=1)
    return holds, square, W


def without_equalities(data: NextTokenData) -> Array:
    """The Graph-SVM with the margins only."""
    graphs = priority_graphs(data).items()
    listed = [(k, *pair) for k, graph in graphs for pair in graph.priority_pairs()]
    width = data.shape[2]
    flat = pair_matrices(data, listed).reshape(len(listed), -1)
    return least_norm(flat)[0].reshape(width, width)


def refused(data: NextTokenData) -> InfeasibleGraphSVM | None:
    """The solver's refusal of the Graph-SVM, ``None`` where it has a solution."""
    try:
        graph_svm(data, priority_graphs(data))
    except InfeasibleGraphSVM as error:
        return error
    return None


def independent_rows(rows: Array) -> bool:
    """Whether no row is a combination of the others."""
    return np.linalg.matrix_rank(rows) == len(rows)


@dataclass
class GraphSvm(Checks):
    """The Graph-SVM is feasible, with one solution."""

    tag = "mechanics.graph-svm"
    standing = "reconstructed"
    hypotheses = {
        "H1": "the embeddings are linearly independent (the head with $CE^\\top=I$)",
        "H2": "equal scores are asked for inside the components",
    }
    parts = {
        "feasible": ("kernel-feasibility",),
        "a solution": ("kernel-solution-exists",),
        "unique": ("kernel-uniqueness",),
        "in the data span": ("kernel-in-data-span",),
        "edges are enough": ("kernel-edges-suffice",),
        "zero only if nothing is ordered": ("kernel-zero-only-if-unordered",),
    }
    kernel_theorems = {
        "feasibility": dict(as_printed=True, concludes=True),
        "uniqueness": dict(as_printed=True, concludes=True),
        "optimal_from_certificate": {},
        "solution_exists": dict(as_printed=True, concludes=True),
        "in_data_span": dict(as_printed=True, concludes=True),
        "zero_only_if_unordered": dict(as_printed=True),
        "edges_suffice": dict(as_printed=True, concludes=True),
    }

    K: int = whole(6, 3, 12, holds=(5, 8))
    d: int = whole(
        8,
        lambda self: self.K + 1,
        16,
        holds=(lambda self: self.K + 1, 12),
        why="the picture turns K embeddings towards one more direction",
    )
    instances: int = whole(120, 10, 240, holds=(10, 200))
    seed: int = seed()

    @once
    def angles(self, rng: Generator) -> tuple[Array, Array]:
        """Overlaps of the embeddings, and degrees from the separate solution to the joint one."""
        data = cyclic_draw(rng, n=60, K=self.K, d=self.d)
        *frame, common = orthonormal_embeddings(self.K + 1, self.d, rng)
        overlaps, cosines = np.linspace(0, 0.9, 10), []
        for overlap in overlaps:
            E = np.sqrt(1 - overlap) * np.array(frame) + np.sqrt(overlap) * common
            tilt = data.with_embeddings(E)
            cosines.append(cosine(separately(tilt), Problem(tilt).svm.W))
        return overlaps, np.degrees(np.arccos(np.minimum(1.0, cosines)))

    exact = group()

    @once
    def solved(self, rng: Generator) -> list[tuple[Any, GraphSVM]]:
        """Orthonormal and whole-number embeddings by turns: (exact solutions, the solver's)."""
        draw = lambda: rng.integers(-2, 3, size=(self.K, self.d)).astype(float)
        size, found = (self.K, self.d), []
        for trial in range(self.instances):
            E = np.eye(*size) if trial % 2 == 0 else None
            E = drawn(draw, independent_rows, "K, d", size, most=100) if E is None else E
            data = cyclic_draw(rng, K=self.K, d=self.d, embeddings=E)
            found.append((exact_svm(data), Problem(data).svm))
        return found

    @claim("==", 0, "exact")
    def exact_certificate(self) -> int:
        r"""of @{instances} data sets, orthonormal or whole-number embeddings, those *without* an
        exact certificate: multipliers of the right sign, all equalities, margin at least 1 for
        *all* pairs $i\Rightarrow j$"""
        return sum(not holds for (holds, _, _), _ in self.solved)

    @claim("<=", 1e-10, "identity")
    def sum_of_multipliers(self) -> float:
        r"""the solver's multipliers of the priorities add up to $\|W^{svm}\|_F^2$, the rational
        solution's: largest relative difference"""
        return maximum(
            relative_error(found.duals.sum(), int(square.p) / int(square.q))
            for (_, square, _), found in self.solved
        )

    @claim("<=", 1e-10, "identity")
    def solver(self) -> float:
        """the book's solver, which asks for the edges only, against the rational solution: largest
        difference of an entry over the largest entry"""
        return maximum(relative_error(found.W, W) for (_, _, W), found in self.solved)

    @claim("<=", 1e-9, "identity")
    def any_length(self) -> float:
        r"""embeddings a million times shorter or longer: $W^{svm}$ is larger or smaller by the
        square of that, largest relative difference on 20 data sets with Gaussian embeddings"""
        found = []
        for data, factor in itertools.product(self.tilted, (1e-6, 1e6)):
            scaled = data.with_embeddings(factor * data.embeddings)
            W = factor**2 * Problem(scaled).svm.W
            found.append(relative_error(W, Problem(data).svm.W))
        return maximum(found)

    dependent = group()

    @once
    def in_between(self, rng: Generator) -> NextTokenData:
        """Two samples that want two tokens above one whose embedding is their mean."""
        rows = gaussian_embeddings(3, 3, rng)
        rows[2] = (rows[0] + rows[1]) / 2
        return from_sequences([[0, 2], [1, 2]], [0, 1], rows, independent=False)

    @control("H1", "<=", 1e-9, kind="identity")
    def between(self) -> float:
        """an embedding between two others: the named constraints' matrices add up to zero with
        positive weights, largest entry"""
        error = refused(self.in_between)
        if error is None or error.weights.min() <= 0:
            return 1.0  # nothing is named
        matrices = pair_matrices(self.in_between, error.pairs)
        return np.abs(np.tensordot(error.weights, matrices, axes=1)).max()

    apart = group()

    @once
    def tilted(self, rng: Generator) -> list[Any]:
        """Twenty data sets with Gaussian embeddings."""
        return [cyclic_draw(rng, K=self.K, d=self.d) for _ in range(20)]

    @control("H2", ">", 0.01, rtol=1e-4)
    def no_equalities(self) -> float:
        r"""margins alone: there are data whose solution leans into $\mathcal S_{fin}$, length of
        its part there over $\|W^{svm}\|_F$, largest of 20 data sets"""

        def lean(problem: Problem) -> np.floating:
            inside = project(problem.split.finite_basis, without_equalities(problem.data))
            return np.linalg.norm(inside) / problem.svm.norm

        return maximum(map(lean, map(Problem, self.tilted)))

    @claim(">", 1e-3, "inequality", rtol=1e-4)
    def one_at_a_time(self) -> float:
        """unit Gaussian embeddings, last tokens treated separately: median of 1 minus the cosine to
        $W^{svm}$"""
        return np.median([1 - cosine(separately(d), Problem(d).svm.W) for d in self.tilted])
