"""The sweeping process against closed forms, a quadratic program, and training itself."""

import cvxpy as cp
import numpy as np
import pytest

from lib.bridge import sweeping
from lib.bridge.joint_training import one_hot_data
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem


def chain(weight):
    """a over b, and b over c: the two gaps pull against each other, 120 degrees apart."""
    return Problem(one_hot_data([[1, 1, 0, 0], [0, 1, 1, 0]], [3, 3], [0, 1], weight))


def test_nearest_is_the_solution_of_the_quadratic_program():
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows, point = rng.normal(size=(5, 6)), rng.normal(size=6)
        bounds = rng.normal(size=5)
        v = cp.Variable(6)
        cp.Problem(cp.Minimize(cp.sum_squares(v - point)), [rows @ v >= bounds]).solve(
            solver=cp.CLARABEL
        )
        np.testing.assert_allclose(sweeping.nearest(rows, bounds, point), v.value, atol=1e-5)


def test_equal_weights_give_the_graph_svm_times_the_clock():
    problem = chain(None)
    path = sweeping.sweeping_process(sweeping.gaps(problem.split), [0, 0], [0.5, 2.0])
    svm = problem.split.coordinates(problem.svm.W)[1]
    np.testing.assert_allclose(path, np.outer([0.5, 2.0], svm), atol=1e-12)


def test_light_sample_is_sacrificed_until_it_wakes():
    found = sweeping.gaps(chain(None).split)
    path = sweeping.sweeping_process(found, [0, 1], [0.5, 0.999, 1.0, 3.0]) @ found.rows.T
    np.testing.assert_allclose(path[:, 0], [0.5, 0.999, 1, 3], atol=1e-12)
    np.testing.assert_allclose(path[:, 1], [-0.25, -0.4995, 0, 2], atol=1e-12)


def test_steps_make_no_error():
    found = sweeping.gaps(chain(None).split)
    coarse, fine = (
        sweeping.sweeping_process(found, [0, 1], [0.7, 1.4, 2.1], step) for step in (1, 0.01)
    )
    np.testing.assert_allclose(coarse, fine, atol=1e-12)


@pytest.mark.parametrize("degrees", [30, 60, 90, 110])
def test_turn_of_equal_lengths_is_the_angle_formula(degrees):
    angle = np.radians(degrees)
    found = sweeping.turn(2 * np.array([[1, np.cos(angle)], [np.cos(angle), 1]]))
    assert found.clock == pytest.approx(1 / (4 * np.sin(angle / 4) ** 2), rel=1e-12)
    assert np.isnan(found.wait)


def test_beyond_120_degrees_it_turns_when_the_light_sample_wakes():
    assert sweeping.turn([[2.0, -1.0], [-1.0, 2.0]]).wait == pytest.approx(1 / 3)
    found = sweeping.turn([[2.0, -1.9], [-1.9, 2.0]])
    assert found.clock == 1 and found.wait > 1


def test_turn_is_where_training_turns():
    problem = Problem(
        one_hot_data([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]], [4, 4], [0, 2], [1, np.exp(-200.0)])
    )
    split, log_times = problem.split, np.linspace(250, 450, 81)
    path = gradient_flow(split, *split.coordinates(np.zeros((5, 5))), log_times)
    found = sweeping.gaps(split)
    heavy, light = (path.z @ found.rows.T).T
    expected = sweeping.turn(found.rows @ found.rows.T)
    when = sweeping.turning_log_time(log_times, expected.ratio, heavy, light)
    assert when / 200 == pytest.approx(expected.clock, rel=0.01)


def test_a_gap_that_never_gets_there_gives_nan():
    assert np.isnan(sweeping.turning_log_time([0, 1], 0.5, [1, 2], [0, 0]))


def test_bad_input_is_named():
    found = sweeping.gaps(chain(None).split)
    with pytest.raises(ValueError, match="clocks"):
        sweeping.sweeping_process(found, [0, 1], [1.0, 0.5])
    with pytest.raises(ValueError, match="wakes"):
        sweeping.sweeping_process(found, [0, -1], [1.0])
    with pytest.raises(ValueError, match="gram"):
        sweeping.turn(np.ones((2, 2)))
    with pytest.raises(ValueError, match="bounds"):
        sweeping.nearest(np.array([[1.0], [-1.0]]), np.ones(2), np.zeros(1))
