"""The ridge path of three scores: Lambert's function, autograd, and an optimizer in floats."""

import mpmath as mp
import numpy as np
import pytest
import torch
from scipy.optimize import minimize
from scipy.special import lambertw

from lib.mechanics import exact_ridge


@pytest.mark.parametrize("s", [3.0, 20.0, 640.0])
def test_c_plus_log_c_is_lambert_s_function(s):
    wanted = mp.lambertw(mp.exp(s))
    assert exact_ridge.log_inverse(s) == pytest.approx(float(wanted.real), rel=1e-12)
    if s < 700:
        assert exact_ridge.log_inverse(s) == pytest.approx(lambertw(np.exp(s)).real, rel=1e-12)


def loss(scores, ridge):
    """In torch, for autograd."""
    log_p = torch.log_softmax(scores, 0)
    return -(2 * log_p[0] + log_p[1]) / 3 + ridge / 2 * (scores**2).sum()


def test_slope_and_curvature_are_autograd_s():
    point, ridge = [0.7, -0.4, -1.3], 0.05
    slope, curvature = exact_ridge.slope_and_curvature(point, ridge)
    scores = torch.tensor(point, dtype=torch.float64, requires_grad=True)
    wanted = torch.autograd.functional.hessian(lambda a: loss(a, ridge), scores)
    (by_hand,) = torch.autograd.grad(loss(scores, ridge), scores)
    np.testing.assert_allclose([float(x) for x in slope], by_hand, rtol=1e-12)
    found = [[float(curvature[i, j]) for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("s", [2.0, 4.0, 7.0])
def test_the_path_is_an_optimizer_s(s):
    ridge = np.exp(-s)

    def value(a):
        return loss(torch.tensor(a), ridge).item()

    found = minimize(value, np.zeros(3), method="Nelder-Mead",
                     options=dict(xatol=1e-11, fatol=1e-15, maxiter=4000)).x  # fmt: skip
    gap, length = (float(x) for x in exact_ridge.gap_and_length(s))
    assert gap == pytest.approx(abs(found[0] - found[1] - np.log(2)) / np.sqrt(2), abs=1e-6)
    assert length == pytest.approx(np.linalg.norm(found), abs=1e-5)
    assert gap > 1e-4


def test_it_is_at_rest_to_three_hundred_digits():
    """p_0 - p_1 - 1/3 + ridge (a_0 - a_1) = 0; p_0 / p_1 is above 2, as both lose ridge a."""
    gap, length = exact_ridge.gap_and_length(640.0)
    with mp.workdps(330):
        ridge, d = mp.exp(-640), mp.log(2) + mp.sqrt(2) * gap  # 10^-278
        ahead = 3 * mp.sqrt((length**2 - d**2 / 2) / 6)  # of the mean of a_0, a_1 over a_2: sum 0
        e = [mp.exp(ahead + d / 2), mp.exp(ahead - d / 2), mp.mpf(1)]
        left = (e[0] - e[1]) / sum(e) - mp.mpf(1) / 3 + ridge * d
        assert abs(left) < mp.mpf(10) ** -300
    assert float(mp.log(gap)) < -600


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="s = 0"):
        exact_ridge.gap_and_length(0)
    with pytest.raises(ValueError, match="digits"):
        exact_ridge.gap_and_length(5.0, 200)
