"""The simplified equations in time against quadrature, closed forms and their own symmetries."""

import numpy as np
import pytest
from scipy.integrate import quad

from lib.scan_snap.decoder import gamma, h, time_at_height
from lib.scan_snap.phase_transition import gain_at
from lib.scan_snap.simplified_attention import (
    Setting,
    constant_over_clock,
    first_member,
    simplified_flow,
    velocity,
)

SETTINGS = [Setting(50, 1, 0.5, 0.5, 0.7), Setting(100, 7, 2.0, 0.3, 30.0)]


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_steps_in_time_give_the_integrals_of_gamma_and_of_123(setting):
    M, K, eta_y, eta_z, c0 = setting
    moments = [3.0, 40.0]
    clock, gained = simplified_flow(moments, setting)
    for t, found, B in zip(moments, clock, gained, strict=True):
        pushed = quad(lambda s: eta_z * gamma(s, M, eta_y, K), 0, t, epsabs=0, epsrel=1e-11)[0]
        assert found == pytest.approx(pushed, rel=1e-9)
        assert B == pytest.approx(quad(lambda G: 1 / (c0 + 4 * G), 0, pushed)[0], rel=1e-9)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_velocity_is_the_slope_of_what_is_solved(setting):
    M, K, eta_y, *_ = setting
    t, dt = 5.0, 1e-4
    level, B = h(t / K, M, eta_y), gain_at(t, *setting)
    found = velocity(t, np.array([level, 0.0, -B, B]), *setting)
    slope_h = (h((t + dt) / K, M, eta_y) - h((t - dt) / K, M, eta_y)) / (2 * dt)
    slope_b = (gain_at(t + dt, *setting) - gain_at(t - dt, *setting)) / (2 * dt)
    pushed = setting.eta_z * gamma(t, M, eta_y, K)
    assert found == pytest.approx([slope_h, pushed, -slope_b, slope_b], rel=1e-6)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_first_integral_of_124_is_the_gain(setting):
    assert first_member(20.0, setting) == pytest.approx(gain_at(20.0, *setting), rel=1e-9)


@pytest.mark.parametrize("setting", SETTINGS)
def test_what_132_neglects_is_one_where_four_gamma_is_c0(setting):
    """There B_n = ln(2) / 4, whatever the parameters."""
    M, K, eta_y, eta_z, c0 = setting
    level = np.sqrt(c0 * setting.ratio / (2 * K)) / (M - 1)
    t = K * float(time_at_height(level, M, eta_y))
    assert constant_over_clock(np.log(M * eta_y * t / K), setting) == pytest.approx(1, rel=1e-9)
    assert simplified_flow([t], setting)[1][0] == pytest.approx(np.log(2) / 4, rel=1e-9)


@pytest.mark.parametrize("moments", [[0.0, 1.0], [2.0, 1.0]])
def test_moments_that_do_not_increase_from_above_nought_are_refused(moments):
    with pytest.raises(ValueError, match=r"moments = .*, allowed: increasing times > 0"):
        simplified_flow(moments, SETTINGS[0])
