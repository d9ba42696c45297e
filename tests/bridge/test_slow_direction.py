"""Pushes on losers, the winners' Graph-SVM, and the distance that the drift keeps from it."""

from types import SimpleNamespace

import numpy as np
import pytest

from lib.bridge import slow_direction as slow
from lib.bridge.joint_training import gradients, joint_flow


def trained(seed, log_times):
    data = slow.mixed_draw(np.random.default_rng(seed))
    zeros = np.zeros((8, 5)), np.zeros((8, 8))
    return data, joint_flow(data, *zeros, log_times)


def test_a_draw_has_five_samples_of_three_tokens_one_to_four_times_each():
    many = [slow.mixed_draw(np.random.default_rng(seed)) for seed in range(20)]
    counts, last = (np.array([getattr(data, name) for data in many]) for name in ("counts", "last"))
    assert counts.shape == (20, 5, 8) and ((counts > 0).sum(axis=2) == 3).all()
    assert set(counts[counts > 0]) == {1, 2, 3, 4} and set(last.ravel()) == {0, 1}


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("power", [1, 2])
def test_pushes_are_the_gradient_of_attention(normalize, power):
    rng = np.random.default_rng(0)
    data = slow.mixed_draw(rng)
    Y, Z = rng.normal(size=(8, 5)), rng.normal(size=(8, 8))
    kept = slow.winners(data, Z, normalize)
    pushes = slow.loser_pushes(data, Y, Z, kept, power, normalize)
    total = np.zeros_like(Z)
    for i, l in np.argwhere(slow.losers(data, kept)):
        m, w = data.last[i], kept[i].argmax()
        force = pushes[i, l] * np.exp(-power * (Z[m, w] - Z[m, l]))
        total[m, l] += force
        total[m, w] -= force
    np.testing.assert_allclose(total, gradients(data, Y, Z, normalize)[1], atol=1e-15)


def test_late_pushes_come_close_to_their_limit():
    data, path = trained(3, [1e3])
    kept = slow.winners(data, path.Z[-1])
    assert slow.decides(data, kept)
    scale = 1e3 - np.log(1e3)
    pushes = slow.loser_pushes(data, path.Y[-1], path.Z[-1], kept, 1, log_scale=scale)
    limit = slow.late_pushes(data, kept, 5)
    lost = slow.losers(data, kept)
    np.testing.assert_allclose(pushes[lost], limit[lost], rtol=0.03)


def test_drift_goes_along_the_winners_svm_and_stays_near_it():
    data, path = trained(3, [1e2, 1e3, 1e4])
    kept = slow.winners(data, path.Z[0])
    svm = slow.winner_svm(data, kept)
    slopes = np.diff(path.Z, axis=0) / np.log(10)
    early, late = np.linalg.norm(slopes - 2 * svm.W.T, axis=(1, 2)) / (2 * svm.norm)
    assert late < early and late < 0.05
    drifted = slow.drift(
        data, kept, slow.late_pushes(data, kept, 5), path.Z[1], np.log(path.log_time[1:] ** 2 / 2)
    )
    np.testing.assert_allclose(drifted, path.Z[2], atol=5e-3)
    pushes = np.array([
        slow.loser_pushes(data, Y, Z, kept, 1, log_scale=tau - np.log(tau))[slow.losers(data, kept)]
        for tau, Y, Z in zip(path.log_time, path.Y, path.Z, strict=True)
    ])  # fmt: skip
    clock = np.log(path.log_time**2 / 2)
    distance = ((path.Z - clock[:, None, None] * svm.W.T) ** 2).sum(axis=(1, 2))
    C = slow.drift_bound(svm, pushes.min(), pushes.max(), pushes.shape[1])
    assert distance[-1] < distance[0] + 2 * C * (clock[-1] - clock[0])


def test_winner_of_two_labels_and_loser_that_wins_for_its_own_label_decide_nothing():
    data = slow.one_hot_data([[1, 1, 0], [1, 0, 1]], [0, 0], [0, 1])
    assert not slow.decides(data, np.array([[1, 0, 0], [1, 0, 0]], bool))
    assert slow.decides(data, np.array([[0, 1, 0], [0, 0, 1]], bool))
    same = slow.one_hot_data([[1, 1, 0], [1, 0, 1]], [0, 0], [0, 0])
    assert not slow.decides(same, np.array([[0, 1, 0], [1, 0, 0]], bool))


def test_bound_needs_pushes_that_push():
    data, path = trained(3, [30.0])
    svm = slow.winner_svm(data, slow.winners(data, path.Z[-1]))
    with pytest.raises(ValueError, match="least"):
        slow.drift_bound(svm, 0.0, 1.0, 3)
    with pytest.raises(ValueError, match="least"):
        slow.drift_bound(svm, 1.0, 0.9, 3)
    assert slow.drift_bound(svm, 1.0, 1.0, 3) > 3 / np.e


@pytest.mark.parametrize("most", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("least", [0.01, 0.1])
@pytest.mark.parametrize("dual", [0.2, 3.0])
def test_no_excess_of_a_margin_drives_the_distance_faster_than_the_bound(least, most, dual):
    """A pair with excess r over its margin adds (p e^-r - lambda) r to half of d|D|^2/d ln T."""
    excess = np.linspace(-20, 20, 200_001)
    fastest = max(((p * np.exp(-excess) - dual) * excess).max() for p in (least, most))
    assert fastest <= slow.drift_bound(SimpleNamespace(duals=np.array([dual])), least, most, 1)


@pytest.mark.parametrize("least", [0.01, 0.1])
def test_both_terms_of_the_bound_are_attained(least):
    """Ahead by 1 without a multiplier; behind by 1 with lambda = 2 e least, where e^u = e u."""
    none, twice = (SimpleNamespace(duals=np.array([dual])) for dual in (0.0, 2 * np.e * least))
    ahead = slow.drift_bound(none, least, 0.7, 1)
    assert np.isclose(ahead, 0.7 * np.exp(-1.0), rtol=1e-14)
    behind = slow.drift_bound(twice, least, 0.7, 1) - ahead
    assert np.isclose(behind, -(least * np.exp(1.0) - twice.duals[0]), rtol=1e-14)


def test_sizes_of_a_draw_have_their_least():
    rng = np.random.default_rng(0)
    least = {"n": 2, "K": 2, "per_context": 2, "queries": 1, "most": 1}
    assert (slow.mixed_draw(rng, **least).counts == 1).all()
    for name, value in (("n", 1), ("K", 1), ("per_context", 1), ("per_context", 3)):
        with pytest.raises(ValueError, match=name):
            slow.mixed_draw(rng, **(least | {name: value}))


def test_late_pushes_on_paper():
    """Samples 1 and 2 are won by token 1; token 0, which wins sample 0, is opposed there."""
    counts = [[3, 0, 1, 0], [1, 2, 0, 0], [0, 4, 0, 2]]
    data = slow.one_hot_data(counts, [0, 0, 0], [0, 1, 1], [0.5, 0.1, 0.4])
    kept = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]], bool)
    late = slow.late_pushes(data, kept, 3, ratio=2.0)
    no = np.nan
    wanted = [
        [no, no, 1 / 3 * 2 / 3 / 2, no],
        [0.2 * 1 / 2 / 2, no, no, no],
        [no, no, no, 0.8 * 2 / 4 * 2 / 3 / 2],
    ]
    np.testing.assert_allclose(late, wanted, rtol=1e-14)


def test_one_loser_drifts_along_a_logarithm():
    """g' = 2 c e^{-g} in T, c = 0.7, from g = 0 at T = 1: e^g = 1 + 2 c (T - 1)."""
    data = slow.one_hot_data([[1, 1]], [0], [0])
    pushes, kept = np.array([[np.nan, 0.7]]), np.array([[True, False]])
    Z = slow.drift(data, kept, pushes, np.zeros((2, 2)), (0.0, 5.0))
    gap = np.log1p(1.4 * np.expm1(5))
    np.testing.assert_allclose(Z, [[gap / 2, -gap / 2], [0, 0]], atol=1e-7)


def by_hildreth(data, kept, margins, rounds=20_000):
    """The least Z with these leads, plainly: one pair after the other, each raised to its margin
    and never pushed down by more than it was raised (Hildreth)."""
    Z = np.zeros((data.counts.shape[1],) * 2)
    lifted = np.zeros(data.counts.shape)
    for _ in range(rounds):
        moved = 0.0
        for i, l in np.argwhere(slow.losers(data, kept)):
            m, w = data.last[i], kept[i].argmax()
            step = max((margins[i, l] - Z[m, w] + Z[m, l]) / 2, -lifted[i, l])
            lifted[i, l] += step
            Z[m, w] += step
            Z[m, l] -= step
            moved = max(moved, abs(step))
        if moved < 1e-13:
            break
    return Z


def settled(seed):
    """A draw of few labels and its winners, one row of attention at random, no circle."""
    rng = np.random.default_rng(seed)
    data, height = slow.shared_label_draw(rng), rng.normal(size=(8, 8))
    present = np.where(data.counts > 0, height[data.last], -np.inf)
    return data, np.eye(8, dtype=bool)[present.argmax(axis=1)]


@pytest.mark.parametrize("seed", range(4))
def test_least_matrix_with_margins_of_two_kinds(seed):
    data, kept = settled(seed)
    margins = 1.0 + np.random.default_rng(seed).integers(0, 2, data.counts.shape)
    svm = slow.margin_svm(data, kept, margins)
    np.testing.assert_allclose(svm.Z, by_hildreth(data, kept, margins), atol=1e-9)
    assert (svm.leads >= svm.margins - 1e-9).all() and (svm.duals >= 0).all()
    np.testing.assert_allclose(svm.duals * (svm.leads - svm.margins), 0, atol=1e-9)
    np.testing.assert_allclose((svm.Z**2).sum(), svm.duals @ svm.margins, rtol=1e-9)


def test_with_margins_of_one_it_is_the_winners_svm():
    data, kept = settled(0)
    ones = np.ones(data.counts.shape)
    W = slow.winner_svm(data, kept).W.T
    np.testing.assert_allclose(slow.margin_svm(data, kept, ones).Z, W, atol=1e-12)
    np.testing.assert_allclose(slow.margin_svm(data, kept, 2 * ones).Z, 2 * W, atol=1e-12)


def test_margins_are_positive():
    data, kept = settled(0)
    with pytest.raises(ValueError, match="margins"):
        slow.margin_svm(data, kept, np.zeros(data.counts.shape))


def test_draw_with_few_labels_shares_them_evenly():
    data = slow.shared_label_draw(np.random.default_rng(0))
    assert sorted(np.bincount(data.label)) == [2, 3, 3] and (data.counts > 0).sum(axis=1).max() == 3
    assert np.isclose(data.weight.sum(), 1) and len(set(data.weight)) == 8
    with pytest.raises(ValueError, match="labels"):
        slow.shared_label_draw(np.random.default_rng(0), labels=1)


def allied():
    """Token 1 loses sample 0 and wins sample 1 of the same label; token 2 wins for another."""
    counts = [[3, 1, 2, 0, 0], [0, 2, 0, 1, 0], [0, 0, 4, 1, 0]]
    data = slow.one_hot_data(counts, [4, 4, 4], [0, 0, 1], [0.5, 0.2, 0.3])
    return data, np.array([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0]], bool)


def test_margins_and_late_pushes_where_a_loser_wins_for_the_same_label():
    (data, kept), no = allied(), np.nan
    np.testing.assert_array_equal(
        slow.pair_margins(data, kept),
        [[no, 1, 2, no, no], [no, no, no, 2, no], [no, no, no, 2, no]],
    )
    np.testing.assert_allclose(slow.won_weight(data, kept), [0.5, 0.2, 0.3, 0, 0], rtol=1e-14)
    wanted = [
        [no, 1 / 3 * 2 / 3 * np.log(0.5 / 0.2) / 2, 2 / 3 / 2, no, no],
        [no, no, no, 1 / 2 * 2 / 3 / 2, no],
        [no, no, no, 1 / 4 * 2 / 3 / 2, no],
    ]
    np.testing.assert_allclose(slow.late_pushes(data, kept, 3, ratio=2.0), wanted, rtol=1e-14)
    assert not slow.decides(data, kept) and slow.names_labels(data, kept)


def test_a_loser_of_margin_one_lags_behind():
    """g' = 2 c T^p e^-g in ln T, from g = 0 at T = 1: e^g = 1 + (2 c / p) (T^p - 1)."""
    data, kept = allied()
    data, kept = data.only([0]), kept[[0]]
    pushes = np.where(slow.losers(data, kept), [0, 0.7, 1e-12, 0, 0], np.nan)
    for p in (1.0, 2.0):
        Z = slow.drift(data, kept, pushes, np.zeros((5, 5)), (0.0, 5.0), np.full((1, 5), p))
        gap = np.log1p(1.4 / p * np.expm1(5 * p))
        np.testing.assert_allclose(Z[4, 0] - Z[4, 1], gap, atol=1e-6)
