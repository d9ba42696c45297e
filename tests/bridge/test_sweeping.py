"""The sweeping process against closed forms, a quadratic program, and training itself."""

import cvxpy as cp
import numpy as np
import pytest

from lib.bridge import sweeping
from lib.bridge.joint_training import one_hot_data
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


def test_a_point_that_meets_all_bounds_is_the_nearest():
    rows, point = np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([2.0, -1.0])
    assert sweeping.nearest(rows, np.array([1.0, 1.0]), point).tolist() == [2.0, -1.0]


@pytest.mark.parametrize("size", [1e-12, 1e6, 1e100])
def test_the_nearest_point_has_all_its_digits_at_any_size(size):
    found = sweeping.nearest(np.array([[1.0]]), np.array([size]), np.array([0.0]))
    assert found == pytest.approx([size], rel=1e-12)
    both = np.array([[1.0], [-1.0]]), np.array([size, size])  # above it and below minus it
    with pytest.raises(ValueError, match="bounds that some point meets"):
        sweeping.nearest(*both, np.array([0.0]))


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


def test_a_wall_that_lets_go_between_two_wakes_leaves_no_error():
    """Rows (2, 1) and (1, 0), the second awake from 0.318 on: it is met while the first pushes,
    which then has to push less; steps that end elsewhere would miss by their length.
    """
    found = sweeping.Gaps(np.array([[2.0, 1.0], [1.0, 0.0]]), np.array([0, 1]))
    wake = 0.6 * 0.53
    path = sweeping.sweeping_process(found, [0, wake], [0.25, 0.5, 2.0])
    met = wake / (1 - 0.4)  # (2, 1)/5 a unit of time: its first coordinate meets sigma - wake
    expected = [0.25 * np.array([0.4, 0.2]), 0.5 * np.array([0.4, 0.2])]
    np.testing.assert_allclose(path[:2], expected, rtol=0, atol=1e-12)
    stays = met * np.array([0.4, 0.2])[1]  # then along the second wall alone, (1, 0) a unit
    np.testing.assert_allclose(path[2], [2 - wake, stays], rtol=0, atol=1e-12)


def test_a_gap_that_runs_ahead_is_never_caught():
    found = sweeping.Gaps(np.array([[1.0], [1.5]]), np.arange(2))
    path = sweeping.sweeping_process(found, [0, 0], [0.5, 2.0])
    np.testing.assert_allclose(path, [[0.5], [2.0]], rtol=1e-14)


def stars(wakes, clocks=(1.0,)):
    """a over b, b over c, y over z; and x over a, x over y: behind one query."""
    names, pairs = "abcyzxq", ["ab", "bc", "yz", "xa", "xy"]
    counts = np.array([[name in two for name in names] for two in pairs], dtype=int)
    labels = [names.index(two[0]) for two in pairs]
    split = Problem(one_hot_data(counts, [6] * 5, labels)).split
    path = sweeping.sweeping_process(sweeping.gaps(split), wakes, clocks)
    return dict(zip(names, split.matrix(np.zeros(0), path[-1])[:6, 6], strict=False))


def test_two_light_samples_do_not_land_at_the_nearest_point():
    found = stars([0, 0, 0, 1, 1])
    expected = {"a": 0.8, "b": -0.2, "c": -1.2, "y": 0.4, "z": -0.6, "x": 0.8}
    assert found == pytest.approx(expected, abs=1e-12)


def test_nothing_depends_on_when_one_looks():
    late = stars([0, 0, 0, 1, 1], [1.5])
    assert late == pytest.approx(stars([0, 0, 0, 1, 1], [0.2, 1.0, 1.5]), abs=1e-12)


@pytest.mark.parametrize("angle", [95, 120, 150, 170])
def test_a_pair_lands_at_the_nearest_point(angle):
    kappa = np.cos(np.radians(angle))
    rows = np.array([[1, 0], [kappa, np.sqrt(1 - kappa**2)]])
    found, heavy = sweeping.Gaps(rows, np.arange(2)), np.array([1.0, 0])
    landed = sweeping.landing(found, np.array([1, -np.inf]), np.array([False, True]), heavy)
    np.testing.assert_allclose(landed, sweeping.nearest(rows, np.array([1, 0]), heavy), atol=1e-12)


def test_a_sample_pushes_its_smallest_gap_then_both():
    """From (-2, -1) one gap rises to the other in 1, both then reach 0 with half the force each."""
    found = sweeping.Gaps(np.eye(2), np.zeros(2, dtype=int))
    waking, free = np.array([True, True]), np.full(2, -np.inf)
    np.testing.assert_allclose(
        sweeping.landing(found, free, waking, np.array([-2.0, -1.0])), [0, 0], atol=1e-12
    )
    velocity = sweeping._velocity(found, np.array([True, True]), waking, ~waking)
    np.testing.assert_allclose(velocity, [0.5, 0.5], atol=1e-12)


def test_a_wall_that_is_met_on_the_way_is_met_to_rounding():
    """Pushed along (-1, 1) from (1, -2), v meets 2 v_1 >= 1 at (1/2, -3/2), then rises to rest."""
    found = sweeping.Gaps(np.array([[2.0, 0.0], [-1.0, 1.0]]), np.arange(2))
    walls, waking = np.array([1.0, -np.inf]), np.array([False, True])
    landed = sweeping.landing(found, walls, waking, np.array([1.0, -2.0]))
    np.testing.assert_allclose(landed, [0.5, 0.5], rtol=0, atol=1e-14)


def test_a_sample_that_woke_before_is_a_wall_that_the_landing_meets():
    """The second, awake from 1/4 on, is to keep 3/4: met at (1, -1/4, 1/4), then only v_3 rises."""
    rows = np.array([[1.0, 0, 0], [1, 1, 0], [-1, -1, 1]])
    path = sweeping.sweeping_process(sweeping.Gaps(rows, np.arange(3)), [0, 0.25, 1], [1.0])
    np.testing.assert_allclose(path[0], [1, -0.25, 0.75], rtol=0, atol=1e-14)


def test_a_sample_that_sleeps_on_is_no_wall():
    """The second wakes at (1, 0) and lands at (1, 1), where the third is to have a gap of -1."""
    found = sweeping.Gaps(np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, -1.0]]), np.arange(3))
    path = sweeping.sweeping_process(found, [0, 1, 2], [0.5, 1.0])
    np.testing.assert_allclose(path, [[0.5, 0], [1, 1]], atol=1e-14)


def test_a_sample_that_wakes_served_gives_way_down_to_zero():
    """Gaps 1/2 and -1: the second one's push takes the first along until both are 0."""
    found = sweeping.Gaps(np.array([[1.0, 0.0], [-1.0, 1.0]]), np.arange(2))
    both, free = np.array([True, True]), np.full(2, -np.inf)
    landed = sweeping.landing(found, free, both, np.array([0.5, -0.5]))
    np.testing.assert_allclose(landed, [0, 0], atol=1e-14)


def test_hinges_that_cannot_all_be_served_are_named():
    found = sweeping.Gaps(np.array([[1.0], [-1.0]]), np.arange(2))
    with pytest.raises(ValueError, match="waking"):
        sweeping.landing(found, np.array([1, -np.inf]), np.array([False, True]), np.array([1.0]))


def test_bad_input_is_named():
    found = sweeping.gaps(chain(None).split)
    with pytest.raises(ValueError, match="clocks"):
        sweeping.sweeping_process(found, [0, 1], [1.0, 0.5])
    with pytest.raises(ValueError, match="wakes"):
        sweeping.sweeping_process(found, [0, -1], [1.0])
    with pytest.raises(ValueError, match="bounds"):
        sweeping.nearest(np.array([[1.0], [-1.0]]), np.ones(2), np.zeros(1))
