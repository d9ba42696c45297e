"""Asymptotic rows on paper, what winners are heavier by, and runs that begin late."""

import numpy as np
import pytest

from lib.bridge import basin
from lib.bridge import slow_direction as slow
from lib.bridge.joint_training import joint_flow


def two_of_one_label(weight):
    """Tokens (a, b) and (b, c) of label 0, (c, d) of label 1; a, b and c win."""
    counts = [[3, 1, 0, 0, 0], [0, 2, 1, 0, 0], [0, 0, 1, 1, 0]]
    kept = np.eye(5, dtype=bool)[[0, 1, 2]]
    return slow.one_hot_data(counts, [4, 4, 4], [0, 0, 1], weight), kept


def test_rows_of_winners_on_paper():
    data, kept = two_of_one_label([0.5, 0.2, 0.3])
    rows = basin.asymptotic_rows(data, kept, 4, 10.0, eta_y=2.0)
    np.testing.assert_allclose(rows[0], (10 + np.log(4)) * np.array([3, -1, -1, -1]) / 4)
    np.testing.assert_allclose(rows[2], (10 + np.log(2.4)) * np.array([-1, 3, -1, -1]) / 4)
    assert (rows[3:] == 0).all()


def test_distances_are_those_of_winners_rows():
    data, kept = two_of_one_label([0.5, 0.2, 0.3])
    Y = basin.asymptotic_rows(data, kept, 4, 10.0)
    Y[3:] += 7  # no winners
    Y[1] += 3 * np.array([1, -1, 0, 0])
    apart = basin.rows_apart(data, kept, Y, 10.0)
    np.testing.assert_allclose(apart, [0, 3 * np.sqrt(2), 0], atol=1e-12)


def test_the_largest_leak_is_of_the_sample_that_leaves_most():
    data, _ = two_of_one_label([0.5, 0.2, 0.3])
    kept = slow.winners(data, np.zeros((5, 5)))
    assert basin.largest_leak(data, kept, np.zeros((5, 5))) == pytest.approx(1 / 2)


def test_the_gain_is_the_log_of_the_least_advantage():
    data, kept = two_of_one_label([0.5, 0.2, 0.3])  # a wins 0.5, its ally b 0.2
    assert basin.gain(data, kept) == pytest.approx(np.log(2.5))
    data, kept = two_of_one_label([0.68, 0.02, 0.3])
    assert basin.gain(data, kept) == 2


def test_lighter_winners_gain_nothing():
    data, kept = two_of_one_label([0.2, 0.5, 0.3])
    with pytest.raises(ValueError, match="heavier"):
        basin.gain(data, kept)


def test_a_run_goes_on_from_where_it_was():
    data, _ = two_of_one_label([0.5, 0.2, 0.3])
    whole = joint_flow(data, np.zeros((5, 2)), np.zeros((5, 5)), [3.0, 6.0])
    rest = joint_flow(data, whole.Y[0], whole.Z[0], [6.0], begin=3.0)
    np.testing.assert_allclose(rest.Z[0], whole.Z[1], atol=1e-6)
    with pytest.raises(ValueError, match="from 3 on"):
        joint_flow(data, whole.Y[0], whole.Z[0], [2.0], begin=3.0)
