"""The joint layer against automatic differentiation, a plain solver, and on paper."""

import mpmath
import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp

from lib.bridge import joint_training as joint
from lib.scan_snap.yz_transformer import lemma_1


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


@pytest.mark.parametrize(("name", "smaller"), [("Y", (5, 6)), ("Y", (6, 5)), ("Z", (5, 5))])
def test_gradients_of_matrices_that_do_not_fit_are_refused(name, smaller):
    data = joint.one_hot_data([[1, 0, 0, 0, 0, 1]], [5], [5])
    point = {"Y": np.zeros((6, 6)), "Z": np.zeros((6, 6))} | {name: np.zeros(smaller)}
    with pytest.raises(ValueError, match=f"{name}.shape"):
        joint.gradients(data, **point)


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
    ours = joint.moving_velocity
    counted = lambda *given: (asked.append(1), ours(*given))[1]
    monkeypatch.setattr(joint, "moving_velocity", counted)
    run = lambda: joint.joint_flow(data, np.eye(2), np.zeros((2, 2)), [1.0])
    run()
    monkeypatch.setattr(joint, "EVALUATIONS", len(asked))
    run()
    monkeypatch.setattr(joint, "EVALUATIONS", len(asked) // 2 - 1)
    with pytest.raises(RuntimeError, match="evaluations"):
        run()


def test_normalized_gradient_is_lemma_1():
    rng = np.random.default_rng(1)
    data, (Y, Z) = some_data(rng), some_state(rng)
    f = torch.tensor(joint.features(data, Z, normalize=True))
    _, by_y, rows = lemma_1(f, torch.tensor(Y), torch.tensor(data.label), torch.tensor(data.weight))
    by_z = np.zeros_like(Z)
    np.add.at(by_z, data.last, rows.numpy())
    ours = joint.gradients(data, Y, Z, normalize=True)
    np.testing.assert_allclose(ours[0], -by_y.numpy(), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(ours[1], -by_z, rtol=1e-12, atol=1e-15)


def test_scaled_gradient_keeps_its_digits_where_residuals_underflow(normalize):
    data = joint.one_hot_data([[1, 0, 1], [0, 1, 1]], [2, 2], [0, 1])
    Y, Z = np.diag([900.0, 900, 0]), np.zeros((3, 3))
    Z[2] = [300, 300, 0.25]
    by_y, by_z = joint.gradients(data, Y, Z, normalize, log_scale=890.0)
    with mpmath.workdps(900):
        weights = [mpmath.e**300, mpmath.e ** mpmath.mpf("0.25")]
        norm = mpmath.sqrt(sum(w**2 for w in weights)) if normalize else sum(weights)
        f = [w / norm for w in weights]
        p = [mpmath.e ** (900 * f[0]), 1, 1]
        wrong = 1 - p[0] / sum(p)
        h = -900 * wrong  # of token 0; that of token 2 is zero
        push = f[0] * (h - f[0] * f[0] * h) if normalize else f[0] * (h - f[0] * h)
        scale = mpmath.e**890 / 2
        assert by_y[0, 0] == pytest.approx(float(-scale * f[0] * wrong), rel=1e-11)
        assert by_z[2, 0] == pytest.approx(float(scale * push), rel=1e-11)
        assert by_z[2, 0] != 0 or normalize


def test_descent_follows_the_flow_to_first_order(normalize):
    rng = np.random.default_rng(3)
    data, (Y, Z) = some_data(rng), some_state(rng)
    exact = joint.joint_flow(data, Y, Z, [0.0], normalize=normalize, rtol=1e-10)
    errors = []
    for steps in (100, 200):
        path = joint.joint_descent(
            data, Y, Z, [steps], eta_y=1 / steps, eta_z=1 / steps, normalize=normalize
        )
        errors.append(np.abs(path.Z[-1] - exact.Z[-1]).max())
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.05)


def test_frozen_decoder_grows_like_log_t_to_log_time_ten_thousand():
    """Attention alone on one sample: gap + log of the mass that is left = log t + constant."""
    data = joint.one_hot_data([[1, 1]], [0], [0])
    path = joint.joint_flow(data, np.eye(2), np.zeros((2, 2)), [100.0, 1000.0, 10000.0], eta_y=0)
    gap = path.Z[:, 0, 0] - path.Z[:, 0, 1]
    np.testing.assert_allclose(np.diff(gap), [900, 9000], atol=1e-3)
    np.testing.assert_array_equal(path.Y, np.broadcast_to(np.eye(2), (3, 2, 2)))


def test_each_row_of_z_keeps_its_mean(normalize):
    """Softmax does not see a common shift, so the flow never makes one."""
    rng = np.random.default_rng(4)
    data, (Y, Z) = some_data(rng), some_state(rng)
    assert np.abs(joint.gradients(data, Y, Z, normalize)[1].sum(axis=1)).max() < 1e-15


def test_gradients_keep_their_digits_where_attention_underflows(normalize):
    """A token that neither harms nor helps, a gap of 1000: its normalized push is of order s^2."""
    data = joint.one_hot_data([[1, 0, 1], [0, 1, 1]], [2, 2], [0, 1])
    gap, Y, Z = 1000.0, np.diag([3.0, 3, 0])[:, :2], np.zeros((3, 3))
    Z[2] = [gap, gap, 0.0]
    wrong = 1 / (1 + np.exp(3.0))  # attention is on the class's own token up to e^-1000
    order = 2 if normalize else 1
    _, by_z = joint.gradients(data, Y, Z, normalize, log_scale=order * gap)
    push = wrong * 3  # both samples, weight 1/2 each
    assert by_z[2, 2] == pytest.approx(push, rel=1e-9)
    by_y, _ = joint.gradients(data, np.diag([3.0, 0, 0])[:, :2], Z, normalize, log_scale=gap)
    assert by_y[2, 0] == pytest.approx(-(wrong - 0.5) / 2, rel=1e-9)


def test_a_neutral_token_leaves_half_as_fast_to_log_time_ten_thousand():
    data = joint.one_hot_data([[1, 0, 1], [0, 1, 1]], [2, 2], [0, 1])
    Y = np.diag([3.0, 3, 0])[:, :2]
    path = joint.joint_flow(data, Y, np.zeros((3, 3)), [1e3, 1e4], eta_y=0, normalize=True)
    gap = path.Z[:, 2, 0] - path.Z[:, 2, 2]
    assert (gap[1] - gap[0]) / 9e3 == pytest.approx(0.5, abs=1e-6)


def test_attention_and_residuals_see_counts_and_scores_alike():
    """A score of log 3 does what a token three times as frequent does."""
    three, Z = joint.one_hot_data([[1, 3]], [0], [0]), np.zeros((2, 2))
    lifted, one = Z + np.log([1, 3]), joint.one_hot_data([[1, 1]], [0], [0])
    assert joint.log_attention(one, lifted) == pytest.approx(joint.log_attention(three, Z))
    assert joint.log_residual(one, 9 * np.eye(2), lifted, True) == pytest.approx(
        joint.log_residual(three, 9 * np.eye(2), Z, True)
    )


def test_near_balance_keeps_its_digits_at_any_scale():
    """Two rivals of the label whose normalized pushes differ by 1e-6 of what they are."""
    data = joint.one_hot_data([[1, 1, 1]], [2], [2])
    Y, Z = np.diag([1 + 1e-6, 1, 0.0]), np.zeros((3, 3))
    Z[2] = [1e-6, 0, -40.0]
    plain, scaled = (joint.gradients(data, Y, Z, True, scale)[1] for scale in (0.0, 600.0))
    np.testing.assert_allclose(scaled[2] / np.exp(600.0), plain[2], rtol=1e-12)
