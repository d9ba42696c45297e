"""Facts about the decoder's closed forms: limits, invariances, independent references."""

import mpmath as mp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from lib.scan_snap.decoder import (
    crossings,
    gamma,
    h,
    h_star,
    lags,
    omegas,
    peak,
    speed,
    stages,
    time_at_height,
    zeta,
)

SIZES = [2, 3, 50, 1000, 10**6]


@pytest.mark.parametrize("M", [2, 7])
def test_zeta_is_a_centered_basis_vector(M):
    vectors = np.array([zeta(n, M) for n in range(M)])
    np.testing.assert_allclose(vectors.sum(axis=1), 0, atol=1e-15)
    np.testing.assert_allclose(vectors.sum(axis=0), 0, atol=1e-15)
    ratio = M / (M - 1)
    np.testing.assert_allclose(vectors @ vectors.T, ratio**2 * (np.eye(M) - 1 / M), atol=1e-15)


@pytest.mark.parametrize("M", SIZES)
@pytest.mark.parametrize("moment", [1e-9, 1e-3, 1.0, 1e3, 1e9])
def test_h_solves_its_implicit_equation_in_high_precision(M, moment):
    u = mp.mpf(float(M * h(moment, M, 0.5)))
    with mp.workdps(40):
        target = mp.mpf(M) * mp.mpf("0.5") * moment
        newton = u - (mp.expm1(u) + (M - 1) * u - target) / (mp.exp(u) + M - 1)
    assert float(newton) == pytest.approx(float(u), rel=1e-14)


def test_h_depends_on_rate_times_time_only_and_starts_along_its_tangent():
    assert h(8.0, 40, 0.25) == pytest.approx(h(2.0, 40, 1.0), rel=1e-14)
    assert h(0.0, 40, 1.0) == 0
    assert h(1e-8, 40, 1.0) * 40 / 1e-8 == pytest.approx(1, rel=1e-7)


def test_speed_is_the_softmax_of_a_wrong_token_and_never_overflows():
    logits = 6 * 0.3 * zeta(2, 7)
    assert speed(0.3, 7) == pytest.approx((np.exp(logits) / np.exp(logits).sum())[0], rel=1e-14)
    assert speed(1e6, 7) == 0


@pytest.mark.parametrize("M", SIZES)
def test_clock_inverts_h_and_adds_up_speeds(M):
    heights = np.linspace(0, 20, 50001) / M
    slowness = 1 / (0.7 * speed(heights, M))
    assert time_at_height(heights[-1], M, 0.7) == pytest.approx(
        np.trapezoid(slowness, heights), rel=1e-6
    )
    np.testing.assert_allclose(
        h(time_at_height(heights[1:], M, 0.7), M, 0.7), heights[1:], rtol=1e-12
    )


def test_recursion_takes_euler_steps_of_the_flow():
    assert h_star(0, 9, 0.4).tolist() == [0.0]
    height = h_star(400, 9, 0.4)  # its plain counterpart: a step of (33) by ``speed``
    np.testing.assert_allclose(np.diff(height), 0.4 * speed(height[:-1], 9), rtol=1e-12)
    assert h_star(1, 9, 0.4)[1] == pytest.approx(0.4 / 9, rel=1e-15)
    errors = [abs(h_star(round(20 / r), 9, r)[-1] - h(20.0, 9, 1.0)) for r in (0.02, 0.01)]
    assert errors[0] / errors[1] == pytest.approx(2, rel=0.02)


@pytest.mark.parametrize("M, eta_y", [(2, 1.0), (50, 9e-4), (50, 0.5), (1000, 5.0)])
def test_lag_is_the_time_that_the_flow_is_behind(M, eta_y):
    values = lags(300, M, eta_y)
    np.testing.assert_allclose(
        values,
        time_at_height(h_star(300, M, eta_y), M, eta_y) - np.arange(301),
        rtol=1e-8,
        atol=1e-11,
    )
    assert values[0] == 0 and (np.diff(values) > 0).all()
    with mp.workdps(40):
        first = (mp.expm1(eta_y) - eta_y) / (M * mp.mpf(eta_y))
    assert values[1] == pytest.approx(float(first), rel=1e-12)


@pytest.mark.parametrize("M", [4, 5, 100, 10**6])
def test_crossings_separate_line_and_exponential(M):
    low, high = crossings(M)
    assert low < np.log(M - 1) < high
    for u in (low, high):
        assert u == pytest.approx(np.log((M - 1) * u), rel=1e-9, abs=1e-12 * M)
    inside = np.linspace(low, high, 100)[1:-1]
    assert (np.exp(inside) < (M - 1) * inside).all()
    omega_0, omega_1 = omegas(M)
    assert float(M) ** (omega_0 - 1) == pytest.approx(low, rel=1e-12)
    assert (1 + omega_1) * np.log(M) == pytest.approx(high, rel=1e-14)


def test_no_crossing_for_a_tiny_vocabulary():
    with pytest.raises(ValueError, match="M = 3"):
        crossings(3)


def test_stages_scale_with_classes_and_rate_and_end_where_the_line_has_lost():
    end, start = stages(1000, 0.5, 20)
    assert end == pytest.approx(20 * np.log(1000) / 0.5, rel=1e-14)
    assert stages(1000, 0.5) == pytest.approx((end / 20, start / 20), rel=1e-14)
    crossing_time = time_at_height(crossings(1000)[1] / 1000, 1000, 0.5) * 20
    assert crossing_time < start < 1.01 * crossing_time


@pytest.mark.parametrize("M", [50, 10**6])
def test_gamma_rises_like_time_and_falls_like_its_definition(M):
    assert gamma(1e-4, M, 1.0) * (M / (M - 1)) ** 2 / 1e-4 == pytest.approx(1, rel=1e-3)
    value = h(40.0, M, 0.2)
    direct = (M - 1) ** 2 * value / (M - 1 + np.exp(M * value))
    assert gamma(400.0, M, 0.2, K=10) == pytest.approx(direct, rel=1e-12)


@pytest.mark.parametrize("M", [2, 50, 10**6])
def test_peak_is_where_gamma_is_largest(M):
    around = peak(M) * np.array([0.99, 1.0, 1.01])
    low, top, high = gamma(2 * around / 0.2, M, 0.2, K=2)
    assert low < top > high


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: h(-1.0, 5, 1.0), "t = "),
        (lambda: h(1.0, 1, 1.0), "M = 1"),
        (lambda: h(1.0, 5, 0.0), "eta_y = 0"),
        (lambda: h_star(-1, 5, 1.0), "steps = -1"),
        (lambda: zeta(5, 5), "n = 5"),
        (lambda: gamma(1.0, 5, 1.0, K=6), "K = 6"),
        (lambda: lags(3, 5, 301.0), "eta_y = 301"),
        (lambda: stages(100, -1.0), "eta_y = -1"),
    ],
)
def test_nonsense_is_rejected_by_name(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("M", SIZES)
def test_h_is_the_flow_of_its_speed(M):
    run = solve_ivp(
        lambda _, u: M * 0.3 / (M - 1 + np.exp(u)),
        (0, 200),
        [0.0],
        method="DOP853",
        rtol=1e-12,
        atol=1e-14,
    )
    assert M * h(200.0, M, 0.3) == pytest.approx(run.y[0, -1], rel=1e-9)
