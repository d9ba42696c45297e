"""The compiled slopes against the definition, and the order of a run along them."""

from itertools import pairwise

import numpy as np
import pytest

from lib.bridge import joint_loops
from lib.bridge.joint_training import one_hot_data
from tests.bridge.joint_reference import slopes_in_digits


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize(("lost", "log_scale"), [(0.0, 3.0), (-800.0, 690.0)])  # it underflows
def test_slopes_are_those_of_the_definition_entry_by_entry(normalize, lost, log_scale):
    rng = np.random.default_rng(0)
    data = one_hot_data([[2, 1, 0, 1], [0, 3, 1, 1]], [3, 3], [0, 1])
    Y, Z = rng.normal(size=(4, 3)), rng.normal(size=(4, 4))
    Z[3, 1] += lost
    found = np.zeros((4, 3)), np.zeros((4, 4))
    samples = data.log_counts, data.last, data.label, np.log(data.weight)
    joint_loops.add_slopes(samples, Y, Z, normalize, log_scale, *found)
    digits = 760 if lost else 60  # e^-800, twice, beside 1: 695 places
    exact = slopes_in_digits(data, Y, Z, normalize, log_scale, digits=digits)
    for ours, slope in zip(found, exact, strict=True):
        np.testing.assert_allclose(ours, slope, rtol=1e-11, atol=1e-300)


def test_slopes_are_added_to_what_is_there():
    data = one_hot_data([[2, 1]], [1], [0])
    samples = data.log_counts, data.last, data.label, np.log(data.weight)
    alone, more = ([start * np.ones((2, 2)), start * np.ones((2, 2))] for start in (0.0, 1.0))
    for found in (alone, more):
        joint_loops.add_slopes(samples, np.eye(2), np.eye(2), False, 0.0, *found)
    for one, other in zip(alone, more, strict=True):
        np.testing.assert_allclose(one + 1, other, rtol=1e-15)


def test_in_steps_of_one_length_a_run_is_of_second_order():
    """No error is too large, so that each of the times takes one step: half of it, a quarter."""
    data = one_hot_data([[2, 1, 0, 1], [0, 3, 1, 1]], [3, 3], [0, 1])
    samples = data.log_counts, np.zeros(2, int), data.label, np.log(data.weight)
    ends = []
    for steps in (40, 80, 160):
        X, times = np.zeros((steps + 1, 16)), np.linspace(-1.0, 1.0, steps + 1)
        X[0, :12] = np.eye(4)[:, :3].ravel()
        rates = np.array([1.0, 0.5])
        assert joint_loops.follow(samples, X, (4, 3), rates, True, times, np.inf, 1) == 1
        ends.append(X[-1])
    first, second = (np.linalg.norm(one - other) for one, other in pairwise(ends))
    assert first / second == pytest.approx(4, abs=0.2)


def test_a_run_that_would_take_more_steps_than_allowed_says_how_far_it_came():
    data = one_hot_data([[2, 1]], [1], [0])
    samples = data.log_counts, np.zeros(1, int), data.label, np.log(data.weight)
    X, times = np.zeros((2, 6)), np.array([0.0, 1.0])
    X[0, :4] = np.eye(2).ravel()
    came = joint_loops.follow(samples, X, (2, 2), np.ones(2), False, times, np.inf, 2)
    assert came == pytest.approx(0.1 + 0.2)  # the first step, and one of twice its length
    assert not X[1].any()


def test_compiled_or_not_a_run_is_the_same():
    data = one_hot_data([[2, 1, 0, 1], [0, 3, 1, 1]], [3, 3], [0, 1])
    samples = data.log_counts, np.zeros(2, int), data.label, np.log(data.weight)
    ends = []
    for run in (joint_loops.follow, joint_loops.follow.py_func):
        X, times = np.zeros((3, 16)), np.array([-3.0, 0.0, 2.0])
        X[0, :12] = np.eye(4)[:, :3].ravel()
        reached = run(samples, X, (4, 3), np.array([1.0, 0.5]), True, times, 1e-3, 1000)
        assert reached == 2
        ends.append(X)
    assert np.abs(np.diff(ends[0], axis=0)).max(axis=1).min() > 0.1
    np.testing.assert_allclose(*ends, rtol=1e-12)
