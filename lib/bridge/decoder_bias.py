"""The linear decoder over fixed contexts as the attention layer that always sees every token.

Thrampoulidis (arXiv 2402.18551): contexts h_j, each with a law of next tokens; logits W h_j.  Its
loss is that of *Mechanics* for inputs that hold the whole vocabulary once, with query h_j; so
``Problem`` of ``decoder_data`` has W* as ``fin`` and W^mm as ``svm``.

For *Scan and Snap* h_n = f_n, one next token a class, and W is the transpose of Y.

Chapter: ``book/bridge/decoder_bias.ipynb``.
"""

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.mechanics.samples import NextTokenData
from lib.scan_snap.decoder import zeta
from lib.scan_snap.overlaps import dual_vectors, gram
from lib.validation import require, require_probability_table


def decoder_data(
    contexts: ArrayLike, law: ArrayLike, weight: ArrayLike | None = None
) -> NextTokenData:
    """``NextTokenData`` over V tokens, then m queries; one sample for each context and next token.

    contexts: (m, d) vectors h_j.  law: (m, V), row j the law of the next token after h_j.
    weight: (m,), how often each context comes; 1/m when omitted.
    """
    contexts, law = np.asarray(contexts, dtype=float), require_probability_table("law", law)
    (m, d), V = contexts.shape, law.shape[1]
    require(len(law) == m, "law.shape", law.shape, f"({m}, V), a row for each context")
    weight = np.full(m, 1 / m) if weight is None else np.asarray(weight, dtype=float)
    embeddings = np.zeros((V + m, V + d))
    embeddings[:V, :V], embeddings[V:, V:] = np.eye(V), contexts
    j, label = np.nonzero(law)
    counts = np.zeros((len(j), V + m))
    counts[:, :V] = 1
    independent = bool(np.linalg.matrix_rank(contexts) == m)
    return NextTokenData(
        counts,
        V + j,
        label,
        embeddings,
        weight[j] * law[j, label],
        independent=independent,
        complete=False,
    )


def decoder_of(W: Array, V: int) -> Array:
    """The decoder (..., V, d) in a matrix W (..., V + d, V + d) over ``decoder_data``."""
    return W[..., :V, V:]


def entropy(law: ArrayLike, weight: ArrayLike) -> float:
    """Sum over contexts of weight_j times the entropy of row j of ``law``: no loss is below it."""
    law = np.asarray(law, dtype=float)
    logs = np.log(np.where(law > 0, law, 1))
    return float(-(np.asarray(weight)[:, None] * law * logs).sum())


def modified_direction(F: Array, M: int) -> Array:
    """(M, d): where the modified update (26) of *Scan and Snap* goes, scaled to margin 1.

    F: (K, d), independent unit rows f_n, next tokens 0 .. K-1.  Lemma 5: w_n = (M - 1) h* zeta_n.
    """
    tables = np.array([zeta(n, M) for n in range(len(F))]) * (M - 1) / M
    return tables.T @ dual_vectors(F)


def tight_multipliers(F: Array, M: int) -> Array:
    """(K, M): lambda_nv with which ``modified_direction`` is sum lambda_nv (e_n - e_v) f_n^T.

    (G^-1 1)_n / M - (G^-1)_nv, G = F F^T, the second term for classes v only; 0 at v = n.  It is
    the max-margin direction exactly when none is negative.
    """
    inverse = np.linalg.inv(gram(F))
    K = len(inverse)
    multipliers = np.repeat(inverse.sum(axis=1, keepdims=True) / M, M, axis=1)
    multipliers[:, :K] -= inverse
    multipliers[np.arange(K), np.arange(K)] = 0
    return multipliers
