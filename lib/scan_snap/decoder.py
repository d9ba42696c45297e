"""The decoder's closed forms (*Scan and Snap*, Section 4 and Appendix D): zeta, h*, h, gamma.

With attention frozen the decoder row of a class moves along one vector, zeta_n; how far is
one number: h* in steps, h in continuous time.
"""

import math

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import hyp1f1, lambertw, wrightomega

from lib.log_sums import log_sum_exp, softmax
from lib.validation import require, require_integer, require_rate, require_real


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
    values = [0.0]
    for _ in range(steps):  # in plain numbers, ten times as fast as ``speed`` in arrays of one
        # beyond e^700 a step is 0 either way
        values.append(values[-1] + eta_y / (M - 1 + math.exp(min(M * values[-1], 700))))
    return np.array(values)


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
    require(
        (t >= 0).all() and np.isfinite(t).all(),
        "t",
        "negative or non-finite times",
        "finite t >= 0",
    )
    target = M * eta_y * t
    u = np.log(M - 1) + np.log(wrightomega((target + 1) / (M - 1) - np.log(M - 1)))
    for _ in range(3):
        u = u - (np.expm1(u) + (M - 1) * u - target) / (np.exp(u) + M - 1)
    return u / M


def time_at_height(h, M, eta_y):
    """The time at which the flow (44) reaches h, Eq. (45) solved for t: any shape, ``h >= 0``."""
    u = M * np.asarray(h, dtype=float)
    return (np.expm1(u) + (M - 1) * u) / (M * eta_y)


def lags(steps, M, eta_y):
    """How far the recursion (33) runs ahead of the flow (44): the time at h*(s), less s.

    Summed from its increments e^u (e^d - 1 - d) / (M eta_y), u = M h*(s), d = M (h*(s+1) - h*(s)),
    all of them positive, so that no digits cancel.  Shape (steps + 1,); eta_y up to about 300.
    """
    require_real("eta_y", eta_y, above=0, at_most=300)
    u = M * h_star(steps, M, eta_y)
    d = M * eta_y * speed(u[:-1] / M, M)
    excess = d**2 / 2 * hyp1f1(1, 3, d)  # e^d - 1 - d
    return np.concatenate([[0.0], np.cumsum(np.exp(u[:-1]) * excess)]) / (M * eta_y)


def crossings(M):
    """The two solutions (u_low, u_high) of e^u = (M-1) u, u = M h (Lemma 8), by Lambert's W.

    Between them the linear term of (45) is the larger one.  They exist from M = 4 on
    (M - 1 >= e); a smaller M raises ``ValueError``.
    """
    require_integer("M", M, 4)
    return tuple(float(-lambertw(-1 / (M - 1), branch).real) for branch in (0, -1))


def omegas(M):
    """(omega_0, omega_1) of Lemma 8: the crossings are M^(omega_0 - 1) and (1 + omega_1) ln M."""
    low, high = crossings(M)
    return 1 + float(np.log(low) / np.log(M)), high / float(np.log(M)) - 1


def stages(M, eta_y, K=1):
    """(end of stage 1, start of stage 2) of Lemma 9 in steps.

    K ln M / eta_Y and 2 (1 + omega_1) K ln M / eta_Y.
    """
    require_rate("eta_y", eta_y)
    end = K * float(np.log(M)) / eta_y
    return end, 2 * (1 + omegas(M)[1]) * end


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


def equal_overlap_gram(K, rho):
    """F^T F of K classes whose every pair has f_n . f_n' = rho (Remark 1): shape (K, K)."""
    require(0 <= rho <= 1, "rho", rho, "0 <= rho <= 1")
    return (1 - rho) * np.eye(K) + rho


def equal_overlap_rounds(rounds, K, M, rho, eta_y):
    """The entries (a, b, c) of w_n after rounds of (7), every class once, all overlaps rho.

    a at n itself, b at each rival class, c at each token that is never a next token: symmetry
    leaves no others.  A round adds eta_Y [1 - p - rho (K-1) q], eta_Y [-q + rho (1 - p - (K-2) q)]
    and -eta_Y [1 + rho (K-1)] r, with p, q, r the softmax of the three.  Shape (3,).
    """
    require_integer("rounds", rounds, 0)
    require_integer("K", K, 2, M)
    require_real("rho", rho, at_least=0, below=1)
    entries = np.zeros(3)
    for _ in range(rounds):
        p, q, r = np.exp(entries) / (np.array([1, K - 1, M - K]) @ np.exp(entries))
        own = 1 - p - rho * (K - 1) * q
        rival = -q + rho * (1 - p - (K - 2) * q)
        entries = entries + eta_y * np.array([own, rival, -(1 + rho * (K - 1)) * r])
    return entries


def equal_overlap_ratio(entries, K, M, rho):
    """beta_nn' / iota_n of the gradient Y (e_n - alpha_n) at the ``equal_overlap_rounds`` entries.

    x and y are the products of w_n and w_n' with the error; (I + E)^{-1} of them are iota_n and the
    -beta_nn', which leaves (rho x - y) / ((1 + (K-2) rho) x - (K-1) rho y).
    """
    a, b, c = entries
    p, q, r = np.exp(entries) / (np.array([1, K - 1, M - K]) @ np.exp(entries))
    never = (M - K) * c * r
    x = a * (1 - p) - (K - 1) * b * q - never
    y = b * (1 - p) - a * q - (K - 2) * b * q - never
    return (rho * x - y) / ((1 + (K - 2) * rho) * x - (K - 1) * rho * y)


def equal_overlap_flow(log_times, K, M, rho):
    """Gaps of w_n under (7) when all K classes overlap by rho and keep the same pace.

    log_times: increasing logarithms of eta_Y times the visits per class.  Returns (2, len): the gap
    of logit n to a rival class and to a token that is never a next token.  Symmetry leaves no
    others.
    """
    require_integer("K", K, 2, M)
    require_real("rho", rho, at_least=0, below=1)
    times = np.asarray(log_times, dtype=float)

    def velocity(log_time, gaps):
        rival, never = np.exp(-gaps)
        error = (K - 1) * rival + (M - K) * never
        pushes = (
            (1 - rho) * (error + rival),
            error - rho * (K - 1) * rival + (1 + rho * (K - 1)) * never,
        )
        return np.exp(log_time) * np.array(pushes) / (1 + error)

    start = np.exp(times[0]) * np.array([1 - rho, 1])
    return solve_ivp(
        velocity, times[[0, -1]], start, t_eval=times, method="LSODA", rtol=1e-10, atol=1e-12
    ).y


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
