"""One attention layer with head C E^T = I as a Markov chain that the context conditions.

    P(next = j | X, last token k) = m_j P_kj / sum_l m_l P_kl,    P_kj = softmax_j(e_j^T W e_k).

The equivalence and its learning theory are from Ildiz, Huang, Li, Rawat and Oymak, *From
Self-Attention to Markov Models* (arXiv 2402.13512), of which the abstract was at hand: formulas are
reconstructed, not read.

Chapter: ``book/bridge/markov_chain.ipynb``.
"""

from collections.abc import Sequence

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.compiled import njit
from lib.log_sums import softmax
from lib.mechanics.loss_split import SplitLoss
from lib.validation import require


def transition_matrix(W: Array, embeddings: Array) -> Array:
    """P (K, K), row k = softmax over j of e_j^T W e_k."""
    return softmax(embeddings @ W.T @ embeddings.T)


def weights_of(P: ArrayLike, embeddings: Array) -> Array:
    """W (d, d) in the span of the embeddings whose transition matrix is P (K, K), entries > 0.

    Any other such W differs by scores that are constant in j.  Needs independent embeddings.
    """
    P = np.asarray(P, dtype=float)
    require((P > 0).all(), "P", P[P <= 0].tolist()[:3], "entries above 0")
    head = np.linalg.pinv(embeddings).T
    return head.T @ np.log(P).T @ head


def conditioned_law(P: Array, counts: ArrayLike, last: ArrayLike) -> Array:
    """(n, K): m_j P_kj, normalized: next tokens of inputs ``counts`` (n, K), last tokens (n,)."""
    weight = np.asarray(counts) * P[np.asarray(last)]
    return weight / weight.sum(axis=1, keepdims=True)


def log_chain(P: ArrayLike, split: SplitLoss) -> Array:
    """x (r,): coordinates in S_fin of W with transition matrix P, what a sample can know of it."""
    return split.coordinates(weights_of(P, split.data.embeddings))[0]


def copies_law(P: ArrayLike, steps: Sequence[int]) -> list[Array]:
    """Laws of the copies of token 1 in a text over {0, 1} that feeds on itself: exact.

    P: (2, 2).  The text begins with one of each, token 0 last, and whatever is written stays in
    the context.  steps: numbers of tokens written, increasing.  Entry i: (steps[i] + 1,), the
    chances of 1, 2, ... copies then.
    """
    P = np.asarray(P, dtype=float)
    require(P.shape == (2, 2), "P.shape", P.shape, "(2, 2)")
    increasing = len(steps) > 0 and steps[0] >= 1 and list(steps) == sorted(set(steps))
    require(increasing, "steps", list(steps), "increasing whole numbers, from 1")
    laws, written = [], 0
    law = np.zeros((2, steps[-1] + 1))  # by last token, then copies less one
    law[0, 0] = 1
    for wanted in steps:
        _write(law, P, written, wanted)
        laws.append(law[:, : wanted + 1].sum(axis=0))
        written = wanted
    return laws


@njit(cache=True, nogil=True)
def _write(law: Array, P: Array, written: int, wanted: int) -> None:
    """Brings ``law`` (2, m) from ``written`` tokens to ``wanted``, in place."""
    counts = np.arange(1.0, wanted + 2)
    for t in range(written, wanted):
        ones, zeros = counts[: t + 1], counts[: t + 1][::-1]  # t + 2 tokens are there
        after_zero, after_one = law[0, : t + 1], law[1, : t + 1]
        onward = after_zero * (ones * P[0, 1] / (ones * P[0, 1] + zeros * P[0, 0]))
        onward += after_one * (ones * P[1, 1] / (ones * P[1, 1] + zeros * P[1, 0]))
        law[0, : t + 1] += after_one - onward
        law[1, 0] = 0
        law[1, 1 : t + 2] = onward
