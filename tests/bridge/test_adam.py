"""Adam on both halves against torch's own, and the laws of its late stage against recursions."""

import numpy as np
import pytest
import torch

from lib.bridge import adam
from lib.bridge.joint_training import gradients, one_hot_data
from lib.bridge.two_clocks import class_data

COUNTS = [[3, 1, 0, 0, 0, 0], [0, 2, 4, 1, 0, 0], [1, 0, 0, 5, 0, 0]]
DATA = one_hot_data(COUNTS, [4, 4, 5], [0, 1, 2])


def of_torch(normalize, steps, eta, betas, epsilon, decay):
    """Y and Z after ``steps`` of ``torch.optim.AdamW``, the loss by autograd."""
    Y = torch.zeros(6, 5, dtype=torch.float64, requires_grad=True)
    Z = torch.zeros(6, 6, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.AdamW([Y, Z], lr=eta, betas=betas, eps=epsilon, weight_decay=decay)
    counts, last = torch.tensor(COUNTS, dtype=torch.float64), torch.tensor([4, 4, 5])
    for _ in range(steps):
        mass = counts * torch.exp(Z[last])
        f = mass / mass.sum(1, keepdim=True)
        f = f / f.norm(dim=1, keepdim=True) if normalize else f
        loss = torch.nn.functional.cross_entropy(f @ Y, torch.tensor([0, 1, 2]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return Y.detach().numpy(), Z.detach().numpy()


@pytest.mark.parametrize("normalize", [False, True], ids=["plain", "normalized"])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_it_is_the_adam_of_torch(normalize, decay):
    setting = dict(eta=0.02, epsilon=1e-6, decay=decay)
    path = adam.joint_adam(
        DATA, np.zeros((6, 5)), np.zeros((6, 6)), [7, 40], beta1=0.8, beta2=0.95,
        normalize=normalize, **setting,
    )  # fmt: skip
    for number, step in enumerate((7, 40)):
        Y, Z = of_torch(normalize, step, 0.02, (0.8, 0.95), 1e-6, decay)
        np.testing.assert_allclose(path.Y[number], Y, atol=1e-9)
        np.testing.assert_allclose(path.Z[number], Z, atol=1e-9)


def test_a_falling_gradient_gives_the_steady_step():
    c, beta1, beta2 = 0.03, 0.8, 0.9
    mean = square = 0.0
    for step in range(400):
        slope = np.exp(-c * step)
        mean, square = beta1 * mean + 0.2 * slope, beta2 * square + 0.1 * slope**2
    steady = adam.normalized_step(c, beta1, beta2)
    assert mean / np.sqrt(square) == pytest.approx(steady, rel=1e-7)


@pytest.mark.parametrize("beta2", [0.9, 0.99, 0.999])
def test_rates_stay_below_what_the_mean_square_remembers(beta2):
    rates = [adam.fall_of_error(eta, 0.9, beta2) for eta in (1e-5, 1e-3, 0.1)]
    assert rates[0] == pytest.approx(2e-5, rel=0.05) and rates == sorted(rates)
    assert rates[-1] < 0.5 * np.log(1 / beta2)
    growth = adam.growth_of_gap(0.01, 0.9, beta2)
    fall = adam.fall_of_error(0.01, 0.9, beta2)
    step = adam.normalized_step(fall + growth, 0.9, beta2)
    assert growth == pytest.approx(0.02 * step, rel=1e-3)  # near its end R is a root of rounding


@pytest.mark.parametrize("spare", [1, 3, 20])
def test_attention_rests_where_rows_have_grown_alike(spare):
    """The slope of the normalized layer in z is zero there, and not at another gap."""
    data, C, height = class_data(4), 4 + spare, 15.0
    signs = 2 * np.eye(4, C) - 1
    Y = np.zeros((9, C))
    Y[:4], Y[4] = height / 2 * signs, height / 2 * signs.max(axis=0)
    gap = adam.resting_gap(height, 4, C)
    slopes = []
    for shift in (0.0, 0.01):
        Z = np.zeros((9, 9))
        Z[5:, :4], Z[5:, 4] = (gap + shift) / 2, -(gap + shift) / 2
        slopes.append(abs(gradients(data, Y, Z, normalize=True)[1][5, 0]))
    assert slopes[0] < 1e-8 * slopes[1]


def test_what_makes_no_sense_is_named():
    start = np.zeros((6, 5)), np.zeros((6, 6))
    with pytest.raises(ValueError, match="beta2"):
        adam.joint_adam(DATA, *start, [1], beta2=1.0)
    with pytest.raises(ValueError, match="keep"):
        adam.joint_adam(DATA, *start, [3, 2])
    with pytest.raises(ValueError, match="labels"):
        adam.resting_gap(1.0, 4, 3)
