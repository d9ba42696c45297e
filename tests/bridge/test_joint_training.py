"""The joint layer against automatic differentiation, a plain solver, and on paper."""

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp

from lib.bridge import joint_training as joint


@pytest.fixture(params=[False, True], ids=["plain", "normalized"])
def normalize(request):
    return request.param


def some_data(rng, n=5, K=6):
    counts = rng.integers(0, 3, (n, K))
    counts[:, 0] = 1
    return joint.one_hot_data(counts, rng.integers(0, K, n), rng.integers(0, K, n))


def some_state(rng, K=6):
    return rng.normal(size=(K, K)), rng.normal(size=(K, K))


def by_torch(data, Y, Z, normalize):
    Y, Z = (torch.tensor(x, requires_grad=True) for x in (Y, Z))
    s = torch.softmax(Z[data.last] + torch.tensor(data.log_counts), dim=-1)
    f = s / torch.linalg.vector_norm(s, dim=-1, keepdim=True) if normalize else s
    losses = torch.nn.functional.cross_entropy(f @ Y, torch.tensor(data.label), reduction="none")
    (torch.tensor(data.weight) @ losses).backward()
    return Y.grad.numpy(), Z.grad.numpy()


def test_gradients_are_those_of_automatic_differentiation(normalize):
    rng = np.random.default_rng(0)
    data, (Y, Z) = some_data(rng), some_state(rng)
    for ours, theirs in zip(
        joint.gradients(data, Y, Z, normalize), by_torch(data, Y, Z, normalize), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15)


def test_flow_is_the_plain_ode(normalize):
    rng = np.random.default_rng(2)
    data, (Y, Z) = some_data(rng), some_state(rng)

    def velocity(t, point):
        by_y, by_z = by_torch(data, *point.reshape(2, 6, 6), normalize)
        return -np.concatenate([0.7 * by_y.ravel(), 1.3 * by_z.ravel()])

    plain = solve_ivp(velocity, (0, 3), np.r_[Y.ravel(), Z.ravel()], rtol=1e-9, atol=1e-11)
    path = joint.joint_flow(
        data, Y, Z, np.log([0.5, 3]), eta_y=0.7, eta_z=1.3, normalize=normalize, rtol=1e-10
    )
    end = plain.y[:, -1].reshape(2, 6, 6)
    np.testing.assert_allclose(path.Y[-1], end[0], atol=1e-6)
    np.testing.assert_allclose(path.Z[-1], end[1], atol=1e-6)


@pytest.mark.parametrize(
    "argument, changed",
    [
        ("Y.shape", {"Y": np.zeros((3, 3))}),
        ("Z.shape", {"Z": np.zeros((2, 6))}),
        ("eta_y", {"eta_y": -1.0}),
        ("eta_y, eta_z", {"eta_y": 0, "eta_z": 0}),
        ("log_times", {"log_times": [1.0, 0.0]}),
        ("log_times", {"log_times": [-21.0, 0.0]}),
    ],
)
def test_bad_input_is_named(argument, changed):
    data = some_data(np.random.default_rng(0))
    given = {"Y": np.zeros((6, 6)), "Z": np.zeros((6, 6)), "log_times": [0.0]} | changed
    with pytest.raises(ValueError, match=argument.split(",")[0]):
        joint.joint_flow(data, **given)


def test_normalized_features_keep_their_digits_however_large_the_logits():
    """Three equal tokens beside a lost one: 1 / sqrt(3) to the last digit."""
    data = joint.one_hot_data([[1, 1, 1, 1]], [0], [0])
    Z = 1e4 + np.array([[0.0, 0.0, 0.0, -1e3]]) * np.ones((4, 1))
    np.testing.assert_allclose(joint.features(data, Z, True)[0, :3], 3**-0.5, rtol=3e-16)


@pytest.mark.parametrize("keep", [[], [3, 1], [1, 1], [0, 2], [1.5]])
def test_steps_that_are_kept_increase_from_one(keep):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="keep"):
        joint.joint_descent(some_data(rng), *some_state(rng), keep)


def test_one_sample_of_two_tokens_on_paper():
    """Counts 1 and 3, Z = 0, Y = 2 I: logits 2 f with f = (1/4, 3/4); nothing given but the state.

    q is the mass of the wrong token.  A step of length one adds f (q, -q) to Y; its attention has
    h = 2 (-q, q) and moves by s_0 s_1 (h_1 - h_0) = 3 q / 4.
    """
    data, Y, Z = joint.one_hot_data([[1, 3, 0]], [0], [0]), 2 * np.eye(3)[:, :2], np.zeros((3, 3))
    f, q = np.array([0.25, 0.75, 0]), 1 / (1 + np.exp(-1))
    np.testing.assert_allclose(joint.features(data, Z), [f], rtol=1e-15)
    assert joint.log_attention(data, Z)[0] == pytest.approx([np.log(0.25), np.log(0.75), -np.inf])
    assert joint.log_residual(data, Y, Z) == pytest.approx([np.log(q)], rel=1e-14)
    assert joint.loss(data, Y, Z) == pytest.approx(-np.log1p(-q), rel=1e-14)
    by_y, by_z = np.outer(f, [q, -q]), np.zeros((3, 3))
    by_z[0] = 0.75 * q, -0.75 * q, 0
    for slope, step in zip(joint.gradients(data, Y, Z), (by_y, by_z), strict=True):
        np.testing.assert_allclose(slope, -step, atol=1e-15)
    path = joint.joint_descent(data, Y, Z, [1, 3])
    np.testing.assert_allclose(path.Y[0] - Y, by_y, atol=1e-15)
    np.testing.assert_allclose(path.Z[0] - Z, by_z, atol=1e-15)
    later = joint.joint_descent(data, path.Y[0], path.Z[0], [2])
    np.testing.assert_array_equal(path.Z[1], later.Z[0])
    np.testing.assert_allclose(path.log_time, np.log([1, 3]))
    early = joint.joint_flow(data, Y, Z, [-10.0])
    np.testing.assert_allclose((early.Y[0] - Y) * np.exp(10), by_y, atol=1e-3)
    np.testing.assert_allclose((early.Z[0] - Z) * np.exp(10), by_z, atol=1e-3)


def test_a_flow_that_takes_as_many_evaluations_as_it_may_ends(monkeypatch):
    data, asked = joint.one_hot_data([[1, 1]], [0], [0]), []
    ours = joint.gradients
    monkeypatch.setattr(joint, "gradients", lambda *given: (asked.append(1), ours(*given))[1])
    run = lambda: joint.joint_flow(data, np.eye(2), np.zeros((2, 2)), [1.0])
    run()
    monkeypatch.setattr(joint, "EVALUATIONS", len(asked))
    run()
    monkeypatch.setattr(joint, "EVALUATIONS", len(asked) // 2 - 1)
    with pytest.raises(RuntimeError, match="evaluations"):
        run()
