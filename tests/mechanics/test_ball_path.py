"""The regularization path: where it goes, its gradients, balls, Newton from far away."""

import numpy as np
import pytest

from lib.mechanics import ball_path
from lib.mechanics.attention_layer import gradient
from lib.mechanics.ball_path import _ridge_minimizer, minimizer_in_ball, regularization_path
from lib.mechanics.descent import cosine
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences

PROBLEM = Problem(cyclic_draw(np.random.default_rng(0), n=25))
DATA, SPLIT, FIN = PROBLEM.data, PROBLEM.split, PROBLEM.fin


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


def test_path_has_a_vanishing_gradient():
    scale = 12.0
    path = regularization_path(SPLIT, [3.0, scale])
    W = SPLIT.matrix(path.x[1], path.z[1])
    np.testing.assert_allclose(gradient(W, DATA), -W * np.exp(-scale), atol=1e-12)


def test_scales_and_radii_off_the_path_are_refused():
    data = from_sequences([[0, 1]], [0], np.eye(2))
    split = Problem(data).split
    assert np.isfinite(regularization_path(split, [650.0]).z).all()
    with pytest.raises(ValueError, match="log_scales = 651"):
        regularization_path(split, [651.0])
    for radius in (0.0, 1e-20):
        with pytest.raises(ValueError, match="radius"):
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


def test_the_path_goes_the_svm_s_way():
    ridge = regularization_path(SPLIT, [10.0, 600.0])
    assert cosine(SPLIT.matrix(ridge.x[1], ridge.z[1]), PROBLEM.svm.W) > 0.999
    assert np.linalg.norm(ridge.gap[1]) < 1e-12
