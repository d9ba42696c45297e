"""Samples of unequal weight against closed forms, a quadratic program and autograd."""

import cvxpy as cp
import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, linprog

from lib.bridge.unequal_weights import (
    LATE,
    UnequalWeights,
    direction_turn,
    flow_from_zero,
    late_growth,
)
from lib.mechanics.draws import random_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import has_cycle


def unrelated(wakes):
    """Samples of two tokens that no other has, the first one the label, behind one query."""
    n = len(wakes)
    counts = np.kron(np.eye(n, dtype=int), [1, 1])
    counts = np.hstack([counts, np.zeros((n, 1), dtype=int)])
    label, last = 2 * np.arange(n), np.full(n, 2 * n)
    data = NextTokenData(counts, last, label, np.eye(2 * n + 1), complete=False)
    return UnequalWeights(data, np.array(wakes, dtype=float))


def gap(log_twt):
    """g of e^g + g - 1 = 2 w t, the gap of an unrelated sample at a given log of 2 w t."""
    short = lambda g: g + np.log1p((g - 1) * np.exp(-g)) - log_twt
    return brentq(short, 1e-12, max(log_twt, 0) + 2, xtol=1e-14)


def closed(wakes, log_r, log_time):
    """The gaps of unrelated samples: (n,)."""
    return np.array([gap(np.log(2) + log_time - wake * log_r) for wake in wakes])


def test_unrelated_samples_have_a_closed_form():
    wakes = [0, 0.4, 1]
    samples = unrelated(wakes)
    for clock in (0.3, 1.0, 2.5):
        W = samples.trained(30.0, [clock])[0]
        np.testing.assert_allclose(
            samples.gaps.rows @ W, closed(wakes, 30.0, 30 * clock), rtol=1e-6, atol=1e-7
        )


def test_the_flow_is_that_of_autograd():
    """Oblique tokens, two queries, a cycle: W is followed as a matrix, in t itself."""
    rng = np.random.default_rng(3)
    E = np.eye(5) + 0.3 * rng.normal(size=(5, 5))
    counts = np.array([[1, 1, 0, 0, 1], [1, 1, 0, 0, 1], [0, 1, 2, 1, 0], [0, 1, 1, 0, 1]])
    last, label = np.array([4, 4, 3, 4]), np.array([0, 1, 2, 2])
    data = NextTokenData(counts, last, label, E, weight=np.array([1, 0.3, 0.2, 0.1]))
    tokens, many = torch.tensor(E), torch.log(torch.tensor(counts, dtype=torch.float64))

    def velocity(_, point):
        W = torch.tensor(point).reshape(5, 5).requires_grad_()
        logits = tokens[last] @ W.T @ tokens.T + many
        nll = -torch.log_softmax(logits, dim=1)[torch.arange(4), label]
        total = (torch.tensor(data.weight) * nll).sum()
        return -torch.autograd.grad(total, W)[0].numpy().ravel()

    times = [0.0, 2.0, 4.0]
    run = solve_ivp(velocity, [0, np.exp(4.0)], np.zeros(25), "DOP853", np.exp(times), rtol=1e-10)
    split = Problem(data).split
    assert split.coordinates(run.y[:, -1].reshape(5, 5))[0].size == 1  # the cycle
    wanted = [split.coordinates(W)[1] for W in run.y.T.reshape(-1, 5, 5)]
    found = flow_from_zero(Problem(data), times, 1e-9)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-7)


def test_growth_and_miss_of_unrelated_samples():
    """|W|^2 is the sum of gap^2 / 2, since the gradients have length^2 2 and no angle."""
    wakes = [0, 0.5, 1]
    samples, at = unrelated(wakes), lambda log_r, clock: closed(wakes, log_r, clock * log_r)
    wanted = (at(40.0, 1.4) - at(20.0, 1.4)) / 20
    np.testing.assert_allclose(samples.gaps.rows @ samples.growth(40.0, 1.4), wanted, atol=1e-6)
    clocks = [0.3, 0.8, 1.4]
    swept = [np.maximum(0, clock - np.array(wakes)) for clock in clocks]
    np.testing.assert_allclose(samples.swept(clocks) @ samples.gaps.rows.T, swept, atol=1e-12)
    off = [at(20.0, c) - 20 * v for c, v in zip(clocks, swept, strict=True)]
    wanted = max(np.linalg.norm(one) for one in off) / np.sqrt(2)
    assert samples.miss(20.0, clocks) == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("wakes", "swept"),
    [
        ([0, 1], 1 + 1 / np.sqrt(2)),
        ([0, 1, 1], 2 / (3 - np.sqrt(3))),  # sqrt 3 sigma = 3 sigma - 2
        ([0, 0, 1], 1 / (3 - np.sqrt(6))),  # sqrt 6 sigma = 3 sigma - 1
    ],
)
def test_directions_of_unrelated_samples_turn_where_their_cosines_meet(wakes, swept):
    clocks, heavy = np.linspace(1.005, 4, 600), np.array(wakes) == 0
    found = direction_turn(unrelated(wakes), 60.0, clocks)
    assert found.swept == pytest.approx(swept, abs=1e-4)

    def ahead(log_time, log_r):
        g = closed(wakes, log_r, log_time)
        return g.sum() / np.sqrt(len(g)) - g[heavy].sum() / np.sqrt(heavy.sum())

    low, high = (brentq(ahead, 1.01 * y, 4 * y, args=(y,)) for y in (30.0, 60.0))
    assert found.trained == pytest.approx((high - low) / 30, abs=1e-4)


def test_what_is_nearer_to_all_from_the_first_does_not_turn():
    """a over b, b over c: in conflict, b rises to both as soon as the light sample wakes."""
    counts = np.array([[1, 1, 0, 0], [0, 1, 1, 0]])
    data = NextTokenData(counts, np.array([3, 3]), np.array([0, 1]), np.eye(4), complete=False)
    chain = UnequalWeights(data, np.array([0.0, 1.0]))
    assert direction_turn(chain, 20.0, np.linspace(1.005, 4, 50)) is None


def test_late_gaps_of_unrelated_samples_grow_with_log_t_and_lead_by_their_weight():
    late = late_growth(unrelated([0, 1]), -3.0)
    rows, log_time = late.found.rows, np.array(LATE)[:, None]
    np.testing.assert_allclose(late.plain @ rows.T, log_time + np.log([2, 2]), rtol=1e-12)
    lead = log_time + np.log(2) + np.array([0, 3])
    np.testing.assert_allclose(late.weighted @ rows.T, lead, rtol=1e-12)
    assert late.unique_positive and late.tight.all()


def by_linear_programs(rows, w):
    """Whether the multipliers of w over rows are unique and positive: each one's extremes."""
    extremes = []
    for unit in np.eye(len(rows)):
        least, most = (linprog(sign * unit, A_eq=rows.T, b_eq=w) for sign in (1, -1))
        extremes.append([least.fun, -most.fun])
    low, high = np.transpose(extremes)
    return bool((low > 1e-7).all() and (high - low < 1e-6).all())


def test_multipliers_are_unique_and_positive_where_linear_programs_say_so():
    """Random samples without cycles; W_svm is the shortest point of a quadratic program."""
    rng, seen = np.random.default_rng(11), []
    while len(seen) < 12:
        data = random_draw(rng, 5, 3, 6, np.eye(6))
        if has_cycle(data):
            continue
        samples = UnequalWeights(data, np.eye(5)[0])
        late, rows = late_growth(samples, -3.0), samples.gaps.rows
        v = cp.Variable(rows.shape[1])
        cp.Problem(cp.Minimize(cp.sum_squares(v)), [rows @ v >= 1]).solve(solver=cp.CLARABEL)
        np.testing.assert_allclose(late.w, v.value, atol=1e-6)
        tight = rows @ v.value < 1 + 1e-5
        assert (tight == late.tight).all()
        seen.append(by_linear_programs(rows[tight], late.w))
        assert late.unique_positive == seen[-1]
    assert 0 < sum(seen) < 12


def test_a_wall_met_without_a_push_has_no_positive_multiplier():
    """a over b, c over d: W_svm serves a over d too, exactly, with nothing to push it."""
    counts = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0], [1, 0, 0, 1, 0]])
    last, label = np.full(3, 4), np.array([0, 2, 0])
    data = NextTokenData(counts, last, label, np.eye(5), complete=False)
    late = late_growth(UnequalWeights(data, np.array([0, 1, 0.5])), -3.0)
    assert late.tight.all() and np.linalg.matrix_rank(late.found.rows) == 3
    assert not late.unique_positive
    assert not by_linear_programs(late.found.rows, late.w)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="wakes"):
        direction_turn(unrelated([1, 1]), 20.0, [1.0, 2.0])
    with pytest.raises(ValueError, match="log_r"):
        direction_turn(unrelated([0, 1]), 0.0, [1.0, 2.0])
