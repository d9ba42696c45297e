"""Closed forms of Theorem 4, and what the simplification (13) behind them leaves out (*Scan and
Snap*, Section 6, Appendix F).

Gamma(t) = eta_Z times the integral of gamma is the natural clock: in it the decoder and both
rates disappear, and attention follows an equation of its own.
"""

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.scan_snap.attention_flow import Flow, finite_beta, flow, leading_beta
from lib.scan_snap.decoder import h
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention
from lib.validation import require, require_rate, require_real


def big_gamma(height: ArrayLike, M: int, K: int, ratio: float) -> Array:
    """The natural clock of attention: Gamma of *Scan and Snap*, Eq. (128).

    It is eta_Z times the integral of gamma:

        Gamma = K (M - 1)^2 h(t/K)^2 / (2 eta_Y / eta_Z)

    height: h(t/K), any shape.  M: size of the vocabulary.  K: number of classes.
    ratio: eta_Y / eta_Z.

    Returns the shape of height.  Raises ``ValueError`` for a ratio that is not above 0.

    >>> big_gamma([0, 0.5, 1], 10, 2, 1.0).tolist()
    [0.0, 20.25, 81.0]
    """
    require_rate("ratio", ratio)
    return K * (M - 1) ** 2 * np.asarray(height) ** 2 / (2 * ratio)


def first_c0(classes: SequenceClasses, token: int) -> float:
    """C_0 = rho_0^4 / K of (13) for a token that begins alike in all K classes.

    The simplification puts f_nl = e^z / rho_0, so 1 / rho_0 is the token's entry f_nl at Z = 0.
    Raises ``ValueError`` where the entry is zero or differs between the classes.

    >>> from lib.scan_snap.four_classes import four_classes
    >>> round(first_c0(four_classes(), 0), 3)
    2.441
    """
    size = (classes.vocab_size,) * 2
    entries = normalized_attention(classes, np.zeros(size))[:, token]
    alike = entries.min() > 0 and np.ptp(entries) <= 1e-12
    require(alike, "token", token, "one that is equally frequent in all classes")
    return float(entries[0] ** -4 / classes.num_classes)


def gain(clock: ArrayLike, c0: float) -> Array:
    """B_n as it holds: the integral (124) from 0, ln(1 + 4 Gamma / C_0) / 4; clock = Gamma."""
    require_rate("c0", c0)
    return 0.25 * np.log1p(4 * np.asarray(clock) / c0)


def printed_gain(clock: ArrayLike, c0: float) -> Array:
    """B_n as printed in (124), (129): ln(C_0 + 4 Gamma) / 4, which is ln(C_0) / 4 at t = 0."""
    require_rate("c0", c0)
    return 0.25 * np.log(c0 + 4 * np.asarray(clock))


def gain_at(t: ArrayLike, M: int, K: int, eta_y: float, eta_z: float, c0: float) -> Array:
    """B_n(t) of Theorem 4 with the exact h(t/K) and its constant corrected; t >= 0, any shape."""
    require_rate("eta_z", eta_z)
    return gain(big_gamma(h(np.asarray(t, dtype=float) / K, M, eta_y), M, K, eta_y / eta_z), c0)


def growth_bounds(value: float | Array, f0_squared: float) -> tuple[Array, Array]:
    """Both sides of (12): (exp(2 f^2 B), exp(2 B)) for B = ``value`` and f^2 = f_{n l_0}(0)^2."""
    require_real("f0_squared", f0_squared, above=0, at_most=1)
    return np.exp(2 * f0_squared * value), np.exp(2 * value)


def attention_in_gamma(
    classes: SequenceClasses,
    clock: ArrayLike,
    M: int | None = None,
    visits: ArrayLike | None = None,
) -> Flow:
    """Lemma 4 integrated from Z = 0 in the clock Gamma, with nothing of (13) assumed: a ``Flow``.

    clock: increasing values of Gamma > 0, spread over any number of decades (the solver runs in
    ln Gamma, from far below clock[0]).  M: the vocabulary that beta knows, ``None`` for infinite.
    """
    clock = np.asarray(clock, dtype=float)
    require(clock[0] > 0, "clock[0]", clock[0], "a number > 0")
    start = np.log(clock.min()) - 25  # Gamma there is 1e-11 of the first
    moments = np.concatenate([[start], np.log(clock)])
    size = classes.vocab_size
    beta = leading_beta if M is None else lambda F: finite_beta(F, M)
    path = flow(
        classes, np.zeros((size, size)), moments, beta, gamma=np.exp, visits=visits, tolerance=1e-10
    )
    return path._replace(times=clock, Z=path.Z[1:], F=path.F[1:], B=path.B[1:])
