"""Facts about Theorem 4: its integrals, its limits, and Lemma 4 run without Eq. (13)."""

import numpy as np
import pytest
import torch
from scipy.integrate import quad

from lib.scan_snap.attention_flow import block_classes, class_velocities, finite_beta, leading_beta
from lib.scan_snap.decoder import gamma, h, speed, zeta
from lib.scan_snap.overlaps import dual_vectors
from lib.scan_snap.phase_transition import (
    attention_in_gamma,
    big_gamma,
    gain,
    gain_at,
    growth_bounds,
    printed_gain,
)
from lib.scan_snap.sequence_classes import normalized_attention
from lib.scan_snap.yz_transformer import gradients


@pytest.mark.parametrize(
    ("M", "K", "eta_y", "eta_z"), [(50, 1, 0.5, 0.5), (100, 7, 2.0, 0.3), (1000, 10, 0.5, 2.0)]
)
def test_big_gamma_is_the_integral_of_gamma(M, K, eta_y, eta_z):
    t = 20 * K / eta_y
    integral = (
        eta_z * quad(lambda s: gamma(s, M, eta_y, K), 0, t, epsabs=0, epsrel=1e-11, limit=200)[0]
    )
    assert big_gamma(h(t / K, M, eta_y), M, K, eta_y / eta_z) == pytest.approx(integral, rel=1e-9)
    assert gain_at(t, M, K, eta_y, eta_z, 0.7) == pytest.approx(gain(integral, 0.7), rel=1e-9)


@pytest.mark.parametrize("c0", [0.01, 1.0, 30.0])
def test_gain_is_the_integral_from_zero(c0):
    assert gain(7.0, c0) == pytest.approx(quad(lambda G: 1 / (c0 + 4 * G), 0, 7.0)[0], rel=1e-10)
    assert gain(0.0, c0) == 0
    assert printed_gain(0.0, c0) == pytest.approx(0.25 * np.log(c0))


def test_growth_bounds_are_ordered_and_refuse_an_impossible_entry():
    low, high = growth_bounds(1.3, 0.4)
    assert 1 < low < high == pytest.approx(np.e**2.6)
    assert low == pytest.approx(high**0.4)
    with pytest.raises(ValueError, match="f0_squared"):
        growth_bounds(1.3, 1.2)


def test_beta_for_equal_overlaps_in_closed_form():
    K, M = 4, 30
    classes = block_classes(np.full((K, 1), 0.7), np.tile([0.5, 1.0], (K, 1)))
    F = normalized_attention(classes, np.zeros((classes.vocab_size,) * 2))
    rho = F[0] @ F[1]
    closed = (rho + 1 / (M - 1)) * M / (M - 1) / ((1 - rho) * (1 + (K - 1) * rho))
    assert finite_beta(F, M)[0, 1] == pytest.approx(closed, rel=1e-12)
    assert leading_beta(F)[2, 3] == pytest.approx(
        rho / ((1 - rho) * (1 + (K - 1) * rho)), rel=1e-12
    )


def test_beta_of_a_settled_decoder_moves_attention_as_the_transformer_itself_does():
    rng = np.random.default_rng(0)
    K = 3
    classes = block_classes(rng.uniform(0.2, 1, (K, 1)), rng.uniform(0.2, 1, (K, 2)))
    M, m, height = classes.vocab_size, classes.query[0], 0.05
    Z = np.zeros((M, M))
    Z[m] = rng.normal(size=M)
    F = normalized_attention(classes, Z)
    Y = dual_vectors(F).T @ np.array([(M - 1) * height * zeta(n, M) for n in range(K)])
    _, grad_z = gradients(
        *map(torch.as_tensor, (Y, Z, classes.conditional, classes.query, classes.next_token))
    )
    speed_coefficient = (M - 1) ** 2 * height * speed(height, M)
    np.testing.assert_allclose(
        K * grad_z[m].numpy(),
        speed_coefficient * class_velocities(F, finite_beta(F, M)).sum(axis=0),
        atol=1e-14,
    )


def test_flow_in_gamma_does_not_care_where_its_record_begins():
    classes = block_classes(np.ones((2, 1)), np.ones((2, 1)))
    late, early = attention_in_gamma(classes, [1.0, 2.0]), attention_in_gamma(classes, [1e-3, 1.0])
    assert late.B[0, 0] == pytest.approx(early.B[1, 0], rel=1e-6)
    np.testing.assert_allclose(late.Z[0], early.Z[1], atol=1e-7)
    features = [normalized_attention(classes, Z) for Z in late.Z]
    np.testing.assert_allclose(late.F, features, rtol=1e-12)


def test_a_clock_that_begins_at_nought_is_refused():
    classes = block_classes(np.ones((2, 1)), np.ones((2, 1)))
    with pytest.raises(ValueError, match=r"clock\[0\] = .*0.0.*, allowed: a number > 0"):
        attention_in_gamma(classes, [0.0, 1.0])


def test_printed_and_true_gain_agree_only_for_c0_one():
    assert printed_gain(3.0, 1.0) == pytest.approx(gain(3.0, 1.0), rel=1e-14)
    assert abs(printed_gain(3.0, 2.0) - gain(3.0, 2.0)) == pytest.approx(0.25 * np.log(2))


def test_flow_in_gamma_keeps_the_invariant_and_its_late_exponent():
    K = 2
    classes = block_classes(np.ones((K, 1)), np.ones((K, 1)))
    Gamma = np.logspace(-3, 12, 61)
    path = attention_in_gamma(classes, Gamma)
    slope = np.gradient(path.B[:, 0], np.log(Gamma))
    assert slope[-2] == pytest.approx(1 / (4 * (K + 1)), abs=1e-4)
    assert (np.diff(path.Z[:, classes.query[0], 0]) < 0).all()
    assert path.B[0, 0] == pytest.approx(
        Gamma[0] * leading_beta(path.F[0])[0, 1] * (path.F[0, 0] @ path.F[0, 1]), rel=0.01
    )


def test_a_finite_vocabulary_doubles_the_late_exponent():
    classes = block_classes(np.ones((2, 1)), np.ones((2, 1)))
    Gamma = np.logspace(8, 12, 9)
    slopes = [
        np.gradient(attention_in_gamma(classes, Gamma, M=M).B[:, 0], np.log(Gamma))[-2]
        for M in (None, 100)
    ]
    assert slopes == pytest.approx([1 / 12, 1 / 6], abs=2e-3)
