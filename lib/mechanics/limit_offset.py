"""The bounded part of W that remains in the limit: rho in W = log t W_svm + W_fin + rho
(*Mechanics*).

A leak of token j of sample i is c_ij e^{-gap}, and W_svm gives every gap at least 1 per unit of
log t.  Those with exactly 1 are tight; in their span the flow comes to rest at the minimizer of

    Phi(rho) = sum_tight c_r e^{-f_r . rho} + W_svm . rho,

which is found without running the flow.  The same potential governs other losses, with other c.
A tie, a tight row that no multipliers of W_svm use (``unsupported``), leaves Phi without a
minimizer, because along it a leak can go on falling and nothing pulls back.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog

from lib.arrays import Array, Mask
from lib.log_sums import log_sum_exp
from lib.mechanics.loss_split import Part, SplitLoss, minimize
from lib.validation import require

TIGHT = 1e-8  # a margin this near to 1 is tight


class Leaks(NamedTuple):
    """The leading leaks c_r e^{-rows_r . z}.

    pairs: (m, 2) of (sample, token).  rows: (m, q), the gaps' gradients in the coordinates z.
    log_c: (m,).
    """

    pairs: np.ndarray
    rows: np.ndarray
    log_c: np.ndarray


def leaks(split: SplitLoss, x_fin: Array) -> Leaks:
    """``Leaks`` of a ``SplitLoss`` (log-loss) with the finite part at rest at x_fin (r,)."""
    common = split.finite_features @ x_fin + split.data.log_counts
    inside = log_sum_exp(np.where(split.inside, common, -np.inf))[:, None]
    log_c = np.log(split.data.weight)[:, None] + common - inside  # type: ignore[arg-type]
    return Leaks(
        np.argwhere(split.outside), -split.outer_features[split.outside], log_c[split.outside]
    )


class Offset(NamedTuple):
    """The resting point of the offset and how it is approached.

    rho: (q,), in the span of the tight rows.  basis: (p, q), orthonormal, of that span.
    weights: (m,), c_r e^{-f_r . rho} of the tight rows: multipliers of the Graph-SVM, 0 for slack
    rows.
    rates: (p,), the Hessian's eigenvalues, increasing; excess: the least slack margin minus 1
    (infinity: none).
    """

    rho: np.ndarray
    basis: np.ndarray
    weights: np.ndarray
    rates: np.ndarray
    excess: float

    @property
    def exponent(self) -> float:
        """alpha: the offset approaches ``rho`` like t^-alpha."""
        return float(min(self.rates[0], self.excess, 1.0))


def tight_rows(found: Leaks, w: Array) -> Mask:
    """(m,) booleans: the rows of ``Leaks`` whose margin at the Graph-SVM's solution w (q,) is 1."""
    return found.rows @ w < 1 + TIGHT


def unsupported(found: Leaks, w: Array) -> Array:
    """(m, q): tight rows that no multipliers of w use, off the span of the others; else 0.

    Where there are such rows the data are *degenerate*: w is no positive combination of all tight
    rows, and the offset grows like log log t along the Graph-SVM's solution for these rows.
    """
    tight, rest = np.flatnonzero(tight_rows(found, w)), np.zeros(found.rows.shape)
    used = tight[_usable(found.rows[tight], w)]
    support, bare = found.rows[used], np.setdiff1d(tight, used)
    rest[bare] = found.rows[bare] - found.rows[bare] @ np.linalg.pinv(support) @ support
    return rest


def _usable(rows: Array, w: Array) -> Mask:
    """Booleans: the rows with a positive weight in *some* non-negative combination that gives w.

    One linear program finds the largest such set: maximize sum of t_r over 0 <= t_r <= 1, u_r >=
    0 and sum (t_r + u_r) rows_r = tau w, tau >= 1.  The optimal t are 0 or 1.
    """
    m = len(rows)
    equal = np.c_[rows.T, rows.T, -w]
    found = linprog(
        np.r_[-np.ones(m), np.zeros(m + 1)],
        A_eq=equal,
        b_eq=np.zeros(len(w)),
        bounds=[(0, 1)] * m + [(0, None)] * m + [(1, None)],
    )
    require(found.success, "multipliers", found.message, "a Graph-SVM's solution w")
    return found.x[:m] > 0.5


def offset(found: Leaks, w: Array) -> Offset:
    """The ``Offset`` for ``Leaks`` and the Graph-SVM's w (q,), in the same coordinates.

    Raises ``ValueError`` for degenerate data, whose offset grows without bound.
    """
    bad = np.flatnonzero(unsupported(found, w).any(axis=1))
    require(
        not len(bad),
        "leaks",
        found.pairs[bad].tolist(),
        "none: each tight (sample, token) has a positive multiplier",
    )
    tight = tight_rows(found, w)
    _, singular, basis = np.linalg.svd(found.rows[tight], full_matrices=False)
    basis = basis[singular > 1e-10 * singular[0]]
    rows, log_c, pull = found.rows[tight] @ basis.T, found.log_c[tight], basis @ w

    def potential(y: Array) -> Part:
        # A Newton step may overshoot to e^1000, beyond a float (e^709).  Any huge finite value
        # makes the line search halve it; 600 leaves room for the sums over rows.
        terms = np.exp(np.minimum(log_c - rows @ y, 600))
        return Part(
            float(terms.sum() + pull @ y), pull - terms @ rows, (rows * terms[:, None]).T @ rows
        )

    y = minimize(potential, np.linalg.lstsq(rows, log_c, rcond=None)[0])
    weights = np.zeros(len(tight))
    weights[tight] = np.exp(log_c - rows @ y)
    excess = (found.rows[~tight] @ w - 1).min(initial=np.inf)
    return Offset(
        basis.T @ y,
        basis,
        weights,
        np.linalg.eigvalsh(potential(y).hessian),  # type: ignore[arg-type]
        float(excess),
    )
