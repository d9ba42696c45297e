"""Classes alike: the layer against differences of its loss, runs against two equations."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from lib.bridge.classes_alike import (
    ClassesAlike,
    bounded,
    gap_and_push,
    run_of_two,
    symmetric_flow,
    symmetric_start,
)
from lib.bridge.two_clocks import class_data

CASES = [(4, 1, 1, 1, 1.0, 1.0), (4, 2, 3, 1, 0.5, 2.0), (3, 3, 1, 2, 2.0, 0.3)]


@pytest.fixture(params=[1, 2], ids=["plain", "normalized"])
def q(request):
    return request.param


def loss(case, Y, Z, q):
    """The mean of -log p of the label, token by token."""
    K, shared, distinct, common = case[:4]
    total = 0.0
    for k in range(K):
        row = Z[K + 1 + k // shared]
        weights = np.array([distinct * np.exp(row[k]), common * np.exp(row[K])])
        f = weights / (weights**q).sum() ** (1 / q)
        scores = f[0] * Y[k] + f[1] * Y[K]
        total += np.log(np.exp(scores - scores[k]).sum()) / K
    return total


def slope(function, X):
    """The gradient by central differences, entry by entry."""
    found, step = np.zeros(X.shape), 1e-5
    for place in np.ndindex(X.shape):
        values = []
        for sign in (1, -1):
            there = X.copy()
            there[place] += sign * step
            values.append(function(there))
        found[place] = (values[0] - values[1]) / (2 * step)
    return found


@pytest.mark.parametrize("case", CASES)
def test_moves_are_the_slopes_of_the_loss(q, case):
    K, shared, distinct, common, eta_y, eta_z = case
    one, u, g = ClassesAlike(q, *case), 1.7, 0.9
    found = one.moves(u, g)
    Y, Z = symmetric_start(one.data, u)
    for k in range(K):
        Z[K + 1 + k // shared, k] = g - np.log(distinct / common)
    by_y = slope(lambda X: loss(case, X, Z, q), Y)
    by_z = slope(lambda X: loss(case, Y, X, q), Z)
    np.testing.assert_allclose(found.Y, -eta_y * by_y, atol=1e-8)
    np.testing.assert_allclose(found.Z, -eta_z * by_z, atol=1e-8)
    assert found.height == pytest.approx(-eta_y * (by_y[0, 0] - by_y[0, 1]), rel=1e-6)
    assert found.gap == pytest.approx(-eta_z * (by_z[K + 1, 0] - by_z[K + 1, K]), rel=1e-6)
    p = np.exp(-loss(case, Y, Z, q))
    assert found.residual == pytest.approx(1 - p, rel=1e-9)
    assert found.push == pytest.approx((1 + shared) * eta_z * (1 - p) * u / K, rel=1e-9)
    assert one.velocity_error(u, g) < 1e-12
    wrong = one._replace(eta_y=2 * eta_y)
    assert wrong.moves(u, g).height == pytest.approx(2 * found.height)
    assert one.cost == pytest.approx(2 * K * eta_y / eta_z / ((1 + shared) * (K - 1)))


def test_an_error_of_the_two_equations_is_seen(q, monkeypatch):
    """Of each of them, and of Z' on its own: moves that are off by a thousandth."""
    one = ClassesAlike(q, *CASES[1])
    right = one.moves(1.7, 0.9)
    for name in ("height", "gap", "Z", "push", "residual"):
        off = right._replace(**{name: getattr(right, name) * 1.001})
        monkeypatch.setattr(ClassesAlike, "moves", lambda self, u, g, off=off: off)
        assert 1e-4 < one.velocity_error(1.7, 0.9) < 1.1e-3, name


@pytest.mark.parametrize("case", CASES)
def test_the_push_needed_is_the_integral_of_the_curve(q, case):
    one, rng = ClassesAlike(q, *case), np.random.default_rng(3)
    for g in (-1.0, 2.0):
        wanted, _ = quad(lambda x: (1 + np.exp(q * x)) ** (1 + 1 / q) * np.exp(-x), 0, g)
        assert one.push_needed(g, rng) == pytest.approx(wanted, rel=1e-10)


def two_numbers(q, K, shared, eta_y, eta_z, times, u=0.0, g=0.0):
    """(u, g, Theta) at some times by the two equations alone."""

    def velocity(t, state):
        u, g, _ = state
        f = (1 + np.exp(-q * g)) ** (-1 / q)
        delta = (K - 1) / (K - 1 + np.exp(f * u))
        push = (1 + shared) * eta_z * delta * u / K
        return eta_y * f * delta / (K - 1), push * f / (1 + np.exp(q * g)), push

    exact = dict(rtol=1e-11, atol=1e-13)
    return solve_ivp(velocity, (0, times[-1]), [u, g, 0], "DOP853", times, **exact).y


@pytest.mark.parametrize("case", CASES)
def test_runs_follow_the_two_equations(q, case):
    K, shared, distinct, common, eta_y, eta_z = case
    one, times = ClassesAlike(q, *case), np.array([1.0, 20.0, 400.0])
    wanted = two_numbers(q, K, shared, eta_y, eta_z, times, g=np.log(distinct / common))
    np.testing.assert_allclose(one.run(np.log(times)), wanted[:2], rtol=1e-5)
    assert one.head_start == np.log(distinct / common)


def test_a_frozen_decoder_stays_at_its_height(q):
    data, times = class_data(3), np.array([1.0, 30.0])
    u, g = run_of_two(data, q, np.log(times), 2.0, eta_y=0)
    wanted = two_numbers(q, 3, 1, 0, 1.0, times, u=2.0)
    np.testing.assert_allclose((u, g), wanted[:2], rtol=1e-5)
    path = symmetric_flow(data, q, np.log(times), 2.0, eta_y=0)
    np.testing.assert_allclose(path.Y[1][:3], 2 * np.eye(3) - 2 / 3, rtol=1e-12)
    assert not path.Y[:, 3:].any()


@pytest.mark.parametrize("height", [0.0, 3.0])
def test_the_push_received_is_what_the_two_equations_add_up(q, height):
    log_times = np.linspace(-3, 6, 400)
    rates = (0.0, 0.7) if height else (1.3, 0.7)
    g, received = gap_and_push(class_data(4), q, log_times, height, *rates)
    wanted = two_numbers(q, 4, 1, *rates, np.exp(log_times), u=height)
    np.testing.assert_allclose(g, wanted[1], rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(received, wanted[2], rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("case", [(10, 1, 1.0), (6, 6, 0.2), (2, 1, 3.0)])
def test_the_slack_is_that_of_the_statements_own_inequalities(q, case):
    """e^l + (K-1) l - 1 between shares of eta t, q l^2 / a between e^{qg} - c and - 1 + qg."""
    K, shared, ratio = case
    times = np.exp([1.0, 3.5, 6.0])
    found = bounded(q, *case, np.log(times))
    u, g, _ = two_numbers(q, K, shared, ratio, 1.0, times)
    margin = u * (1 + np.exp(-q * g)) ** (-1 / q)
    np.testing.assert_allclose(found.g, g, rtol=1e-6)
    assert found.slack.min() > 0
    clock = lambda x: np.exp(x) + (K - 1) * x - 1
    low, high = margin - found.slack[0], margin + found.slack[1]
    np.testing.assert_allclose(clock(low), 2 ** (-2 / q) * ratio * times, rtol=1e-4)
    np.testing.assert_allclose(clock(high), (1 + 2 / (5 * q)) * ratio * times, rtol=1e-4)
    a, c = 2 * K * ratio / ((1 + shared) * (K - 1)), {1: 1.26725, 2: 1.0}[q]
    above = g + found.slack[3]
    np.testing.assert_allclose(np.exp(q * above) - c, q * margin**2 / a, rtol=1e-3, atol=1e-4)
    below = g - found.slack[2]
    wanted = np.maximum(q * margin**2 / a + 1 - q * above, 1)
    np.testing.assert_allclose(np.exp(q * below), wanted, rtol=1e-3)
    np.testing.assert_allclose(np.exp(q * found.above) - c, q * high**2 / a, rtol=1e-3, atol=1e-4)
    after = np.maximum(q * low**2 / a + 1 - np.log(c + q * low**2 / a), 1)
    np.testing.assert_allclose(np.exp(q * found.below), after, rtol=1e-3)
