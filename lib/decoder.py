"""The decoder's closed forms (*Scan and Snap*, Section 4 and Appendix D): zeta, h*, h, gamma.

With attention frozen the decoder row of a class moves along one vector, zeta_n; how far is
one number: h* in steps, h in continuous time.
"""

import numpy as np
from scipy.special import wrightomega

from lib.validation import require, require_integer, require_rate


def zeta(n, M):
    """zeta_n = M/(M-1) (e_n - 1/M) in R^M (D.1): 1 at n, -1/(M-1) elsewhere."""
    require_integer("M", M, 2)
    require_integer("n", n, 0, M - 1)
    vector = np.full(M, -1 / (M - 1))
    vector[n] = 1
    return vector


def h_star(steps, M, eta_y):
    """h*(0), ..., h*(steps) of the recursion (33); shape (steps + 1,)."""
    require_integer("steps", steps, 0)
    require_integer("M", M, 2)
    require_rate("eta_y", eta_y)
    values = np.zeros(steps + 1)
    for s in range(steps):
        values[s + 1] = values[s] + eta_y * speed(values[s], M)
    return values


def speed(h, M):
    """dh/dt over eta_y: 1 / (M - 1 + exp(M h)), the right-hand side of (33) and (44)."""
    return np.exp(-np.logaddexp(np.log(M - 1), M * np.asarray(h, dtype=float)))


def h(t, M, eta_y):
    """The continuous h(t) of (44), from its implicit form (45); t >= 0, any shape.

    With u = M h: e^u + (M-1) u = M eta_y t + 1, solved by the Wright omega function and
    polished by Newton steps in ``expm1``, which keep full relative precision as t -> 0.
    """
    require_integer("M", M, 2)
    require_rate("eta_y", eta_y)
    t = np.asarray(t, dtype=float)
    require((t >= 0).all() and np.isfinite(t).all(), "t", "negative or non-finite times", "finite t >= 0")
    target = M * eta_y * t
    u = np.log(M - 1) + np.log(wrightomega((target + 1) / (M - 1) - np.log(M - 1)))
    for _ in range(3):
        u = u - (np.expm1(u) + (M - 1) * u - target) / (np.exp(u) + M - 1)
    return u / M


def gamma(t, M, eta_y, K=1):
    """The speed coefficient gamma(t) of Theorem 1, Eq. (85), with h at t/K (no rounding up)."""
    require_integer("K", K, 1, M)
    value = h(np.asarray(t, dtype=float) / K, M, eta_y)
    return (M - 1) ** 2 * value * speed(value, M)


def decoder_ascent(labels, M, eta_y, gram=None):
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
        weights = np.exp(W[s, n] - W[s, n].max())
        alphas[s] = weights / weights.sum()
        residual = -alphas[s]
        residual[n] += 1
        W[s + 1] = W[s] + eta_y * np.outer(gram[:, n], residual)
    return W, alphas


def decoder_epochs(epochs, M, eta_y, gram):
    """As ``decoder_ascent`` (40), but each step takes every class once: no sampling noise.

    Returns W after the last of ``epochs`` steps, (K, M); ``gram`` is F^T F, (K, K).
    """
    gram = np.asarray(gram)
    W = np.zeros((len(gram), M))
    for _ in range(epochs):
        weights = np.exp(W - W.max(axis=1, keepdims=True))
        residuals = np.eye(len(gram), M) - weights / weights.sum(axis=1, keepdims=True)
        W = W + eta_y * gram @ residuals
    return W


def equal_overlap_gram(K, rho):
    """F^T F of K classes whose every pair has f_n . f_n' = rho (Remark 1): shape (K, K)."""
    require(0 <= rho <= 1, "rho", rho, "0 <= rho <= 1")
    return (1 - rho) * np.eye(K) + rho
