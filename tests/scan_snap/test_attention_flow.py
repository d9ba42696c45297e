"""Facts about the dynamics of attention: gradients, conserved quantities, signs, limits."""

import numpy as np
import pytest
import torch

from lib.scan_snap import attention_flow as dynamics
from lib.scan_snap.decoder import gamma
from lib.scan_snap.overlaps import dual_vectors, feature_ascent, shortfall
from lib.scan_snap.sequence_classes import normalized_attention
from lib.scan_snap.yz_transformer import gradients


@pytest.fixture
def classes():
    return dynamics.random_block_classes(
        4, 2, 3, np.random.default_rng(0), 0.6, groups=[0, 0, 1, 1]
    )


@pytest.fixture
def Z(classes):
    return np.random.default_rng(1).normal(size=(classes.vocab_size,) * 2)


def test_row_velocity_is_the_gradient_for_endless_sequences(classes, Z):
    """Token frequencies equal to P(l | n) stand for T = infinity; the reference is Lemma 1."""
    Y = np.random.default_rng(2).normal(size=Z.shape)
    F = normalized_attention(classes, Z)
    for n in range(4):
        tensors = (torch.tensor(Y), torch.tensor(Z), torch.tensor(classes.conditional[n : n + 1]))
        ids = torch.tensor(classes.query[n : n + 1]), torch.tensor(classes.next_token[n : n + 1])
        _, grad_z = gradients(*tensors, *ids)
        velocity = dynamics.row_velocity(F[n], Y @ shortfall(Y, F, n))
        np.testing.assert_allclose(velocity, grad_z[classes.query[n]].numpy(), atol=1e-13)


def test_finite_beta_tends_to_the_leading_one(classes, Z):
    F = normalized_attention(classes, Z)
    gap = [
        np.abs((dynamics.finite_beta(F, M) - dynamics.leading_beta(F)) * (1 - np.eye(4))).max()
        for M in (10**3, 10**6)
    ]
    assert gap[1] < 2e-6 and 500 < gap[0] / gap[1] < 2000


def test_velocities_of_a_row_sum_to_zero_and_leave_other_rows_alone(classes, Z):
    F = normalized_attention(classes, Z)
    velocity = dynamics.attention_velocity(classes, F, np.random.default_rng(3).normal(size=(4, 4)))
    np.testing.assert_allclose(velocity.sum(axis=1), 0, atol=1e-14)
    assert not velocity[np.setdiff1d(np.arange(classes.vocab_size), classes.query)].any()


def test_visits_scale_the_velocity(classes, Z):
    F = normalized_attention(classes, Z)
    beta = dynamics.leading_beta(F)
    total = dynamics.attention_velocity(classes, F, beta)
    np.testing.assert_allclose(
        4 * dynamics.attention_velocity(classes, F, beta, classes.prior), total
    )


def test_leading_xi_is_the_squared_cotangent_of_the_angle_to_the_other_classes(classes, Z):
    F = normalized_attention(classes, Z)
    for n, value in enumerate(dynamics.xi(F, dynamics.leading_beta(F))):
        others = np.linalg.qr(np.delete(F, n, axis=0).T)[0]
        cosine = np.linalg.norm(others.T @ F[n])
        assert value == pytest.approx(cosine**2 / (1 - cosine**2), rel=1e-10)


def test_flow_conserves_the_difference_of_inverse_squares_of_distinct_tokens(classes, Z):
    """1 / c~_l^2 - 1 / c~_l'^2 is what makes (11) exact."""
    times = np.linspace(0, 50, 6)
    path = dynamics.flow(
        classes, 0.3 * Z, times, dynamics.leading_beta, gamma=lambda t: 1 + np.sin(t)
    )
    m, n, tokens = classes.query[1], 1, classes.distinct_tokens(1)
    inverse_squares = (classes.conditional[n, tokens] * np.exp(path.Z[:, m, tokens])) ** -2
    drift = inverse_squares - inverse_squares[:, :1]
    np.testing.assert_allclose(drift, np.broadcast_to(drift[0], drift.shape), rtol=1e-8)
    assert (path.Z[-1, m, tokens] > path.Z[0, m, tokens]).all()
    gain = dynamics.relative_gain(path.F[:, n], tokens[0], tokens[1])
    np.testing.assert_allclose(gain, gain[0] * path.growth(m, tokens[0]), rtol=1e-7)


def test_gamma_only_changes_the_clock(classes):
    Z0, times = np.zeros((classes.vocab_size,) * 2), np.array([0.0, 1.0, 3.0])
    slow = dynamics.flow(
        classes, Z0, times, dynamics.leading_beta, gamma=lambda t: 2 * t, eta_z=3.0
    )
    plain = dynamics.flow(classes, Z0, 3 * times**2, dynamics.leading_beta)
    np.testing.assert_allclose(slow.Z, plain.Z, atol=1e-8)
    np.testing.assert_allclose(slow.B, plain.B, atol=1e-8)


def test_integrated_gain_starts_at_the_rate_xi(classes):
    Z0 = np.zeros((classes.vocab_size,) * 2)
    path = dynamics.flow(classes, Z0, [0, 1e-4], dynamics.leading_beta, visits=classes.prior)
    np.testing.assert_allclose(
        path.B[1] / 1e-4,
        classes.prior * dynamics.xi(path.F[0], dynamics.leading_beta(path.F[0])),
        rtol=1e-3,
    )


@pytest.mark.parametrize("times", [[0], [1, 0], [[0, 1]]])
def test_bad_times_are_named(classes, times):
    with pytest.raises(ValueError, match="times"):
        dynamics.flow(classes, np.zeros((classes.vocab_size,) * 2), times, dynamics.leading_beta)


def test_a_flow_that_cannot_go_on_tells_the_last_moment_that_it_reached(classes):
    """From t = 1 on it is so fast that no step between two numbers is short enough."""
    Z0, beta = np.zeros((classes.vocab_size,) * 2), np.eye(4)[::-1]
    with pytest.raises(RuntimeError, match="^the flow stopped at t = 0.75: "):
        dynamics.flow(
            classes, Z0, [0, 0.5, 0.75, 2], lambda F: beta, lambda t: 1 if t < 1 else 1e300
        )


def test_bad_shapes_are_named(classes, Z):
    with pytest.raises(ValueError, match="beta.shape"):
        dynamics.xi(normalized_attention(classes, Z), np.eye(3))
    with pytest.raises(ValueError, match="distinct.shape"):
        dynamics.block_classes(np.ones((2, 1)), np.ones((3, 1)))


def test_block_classes_have_the_stated_supports():
    built = dynamics.block_classes([[1, 2], [1, 0]], [[1, 3], [2, 2]], groups=[0, 1])
    assert built.common_tokens.tolist() == [0] and built.distinct_tokens(0).tolist() == [1, 2, 3]
    assert built.distinct_tokens(1).tolist() == [4, 5] and built.query.tolist() == [6, 7]
    assert built.vocab_size == 8
    np.testing.assert_allclose(built.conditional[0, :4], np.array([1, 2, 1, 3]) / 7)


def test_random_block_classes_weigh_common_and_distinct_tokens_alike_unless_told():
    plain, told = (
        dynamics.random_block_classes(2, 1, 2, np.random.default_rng(4), *weight)
        for weight in ((), (1.0,))
    )
    np.testing.assert_array_equal(plain.conditional, told.conditional)


def test_random_weights_are_uniform_between_a_fifth_and_one():
    law = dynamics.random_block_classes(2, 4000, 4000, np.random.default_rng(5)).conditional
    common, distinct = law[0, :4000], law[0, 4000:8000]
    for weights in (common, distinct):
        assert 0.2 < weights.min() / law[0].max() < 0.201
        assert weights.mean() / law[0].max() == pytest.approx(0.6, abs=0.02)


def test_expansion_gives_the_velocity_of_a_trained_decoder(classes, Z):
    """Equally many visits in turn, modified update (26): the direct step is gamma times (97),
    finite M.
    """
    F, M, rounds = normalized_attention(classes, Z), classes.vocab_size, 7
    Y = feature_ascent(np.tile(np.arange(4), rounds), F, 0.5, dual_vectors(F))
    direct = np.array([dynamics.row_velocity(F[n], Y @ shortfall(Y, F, n)) for n in range(4)])
    expanded = dynamics.class_velocities(F, dynamics.finite_beta(F, M))
    scale = (direct * expanded).sum() / (expanded**2).sum()
    assert scale > 0
    np.testing.assert_allclose(direct, scale * expanded, atol=1e-12)


def test_events_in_turn_follow_the_flow_of_the_mean_step(classes):
    """Slow attention, K events a round: the displacement is that of (10) weighted with P(n) =
    1/K.
    """
    Z0, M, K, rounds = np.zeros((classes.vocab_size,) * 2), 300, 4, 100
    Z = dynamics.event_by_event(classes, np.tile(np.arange(K), rounds), M, 0.3, 1e-4, Z0)
    path = dynamics.flow(
        classes,
        Z0,
        [0, rounds * K],
        lambda F: dynamics.finite_beta(F, M),
        gamma=lambda t: gamma(t, M, 0.3, K),
        eta_z=1e-4,
        visits=classes.prior,
    )
    assert np.linalg.norm(Z - path.Z[-1]) < 0.03 * np.linalg.norm(Z)
