"""The Graph-SVM: the least W that scores every token above those it has priority over
(*Mechanics*).

    minimize |W|_F  with  (e_i - e_j)^T W e_k  = 0 where i ≍ j,  >= 1 where i ⇒ j  in graph k.

The equalities are projected out, the rest is Lawson and Hanson's least-distance problem: one
non-negative least-squares solve on the squared norm, then an exact solve on the active set.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import lsq_linear, nnls

from lib.arrays import Array, Mask
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import (
    Graphs,
    cyclic_basis,
    pair_matrices,
    priority_graphs,
    project,
)


class InfeasibleGraphSVM(ValueError):
    """No W meets the constraints.

    pairs: (k, i, j), or row numbers, whose constraints contradict each other.  weights: the
    positive combination of their left sides that vanishes (Farkas).
    """

    def __init__(self, pairs: Sequence[Any], weights: Any) -> None:
        self.pairs, self.weights = pairs, weights
        stated = ", ".join(map(_said, pairs))
        super().__init__(f"infeasible Graph-SVM: these cannot hold together: {stated}")


def feasible(data: NextTokenData) -> bool:
    """Whether the Graph-SVM of ``data`` has a solution; dependent embeddings may leave none."""
    try:
        graph_svm(data, priority_graphs(data))
    except InfeasibleGraphSVM:
        return False
    return True


def _said(pair: int | tuple[int, int, int]) -> str:
    """A constraint in words; ``pair`` is (k, i, j), or the number of a row without a name."""
    if isinstance(pair, int):
        return f"row {pair}"
    k, i, j = pair
    return f"token {i} above token {j} with last token {k}"


class GraphSVM(NamedTuple):
    """The solution and its certificate.

    W: (d, d); zero when nothing is ordered.
    pairs: (k, i, j) of the inequalities; margins: (e_i - e_j)^T W e_k of each; duals: >= 0, with
        W = sum of duals times the pairs' matrices with S_fin projected out.
    """

    W: np.ndarray
    pairs: list
    margins: np.ndarray
    duals: np.ndarray

    @property
    def norm(self) -> float:
        """|W_svm|_F."""
        return float(np.linalg.norm(self.W))


def graph_svm(data: NextTokenData, graphs: Graphs) -> GraphSVM:
    """Solve the Graph-SVM of ``data`` (``NextTokenData``) exactly.

    graphs: as from ``priority_graphs`` (give local graphs for the local problem).
    There is one inequality for each directly ordered pair of components: those of all other pairs
    follow.  Raises ``InfeasibleGraphSVM`` (dependent embeddings only).
    """
    listed = [(k, *pair) for k, graph in graphs.items() for pair in graph.priority_edges()]
    basis, matrices = cyclic_basis(data, graphs), pair_matrices(data, listed)
    d = data.shape[2]
    if not listed:
        return GraphSVM(np.zeros((d, d)), [], np.zeros(0), np.zeros(0))
    rows = (matrices - project(basis, matrices)).reshape(len(listed), -1)
    w, duals = least_norm(rows, listed)
    W = w.reshape(d, d)
    return GraphSVM(W, listed, np.tensordot(matrices, W, axes=2), duals)


def least_norm(rows: Array, names: Any = None) -> tuple[Array, Array]:
    """argmin |w| with rows @ w >= 1; returns (w, duals) with w = rows.T @ duals, duals >= 0.

    rows: (m, p).  names: (k, i, j) of each row for the error, numbers when omitted.
    Raises ``InfeasibleGraphSVM``.
    """
    names = list(range(len(rows))) if names is None else names
    sizes = np.linalg.norm(rows, axis=1)
    scale = sizes.max()
    if (sizes <= 1e-10 * max(scale, 1e-300)).any():
        at_fault = int(sizes.argmin())
        raise InfeasibleGraphSVM([names[at_fault]], np.ones(1))
    stacked = np.vstack([rows.T / scale, np.ones(len(rows))])
    duals, distance = nonnegative_solution(stacked, np.r_[np.zeros(rows.shape[1]), 1.0])
    if distance < 1e-9:
        active = np.flatnonzero(duals > 1e-9 * duals.max())
        raise InfeasibleGraphSVM([names[r] for r in active], duals[active])
    return _polish(rows, duals > 0)


def nonnegative_solution(matrix: Array, aim: Array) -> tuple[Array, float]:
    """Non-negative least squares: x >= 0 with |matrix x - aim| least.  Returns x (k,) and this
    norm.

    scipy's ``nnls`` sometimes returns a point that is no solution.  Its answer is checked by the
    optimality conditions, and where they fail ``lsq_linear`` solves the problem.
    """
    found, left = nnls(matrix, aim, maxiter=100 * matrix.shape[1])
    rest = aim - matrix @ found
    slope = matrix.T @ rest
    off = max(slope.max(initial=0), np.abs(slope[found > 0]).max(initial=0))
    size = np.linalg.norm(aim)
    if abs(np.linalg.norm(rest) - left) > 1e-10 * size or off > 1e-9 * size * max(1, matrix.max()):
        found = lsq_linear(matrix, aim, (0, np.inf), method="bvls", tol=1e-15, max_iter=1000).x
        left = np.linalg.norm(matrix @ found - aim)
    return found, left


def _polish(rows: Array, active: Mask) -> tuple[Array, Array]:
    """w = A^+ 1 on the active rows, exact to rounding, and its duals (which need not be unique)."""
    w = np.linalg.lstsq(rows[active], np.ones(active.sum()), rcond=None)[0]
    tight = rows @ w < 1 + 1e-9
    duals = np.zeros(len(rows))
    duals[tight] = nonnegative_solution(rows[tight].T, w)[0]
    return w, duals
