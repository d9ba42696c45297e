"""Late runs of the plain layer: autograd, closed forms and a linear program beside them."""

import cvxpy as cp
import numpy as np
import pytest
import torch

from lib.bridge import late_runs
from lib.bridge.basin import asymptotic_rows, gain
from lib.bridge.joint_training import JointPath, one_hot_data
from lib.bridge.slow_direction import losers, mixed_draw, shared_label_draw, winners


def some_data():
    """Two queries; token 3 wins for another label, token 1 wins another sample of its own."""
    counts = [[3, 1, 1, 0, 0, 0], [0, 3, 1, 0, 0, 0], [0, 0, 1, 3, 0, 0]]
    return one_hot_data(counts, [4, 4, 5], [0, 0, 1], [0.5, 0.2, 0.3])


def test_steepness_of_a_line_in_ln_ln_t_is_its_slope():
    slope, start = np.array([[1.0, -2.0], [0.5, 0.0]]), np.ones((2, 2))
    times = np.array([10.0, 1e3, 1e6])
    Z = start + np.log(times)[:, None, None] * slope
    found = late_runs.steepness(JointPath(times, np.zeros((3, 2, 1)), Z))
    np.testing.assert_allclose(found, slope, rtol=1e-12)


def test_pushes_are_autograd_s():
    """-dL/dz of a loser, on the clock ln t d ln t = (ln t / t) dt, times e^(winner's lead)."""
    data, rng = some_data(), np.random.default_rng(0)
    Y, Z, log_time = rng.normal(size=(6, 2)), rng.normal(size=(6, 6)), 3.0
    kept = winners(data, Z)
    path = JointPath(np.array([log_time]), Y[None], Z[None])
    found, wanted = late_runs.pushes_on_clock(data, kept, path), []
    for i, row in enumerate(losers(data, kept)):
        z = torch.tensor(Z[data.last[i]], requires_grad=True)
        s = torch.softmax(z + torch.log(torch.tensor(data.counts[i])), 0)
        nll = -torch.log_softmax(s @ torch.tensor(Y), 0)[data.label[i]]
        (slope,) = torch.autograd.grad(data.weight[i] * nll, z)
        lead = Z[data.last[i], kept[i].argmax()] - Z[data.last[i]]
        wanted += list((slope.numpy() * np.exp(lead) * np.exp(log_time) / log_time)[row])
    np.testing.assert_allclose(found[0], wanted, rtol=1e-10)


def least_matrix(data, kept, margins):
    """argmin |Z|_F with these leads of winners over losers, by Clarabel: (K, K)."""
    Z = cp.Variable((data.counts.shape[1],) * 2)
    leads = [
        Z[data.last[i], kept[i].argmax()] - Z[data.last[i], j] >= margins[i, j]
        for i, j in np.argwhere(losers(data, kept))
    ]
    cp.Problem(cp.Minimize(cp.sum_squares(Z)), leads).solve(solver=cp.CLARABEL)
    return Z.value


def a_draw_of_few_labels():
    """The first draw with a winner everywhere and allies that carry the least matrix."""
    rng = np.random.default_rng(5)
    for _ in range(400):
        one = late_runs.FewLabels(shared_label_draw(rng))
        case = one.settled and one.names_labels and one.allied.any() and one.lighter_allies
        if case and (one.svm.duals[one.svm.margins == 1] > 0.1).any():
            return one
    raise AssertionError("none of 400 draws")


def test_a_draw_of_few_labels_goes_along_the_matrix_of_two_margins():
    one = a_draw_of_few_labels()
    label, token = one.data.label, one.kept.argmax(axis=1)
    allied = np.array([[k in token[label == label[i]] for k in range(8)] for i in range(8)])
    allied &= losers(one.data, one.kept)
    np.testing.assert_array_equal(one.allied, allied)
    Z = least_matrix(one.data, one.kept, 2.0 - allied)
    np.testing.assert_allclose(one.svm.Z, Z, atol=1e-5)
    np.testing.assert_allclose(
        one.two_everywhere, least_matrix(one.data, one.kept, 2 + 0 * allied), atol=1e-5
    )
    assert np.linalg.norm(late_runs.steepness(one.path) - Z) < 0.1 * np.linalg.norm(Z)
    grown, place = late_runs.steepness(one.path), np.argwhere(allied)
    leads = [grown[one.data.last[i], token[i]] - grown[one.data.last[i], j] for i, j in place]
    assert len(one.leads_of_allies) and set(one.leads_of_allies) <= set(leads)
    assert one.off_pushes_of_allies < 0.01


def test_what_is_lighter_is_counted_by_hand():
    one = a_draw_of_few_labels()
    won, token = np.zeros(8), one.kept.argmax(axis=1)
    for i, weight in enumerate(one.data.weight):
        won[token[i]] += weight
    assert all(won[token[i]] > won[j] for i, j in np.argwhere(one.allied))
    flipped = late_runs.FewLabels(one.data)
    object.__setattr__(flipped, "kept", one.kept)
    object.__setattr__(flipped, "allied", one.kept)  # nobody is lighter than itself
    assert not flipped.lighter_allies


def test_rows_near_their_asymptotes_fade_like_one_over_log_t_and_leaks_too():
    one = a_draw_of_few_labels()
    rows, leaks = one.fading
    assert np.median(rows) == pytest.approx(-1, abs=0.05)
    left = []
    for Z in one.path.Z:
        mass = np.exp(Z[one.data.last]) * one.data.counts
        left.append((mass * ~one.kept / mass.sum(axis=1, keepdims=True)).sum(axis=1).max())
    assert leaks == pytest.approx(np.log10(left[1] / left[0]), rel=1e-6) and leaks < -0.9
    wanted = one.path.Y[1] - asymptotic_rows(one.data, one.kept, 3, 1e6)
    wanted = wanted[np.unique(one.kept.argmax(axis=1))]
    np.testing.assert_allclose(one.apart[1], np.sqrt((wanted**2).sum(axis=1)), rtol=1e-9)


def test_a_start_near_the_limits_is_where_it_says():
    """Rows at their bound from the asymptotes, Z at 1 from W ln ln t."""
    one = a_draw_of_few_labels()
    Y, Z = one.near_the_limits(np.random.default_rng(0))
    off = Y - asymptotic_rows(one.data, one.kept, 3, late_runs.BASIN)
    won = np.unique(one.kept.argmax(axis=1))
    near = gain(one.data, one.kept) / 8
    np.testing.assert_allclose(np.linalg.norm(off, axis=1)[won], near, rtol=1e-10)
    np.testing.assert_allclose(off.sum(axis=1), 0, atol=1e-10)
    away = Z - one.svm.Z * np.log(late_runs.BASIN)
    assert np.linalg.norm(away) == pytest.approx(1, rel=1e-10)
    assert set(np.flatnonzero(away.any(axis=1))) == set(one.data.last)


def test_a_draw_with_labels_of_its_own_reaches_its_limits():
    """Forces 2 % from their limits at ln t = 10^4; slopes of carrying pairs over 2 are 1."""
    one = late_runs.OwnLabels(mixed_draw(np.random.default_rng(1)))
    token = one.kept.argmax(axis=1)
    heard = one.early.Z[0][one.data.last] + one.data.log_counts
    np.testing.assert_array_equal(token, heard.argmax(axis=1))
    ratio = one.pushes[-1] / one.limits[one.losers]
    assert np.abs(ratio - 1).max() < np.abs(one.pushes[0] / one.limits[one.losers] - 1).max()
    np.testing.assert_allclose(ratio, 1, atol=0.02)
    Z = least_matrix(one.data, one.kept, np.ones(one.kept.shape))
    np.testing.assert_allclose(one.svm.W.T, Z, atol=1e-5)
    assert np.median(one.support_slopes()) == pytest.approx(1, abs=0.02)


def test_a_normalized_run_drifts_along_what_it_keeps():
    one = late_runs.normalized_run(mixed_draw(np.random.default_rng(1)), (1e2, 1e5, 1e6))
    f = np.exp(one.path.Z[-1][one.data.last]) * one.data.counts
    np.testing.assert_array_equal(one.held, f > 0.02 * np.linalg.norm(f, axis=1, keepdims=True))
    grown = late_runs.steepness(one.path).ravel()
    wanted = np.linalg.lstsq(one.target.reshape(-1, 1), grown, rcond=None)[0][0]
    assert one.slope_over_kept == pytest.approx(wanted, rel=1e-9) == pytest.approx(2, abs=0.05)


def test_own_winners_leave_shared_tokens_out():
    data = one_hot_data([[2, 9, 1, 0, 0, 0], [0, 9, 0, 1, 3, 0]], [5, 5], [0, 1])
    assert late_runs.own_winners(data).argmax(axis=1).tolist() == [0, 4]


def test_a_start_has_a_column_for_each_label_up_to_the_largest():
    """Labels that answer nothing in between have theirs, too."""
    data = one_hot_data([[1, 0, 1, 0], [0, 1, 1, 1]], [2, 3], [0, 3])
    Y, Z = late_runs.zeros(data)
    assert Y.shape == (4, 4)
    assert Z.shape == (4, 4) and not Y.any() and not Z.any()
