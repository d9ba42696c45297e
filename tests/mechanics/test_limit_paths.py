"""Flows in log time: small steps, each other, closed forms."""

from types import SimpleNamespace

import numpy as np
import pytest

from lib.mechanics import limit_paths
from lib.mechanics.attention_layer import gradient, log_loss, mass_loss, risk
from lib.mechanics.descent import cosine, descend, initial_weights
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.limit_paths import SWITCH, gradient_flow, loss_flow, slow_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences, gaussian_embeddings

PROBLEM = Problem(cyclic_draw(np.random.default_rng(0), n=25))
DATA, SPLIT, FIN = PROBLEM.data, PROBLEM.split, PROBLEM.fin

CHAIN = from_sequences([[4, 0], [3, 4, 0], [2, 3, 0], [1, 2, 0]], [4, 3, 2, 1], np.eye(5))


def test_flow_is_small_steps_of_descent():
    start = SPLIT.matrix(*SPLIT.coordinates(initial_weights(1, 8, np.random.default_rng(5))[0]))
    fine, _ = descend(start, DATA, 2e-3, 5000)
    path = gradient_flow(SPLIT, *SPLIT.coordinates(start), [np.log(10.0)])
    np.testing.assert_allclose(SPLIT.matrix(path.x[0], path.z[0]), fine, atol=2e-3)


def test_slow_flow_continues_the_flow():
    path = gradient_flow(SPLIT, *SPLIT.coordinates(np.zeros((8, 8))), [12, 15.0])
    after = slow_flow(SPLIT, FIN.x, path.z[0], [12, 15.0])
    np.testing.assert_allclose(after.z[1], path.z[1], atol=1e-3)
    np.testing.assert_allclose(
        after.gap[1], path.gap[1], rtol=0.05, atol=1e-3 * np.abs(path.gap[1]).max()
    )


def test_log_loss_agrees_with_the_split_flow():
    split = Problem(CHAIN).split
    path = gradient_flow(split, *split.coordinates(np.zeros((5, 5))), [2.0, 15.0])
    np.testing.assert_allclose(
        loss_flow(np.zeros((5, 5)), CHAIN, log_loss, [2.0, 15.0]),
        split.matrix(path.x, path.z),
        atol=1e-5,
    )


@pytest.mark.parametrize("log_t", [0.0, 3.0, 40.0])
def test_linear_loss_of_one_pair_in_closed_form(log_t):
    # g' = 2 s (1 - s), s = 1 / (1 + e^-g): 2 g + e^g - e^-g = 2 t from g(0) = 0
    one = from_sequences([[0, 1]], [0], np.eye(2))
    W = loss_flow(
        np.zeros((2, 2)), one, mass_loss(lambda u: 1 - u, lambda u: -np.ones_like(u)), [log_t]
    )[-1]
    g = W[0, 1] - W[1, 1]
    assert 2 * g + np.exp(g) - np.exp(-g) == pytest.approx(2 * np.exp(log_t), rel=1e-6)


def test_a_solver_that_steps_out_of_the_numbers_is_not_believed(monkeypatch):
    """Its success is its own word: what is not finite is solved again by the other method."""
    right, asked = limit_paths.solve_ivp, []

    def lost(*args, **kwargs):
        asked.append(kwargs["method"])
        run = right(*args, **kwargs)
        if kwargs["method"] == "LSODA":
            run.y[:, -1] = np.nan
        return run

    start = SPLIT.coordinates(np.zeros((8, 8)))
    before = gradient_flow(SPLIT, *start, [2.0])
    monkeypatch.setattr(limit_paths, "solve_ivp", lost)
    after = gradient_flow(SPLIT, *start, [2.0])
    assert asked == ["LSODA", "Radau"]
    np.testing.assert_allclose(after.z, before.z, atol=1e-6)


def test_times_on_either_side_of_the_switch_and_on_it_are_points_of_one_path():
    """Far out z moves by W_svm in a unit of log time, x not at all."""
    start, speed = SPLIT.coordinates(np.zeros((8, 8))), SPLIT.coordinates(PROBLEM.svm.W)[1]
    times = [SWITCH - 1, SWITCH, SWITCH + 1]
    path = gradient_flow(SPLIT, *start, times)
    assert path.log_time.tolist() == times and path.x.shape == (3, len(FIN.x))
    off = np.linalg.norm(np.diff(path.z, axis=0) - speed, axis=1)
    assert (off < 0.1 * np.linalg.norm(speed)).all()
    np.testing.assert_allclose(path.x - path.gap, [FIN.x] * 3, atol=1e-14)
    for alone in ([SWITCH], [SWITCH + 1]):
        z = gradient_flow(SPLIT, *start, alone).z
        np.testing.assert_allclose(z[0], path.z[times.index(alone[0])], atol=1e-5)


def test_before_the_beginning_nothing_has_moved():
    W = initial_weights(1, 8, np.random.default_rng(6))[0]
    x, z = SPLIT.coordinates(W)
    path = gradient_flow(SPLIT, x, z, [-30.0])
    assert (path.x[0] == x).all() and (path.z[0] == z).all()
    np.testing.assert_array_equal(loss_flow(W, DATA, log_loss, [-40.0, -30.0])[0], W)


def test_the_scaled_loss_is_the_loss_times_the_scale():
    W = initial_weights(1, 8, np.random.default_rng(7))[0]
    x, z = SPLIT.coordinates(W)
    W = SPLIT.matrix(x, z)
    whole = limit_paths.scaled_loss(SPLIT, x, z, 2.0)
    assert whole.value == pytest.approx(np.exp(2) * risk(W, DATA), rel=1e-12)
    slope = np.concatenate(SPLIT.coordinates(gradient(W, DATA)))
    np.testing.assert_allclose(whole.gradient, np.exp(2) * slope, atol=1e-13)
    assert whole.hessian.shape == (len(slope),) * 2
    assert limit_paths.scaled_loss(SPLIT, x, z, 2.0, hessian=False).hessian is None


@pytest.mark.parametrize(
    ("times", "shown"),
    [
        ([0.0, 1.0, 2.0, 3.0, 3.0], r"\[2.0, 3.0, 3.0\]"),
        ([], r"\[\]"),
        ([0.0, np.inf], r"\[0.0, inf\]"),
    ],
)
def test_times_that_do_not_increase_are_refused_by_their_last_three(times, shown):
    with pytest.raises(ValueError, match=f"log times = {shown}, "):
        limit_paths.increasing(times)


def test_a_time_that_no_solver_reaches_is_named(monkeypatch):
    failed = SimpleNamespace(success=False, message="too stiff")
    monkeypatch.setattr(limit_paths, "solve_ivp", lambda *args, **kwargs: failed)
    with pytest.raises(ValueError, match=r"log times = 2.0, allowed: .* reaches \(too stiff\)"):
        gradient_flow(SPLIT, *SPLIT.coordinates(np.zeros((8, 8))), [0.0, 1.0, 2.0])
    with pytest.raises(ValueError, match="loss flow = 'too stiff'"):
        loss_flow(np.zeros((8, 8)), DATA, log_loss, [0.0])


def test_constraints_that_contradict_each_other_bring_the_flow_to_rest():
    """Tokens 0 and 1 above their middle 2, which the first input holds twice: with u = e^gap,
    2 / (u + 2) = u / (1 + u), so u = sqrt 2, for ever.
    """
    rows = gaussian_embeddings(3, 3, np.random.default_rng(0))
    rows[2] = (rows[0] + rows[1]) / 2
    data = from_sequences([[0, 2, 2], [1, 2]], [0, 1], rows, independent=False)
    split = Problem(data).split
    path = gradient_flow(split, *split.coordinates(np.zeros((3, 3))), [15.0, 17.0, 20.0])
    gaps = split.matrix(path.x, path.z) @ rows[2] @ (rows[0] - rows[2])
    np.testing.assert_allclose(gaps, np.log(2) / 2, atol=1e-7)


def test_the_flow_goes_the_svm_s_way():
    svm, times = PROBLEM.svm, [100.0, 1e5]
    flow = gradient_flow(SPLIT, *SPLIT.coordinates(np.zeros((8, 8))), times)
    assert cosine(SPLIT.matrix(flow.x[1], flow.z[1]), svm.W) > 1 - 1e-6
