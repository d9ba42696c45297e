"""Two samples of unequal weight, against the two equations of their gaps and against autograd."""

import numpy as np
import pytest
import torch
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from lib.bridge import two_samples
from lib.bridge.turning import turn

ANGLE = {"conflict": 120, "unrelated": 90, "agreement": 60}


def gap_equations(degrees, log_r):
    """dg/dlog t of both gaps: t 2 [[1, cos], [cos, 1]] (weight / (1 + e^g))."""
    cosine, log_weight = np.cos(np.radians(degrees)), np.array([0, -log_r])
    gram = 2 * np.array([[1, cosine], [cosine, 1]])
    return lambda tau, g: gram @ np.exp(tau + log_weight - np.logaddexp(0, g))


def gap_flow(degrees, log_r, log_times):
    """Both gaps at ``log_times``, by Radau."""
    span = -25, log_times[-1]
    rate, start = gap_equations(degrees, log_r), [0.0, 0.0]
    return solve_ivp(rate, span, start, "Radau", log_times, rtol=1e-9, atol=1e-12).y


def turn_of_gap_flow(degrees, log_r):
    """log t at which that flow's light gap comes up to 2h - 1 of the heavy one."""
    ratio = 2 * np.cos(np.radians(degrees) / 2) - 1
    turned = lambda _, g: g[1] - ratio * g[0]
    turned.direction, turned.terminal = 1, True
    rate, span = gap_equations(degrees, log_r), (-25, 9 * log_r + 20)
    run = solve_ivp(rate, span, [0.0, 0.0], "LSODA", events=turned, rtol=1e-12, atol=1e-13)
    return run.t[-1]


@pytest.mark.parametrize(("name", "degrees"), ANGLE.items())
def test_the_named_pairs_pull_at_their_angles(name, degrees):
    problem = two_samples.named_pair(name, 3.0)
    (a, b), tokens = problem.data.counts, np.eye(5)
    pull = lambda row, label: 2 * tokens[label] - row @ tokens  # label less the one rival
    by_hand = np.array(
        [pull(row, label) for row, label in zip((a, b), problem.data.label, strict=True)]
    )
    np.testing.assert_allclose(two_samples.gap_gram(problem), by_hand @ by_hand.T, atol=1e-12)
    cosine = np.cos(np.radians(degrees))
    equal = 2 * np.array([[1, cosine], [cosine, 1]])
    np.testing.assert_allclose(by_hand @ by_hand.T, equal, atol=1e-12)
    np.testing.assert_allclose(problem.data.weight, [1, np.exp(-3.0)])


@pytest.mark.parametrize("degrees", [20, 75, 90, 120, 160])
def test_a_pair_at_an_angle_pulls_at_it(degrees):
    gram = two_samples.gap_gram(two_samples.pair_at_angle(degrees, 1.0))
    assert np.degrees(np.arccos(gram[0, 1] / 2)) == pytest.approx(degrees, rel=1e-12)
    np.testing.assert_allclose(np.diag(gram), 2, rtol=1e-12)
    half = two_samples.cos_half(degrees)
    assert 2 * half**2 - 1 == pytest.approx(gram[0, 1] / 2, rel=1e-12)


@pytest.mark.parametrize("degrees", [50, 90, 120, 150])
def test_the_gaps_follow_two_equations(degrees):
    times = [-3.0, 1.0, 4.0, 6.0, 9.0]
    found = two_samples.gap_paths(two_samples.pair_at_angle(degrees, 5.0), times, 1e-9)
    np.testing.assert_allclose(found, gap_flow(degrees, 5.0, times), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("name", "degrees"), ANGLE.items())
def test_a_turn_is_where_the_equations_turn(name, degrees):
    """The path is read at 40 points up to log t = 6 log r + 10, in conflict at 160 in 6.5."""
    found = two_samples.measured_turn(two_samples.named_pair(name, 12.0), 12.0)
    wanted = turn_of_gap_flow(degrees, 12.0)
    assert found == pytest.approx(wanted, abs=0.01 if name == "conflict" else 0.15)


def test_a_turn_beyond_where_one_looks_is_none():
    pair = two_samples.named_pair("agreement", 30.0)  # it turns at log t = 3.7 log r
    assert np.isnan(two_samples.measured_turn(pair, 30.0, until=1.5))


def test_growth_of_the_turn_of_unrelated_samples_has_a_closed_form():
    """e^g + g - 1 = 2 w t of each, and the light gap sqrt 2 - 1 of the heavy one."""
    ratio = np.sqrt(2) - 1
    log_time = lambda g: g + np.log1p((g - 1) * np.exp(-g)) - np.log(2)
    heavy = lambda log_r: brentq(lambda g: log_time(g) - log_time(ratio * g) - log_r, 1, 900)
    wanted = (log_time(heavy(120.0)) - log_time(heavy(60.0))) / 60
    found = two_samples.turn_growth(lambda y: two_samples.named_pair("unrelated", y), 120.0)
    assert found == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("degrees", [60, 86, 105, 135])
@pytest.mark.parametrize("log_r", [2.0, 9.0])
def test_a_turn_is_read_off_closely_between_its_bounds(degrees, log_r):
    found = two_samples.bounded_turn(degrees, log_r, 1e-10)
    assert found.low < found.log_time < found.high
    wanted = turn_of_gap_flow(degrees, log_r)
    assert found.log_time == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("degrees", [40, 100, 160])
@pytest.mark.parametrize("off", [0.9, 1.1])
def test_it_is_nearer_to_the_heavy_sample_where_the_equations_are(degrees, off):
    log_r = np.log(off * (1 + 2 * np.cos(np.radians(degrees) / 2)))
    ratio = 2 * np.cos(np.radians(degrees) / 2) - 1
    heavy, light = gap_flow(degrees, log_r, np.linspace(-8, 12, 200))
    wanted = (light < ratio * heavy - 1e-12).any()
    assert two_samples.ever_nearer_to_heavy(degrees, log_r) == wanted == (off > 1)


def autograd_turn(problem, times, learned):
    """Turn of the joint layer: autograd of the loss, an explicit solver, and a linear reading."""
    counts, label = (torch.tensor(x) for x in (problem.data.counts, problem.data.label))
    weight = torch.tensor(problem.data.weight)

    def velocity(_, point):
        Y, z = torch.tensor(point[:25]).reshape(5, 5), torch.tensor(point[25:])
        Y.requires_grad_(), z.requires_grad_()
        s = torch.softmax(z + torch.log(counts), dim=1)
        nll = -torch.log_softmax(s @ Y, dim=1)[torch.arange(2), label]
        by_y, by_z = torch.autograd.grad((weight * nll).sum(), [Y, z])
        return -np.r_[by_y.flatten() * learned, by_z]

    start = np.r_[np.eye(5).ravel(), np.zeros(5)]
    run = solve_ivp(velocity, [0, np.exp(times[-1])], start, "DOP853", np.exp(times), rtol=1e-9)
    z = run.y[25:]
    heavy, light = z[0] - z[1], z[2] - z[3]  # of the unrelated pair
    ahead = light - turn(two_samples.gap_gram(problem)).ratio * heavy
    last = np.flatnonzero(ahead < 0)[-1]
    share = ahead[last] / (ahead[last] - ahead[last + 1])
    return times[last] + share * (times[last + 1] - times[last]), heavy[-1], light[-1]


@pytest.mark.parametrize("learned", [0, 1])
def test_a_turn_of_the_joint_layer_is_autograd_s(learned):
    problem, times = two_samples.named_pair("unrelated", 3.0), np.linspace(0, 6, 61)
    found = two_samples.joint_turn(problem, times, eta_y=learned)
    assert found == pytest.approx(autograd_turn(problem, times, learned), abs=1e-4)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="degrees"):
        two_samples.pair_at_angle(180.0, 1.0)
    with pytest.raises(ValueError, match="name"):
        two_samples.named_pair("harmony", 1.0)
    with pytest.raises(ValueError, match="log_r"):
        two_samples.bounded_turn(60, 0.5)
