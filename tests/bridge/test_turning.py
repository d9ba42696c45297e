"""When two samples turn: closed forms, and training itself."""

import numpy as np
import pytest

from lib.bridge import sweeping, turning
from lib.bridge.joint_training import one_hot_data
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem


@pytest.mark.parametrize("degrees", [30, 60, 90, 110])
def test_turn_of_equal_lengths_is_the_angle_formula(degrees):
    angle = np.radians(degrees)
    found = turning.turn(2 * np.array([[1, np.cos(angle)], [np.cos(angle), 1]]))
    assert found.clock == pytest.approx(1 / (4 * np.sin(angle / 4) ** 2), rel=1e-12)
    assert np.isnan(found.wait)


@pytest.mark.parametrize("length", [0.8, 1.3])
@pytest.mark.parametrize("degrees", [50, 105, 150])
def test_at_the_turn_both_directions_are_at_one_angle(degrees, length):
    """Pulls in a plane, the heavy one of another length: W is found from its two gaps."""
    angle = np.radians(degrees)
    pulls = np.array([[length, 0], [np.cos(angle), np.sin(angle)]])
    W = np.linalg.solve(pulls, [1, turning.turn(pulls @ pulls.T).ratio])
    svm = np.linalg.solve(pulls, [1, 1])
    assert W @ pulls[0] / length == pytest.approx(W @ svm / np.linalg.norm(svm), rel=1e-12)


def test_beyond_120_degrees_it_turns_when_the_light_sample_wakes():
    assert turning.turn([[2.0, -1.0], [-1.0, 2.0]]).wait == pytest.approx(1 / 3)
    found = turning.turn([[2.0, -1.9], [-1.9, 2.0]])
    assert found.clock == 1 and found.wait > 1


def test_a_gap_that_never_gets_there_gives_nan():
    assert np.isnan(turning.turning_log_time([0, 1], 0.5, [1, 2], [0, 0]))


def test_a_turn_is_the_last_time_that_the_light_gap_comes_up():
    """Heavy 2, so 1 is what to reach: at 2/3 it does, falls back, and does for good at 2.2."""
    found = turning.turning_log_time([0, 1, 2, 3], 0.5, [2, 2, 2, 2], [0, 1.5, 0.5, 3])
    assert found == pytest.approx(2.2, rel=1e-15)
    assert turning.turning_log_time([0, 1], 0.5, [1, 1], [0, 1]) == 0.5


def test_a_path_that_is_always_ahead_is_refused():
    with pytest.raises(ValueError, match=r"light = 1\.0, .*once below 0\.5 x heavy"):
        turning.turning_log_time([0, 1], 0.5, [1, 2], [1, 2])


def test_a_lower_bound_that_says_nothing_is_no_time_at_all():
    """60 degrees, r = 3: above 1 + 2h, so it turns; not above 2h (1 + h), and Y >= 1 anyway."""
    assert turning.turning_bounds(np.radians(60), np.log(3.0))[0] == -np.inf


def test_lower_bound_leaves_no_smaller_constant_at_90_degrees():
    """Unrelated samples have e^g + g = 1 + w G t: a pair that only just turns, at once."""
    ratio, heavy = np.sqrt(2) - 1, 0.01
    time, light = (np.exp(g) + g - 1 for g in (heavy, ratio * heavy))  # G t, and G t / r
    low, high = turning.turning_bounds(np.radians(90 - 1e-9), np.log(time / light))
    assert np.exp(low) < time < min(np.exp(low) + 0.02, np.exp(high))


def test_at_120_degrees_only_a_constant_is_open():
    """G t is r (log r + O(1)) / (3/2)."""
    low, high = turning.turning_bounds(np.radians(120), 300.0)
    assert 300 / 1.5 - 1 < np.exp(low - 300) < np.exp(high - 300) < 300 / 1.5 + 6


def test_bad_input_is_named():
    for implied in (np.ones((2, 2)), [[4, 1.5], [1.5, 1]], [[1, -1], [-1, 1]]):
        with pytest.raises(ValueError, match="gram"):
            turning.turn(implied)
    with pytest.raises(ValueError, match="angle"):
        turning.turning_bounds(np.pi, 5.0)
    with pytest.raises(ValueError, match="log_r"):
        turning.turning_bounds(np.radians(60), np.log(2.7))


@pytest.mark.parametrize("log_r", [1.0, 5.0, 40.0])
@pytest.mark.parametrize(
    ("degrees", "counts", "labels"),
    [
        (60, [[1, 1, 0, 0], [1, 0, 1, 0]], [0, 0]),
        (90, [[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]], [0, 2]),
        (120, [[1, 1, 0, 0], [0, 1, 1, 0]], [0, 1]),
    ],
)
def test_training_turns_between_the_bounds(degrees, counts, labels, log_r):
    angle, d = np.radians(degrees), len(counts[0])
    ratio = 2 * np.cos(angle / 2) - 1
    log_r += np.log(2 + ratio)
    low, high = np.array(turning.turning_bounds(angle, log_r)) - np.log(2)  # G = 2
    split = Problem(one_hot_data(counts, [d - 1] * 2, labels, [1, np.exp(-log_r)])).split
    log_times = np.linspace(max(low, -15), high + 1e-3, 60)  # at 90 degrees it is sharp
    path = gradient_flow(split, *split.coordinates(np.zeros((d, d))), log_times)
    ahead = path.z @ sweeping.gaps(split).rows.T @ [-ratio, 1]
    assert ahead[0] < 0 < ahead[-1]
    assert (np.diff(np.sign(ahead)) != 0).sum() == 1
