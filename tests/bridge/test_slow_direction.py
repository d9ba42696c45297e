"""Pushes on losers, their limits, and the least matrix with margins of two kinds."""

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


def test_winner_of_two_labels_and_loser_that_wins_for_its_own_label_decide_nothing():
    data = slow.one_hot_data([[1, 1, 0], [1, 0, 1]], [0, 0], [0, 1])
    assert not slow.decides(data, np.array([[1, 0, 0], [1, 0, 0]], bool))
    assert slow.decides(data, np.array([[0, 1, 0], [0, 0, 1]], bool))
    same = slow.one_hot_data([[1, 1, 0], [1, 0, 1]], [0, 0], [0, 0])
    assert not slow.decides(same, np.array([[0, 1, 0], [1, 0, 0]], bool))


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


def test_late_pushes_come_close_to_their_limit():
    data, path = trained(3, [1e3])
    kept = slow.winners(data, path.Z[-1])
    assert slow.decides(data, kept)
    scale = 1e3 - np.log(1e3)
    pushes = slow.loser_pushes(data, path.Y[-1], path.Z[-1], kept, 1, log_scale=scale)
    limit = slow.late_pushes(data, kept, 5)
    lost = slow.losers(data, kept)
    np.testing.assert_allclose(pushes[lost], limit[lost], rtol=0.03)
