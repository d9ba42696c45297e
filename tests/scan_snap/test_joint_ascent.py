"""Facts about joint ascent: it is the training engine in the limit, and the theory where the theory
says so.
"""

import numpy as np
import pytest
from scipy.special import softmax

from lib.scan_snap.attention_flow import block_classes, finite_beta, row_velocity
from lib.scan_snap.decoder import gamma, h
from lib.scan_snap.engine.train import train
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.four_classes import four_classes
from lib.scan_snap.joint_ascent import (
    coupled_push,
    joint_ascent,
    less_over_more,
    messages,
    unit_rows,
)
from lib.scan_snap.overlaps import dual_vectors
from lib.scan_snap.phase_transition import attention_in_gamma, big_gamma
from lib.scan_snap.sequence_classes import (
    SequenceClasses,
    normalized_attention,
    random_classes,
    syn_small,
)


def test_gradient_decoder_is_the_training_engine():
    classes = syn_small()
    run = train(
        classes,
        0.5,
        0.8,
        steps=40,
        batch_size=float("inf"),
        T=float("inf"),
        momentum=0.0,
        dtype="float64",
    )
    Z = joint_ascent(classes, 0.5, 0.8, [40]).Z[0]
    np.testing.assert_allclose(Z[run.layout.queries], run.z[0, 0, 0], atol=1e-12)
    assert np.abs(Z).max() > 0.1


@pytest.mark.parametrize("decoder", ["gradient", "modified", "settled"])
def test_classes_that_share_no_token_leave_attention_alone(decoder):
    classes = block_classes(np.zeros((3, 0)), np.tile([0.5, 1.0], (3, 1)))
    assert np.abs(joint_ascent(classes, 0.3, 0.3, [30], decoder).Z).max() < 1e-15


def test_attention_stands_still_for_one_step_and_then_the_decoders_differ():
    """From Z = 0 the first step of attention is the same for all decoders: Y = 0 sends nothing
    back.
    """
    runs = [
        joint_ascent(syn_small(), 0.3, 0.3, [1, 2], decoder).Z
        for decoder in ("gradient", "modified", "settled")
    ]
    assert all(np.abs(run[0]).max() == 0 for run in runs)
    np.testing.assert_allclose(runs[1], runs[2], rtol=1e-12)
    assert np.abs(runs[0][1] - runs[1][1]).max() > 0


@pytest.mark.parametrize(("K", "M", "rho"), [(2, 20, 0.4), (3, 15, 0.1), (4, 4, 0.3)])
def test_coupled_push_is_the_gradient_of_the_decoder(K, M, rho):
    F, eta_y, steps = (
        np.pad(np.linalg.cholesky(equal_overlap_gram(K, rho)), ((0, 0), (0, M - K))),
        0.7,
        25,
    )
    Y = np.zeros((M, M))
    for s, (iota, beta) in enumerate(coupled_push(steps, M, K, rho, eta_y)):
        weights = np.exp(F @ Y)
        shortfall = np.eye(K, M) - weights / weights.sum(axis=1, keepdims=True)
        coefficients = shortfall[0] @ Y.T @ np.linalg.pinv(F)
        np.testing.assert_allclose(
            coefficients, [iota] + [-beta] * (K - 1), atol=1e-12, err_msg=f"step {s}"
        )
        Y += eta_y / K * F.T @ shortfall


def test_without_overlap_the_push_is_gamma_and_theorem_1():
    K, M, eta_y, steps = 3, 40, 0.01, 3000
    push = coupled_push(steps, M, K, 0.0, eta_y)
    theory = gamma(np.arange(steps), M, eta_y, K)
    beta = finite_beta(np.eye(K, M), M)[0, 1]
    np.testing.assert_allclose(push[1:, 1], beta * theory[1:], rtol=0.02)
    assert coupled_push(1, M, K, 0.0, eta_y).tolist() == [[0, 0]]


def test_a_huge_rate_sends_back_finite_pushes():
    assert np.isfinite(coupled_push(30, 12, 3, 0.3, 1e5)).all()


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="decoder"):
        joint_ascent(syn_small(), 0.5, 0.5, [1], "other")
    with pytest.raises(ValueError, match="keep"):
        joint_ascent(syn_small(), 0.5, 0.5, [3, 1])
    with pytest.raises(ValueError, match="rho"):
        coupled_push(3, 5, 2, 1.0, 0.5)


def test_classes_without_duals_are_refused_where_duals_are_needed():
    twice = SequenceClasses([[0.5, 0.5, 0], [0.5, 0.5, 0]], query=[2, 2])
    with pytest.raises(ValueError, match="linearly independent"):
        joint_ascent(twice, 0.5, 0.5, [1], "modified")
    assert joint_ascent(twice, 0.5, 0.5, [1]).Z.shape == (1, 3, 3)


def test_unit_rows_are_the_normalized_attention():
    classes = random_classes(5, 12, np.random.default_rng(0), num_queries=2)
    Z = 400 * np.random.default_rng(1).normal(size=(12, 12))
    with np.errstate(divide="ignore"):
        rows = unit_rows(Z[classes.query] + np.log(classes.conditional))
    np.testing.assert_allclose(rows, normalized_attention(classes, Z), rtol=1e-12, atol=1e-300)


def test_the_modified_step_goes_along_the_dual_vectors():
    """Two steps by hand: the first leaves Z alone, the second reads the decoder of the first."""
    classes, eta_y, eta_z = syn_small(), 0.7, 0.4
    K, M, Z = classes.num_classes, classes.vocab_size, np.zeros((classes.vocab_size,) * 2)
    F = normalized_attention(classes, Z)
    labels = np.eye(M)[classes.next_token]
    Y = eta_y * dual_vectors(F).T @ ((labels - 1 / M) / K)
    g = (labels - softmax(F @ Y, axis=1)) @ Y.T / K
    wanted = eta_z * row_velocity(F, g)
    found = joint_ascent(classes, eta_y, eta_z, [2], "modified").Z[0]
    np.testing.assert_allclose(found[classes.query], wanted, atol=1e-15)


@pytest.mark.parametrize("decoder", ["gradient", "modified"])
def test_the_decoder_that_is_kept_is_the_one_that_moves_attention(decoder):
    """Y after a step by ``feature_ascent`` with the mean of the classes, and Z's step from it."""
    classes, eta_y, eta_z = syn_small(), 0.7, 0.4
    K, M = classes.num_classes, classes.vocab_size
    found = joint_ascent(classes, eta_y, eta_z, [0, 1, 2, 3], decoder)
    assert found.Z.shape == found.Y.shape == (4, M, M) and np.abs(found.Y[0]).max() == 0
    for s in range(3):
        F = normalized_attention(classes, found.Z[s])
        directions = F if decoder == "gradient" else dual_vectors(F)
        short = (np.eye(M)[classes.next_token] - softmax(F @ found.Y[s], axis=1)) / K
        np.testing.assert_allclose(
            found.Y[s + 1] - found.Y[s], eta_y * directions.T @ short, atol=1e-14
        )
        moved = (found.Z[s + 1] - found.Z[s])[classes.query]
        np.testing.assert_allclose(moved, eta_z * row_velocity(F, short @ found.Y[s].T), atol=1e-14)


def test_settled_decoder_follows_lemma_4():
    classes = block_classes(np.ones((2, 1)), np.tile([0.5, 1.0], (2, 1)))
    M, eta_y, ratio, steps = classes.vocab_size, 0.02, 5.0, 4000
    Z = joint_ascent(classes, eta_y, eta_y / ratio, [steps], "settled").Z[0]
    Gamma = float(big_gamma(h(steps / 2, M, eta_y), M, 2, ratio))
    path = attention_in_gamma(classes, [Gamma / 2, Gamma], M=M, visits=classes.prior)
    np.testing.assert_allclose(
        Z[classes.query[0]], path.Z[-1, classes.query[0]], rtol=0.01, atol=1e-12
    )


def test_ordinary_training_begins_with_less_of_a_rival_as_loud_as_it_takes_a_class_for_it():
    """After one step, beta / iota = alpha_0[rival] / (1 - alpha_0[own]): no overlap in it."""
    classes = four_classes()
    run = joint_ascent(classes, 1.0, 1.0, [1])
    F, _ = messages(classes, run.Z[0], run.Y[0])
    alpha = softmax(F @ run.Y[0], axis=1)[0, classes.next_token]
    found = less_over_more(classes, run.Z[0], run.Y[0])[0]
    np.testing.assert_allclose(found[1:], alpha[1:] / (1 - alpha[0]), rtol=1e-12)
    assert found[0] == -1


def test_under_the_modified_update_the_message_is_gamma_along_the_class_s_own_mixture():
    """gamma of (85) at t steps of the mean, attention all but still; the rest is of order 1/M."""
    classes = four_classes()
    step, M, K = 22, classes.vocab_size, classes.num_classes
    run = joint_ascent(classes, 0.05, 1e-9, [20 * step], "modified")
    F, G = messages(classes, run.Z[0], run.Y[0])
    assert (F * G).sum(axis=1) == pytest.approx(gamma(20 * step, M, 0.05, K), rel=2 / M)


def test_a_decoder_that_has_learned_nothing_sends_nothing_back():
    classes = four_classes()
    zero = np.zeros((classes.vocab_size,) * 2)
    assert np.abs(messages(classes, zero, zero)[1]).max() == 0
    assert np.isnan(less_over_more(classes, zero, zero)).all()
