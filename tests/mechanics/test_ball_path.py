"""The regularization path: where it goes, its gradients, balls, Newton from far away."""

from types import SimpleNamespace

import numpy as np
import pytest

from lib.mechanics import ball_path
from lib.mechanics.attention_layer import attention, gradient
from lib.mechanics.ball_path import (
    _ridge_minimizer,
    linear_loss_on_sphere,
    minimizer_in_ball,
    regularization_path,
)
from lib.mechanics.descent import cosine
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences

PROBLEM = Problem(cyclic_draw(np.random.default_rng(0), n=25))
DATA, SPLIT, FIN = PROBLEM.data, PROBLEM.split, PROBLEM.fin


def test_the_path_goes_the_svm_s_way():
    ridge = regularization_path(SPLIT, [10.0, 600.0])
    assert cosine(SPLIT.matrix(ridge.x[1], ridge.z[1]), PROBLEM.svm.W) > 0.999
    assert np.linalg.norm(ridge.gap[1]) < 1e-12


def test_ball_minimizer_has_its_radius_and_is_stationary():
    x, z = minimizer_in_ball(SPLIT, 3.0)
    W = SPLIT.matrix(x, z)
    assert np.linalg.norm(W) == pytest.approx(3, rel=1e-8)
    assert cosine(W, -gradient(W, DATA)) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("seed", range(1, 5))
def test_newton_finds_the_point_of_the_path_from_far_away(seed, monkeypatch):
    """Undamped it diverges from these starts: the leak is exponential."""
    passed, scaled_loss = [], ball_path.scaled_loss

    def seen(split, x, z, scale):
        passed.append(np.r_[x, z])
        return scaled_loss(split, x, z, scale)

    point = regularization_path(SPLIT, [5.0])
    start = 5 * np.random.default_rng(seed).normal(size=len(SPLIT.features[0, 0]))
    monkeypatch.setattr(ball_path, "scaled_loss", seen)
    found = _ridge_minimizer(SPLIT, start, 5.0, len(FIN.x))
    np.testing.assert_allclose(found, np.r_[point.x[0], point.z[0]], atol=1e-10)
    moved = np.abs(SPLIT.features @ np.diff(passed, axis=0).T).max(axis=(0, 1))
    assert moved.max() == pytest.approx(1)  # no score by more


def test_the_path_is_followed_in_strides_of_at_most_two_along_its_tangent(monkeypatch):
    guesses, scales, newton = [], [], _ridge_minimizer

    def seen(split, point, scale, r):
        guesses.append(split.matrix(point[:r], point[r:]))
        scales.append(scale)
        return newton(split, point, scale, r)

    monkeypatch.setattr(ball_path, "_ridge_minimizer", seen)
    path = regularization_path(SPLIT, [-6.0, -1.5, -1.499])
    assert scales == [-6, -4.5, -3, -1.5, -1.499]
    before, there = SPLIT.matrix(path.x[1:], path.z[1:])
    assert np.linalg.norm(guesses[-1] - there) < 1e-3 * np.linalg.norm(before - there)


def test_path_has_a_vanishing_gradient():
    scale = 12.0
    path = regularization_path(SPLIT, [3.0, scale])
    W = SPLIT.matrix(path.x[1], path.z[1])
    np.testing.assert_allclose(gradient(W, DATA), -W * np.exp(-scale), atol=1e-12)


@pytest.mark.parametrize("radius", [3.0, 200.0])
def test_the_linear_loss_on_a_sphere_is_the_mass_on_other_tokens_with_its_slope(radius):
    data = from_sequences([[0, 1, 2], [2, 1, 3], [3, 3, 2], [1]], [0, 1, 3, 1], np.eye(4))
    split = Problem(data).split
    assert not len(split.finite_basis)
    rng, h = np.random.default_rng(3), 1e-6
    v, along = rng.normal(size=(2, len(split.outer_basis)))
    value, slope = linear_loss_on_sphere(v, radius, split)
    W = split.matrix(np.zeros(0), radius * v / np.linalg.norm(v))
    others = (attention(W, data) * (1 - data.one_hot)).sum(axis=1)
    assert value == pytest.approx(np.log(data.weight @ others), rel=1e-10)
    up, down = (linear_loss_on_sphere(v + s * along, radius, split)[0] for s in (h, -h))
    assert slope @ along == pytest.approx((up - down) / (2 * h), rel=1e-6)
    assert abs(slope @ v) < 1e-12 * np.linalg.norm(slope) * np.linalg.norm(v)


def test_scales_and_radii_off_the_path_are_refused():
    data = from_sequences([[0, 1]], [0], np.eye(2))
    split = Problem(data).split
    assert np.isfinite(regularization_path(split, [650.0]).z).all()
    with pytest.raises(ValueError, match="log_scales = 651"):
        regularization_path(split, [651.0])
    for radius in (0.0, 1e-20):
        with pytest.raises(ValueError, match="radius"):
            minimizer_in_ball(split, radius)


@pytest.mark.parametrize(
    ("scale", "known"), [(-30.1, False), (-29.9, True), (649.9, True), (650.1, False)]
)
def test_a_ball_is_looked_for_between_the_scales_that_the_refusal_names(monkeypatch, scale, known):
    """On a path of one coordinate that grows with the scale."""
    monkeypatch.setattr(ball_path, "_follow", lambda *given: np.array([np.exp(given[3] / 100)]))
    split, radius = SimpleNamespace(finite_basis=[], outer_basis=[None]), np.exp(scale / 100)
    if known:
        assert minimizer_in_ball(split, radius)[1] == pytest.approx(radius, rel=1e-9)
    else:
        with pytest.raises(ValueError, match=r"radius = .*, scales e\^-30 to e\^650"):
            minimizer_in_ball(split, radius)


@pytest.mark.parametrize("radius", [0.1, 0.5, 1.0, 4.0])
def test_a_ball_is_filled_along_the_one_pull_that_there_is(radius):
    split = Problem(from_sequences([[0, 1]], [0], np.eye(2))).split
    x, z = minimizer_in_ball(split, radius)
    W = radius / np.sqrt(2) * np.array([[0, 1], [0, -1]])
    np.testing.assert_allclose(split.matrix(x, z), W, atol=1e-9 * radius)


def test_the_ridge_point_of_one_pair_in_closed_form():
    """e^s log(1 + e^-g) + g^2 / 4, g the gap: g = 2 e^s / (1 + e^g)."""
    split = Problem(from_sequences([[0, 1]], [0], np.eye(2))).split
    scales = np.array([-8.0, 0.0, 3.0, 40.0])
    path = regularization_path(split, scales)
    W = split.matrix(path.x, path.z)
    gap = W[:, 0, 1] - W[:, 1, 1]
    np.testing.assert_allclose(gap, 2 * np.exp(scales - np.logaddexp(0, gap)), rtol=1e-11)
