"""One common token: Lemma 4 against the two or three equations that symmetry leaves of it."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from lib.scan_snap.one_common_token import (
    OneCommonToken,
    one_common_token,
    rates_at_zero,
    scanning_growth,
)


def test_the_features_are_the_weights_over_their_length():
    classes, F = one_common_token(2, 2.0, [0, 1], [1.0, 4.0])
    length = np.sqrt(4 + 1 + 16)
    wanted = np.zeros((2, 7))
    wanted[:, 0], wanted[0, 1:3], wanted[1, 3:5] = 2, [1, 4], [1, 4]
    np.testing.assert_allclose(F, wanted / length, rtol=1e-14)
    assert classes.query.tolist() == [5, 6]


@pytest.mark.parametrize(("count", "weight"), [(2, 0.02), (5, 0.3), (7, 1.0)])
def test_the_rates_at_zero_are_those_of_equal_overlaps(count, weight):
    q = weight**2 / (weight**2 + 1)  # f_nl squared, the overlap of each pair
    beta = q / ((1 - q) * (1 + (count - 1) * q))
    found = rates_at_zero(count, weight)
    assert found.push == pytest.approx((count - 1) * beta * q / q**2, rel=1e-12)
    assert found.loss == pytest.approx(count * (count - 1) * beta * q * (1 - q) / q**2, rel=1e-12)
    assert found.quotient == pytest.approx(count * (1 - q), rel=1e-12)
    assert found.counted == pytest.approx(count * (1 - q), rel=1e-12)


def symmetric(clock, shared, K, own):
    """(B, z of the common token) by the overlap alone: K classes, ``shared`` on each query.

    The push by (97) with beta of equal overlaps; each distinct token sees f_l^2 of it.
    """

    def velocity(log_clock, state):
        logits = state[2:]
        mass = (np.array(own) * np.exp(logits)) ** 2
        common = np.exp(2 * state[1])
        q, f_squared = common / (common + mass.sum()), mass / (common + mass.sum())
        beta = q / ((1 - q) * (1 + (K - 1) * q))
        push = (K - 1) * beta * q
        return np.exp(log_clock) * push * np.array([1, -shared * (1 - q), *f_squared])

    times = np.log(clock)
    begin = np.zeros(2 + len(own))
    start = times[0] - 25
    exact = dict(rtol=1e-11, atol=1e-13)
    return solve_ivp(velocity, (start, times[-1]), begin, "LSODA", times, **exact).y[:2]


CLOCK = np.array([1.0, 1e3, 1e6])
CASES = [([0, 0], [1.0], 1), ([0, 1], [1.0], 1), ([0] * 5, [1.0], 1), ([0, 0], [0.5, 1.0], 2)]


@pytest.mark.parametrize(("groups", "own", "tied"), CASES)
def test_lemma_4_is_what_the_overlap_alone_says(groups, own, tied):
    found = OneCommonToken(groups, own, CLOCK, tied)
    shared, K = groups.count(0), len(groups)
    B, common = symmetric(CLOCK, shared, K, own)
    np.testing.assert_allclose(found.path.B[:, 0], B, rtol=1e-7)
    np.testing.assert_allclose(found.logits(0), common, rtol=1e-7)
    slope = (B[-1] - B[-2]) / np.log(1e3)
    assert found.late_slope() == pytest.approx(4 * (shared + 1 / tied) * slope, rel=1e-6)
    lost = -(common[-1] - common[-2]) / (B[-1] - B[-2])
    assert found.lost_over_gained() == pytest.approx(lost / shared, rel=1e-6)


def test_the_growth_of_the_scanning_stage_and_its_bounds():
    """Gamma at t_0' is K (M - 1)^2 (ln M / M)^2 / 2; f^2 = 1/2, C_0 = 4 / K at the start."""
    M, K = 500, 5
    found = scanning_growth(M, K)
    clock = np.logspace(-6, 0, 61) * K * ((M - 1) * np.log(M) / M) ** 2 / 2
    B, common = symmetric(clock, K, K, [1.0])
    np.testing.assert_allclose(found.low, np.exp(B), rtol=1e-6)
    np.testing.assert_allclose(found.high, np.exp(2 * B), rtol=1e-6)
    np.testing.assert_allclose(found.printed, (4 / K + 4 * clock) ** 0.25, rtol=1e-12)
    np.testing.assert_allclose(found.corrected, (1 + K * clock) ** 0.25, rtol=1e-12)
    # dz of the own token is f_l^2 dB, with 1 - f_l^2 = q = 1 / (1 + e^(2 (z_l - z_c)))
    steps = np.r_[0, np.diff(np.log(found.chi) / 2)]
    own = np.cumsum(steps) + np.log(found.chi[0]) / 2
    share = 1 / (1 + np.exp(2 * (common - own)))
    middle = (share[1:] + share[:-1]) / 2
    np.testing.assert_allclose(np.diff(own), middle * np.diff(B), rtol=2e-2)
