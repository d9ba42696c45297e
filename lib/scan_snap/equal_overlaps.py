"""Classes whose every pair overlaps by the same rho (*Scan and Snap*, Remark 1).

Symmetry leaves a decoder row three different entries, so rounds and flow of (7) are a few numbers.
"""

import numpy as np
from scipy.integrate import solve_ivp

from lib.arrays import Array, ArrayLike
from lib.validation import require, require_integer, require_real


def equal_overlap_gram(K: int, rho: float) -> Array:
    """Gram matrix F^T F of classes whose pairs all overlap alike (*Scan and Snap*, Remark 1).

        f_n . f_n' = rho for n != n',    1 for n = n'

    K: number of classes.  rho: overlap of each pair, from 0 to 1.

    Returns (K, K).  Raises ``ValueError`` for another rho.

    >>> equal_overlap_gram(3, 0.5).tolist()
    [[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]]
    """
    require(0 <= rho <= 1, "rho", rho, "0 <= rho <= 1")
    return (1 - rho) * np.eye(K) + rho


def equal_overlap_rounds(rounds: int, K: int, M: int, rho: float, eta_y: float) -> Array:
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


def equal_overlap_ratio(entries: Array, K: int, M: int, rho: float) -> float:
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


def equal_overlap_flow(log_times: ArrayLike, K: int, M: int, rho: float) -> Array:
    """Gaps of w_n under (7) when all K classes overlap by rho and keep the same pace.

    log_times: increasing logarithms of eta_Y times the visits per class.  Returns (2, len): the gap
    of logit n to a rival class and to a token that is never a next token.  Symmetry leaves no
    others.
    """
    require_integer("K", K, 2, M)
    require_real("rho", rho, at_least=0, below=1)
    times = np.asarray(log_times, dtype=float)

    def velocity(log_time: float, gaps: Array) -> Array:
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
