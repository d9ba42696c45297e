"""The expansion (9) against the transformer itself, linear systems and exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

from lib.log_sums import softmax
from lib.scan_snap.backprop_expansion import (
    coordinates,
    expansion,
    messages_of,
    outside_span,
    pair_bounds,
    repulsion_ratio,
)
from lib.scan_snap.decoder import h_star, zeta
from lib.scan_snap.overlaps import e_prime, overlap, vectors_with_gram


def three_classes(M=12):
    """Rows f_n of which two pairs overlap."""
    E = np.array([[0, 0.2, 0], [0.2, 0, 0.3], [0, 0.3, 0]])
    return vectors_with_gram(np.eye(3) + E, M)


def test_nine_is_the_message_of_a_decoder_that_moved_along_its_zeta():
    """Y = sum of dual_n times (M - 1) h*(N_n) zeta_n, Lemmas 3 and 5, written out with inverses."""
    M, counts, visits = 12, np.array([3, 1, 5]), 3
    F, state = three_classes(M), h_star(5, 12, 0.7)
    rows = np.array([(M - 1) * state[N] * zeta(n, M) for n, N in enumerate(counts)])
    Y = F.T @ np.linalg.inv(F @ F.T) @ rows
    errors = np.eye(3, M) - softmax(rows)
    found = expansion(counts, overlap(F), M, state, visits)
    np.testing.assert_allclose(found.messages(F), errors @ Y.T, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(messages_of(Y, F), errors @ Y.T, rtol=1e-12, atol=1e-15)
    assert (1 + found.theta) * state[3] == pytest.approx(state[counts])


def test_the_printed_sign_of_88_moves_a_coefficient_by_twice_its_term():
    M, counts, state = 12, np.array([3, 1, 5]), h_star(5, 12, 0.7)
    E = overlap(three_classes(M))
    found = expansion(counts, E, M, state, 3)
    q_1, q_0 = M / (M - 1), -M / (M - 1) ** 2
    p, prime = state[counts] / state[3], e_prime(E)
    for n in range(3):
        for other in {0, 1, 2} - {n}:
            rest = sum(p[k] * prime[k, other] for k in range(3) if k != n)
            wanted = q_1 * p[n] * prime[n, other] + q_0 * (p[other] + rest)
            assert found.printed_beta(M)[n, other] == pytest.approx(wanted, rel=1e-12)
    assert found.printed_beta(M).diagonal().tolist() == [0, 0, 0]


def test_coordinates_and_what_they_leave():
    F, rng = three_classes(), np.random.default_rng(2)
    mixed = rng.normal(size=(4, 3))
    np.testing.assert_allclose(coordinates(F, mixed @ F), mixed, atol=1e-13)
    Y = rng.normal(size=(12, 12))
    for n in range(3):
        g = Y @ (np.eye(12)[n] - softmax(Y.T @ F[n]))
        basis = np.linalg.svd(F)[2][3:]  # orthonormal, of what is orthogonal to all f_n
        wanted = np.linalg.norm(basis @ g) / np.linalg.norm(g)
        assert outside_span(Y, F, n) == pytest.approx(wanted, rel=1e-10)
        assert outside_span(F.T @ F @ Y, F, n) == pytest.approx(0, abs=1e-12)


def test_the_repulsion_is_that_of_matrices_written_out():
    """(26) keeps the theorem's ratio; a round of (7) has Y = eta F^T (1 - 1/M), step by step."""
    M, rho, eta_y = 40, 0.3, 0.8
    gram = np.array([[1, rho, 0], [rho, 1, 0], [0, 0, 1]])
    F = vectors_with_gram(gram, M)
    own, other, spare = sp.Matrix(
        [[1, sp.Rational(3, 10), 0], [sp.Rational(3, 10), 1, 0], [0, 0, 1]]
    ).solve(sp.Matrix([sp.Rational(M, M - 1), *[sp.Rational(-M, (M - 1) ** 2)] * 2]))
    assert spare < 0
    for rounds in (1, 6):
        found = repulsion_ratio(gram, M, eta_y, rounds, modified=True)
        assert found == pytest.approx(float(-other / own), rel=1e-10)
    Y = np.zeros((M, M))
    for rounds in (1, 2):
        Y = Y + eta_y * F.T @ (np.eye(3, M) - softmax(F @ Y))
        g = Y @ (np.eye(M)[0] - softmax(Y.T @ F[0]))
        c = np.linalg.solve(gram, F @ g)
        found = repulsion_ratio(gram, M, eta_y, rounds, modified=False)
        assert found == pytest.approx(-c[1] / c[0], rel=1e-9)


def test_the_bounds_of_93_for_two_pairs():
    """The sum by the inverse of the Gram matrix; both bounds in floating point."""
    own, strongest, M = 0.2, 0.24, 10**4
    E = np.zeros((4, 4))
    E[[0, 1], [1, 0]], E[[2, 3], [3, 2]] = own, strongest
    weights = np.linalg.solve(np.eye(4) + E, [M / (M - 1), *[-M / (M - 1) ** 2] * 3])
    found = pair_bounds(Fraction(1, 5), Fraction(6, 25), M)
    assert float(found.sum) == pytest.approx(-weights[1] * own, rel=1e-10)
    tail = 3 / M * 4 * strongest
    first = M / (M - 1) * own**2
    assert float(found.printed) == pytest.approx(first / (1 - strongest) - tail, rel=1e-12)
    assert float(found.corrected) == pytest.approx(first / (1 + strongest) - tail, rel=1e-12)
    assert found.within and not pair_bounds(Fraction(1, 5), Fraction(1, 4), M).within
    assert not pair_bounds(Fraction(1, 5), Fraction(6, 25), 899).within
    assert pair_bounds(Fraction(1, 5), Fraction(6, 25), 900).within
    with pytest.raises(ValueError, match="overlap"):
        pair_bounds(Fraction(1, 4), Fraction(1, 5), M)
