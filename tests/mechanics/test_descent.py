"""Descent stays in the data span, and what is observed is what it says."""

import warnings

import numpy as np
import pytest

from lib.mechanics.attention_layer import gradient, risk
from lib.mechanics.descent import cosine, descend, initial_weights, sine
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences, stack

PROBLEM = Problem(cyclic_draw(np.random.default_rng(0), n=25))
DATA, SPLIT = PROBLEM.data, PROBLEM.split


def test_descent_keeps_the_component_outside_the_data_span():
    start = initial_weights(1, 8, np.random.default_rng(3))[0]
    last, _ = descend(start, DATA, 0.5, 50)
    off = [W - SPLIT.matrix(*SPLIT.coordinates(W)) for W in (start, last)]
    np.testing.assert_allclose(off[0], off[1], atol=1e-13)
    assert risk(last, DATA) < risk(start, DATA)


def test_normalized_steps_of_several_trials_have_one_length():
    rng = np.random.default_rng(4)
    batch = stack([cyclic_draw(rng, n=25) for _ in range(2)])
    last, path = descend(initial_weights(2, 8, rng), batch, 0.01, 300, normalized=True)
    assert path["W"].shape == (301, 2, 8, 8)
    np.testing.assert_array_equal(last, path["W"][-1])
    np.testing.assert_allclose(
        np.linalg.norm(np.diff(path["W"], axis=0), axis=(2, 3)), 0.01, rtol=1e-9
    )


def test_eps_shortens_a_normalized_step_and_a_negative_one_is_refused():
    start, eps = initial_weights(1, 8, np.random.default_rng(5))[0], 0.3
    slope = gradient(start, DATA)
    last, _ = descend(start, DATA, 0.1, 1, normalized=True, eps=eps)
    np.testing.assert_allclose(
        start - last, 0.1 * slope / (np.linalg.norm(slope) + eps), atol=1e-15
    )
    with pytest.raises(ValueError, match="eps"):
        descend(start, DATA, 0.1, 1, normalized=True, eps=-1.0)


def test_the_authors_start_fills_a_cube_of_side_two_over_the_root_of_d():
    W = initial_weights(200, 4, np.random.default_rng(0))
    assert W.shape == (200, 4, 4) and 0.49 < W.max() < 0.5 and -0.5 < W.min() < -0.49


def test_plain_descent_takes_the_steps_that_it_is_given():
    """Three steps with rates 1, 1/2, 1/3, one after the other."""
    W = start = initial_weights(1, 8, np.random.default_rng(6))[0]
    for step in range(3):
        W = W - gradient(W, DATA) / (step + 1)
    last, path = descend(start, DATA, lambda step: 1 / (step + 1), 3)
    np.testing.assert_allclose(last, W, atol=1e-15)
    np.testing.assert_array_equal(path["W"][[0, -1]], [start, last])
    with pytest.raises(ValueError, match="eta"):
        descend(start, DATA, lambda step: step, 3)
    with pytest.raises(ValueError, match="steps"):
        descend(start, DATA, 0.1, 0)


def test_where_nothing_pulls_a_normalized_step_stays():
    alone, W = from_sequences([[0, 0]], [0], np.eye(2)), np.ones((2, 2))
    assert (descend(W, alone, 0.1, 2, normalized=True)[0] == W).all()


@pytest.mark.parametrize("angle", [1e-12, 1e-6, 0.3, np.pi / 2])
def test_the_sine_keeps_its_digits_however_small_the_angle(angle):
    V, other = np.eye(3), np.diag([1.0, -1, 0])
    V, other = 5 * V / np.linalg.norm(V), other / np.linalg.norm(other)
    W = np.cos(angle) * V / 5 + np.sin(angle) * other
    many = sine(np.stack([W, 3 * W]), np.stack([V, V]))
    np.testing.assert_allclose(many, np.sin(angle), rtol=1e-3)
    assert sine(W, V) ** 2 + cosine(W, V) ** 2 == pytest.approx(1)


def test_the_angle_with_zero_is_not_a_number_and_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(cosine(np.zeros((2, 2)), np.eye(2)))
        assert cosine(2 * np.eye(2), np.eye(2)) == 1
