"""The regularization path: where it goes, its gradients, balls, Newton from far away."""

import numpy as np
import pytest

from lib.mechanics.attention_layer import gradient
from lib.mechanics.ball_path import _ridge_minimizer, minimizer_in_ball, regularization_path
from lib.mechanics.descent import cosine
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.problem import Problem

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
def test_newton_finds_the_point_of_the_path_from_far_away(seed):
    """Undamped it diverges from these starts: the leak is exponential."""
    point = regularization_path(SPLIT, [5.0])
    start = 5 * np.random.default_rng(seed).normal(size=len(SPLIT.features[0, 0]))
    found = _ridge_minimizer(SPLIT, start, 5.0, len(FIN.x))
    np.testing.assert_allclose(found, np.r_[point.x[0], point.z[0]], atol=1e-10)


def test_path_has_a_vanishing_gradient():
    scale = 12.0
    path = regularization_path(SPLIT, [3.0, scale])
    W = SPLIT.matrix(path.x[1], path.z[1])
    np.testing.assert_allclose(gradient(W, DATA), -W * np.exp(-scale), atol=1e-12)
