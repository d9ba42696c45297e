"""One attention layer with head C E^T = I as a Markov chain that the context conditions.

    P(next = j | X, last token k) = m_j P_kj / sum_l m_l P_kl,    P_kj = softmax_j(e_j^T W e_k).

The equivalence and its learning theory are from Ildiz, Huang, Li, Rawat and Oymak, *From
Self-Attention to Markov Models* (arXiv 2402.13512), of which the abstract was at hand: formulas are
reconstructed, not read.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import softmax

from lib.mechanics.loss_split import SplitLoss
from lib.validation import require, require_integer


def transition_matrix(W, embeddings):
    """P (K, K), row k = softmax over j of e_j^T W e_k."""
    return softmax(embeddings @ W.T @ embeddings.T, axis=1)


def weights_of(P, embeddings):
    """W (d, d) in the span of the embeddings whose transition matrix is P (K, K), entries > 0.

    Any other such W differs by scores that are constant in j.  Needs independent embeddings.
    """
    P = np.asarray(P, dtype=float)
    require((P > 0).all(), "P", P[P <= 0].tolist()[:3], "entries above 0")
    head = np.linalg.pinv(embeddings).T
    return head.T @ np.log(P).T @ head


def conditioned_law(P, counts, last):
    """(n, K): m_j P_kj, normalized: next tokens of inputs ``counts`` (n, K), last tokens (n,)."""
    weight = np.asarray(counts) * P[np.asarray(last)]
    return weight / weight.sum(axis=1, keepdims=True)


def log_chain(P, split):
    """x (r,): coordinates in S_fin of W with transition matrix P, what a sample can know of it."""
    return split.coordinates(weights_of(P, split.data.embeddings))[0]


def information(P, split: SplitLoss):
    """Fisher information of one sample of P about the coordinates x of S_fin: (r, r).

    ``split`` holds one sample for each prompt, with its probability as weight.
    """
    return split.cyclic(log_chain(P, split)).hessian


class Urn(NamedTuple):
    """Trajectories that keep all they wrote.  steps: (s,); counts: (s, runs, K), multiplicities."""

    steps: np.ndarray
    counts: np.ndarray


def trajectories(P, counts, last, steps, runs, rng):
    """``Urn`` after each of ``steps`` (increasing): the next token joins the context for ever.

    counts: (K,), the prompt; last: its last token.  Every run draws from ``conditioned_law`` and
    moves on to the token that it drew.
    """
    require(list(steps) == sorted(set(steps)), "steps", list(steps), "increasing steps")
    require_integer("runs", runs, 1)
    now, at = np.tile(np.asarray(counts, dtype=float), (runs, 1)), np.full(runs, last)
    kept, wanted, run = [], set(steps), np.arange(runs)
    for step in range(1, steps[-1] + 1):
        reach = np.cumsum(now * P[at], axis=1)
        at = (rng.random(runs)[:, None] * reach[:, -1:] < reach).argmax(axis=1)
        now[run, at] += 1
        if step in wanted:
            kept.append(now.copy())
    return Urn(np.asarray(steps), np.array(kept))
