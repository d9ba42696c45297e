"""The loss splits exactly, with its slopes, and its cyclic part has one minimum."""

import numpy as np
import pytest

from lib.mechanics.attention_layer import attention, gradient, risk
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.limit_offset import leaks
from lib.mechanics.loss_split import Part, minimize
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences
from lib.mechanics.token_priority_graph import project

PROBLEM = Problem(cyclic_draw(np.random.default_rng(0), n=25))
DATA, SPLIT, FIN = PROBLEM.data, PROBLEM.split, PROBLEM.fin


def test_split_adds_up_and_has_the_gradient():
    W = np.random.default_rng(1).normal(size=(8, 8))
    x, z = SPLIT.coordinates(W)
    for ours, theirs in zip(SPLIT.coordinates(SPLIT.matrix(x, z)), (x, z), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-13)
    for many, one in zip(SPLIT.coordinates(np.stack([W, 2 * W])), (x, z), strict=True):
        np.testing.assert_allclose(many, [one, 2 * one], atol=1e-13)
    leak, inner = SPLIT.leak(x, z), SPLIT.cyclic(x)
    assert inner.value + leak.value == pytest.approx(risk(W, DATA), rel=1e-13)
    assert inner.value == pytest.approx(
        risk(project(SPLIT.finite_basis, W), PROBLEM.cyclic_data), rel=1e-12
    )
    whole = np.r_[leak.gradient[: len(x)] + inner.gradient, leak.gradient[len(x) :]]
    np.testing.assert_allclose(
        np.concatenate(SPLIT.coordinates(gradient(W, DATA))), whole, atol=1e-14
    )
    np.testing.assert_allclose(
        np.exp(SPLIT.outside_mass(x, z)),
        (attention(W, DATA) * SPLIT.outside).sum(axis=1),
        rtol=1e-10,
    )


def test_hessian_is_the_gradient_s_slope():
    rng, h = np.random.default_rng(2), 1e-5
    x, z = SPLIT.coordinates(rng.normal(size=(8, 8)))
    v = rng.normal(size=len(x) + len(z))

    def slope(s):
        return SPLIT.leak(x + s * v[: len(x)], z + s * v[len(x) :]).gradient

    np.testing.assert_allclose(
        (slope(h) - slope(-h)) / (2 * h), SPLIT.leak(x, z).hessian @ v, atol=1e-9
    )


def test_finite_part_is_stationary_and_balanced_pairs_give_zero():
    assert np.linalg.norm(SPLIT.cyclic(FIN.x).gradient) < 1e-14 and FIN.least_curvature > 0
    balanced = from_sequences([[0, 1, 2], [0, 1, 2]], [0, 1], np.eye(3))
    assert np.abs(Problem(balanced).fin.W).max() < 1e-15


@pytest.mark.parametrize("log_scale", [45.0, 75.0, 345.0])
def test_a_scaled_leak_keeps_its_digits_where_the_leak_is_below_all_rounding(log_scale):
    """At log_scale times W_svm it is the sum of its leading exponentials, times e^log_scale."""
    z = log_scale * SPLIT.coordinates(PROBLEM.svm.W)[1]
    found = leaks(SPLIT, FIN.x)
    leading = np.exp(found.log_c - found.rows @ z + log_scale)
    leak = SPLIT.leak(FIN.x, z, log_scale)
    assert leak.value == pytest.approx(leading.sum(), rel=1e-12)
    np.testing.assert_allclose(leak.gradient[len(FIN.x) :], -leading @ found.rows, atol=1e-12)


def test_a_leak_beyond_every_float_stays_finite_and_no_leak_is_zero():
    x, direction = FIN.x, SPLIT.coordinates(PROBLEM.svm.W)[1]
    huge = SPLIT.leak(x, -2000 * direction, log_scale=800.0)
    assert np.isfinite(huge.value) and np.isfinite(huge.gradient).all()
    balanced = Problem(from_sequences([[0, 1], [0, 1]], [0, 1], np.eye(2))).split
    nothing = balanced.leak(np.zeros(1), np.zeros(0))
    assert nothing.value == 0 and not nothing.gradient.any() and not nothing.hessian.any()


@pytest.mark.parametrize("start", [1.1, 2.0, 5.0, 9.0])
def test_a_newton_step_that_would_lead_up_is_cut(start):
    """log cosh: from |x| > 1.09 a full step overshoots further each time; cut, six rounds do."""

    def bend(x):
        slope = np.tanh(x)
        return Part(float(np.logaddexp(x[0], -x[0])), slope, np.diag(1 - slope**2))

    assert abs(minimize(bend, np.array([start]), steps=6)[0]) < 1e-15


def test_a_balanced_pair_by_hand():
    """Two samples that contradict each other: log(1 + e^{-s}) and log(1 + e^s), s = sqrt 2 x."""
    fin = Problem(from_sequences([[0, 1], [0, 1]], [0, 1], np.eye(2))).fin
    assert fin.loss == pytest.approx(np.log(2), rel=1e-15)
    assert fin.least_curvature == pytest.approx(1 / 2, rel=1e-14)
    alone = Problem(from_sequences([[0, 1]], [0], np.eye(2))).fin
    assert alone.loss == 0 and alone.least_curvature == np.inf and alone.x.shape == (0,)


def test_absent_tokens_have_no_features_and_inside_ones_none_of_the_leak():
    assert not SPLIT.features[DATA.counts == 0].any()
    assert not SPLIT.outer_features[SPLIT.inside].any()


def test_curvature_is_left_out_on_request_alone():
    x, z = FIN.x, np.zeros(len(SPLIT.outer_basis))
    for part in (SPLIT.leak(x, z), SPLIT.cyclic(x)):
        assert part.hessian.shape == (len(part.gradient),) * 2
    assert SPLIT.leak(x, z, hessian=False).hessian is SPLIT.cyclic(x, hessian=False).hessian is None


@pytest.mark.parametrize("log_odds", [-41.0, -40.5, -39.0, -1.0, 0.0, 30.0])
@pytest.mark.parametrize("log_scale", [0.0, 45.0])
def test_one_rival_leaks_the_log_of_one_plus_its_odds(log_odds, log_scale):
    """One sample of two tokens: log(1 + e^-gap), and slopes in the direction of the gap."""
    split = Problem(from_sequences([[0, 1]], [0], np.eye(2))).split
    z = split.coordinates(np.array([[0, -log_odds / 2], [0, log_odds / 2]]))[1]
    leak = split.leak(np.zeros(0), z, log_scale)
    odds, scale = np.exp(log_odds), np.exp(log_scale)
    assert leak.value == pytest.approx(scale * np.log1p(odds), rel=1e-13)
    assert abs(leak.gradient[0]) == pytest.approx(scale * np.sqrt(2) * odds / (1 + odds), rel=1e-13)
    assert leak.hessian[0, 0] == pytest.approx(2 * scale * odds / (1 + odds) ** 2, rel=1e-13)
