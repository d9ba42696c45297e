"""The decoder's closed forms (*Scan and Snap*, Section 4 and Appendix D): zeta, h*, h, gamma.

With attention frozen the decoder row of a class moves along one vector, zeta_n; how far is
one number: h* in steps, h in continuous time.
"""

import math

import numpy as np
from scipy.special import hyp1f1, lambertw, wrightomega

from lib.arrays import Array, ArrayLike
from lib.validation import require, require_integer, require_rate, require_real


def zeta(n: int, M: int) -> Array:
    """Direction in which the decoder row of class n moves, (M,): zeta_n of *Scan and Snap*, (D.1).

        zeta_n = M/(M-1) (e_n - 1/M):    1 at n, -1/(M-1) elsewhere

    n: id of the next token, 0 to M - 1.  M: size of the vocabulary, at least 2.
    Raises ``ValueError`` outside of these.

    >>> zeta(0, 3).tolist()
    [1.0, -0.5, -0.5]
    """
    require_integer("M", M, 2)
    require_integer("n", n, 0, M - 1)
    vector = np.full(M, -1 / (M - 1))
    vector[n] = 1
    return vector


def h_star(steps: int, M: int, eta_y: float) -> Array:
    """How far the decoder has come after each step of gradient ascent: h* of *Scan and Snap*, (33).

        h*(0) = 0,    h*(s+1) = h*(s) + eta_Y / (M - 1 + exp(M h*(s)))

    By Lemma 5 the decoder row of a class is w_n = (M - 1) h*(s) zeta_n after s visits to it.

    steps: number s of visits, at least 0.  M: size of the vocabulary, at least 2.
    eta_y: learning rate of the decoder.

    Returns h*(0), ..., h*(steps): (steps + 1,).
    Raises ``ValueError`` for arguments outside of their ranges.

    >>> h_star(2, 10, 9.0).round(6).tolist()
    [0.0, 0.9, 0.901109]
    """
    require_integer("steps", steps, 0)
    require_integer("M", M, 2)
    require_rate("eta_y", eta_y)
    values = [0.0]
    for _ in range(steps):  # in plain numbers, ten times as fast as ``speed`` in arrays of one
        # beyond e^700 a step is 0 either way
        values.append(values[-1] + eta_y / (M - 1 + math.exp(min(M * values[-1], 700))))
    return np.array(values)


def speed(h: ArrayLike, M: int) -> Array:
    """Speed of the decoder per unit of its learning rate: right-hand side of (33) and (44).

        dh/dt / eta_Y = 1 / (M - 1 + exp(M h))

    h: heights, any shape.  M: size of the vocabulary, at least 2.

    Returns the shape of h; 0 where exp(M h) would overflow.

    >>> round(float(speed(0, 10)), 12), float(speed(1000, 10))  # at the start it is 1/M
    (0.1, 0.0)
    """
    return np.exp(-np.logaddexp(np.log(M - 1), M * np.asarray(h, dtype=float)))


def h(t: ArrayLike, M: int, eta_y: float) -> Array:
    """How far the decoder has come at time t of gradient flow: h of *Scan and Snap*, (44), (45).

        dh/dt = eta_Y / (M - 1 + exp(M h)),  h(0) = 0,  or  e^u + (M-1) u = M eta_Y t + 1,  u = M h

    It is the limit of ``h_star`` for small steps.  The second form is solved by the Wright omega
    function and polished by Newton steps, which keep full relative precision as t -> 0.

    t: finite times >= 0 in steps of one class, any shape.  M: size of the vocabulary, at least 2.
    eta_y: learning rate of the decoder.

    Returns the shape of t.  Raises ``ValueError`` for arguments outside of their ranges.

    >>> h([0, 1, 100], 10, 9.0).round(6).tolist()
    [0.0, 0.40063, 0.909595]
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


def time_at_height(h: ArrayLike, M: int, eta_y: float) -> Array:
    """The time at which the decoder has come as far as h: *Scan and Snap*, (45), for t.

        t = (e^u - 1 + (M - 1) u) / (M eta_Y),    u = M h

    h: heights >= 0, any shape.  M: size of the vocabulary.  eta_y: learning rate of the decoder.

    Returns the shape of h, in steps of one class; it is the inverse of the function ``h``.

    >>> round(float(time_at_height(0.40063, 10, 9.0)), 4)
    1.0
    """
    u = M * np.asarray(h, dtype=float)
    return (np.expm1(u) + (M - 1) * u) / (M * eta_y)


def lags(steps: int, M: int, eta_y: float) -> Array:
    """How far the recursion (33) runs ahead of the flow (44): the time at h*(s), less s.

    Summed from its increments e^u (e^d - 1 - d) / (M eta_y), u = M h*(s), d = M (h*(s+1) - h*(s)),
    all of them positive, so that no digits cancel.  Shape (steps + 1,); eta_y up to about 300.
    """
    require_real("eta_y", eta_y, above=0, at_most=300)
    u = M * h_star(steps, M, eta_y)
    d = M * eta_y * speed(u[:-1] / M, M)
    excess = d**2 / 2 * hyp1f1(1, 3, d)  # e^d - 1 - d
    return np.concatenate([[0.0], np.cumsum(np.exp(u[:-1]) * excess)]) / (M * eta_y)


def crossings(M: int) -> tuple[float, ...]:
    """Where the two terms of (45) are equal: Lemma 8 of *Scan and Snap*.

        e^u = (M - 1) u,    u = M h

    Between the two solutions the linear term is the larger one.  They are values of Lambert's W.

    M: size of the vocabulary, at least 4, because M - 1 has to be e at least.

    Returns (u_low, u_high).  Raises ``ValueError`` for a smaller M.

    >>> tuple(round(u, 6) for u in crossings(10))
    (0.126036, 3.429696)
    """
    require_integer("M", M, 4)
    return tuple(float(-lambertw(-1 / (M - 1), branch).real) for branch in (0, -1))


def snap_time(M: int, K: int, eta_y: float) -> float:
    """t_0 of Theorem 4 in steps of the mean over K classes: where the two terms of (45) are equal.

    (45) says K (e^u - 1 + (M-1) u) / (M eta_Y) steps for a gap of u = M h; its terms are equal at
    e^u = (M-1) u, so t_0 = K (2 (M-1) u - 1) / (M eta_Y).  The paper's estimate puts ln M for u
    and leaves out the -1 beside M: 2 K ln M / eta_Y.  M at least 4, as ``crossings``.

    >>> round(snap_time(50, 4, 1.0), 3), round(2 * 4 * math.log(50), 3)
    (43.963, 31.296)
    """
    require_integer("K", K, 1, M)
    require_rate("eta_y", eta_y)
    return K * float(time_at_height(crossings(M)[1] / M, M, eta_y))


def omegas(M: int) -> tuple[float, float]:
    """(omega_0, omega_1) of Lemma 8: the crossings are M^(omega_0 - 1) and (1 + omega_1) ln M."""
    low, high = crossings(M)
    return 1 + float(np.log(low) / np.log(M)), high / float(np.log(M)) - 1


def stages(M: int, eta_y: float, K: int = 1) -> tuple[float, float]:
    """End of linear growth of h and start of logarithmic growth: Lemma 9 of *Scan and Snap*.

        end of stage 1 = K ln M / eta_Y,    start of stage 2 = 2 (1 + omega_1) K ln M / eta_Y

    M: size of the vocabulary, at least 4 (``omegas``).  eta_y: learning rate of the decoder.
    K: number of equally frequent classes; 1 counts the steps of one class.

    Returns (end of stage 1, start of stage 2) in steps.
    Raises ``ValueError`` for arguments outside of their ranges.

    >>> tuple(round(moment, 3) for moment in stages(50, 1.0))
    (3.912, 11.236)
    """
    require_rate("eta_y", eta_y)
    end = K * float(np.log(M)) / eta_y
    return end, 2 * (1 + omegas(M)[1]) * end


def peak(M: int) -> float:
    """eta_Y t / K where gamma is largest: e^u (u - 1) = M - 1 for u = M h, by Lambert's W."""
    require_integer("M", M, 2)
    top = 1 + float(lambertw((M - 1) / np.e).real)
    return float(time_at_height(top / M, M, 1.0))


def gamma(t: ArrayLike, M: int, eta_y: float, K: int = 1) -> Array:
    """The speed coefficient of attention: gamma(t) of *Scan and Snap*, Theorem 1, Eq. (85).

        gamma(t) = (M - 1)^2 h(t/K) / (M - 1 + exp(M h(t/K)))

    t: times >= 0 in steps of the mean over the classes, any shape.  M: size of the vocabulary.
    eta_y: learning rate of the decoder.  K: number of equally frequent classes; t/K is not rounded.

    Returns the shape of t.  Raises ``ValueError`` for arguments outside of their ranges.

    >>> gamma([0, 1, 100], 10, 9.0).round(6).tolist()  # it rises, then falls
    [0.0, 0.507497, 0.008252]
    """
    require_integer("K", K, 1, M)
    value = h(np.asarray(t, dtype=float) / K, M, eta_y)
    return (M - 1) ** 2 * value * speed(value, M)
