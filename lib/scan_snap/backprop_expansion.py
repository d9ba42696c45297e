"""What the decoder sends back to attention, by formula and by a run (*Scan and Snap*, Theorem 1).

The message of class n is g_n = Y (e_n - alpha_n), row n of a (K, M) table.  Eq. (9) expands it:

    g_n = gamma (1 + sigma) (iota_n f_n - sum over n' != n of beta_nn' f_n')
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np

from lib.arrays import Array
from lib.scan_snap.decoder import speed
from lib.scan_snap.decoder_training import decoder_epochs
from lib.scan_snap.overlaps import (
    backprop_coefficients,
    e_prime,
    feature_coefficients,
    shortfall,
    zeta_products,
)
from lib.validation import require


class Expansion(NamedTuple):
    """The terms of (9) for every class.

    theta: (K,), of Lemma 12.  speeds: (K,), gamma (1 + sigma).  iota: (K,), (86) over 1 + sigma.
    beta: (K, K), (88) with -(1 + theta_n') over 1 + sigma; its diagonal is 0.
    """

    theta: Array
    speeds: Array
    iota: Array
    beta: Array

    def messages(self, F: Array) -> Array:
        """The right side of (9) for the rows f_n of F, (K, M)."""
        return self.speeds[:, None] * (self.iota[:, None] * F - self.beta @ F)

    def printed_beta(self, M: int) -> Array:
        """(88) as printed, with +(1 + theta_n'), which is 2 q_0 (1 + theta_n') more: (K, K)."""
        off = ~np.eye(len(self.iota), dtype=bool)
        return self.beta + 2 * zeta_products(M)[1] * (1 + self.theta) * off


def expansion(counts: Array, E: Array, M: int, state: Array, visits: int) -> Expansion:
    """The terms of (9) after random steps of the modified update (26), by the counts alone.

    counts: (K,), how often each class was visited.  E: (K, K), overlaps.  M: size of the
    vocabulary.  state: (n,), h* after 0, 1, … visits.  visits: the mean count, which gamma stands
    for.

    >>> found = expansion(np.array([1, 1]), np.zeros((2, 2)), 3, np.array([0.0, 0.5]), 1)
    >>> found.theta.tolist(), found.iota.tolist(), found.beta.round(2).tolist()
    ([0.0, 0.0], [1.5, 1.5], [[0.0, 0.75], [0.75, 0.0]])
    """
    theta = state[counts] / state[visits] - 1
    speeds = (M - 1) ** 2 * state[visits] * speed(state[counts], M)
    rows = [backprop_coefficients(n, e_prime(E), M, theta) for n in range(len(E))]
    iota, beta = (np.array([getattr(row, name) for row in rows]) for name in ("iota", "beta"))
    return Expansion(theta, speeds, iota, beta)


def messages_of(Y: Array, F: Array) -> Array:
    """g_n = Y (e_n - alpha_n) of every class, (K, M), from Y (M, M) and the rows f_n of F (K, M).

    >>> messages_of(np.eye(2), np.eye(2)).round(3).tolist()
    [[0.269, -0.269], [-0.269, 0.269]]
    """
    return np.array([Y @ shortfall(Y, F, n) for n in range(len(F))])


def coordinates(F: Array, g: Array) -> Array:
    """The coordinates of the rows of g on the rows f_n of F by least squares, (K, K)."""
    return np.linalg.lstsq(F.T, g.T, rcond=None)[0].T


def outside_span(Y: Array, F: Array, n: int) -> float:
    """The share of the message of class n that no combination of the f_n reaches, from 0 to 1.

    >>> round(outside_span(np.diag([3.0, 1.0, 4.0]), np.eye(2, 3), 0), 3)
    0.549
    """
    g = Y @ shortfall(Y, F, n)
    return float(np.linalg.norm(g - coordinates(F, g[None])[0] @ F) / np.linalg.norm(g))


def repulsion_ratio(gram: Array, M: int, eta_y: float, rounds: int, modified: bool) -> float:
    """beta_01 / iota_0 of (9) after noiseless rounds of all classes, from zero.

    gram: (K, K), F^T F.  M: size of the vocabulary.  eta_y: rate.  modified: whether the rounds are
    those of (26), without the overlaps, and else of (7).

    >>> gram = np.array([[1, 0.5], [0.5, 1]])
    >>> round(repulsion_ratio(gram, 100, 0.5, 1, True), 4)
    0.5075
    """
    W = decoder_epochs(rounds, M, eta_y, np.eye(len(gram)) if modified else gram)
    c = feature_coefficients(W, gram - np.eye(len(gram)), 0)
    return float(-c[1] / c[0])


class PairBounds(NamedTuple):
    """(93) for a pair of classes, equal visits, in fractions: the sum over n' of beta_nn' f_n.f_n',
    its first bound as printed and corrected, and whether Assumption 2 holds.
    """

    sum: Fraction
    printed: Fraction
    corrected: Fraction
    within: bool


def pair_bounds(overlap: Fraction, strongest: Fraction, M: int) -> PairBounds:
    """The first link of (93) for one of two pairs of classes that overlap, nobody else.

        (1 + delta_1) / (1 -+ |lambda_1|) min lambda_i^2 - (3/M) K |lambda_1|,    K = 4

    overlap: of the pair itself, the smaller one.  strongest: of the other pair, |lambda_1|.
    M: size of the vocabulary.  1 + delta_1 = q_1 = M / (M - 1), and the sign is + as corrected.
    Raises ``ValueError`` where the pair itself overlaps more than the other.

    >>> found = pair_bounds(Fraction(1, 5), Fraction(6, 25), 10**6)
    >>> found.printed > found.sum > found.corrected, found.within
    (True, True)
    """
    require(0 < overlap <= strongest, "overlap", overlap, f"above 0, at most {strongest}")
    q_1, q_0 = map(Fraction, zeta_products(M))
    total = overlap * (overlap * q_1 - q_0) / (1 - overlap**2)  # the partner alone
    printed, corrected = (
        q_1 / (1 + sign * strongest) * overlap**2 - Fraction(3, M) * 4 * strongest
        for sign in (-1, 1)
    )
    return PairBounds(
        total, printed, corrected, 36 <= overlap**2 * M and strongest < Fraction(1, 4)
    )
