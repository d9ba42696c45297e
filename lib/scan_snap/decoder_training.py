"""The decoder trained over frozen attention (*Scan and Snap*, Lemma 3 and Eqs. (7), (8), (40)).

By steps of one class each and by rounds of all classes; any overlaps of the features.
"""

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.log_sums import softmax


def decoder_ascent(
    labels: ArrayLike, M: int, eta_y: float, gram: Array | None = None
) -> tuple[Array, Array]:
    """Gradient ascent of the decoder in steps of one class each, with attention frozen, from W = 0.

        w_j <- w_j + eta_Y (f_j . f_n) (e_n - alpha_n),    alpha_n = softmax(w_n)

    This is the original update, Eq. (40) of *Scan and Snap*, for the rows w_j = Y^T f_j.  Without
    ``gram`` the classes do not overlap, and it is the decoupled update (8) of Lemma 3.

    labels: (N,), the class n of each step.  M: size of the vocabulary.  eta_y: learning rate.
    gram: (K, K), F^T F.

    Returns (W, alphas): W (N + 1, K, M), the rows after each step, the start first; alphas (N, M),
    the softmax alpha_n before each step.

    >>> W, alphas = decoder_ascent([0], 3, 1.5)
    >>> W[1].round(12).tolist()
    [[1.0, -0.5, -0.5]]
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
