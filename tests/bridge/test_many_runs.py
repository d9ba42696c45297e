"""Many runs at once against the one-run flow that they stand for."""

import numpy as np
import pytest

from lib.bridge import many_runs
from lib.bridge.joint_training import joint_flow, one_hot_data


def some_data(seed, n=3, K=5):
    """Three samples behind two queries; independent inputs, so that each can be told apart."""
    rng = np.random.default_rng(seed)
    counts = np.c_[rng.integers(1, 4, (n, 1)), np.eye(n), rng.integers(0, 2, (n, 1))]
    return one_hot_data(counts, [3, 4, 3], [1, 2, 3], rng.uniform(0.5, 2, n))


@pytest.mark.parametrize("normalize", [False, True])
def test_each_run_is_the_flow_of_its_data(normalize):
    data_sets = [some_data(seed) for seed in range(2)]
    runs, rates = many_runs.stacked(data_sets), np.array([0.5, 2.0])
    Y = 0.3 * np.eye(5, 4)  # one token is no label
    path = many_runs.run_many(
        runs,
        np.array([Y, Y]),
        [1.0, 6.0],
        eta_y=rates,
        normalize=normalize,
        begin=-12,
        tolerance=1e-4,
    )
    for number, data in enumerate(data_sets):
        exact = joint_flow(
            data,
            Y,
            np.zeros((5, 5)),
            [1.0, 6.0],
            eta_y=rates[number],
            normalize=normalize,
        )
        np.testing.assert_allclose(path.Z[:, number], exact.Z[:, 3:], atol=2e-3)
        np.testing.assert_allclose(path.Y[:, number], exact.Y, atol=2e-3)


def test_bad_input_is_named():
    runs = many_runs.stacked([some_data(0)])
    with pytest.raises(ValueError, match="log_times"):
        many_runs.run_many(runs, np.eye(5), [1.0, 0.0])
    for times in ([], [-2.0, 3.0]):
        with pytest.raises(ValueError, match="log_times"):
            many_runs.run_many(runs, np.eye(5), times, begin=-2.0)
    with pytest.raises(ValueError, match="tolerance"):
        many_runs.run_many(runs, np.eye(5), [1.0], tolerance=0.0)
    with pytest.raises(ValueError, match="eta_y"):
        many_runs.run_many(runs, np.eye(5), [1.0], eta_y=-1.0)
    with pytest.raises(ValueError, match="data_sets"):
        many_runs.stacked([some_data(0), one_hot_data([[1, 1]], [0], [1])])
    with pytest.raises(RuntimeError, match="steps"):
        many_runs.run_many(runs, np.eye(5), [-19.9, 9.0], most=3)  # by the second
    with pytest.raises(ValueError, match="Y.shape"):
        many_runs.run_many(runs, np.eye(5, 3), [1.0])


def test_a_rate_of_zero_freezes_its_half():
    runs = many_runs.stacked([some_data(0)])
    for still, moving in (("Y", "Z"), ("Z", "Y")):
        path = many_runs.run_many(runs, np.eye(5), [1.0], **{f"eta_{still.lower()}": 0.0})
        first = np.eye(5) if still == "Y" else 0
        assert (getattr(path, still) == first).all()
        assert not (getattr(path, moving) == (0 if still == "Y" else np.eye(5))).all()


def test_one_step_is_enough_for_a_short_way():
    runs = many_runs.stacked([some_data(0)])
    given = {"begin": 0.0, "tolerance": 1e3}
    assert many_runs.run_many(runs, np.eye(5), [0.05], most=1, **given).Z.any()
    with pytest.raises(RuntimeError, match="0 steps, still at log t = 0"):
        many_runs.run_many(runs, np.eye(5), [0.05], most=0, **given)


def test_attention_sums_to_one_over_the_tokens_present():
    runs = many_runs.stacked([some_data(0)])
    mass = many_runs.attention(runs, np.random.default_rng(0).normal(size=(1, 2, 5)))
    np.testing.assert_allclose(mass.sum(axis=-1), 1)
    assert (mass[np.isinf(runs.log_counts)] == 0).all()


def test_what_is_left_out_is_plain_attention_at_rates_of_one_from_the_beginning():
    data = some_data(4)
    path = many_runs.run_many(many_runs.stacked([data]), 0.3 * np.eye(5), [1.0, 6.0])
    exact = joint_flow(data, 0.3 * np.eye(5), np.zeros((5, 5)), [1.0, 6.0])
    np.testing.assert_allclose(path.Z[:, 0], exact.Z[:, 3:], atol=1e-2)
    np.testing.assert_allclose(path.Y[:, 0], exact.Y, atol=1e-2)
