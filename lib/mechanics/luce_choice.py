"""Maximum likelihood in Luce's choice model, whose log strengths W_fin turns out to hold
(*Mechanics*).

Luce 1959; Ford 1957 for the condition, Hunter 2004 for the iteration.

From a set of alternatives, j is chosen with probability proportional to m_j w_j.  The
maximum-likelihood strengths exist, and are unique up to a factor, exactly when the graph "was
chosen over" is strongly connected (Ford's condition).

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

import numpy as np
from scipy.linalg import null_space
from scipy.optimize import linprog

from lib.arrays import Array, ArrayLike
from lib.validation import require


def luce_strengths(
    counts: ArrayLike, label: ArrayLike, tolerance: float = 1e-14, rounds: int = 200_000
) -> Array:
    """Maximum-likelihood log strengths (K,), mean 0 over the tokens that occur: Hunter's MM.

    counts: (n, K) multiplicities m of the alternatives; label: (n,) the choices.
    Tokens that never occur get nan.  Raises ``ValueError`` if the iteration does not settle, as
    when Ford's condition fails.
    """
    counts = np.asarray(counts, dtype=float)
    wins = np.bincount(label, minlength=counts.shape[1]).astype(float)
    seen = counts.sum(axis=0) > 0
    strengths = seen.astype(float)
    for _ in range(rounds):
        demand = (1 / (counts @ strengths)) @ counts
        new = np.divide(wins, demand, out=np.zeros_like(wins), where=seen)
        require(
            (new[seen] > 0).all(),
            "label",
            np.flatnonzero(seen & (new <= 0)).tolist(),
            "tokens that are chosen at least once (Ford's condition)",
        )
        new /= np.exp(np.log(new[seen]).mean())
        settled = np.abs(np.log(new[seen] / strengths[seen])).max() < tolerance
        strengths = new
        if settled:
            break
    require(settled, "rounds", rounds, "enough for the iteration to settle")
    return np.log(np.where(seen, strengths, np.nan))


def escape_direction(features: Array) -> Array | None:
    """A direction in which no sample ever loses; ``None`` if none is: the log-loss is coercive.

    features: (n, K, p), p >= 1, change of a_ij - a_{i y_i} per unit of each coordinate, 0 for
    absent tokens.  A linear program looks for the v with features @ v <= 0 everywhere, in the box
    |v| <= 1, along which rivals lose most in all.  Where none loses, v is one that the features do
    not see at all, if there is one: the loss is flat along it.  Returns (p,) or None.
    """
    rows = features.reshape(-1, features.shape[2])
    found = linprog(rows.sum(axis=0), A_ub=rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1))
    if found.fun < -1e-7:
        return found.x
    unseen = null_space(rows)
    return unseen[:, 0] if unseen.size else None
