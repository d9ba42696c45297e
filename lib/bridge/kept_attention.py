"""How much attention losers keep late in training beside a decoder that hands on mass.

Without cycles W goes on like W_svm ln t + c, so that loser l of context i keeps, times t and the
weight, w_i m_il / m_iy e^{-c's lead}.  Added up over contexts that share a query, a label and a
loser, these are multipliers of the Graph-SVM.  Where several multipliers give the same W_svm, the
form of c picks those that are nearest to the weights in relative entropy.

Chapter: ``book/bridge/distinct_common.ipynb``.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from lib.arrays import Array
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import pair_matrices

TIGHT = 1e-7  # how far above 1 a margin may be that counts as tight


class Leaks(NamedTuple):
    """triples: (query, label, loser), (p, 3).  rows: (p, d d), their matrices.  W: (d d,), W_svm.

    tight: (p,) booleans.  share: (p,), weight times multiplicity over the label's, added up.
    """

    triples: np.ndarray
    rows: np.ndarray
    W: np.ndarray
    tight: np.ndarray
    share: np.ndarray

    @property
    def one_choice(self) -> bool:
        """Whether the tight rows are linearly independent, so that multipliers are unique."""
        return np.linalg.matrix_rank(self.rows[self.tight]) == self.tight.sum()


def _by_triple(data: NextTokenData, values: Array) -> dict[tuple[int, int, int], float]:
    """{(query, label, loser): sum of values (n, K) over the contexts that share it}."""
    found = {}
    for i, j in np.argwhere(data.counts > 0).tolist():
        if j != data.label[i]:
            key = int(data.last[i]), int(data.label[i]), j
            found[key] = found.get(key, 0.0) + values[i, j]
    return dict(sorted(found.items()))


def leaks(data: NextTokenData) -> Leaks:
    """``Leaks`` of data without a cycle."""
    own = data.counts[np.arange(len(data.label)), data.label]
    share = _by_triple(data, data.weight[:, None] * data.counts / own[:, None])  # type: ignore[index]
    triples = np.array([*share])
    rows = pair_matrices(data, [tuple(one) for one in triples.tolist()]).reshape(len(triples), -1)
    W = Problem(data).svm.W.ravel()
    return Leaks(triples, rows, W, rows @ W < 1 + TIGHT, np.array([*share.values()]))


def kept(data: NextTokenData, shares: Array) -> Array:
    """(p,): t weight attention (n, K) added up, in the order of ``leaks(data).triples``."""
    return np.array([*_by_triple(data, shares).values()])


def chosen(problem: Leaks) -> Array:
    """(p,) multipliers of ``Leaks`` nearest to its shares in relative entropy; 0 where not tight.

    With c from the least of sum share e^{-row c} + c W over tight rows, they are share e^{-row c}.
    """
    rows, share = problem.rows[problem.tight], problem.share[problem.tight]
    _, sizes, basis = np.linalg.svd(rows, full_matrices=False)
    basis = basis[sizes > 1e-9]
    rows, W = rows @ basis.T, basis @ problem.W

    def value(c: Array) -> tuple[float, Array]:
        each = share * np.exp(-rows @ c)
        return each.sum() + c @ W, W - rows.T @ each

    hessian = lambda c: rows.T @ ((share * np.exp(-rows @ c))[:, None] * rows)
    zero = np.zeros(rows.shape[1])
    found = minimize(value, zero, jac=True, hess=hessian, method="trust-exact", tol=1e-12)
    multipliers = np.zeros(len(problem.share))
    multipliers[problem.tight] = share * np.exp(-rows @ found.x)
    return multipliers
