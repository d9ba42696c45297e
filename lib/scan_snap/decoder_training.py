"""The decoder trained over frozen attention (*Scan and Snap*, Lemma 3 and Eqs. (7), (8), (40)).

By steps of one class each, by rounds of all classes, and as a flow; any overlaps of the features.
"""

import numpy as np
from scipy.integrate import solve_ivp

from lib.log_sums import log_sum_exp, softmax
from lib.validation import require_integer


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
        alphas[s] = softmax(W[s, n])
        shortfall = -alphas[s]
        shortfall[n] += 1
        W[s + 1] = W[s] + eta_y * np.outer(gram[:, n], shortfall)
    return W, alphas


def decoder_epochs(epochs, M, eta_y, gram):
    """As ``decoder_ascent`` (40), but each step takes every class once: no sampling noise.

    Returns W after the last of ``epochs`` steps, (K, M); ``gram`` is F^T F, (K, K).
    """
    gram = np.asarray(gram)
    W = np.zeros((len(gram), M))
    for _ in range(epochs):
        W = W + eta_y * gram @ (np.eye(len(gram), M) - softmax(W))
    return W


def overlap_flow(grammar, M, log_times):
    """Rows w_n of W = F'Y under (7) as a flow, for any overlaps, all classes at the same pace.

    grammar: (K, K), inner products of the features; log_times: increasing logarithms of eta_Y times
    the visits per class, the first so early that the errors still stand as at 0.  Returns
    (len, K, K + 1): the classes' next tokens, then one column for all M - K other tokens.
    ``equal_overlap_flow`` is the case of equal overlaps, in two numbers.
    """
    K = len(grammar)
    require_integer("M", M, K)
    times = np.asarray(log_times, dtype=float)

    def velocity(log_time, flat):
        return (grammar @ scaled_errors(log_time, flat.reshape(K, K + 1), M)).ravel()

    start = velocity(times[0], np.zeros(K * (K + 1)))
    found = solve_ivp(
        velocity, times[[0, -1]], start, t_eval=times, method="LSODA", rtol=1e-9, atol=1e-10
    )
    return found.y.T.reshape(-1, K, K + 1)


def scaled_errors(log_time, W, M):
    """t (e_n - alpha_n) of all classes, (K, K + 1), W and its columns as in ``overlap_flow``.

    The product, not its factors: at ln t = 700 no exponential leaves its range.
    """
    K = len(W)
    copies = np.r_[np.ones(K), M - K]
    with np.errstate(divide="ignore"):  # no other tokens
        total = log_sum_exp(W + np.log(copies))[:, None]
    errors = -np.exp(log_time + W - total)
    np.fill_diagonal(errors, 0)
    np.fill_diagonal(errors, -errors @ copies)
    return errors
