"""The decoder trained over frozen attention (*Scan and Snap*, Lemma 3 and Eqs. (7), (8), (40)).

By steps of one class each and by rounds of all classes; any overlaps of the features.
"""

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.log_sums import softmax


def decoder_ascent(
    labels: ArrayLike, M: int, eta_y: float, gram: Array | None = None
) -> tuple[Array, Array]:
    """Discrete gradient ascent of the decoder in W space, from W = 0.

    labels: (N,) class of each step; M: vocabulary.  ``gram = F^T F`` (K, K) gives the original
    dynamics (40), row j moving by ``gram[j, n]``; omitted, the decoupled Lemma 3, Eq. (8).
    Returns ``(W, alphas)``: (N+1, K, M) rows w_j after each step and (N, M) the softmax
    alpha_n that step s + 1 saw, that is, before its update.
    """
    labels = np.asarray(labels)
    K = int(labels.max()) + 1 if gram is None else len(gram)
    gram = np.eye(K) if gram is None else np.asarray(gram)
    W = np.zeros((len(labels) + 1, K, M))
    alphas = np.empty((len(labels), M))
    for s, n in enumerate(labels):
        alphas[s] = softmax(W[s, n])
        shortfall = -alphas[s]
        shortfall[n] += 1
        W[s + 1] = W[s] + eta_y * np.outer(gram[:, n], shortfall)
    return W, alphas


def decoder_epochs(
    epochs: int, M: int, eta_y: float, gram: Array, start: float | Array = 0.0
) -> Array:
    """As ``decoder_ascent`` (40), but each step takes every class once: no sampling noise.

    Returns W after the last of ``epochs`` steps from ``start``, (K, M); ``gram`` is F^T F, (K, K).
    """
    pull, labels = eta_y * np.asarray(gram), np.eye(len(gram), M)
    W = np.zeros(labels.shape) + start
    for _ in range(epochs):
        W += pull @ (labels - softmax(W))
    return W
