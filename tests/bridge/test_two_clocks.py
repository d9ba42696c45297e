"""K equal classes: two numbers, their conserved quantity, their bounds."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp

from lib.bridge import two_clocks as clocks
from lib.bridge.joint_training import gradients, joint_flow

CASES = [(4, 1, 1, 1, 1.0, 1.0), (4, 2, 3, 1, 0.5, 2.0), (3, 3, 1, 2, 2.0, 0.3)]


@pytest.fixture(params=[1, 2], ids=["plain", "normalized"])
def q(request):
    return request.param


def run(q, K, per_query, distinct, common, eta_y, eta_z, log_times=(0.0, 3.0, 8.0, 20.0, 200.0)):
    data = clocks.class_data(K, per_query, distinct, common)
    V = data.counts.shape[1]
    path = joint_flow(
        data, np.zeros((V, K)), np.zeros((V, V)), log_times, eta_y=eta_y, eta_z=eta_z,
        normalize=q == 2, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    return data, path, *clocks.height_and_gap(data, path.Y, path.Z)


@pytest.mark.parametrize("case", CASES)
def test_joint_flow_keeps_the_conserved_quantity(q, case):
    K, per_query, distinct, common, eta_y, eta_z = case
    _, path, u, g = run(q, *case)
    a = clocks.exchange(K, per_query, eta_y / eta_z)
    start = clocks.conserved(0.0, np.log(distinct / common), a, q)
    np.testing.assert_allclose((clocks.conserved(u, g, a, q) - start) / u**2, 0, atol=1e-7)
    assert np.abs(path.Y[:, K]).max() < 1e-6


def test_attention_clock_is_its_integral(q):
    for g in (-1.0, 0.0, 0.3, 2.0):
        value, _ = quad(lambda x: (1 + np.exp(q * x)) ** (1 + 1 / q) * np.exp(-x), 0, g)
        assert clocks.attention_clock(g, q) == pytest.approx(value, abs=1e-10)


def test_classes_that_do_not_fill_their_queries_are_named():
    with pytest.raises(ValueError, match="per_query"):
        clocks.class_data(5, per_query=2)


def test_bounds_are_those_of_the_statement(q):
    """e^l + (K-1) l - 1 is a share of eta t; e^{qg} less c, or less 1 - qg there, is q l^2 / a."""
    t, K, eta, a = np.array([0.0, 0.5, 3.0, 1e4]), 4, 0.7, 1.3
    shares = (2 ** (-2 / q), 1 + 2 / (5 * q))
    for margin, share in zip(clocks.margin_bounds(t, K, eta, q), shares, strict=True):
        np.testing.assert_allclose(
            np.exp(margin) + (K - 1) * margin - 1, share * eta * t, atol=1e-9
        )
    x = np.log(2 * clocks.LEAST_PLAIN)
    assert x + np.sinh(x) == pytest.approx(2, rel=1e-14)
    margin, c = np.array([0.1, 2.0, 30.0]), {1: clocks.LEAST_PLAIN, 2: 1.0}[q]
    low, high = clocks.gap_bounds(margin, a, q)
    np.testing.assert_allclose(np.exp(q * high) - c, q * margin**2 / a, rtol=1e-12)
    after = q * margin**2 / a + 1 - q * high  # of e^{qg}, if g is not above ``high``
    np.testing.assert_allclose(np.exp(q * low), np.maximum(after, 1), rtol=1e-12)


def test_classes_hold_what_is_asked_for():
    data = clocks.class_data(2)
    assert data.counts.tolist() == [[1, 0, 1, 0, 0], [0, 1, 1, 0, 0]]
    assert data.last.tolist() == [3, 4] and data.label.tolist() == [0, 1]
    Y, Z = np.arange(10.0).reshape(5, 2), np.arange(25.0).reshape(5, 5) ** 2
    assert clocks.height_and_gap(data, Y, Z) == (-1, 15**2 - 17**2)
    one = clocks.class_data(4, 2, 3, 5)
    assert one.last.tolist() == [5, 5, 6, 6] and one.counts[1].tolist() == [0, 3, 0, 0, 5, 0, 0]
    for name in ("K", "per_query", "distinct", "common"):
        with pytest.raises(ValueError, match=name):
            clocks.class_data(**({"K": 2} | {name: 1 if name == "K" else 0}))


@pytest.mark.parametrize("case", CASES)
def test_two_equations_are_the_gradient(q, case):
    K, per_query, distinct, common, eta_y, eta_z = case
    data = clocks.class_data(K, per_query, distinct, common)
    V, u, g = data.counts.shape[1], 1.7, 0.9
    Y, Z = np.zeros((V, K)), np.zeros((V, V))
    Y[:K] = u * (np.eye(K) - 1 / K)
    Z[K + 1 :, :K] = g - np.log(distinct / common)
    by_y, by_z = gradients(data, Y, Z, q == 2)
    f = (1 + np.exp(-q * g)) ** (-1 / q)
    delta = (K - 1) / (K - 1 + np.exp(f * u))
    du, dg = clocks.height_and_gap(data, -eta_y * by_y, -eta_z * by_z)
    assert du == pytest.approx(eta_y * f * delta / (K - 1), rel=1e-12)
    speed = (1 + per_query) * eta_z * f * delta * u / K / (1 + np.exp(q * g))
    assert dg - np.log(distinct / common) == pytest.approx(speed, rel=1e-12)


def test_frozen_decoder_and_learned_decoder_draw_one_curve(q):
    """Theta from the residuals, integrated beside the run, is the same function of the gap."""
    K, eta = 3, 1.0

    def velocity(t, state, moves):
        u, g, _ = state
        f = (1 + np.exp(-q * g)) ** (-1 / q)
        delta = (K - 1) / (K - 1 + np.exp(f * u))
        theta = 2 * eta * delta * u / K
        return moves * eta * f * delta / (K - 1), theta * f / (1 + np.exp(q * g)), theta

    for moves, start in ((1, 0.0), (0, 2.0)):
        end = solve_ivp(velocity, (0, 500), [start, 0, 0], args=(moves,), rtol=1e-10, atol=1e-12)
        _, g, theta = end.y[:, -1]
        assert clocks.attention_clock(g, q) == pytest.approx(theta, rel=1e-7)


@pytest.mark.parametrize("case", [case for case in CASES if case[2] == case[3]])
def test_margin_and_gap_lie_within_their_bounds(q, case):
    K, per_query, _, _, eta_y, eta_z = case
    _, path, u, g = run(q, *case)
    margin = u * (1 + np.exp(-q * g)) ** (-1 / q)
    low, high = clocks.margin_bounds(np.exp(path.log_time), K, eta_y, q)
    assert (low < margin).all() and (margin < high).all()
    a = clocks.exchange(K, per_query, eta_y / eta_z)
    low, high = clocks.gap_bounds(margin, a, q)
    assert (low < g).all() and (g < high).all()
    assert (high - low)[-1] < 2e-3
