"""The simplified equations of attention in time, (118) and (119) of *Scan and Snap*, Appendix F.

All classes are alike and the common token's logit z stands for them, with the decoder of (44):

    dh/dt = eta_Y / (K (M - 1 + e^(M h))),    dGamma/dt = eta_Z gamma,    gamma as in (85)
    dz/dt = -eta_Z gamma e^(4z) / C_0,    dB/dt = -dz/dt,    all of them 0 at t = 0

Here they are solved by steps in time and by quadrature; their closed forms are in
``phase_transition``.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import quad, solve_ivp

from lib.arrays import Array, ArrayLike
from lib.scan_snap.decoder import gamma, h
from lib.scan_snap.phase_transition import big_gamma
from lib.validation import require


class Setting(NamedTuple):
    """Parameters of the simplified equations, in the order of ``phase_transition.gain_at``.

    M: size of the vocabulary.  K: number of classes.  eta_y, eta_z: rates of decoder and attention.
    c0: the constant C_0 of (13).
    """

    M: int
    K: int
    eta_y: float
    eta_z: float
    c0: float

    @property
    def ratio(self) -> float:
        """nu = eta_Y / eta_Z."""
        return self.eta_y / self.eta_z


def velocity(
    t: float, state: Array, M: int, K: int, eta_y: float, eta_z: float, c0: float
) -> list[float]:
    """d/dt of (h, Gamma, z, B) by (44), (125), (118) and (119); t, in steps, is not used.

    >>> rates = velocity(0.0, np.array([0.5, 0.0, 0.0, 0.0]), 3, 2, 1.0, 1.0, 4.0)
    >>> [round(float(rate), 4) for rate in rates]
    [0.0771, 0.3086, -0.0771, 0.0771]
    """
    level, _, logit, _ = state
    error = 1 / (M - 1 + np.exp(M * level))
    push = eta_z * (M - 1) ** 2 * level * error
    pulled = push * np.exp(4 * logit) / c0
    return [eta_y * error / K, push, -pulled, pulled]


def simplified_flow(moments: ArrayLike, setting: Setting) -> tuple[Array, Array]:
    """(Gamma, B) at some moments, by steps in time from 0, nothing integrated by hand: (n,) each.

    moments: (n,), increasing times > 0 in steps of the mean over the classes.
    Raises ``ValueError`` for other moments.

    >>> clock, gained = simplified_flow([1.0, 10.0], Setting(3, 2, 1.0, 1.0, 4.0))
    >>> clock.round(4).tolist(), gained.round(4).tolist()
    ([0.0936, 2.5889], [0.0224, 0.3195])
    """
    moments = np.asarray(moments, dtype=float)
    increasing = moments[0] > 0 and (np.diff(moments) > 0).all()
    require(increasing, "moments", moments, "increasing times > 0")
    run = solve_ivp(
        velocity,
        (0, moments[-1]),
        np.zeros(4),
        "DOP853",
        moments,
        args=setting,
        rtol=1e-12,
        atol=1e-14,
    )
    return run.y[1], run.y[3]


def first_member(t: float, setting: Setting) -> float:
    """The first integral of (124) up to t, with Gamma(t') under it: eta_Z gamma / (C_0 + 4 Gamma).

    Gamma is (128) with the h of (45), and the integral over t' is taken by quadrature.

    >>> round(first_member(10.0, Setting(3, 2, 1.0, 1.0, 4.0)), 4)
    0.3195
    """
    M, K, eta_y, eta_z, c0 = setting

    def integrand(s: float) -> Array:
        clock = big_gamma(h(s / K, M, eta_y), M, K, setting.ratio)
        return eta_z * gamma(s, M, eta_y, K) / (c0 + 4 * clock)

    return quad(integrand, 0, t, epsabs=0, epsrel=1e-12)[0]


def constant_over_clock(log_time: float, setting: Setting) -> float:
    """C_0 / (4 Gamma), which (132) takes for small, where ln(M eta_Y t / K) is ``log_time``.

    >>> round(constant_over_clock(3.0, Setting(3, 2, 1.0, 1.0, 4.0)), 4)
    0.2982
    """
    level = h(np.exp(log_time) / (setting.M * setting.eta_y), setting.M, setting.eta_y)
    return float(setting.c0 / (4 * big_gamma(level, setting.M, setting.K, setting.ratio)))
