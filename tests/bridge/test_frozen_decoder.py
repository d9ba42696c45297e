"""Winners of a frozen decoder: slopes against differences of the loss, leaks against gradients."""

import numpy as np
import pytest
from scipy.special import log_softmax

from lib.bridge import frozen_decoder as frozen
from lib.bridge.joint_training import gradients, one_hot_data


@pytest.fixture(params=[False, True], ids=["plain", "normalized"])
def normalize(request):
    return request.param


def some_data():
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 3, (6, 5))
    counts[:, :2] = 1
    data = one_hot_data(counts, rng.integers(0, 5, 6), rng.integers(0, 4, 6))
    return data, rng.normal(size=(5, 4))


def test_slopes_are_those_of_the_loss(normalize):
    data, Y = some_data()
    slopes, small = frozen.vertex_slopes(data, Y, normalize), 1e-6
    for i, o, l in [(0, 0, 1), (3, 1, 4), (5, 2, 0)]:
        f = np.eye(5)[[o, o]]
        f[1] += small * (np.eye(5)[l] - (0 if normalize else np.eye(5)[o]))
        f /= np.linalg.norm(f, axis=1, keepdims=True) if normalize else 1
        losses = -log_softmax(f @ Y, axis=1)[:, data.label[i]]
        assert slopes[i, o, l] == pytest.approx((losses[1] - losses[0]) / small, rel=1e-4)


def test_without_normalization_the_sharp_winner_is_the_best_token():
    data, _ = some_data()
    seen = 0
    for seed in range(10):
        Y = np.random.default_rng(seed).normal(size=(5, 4))
        winners = frozen.sharp_winners(data, Y)
        assert (winners.sum(axis=1) <= 1).all()
        loss = np.where(data.counts > 0, -log_softmax(Y, axis=1)[:, data.label].T, np.inf)
        sharp = winners.any(axis=1)
        np.testing.assert_array_equal(winners[sharp].argmax(axis=1), loss[sharp].argmin(axis=1))
        seen += sharp.sum()
    assert seen > 10


def test_tokens_that_tie_up_to_rounding_leave_no_sharp_winner():
    """Two tokens of one context alone learn the same row of Y; a third decides nothing."""
    data = one_hot_data([[1, 1, 1, 0]], [3], [0])
    Y = np.array([[3.0, 0, 0], [3, 0, 0], [0, 1, 1], [0, 0, 0]])
    for ahead in (0, 1e-13, -1e-13, 1e-10):  # 1e-13: what training to rtol 1e-6 leaves of a tie
        Y[0, 0] = 3 * (1 + ahead)
        assert not frozen.sharp_winners(data, Y).any()
    Y[0, 0] = 3 + 1e-7  # a part in 10^13 where all logits are a million more
    assert not frozen.sharp_winners(data, Y + 1e6).any()
    Y[0, 0] = 3 * (1 + 1e-6)
    assert frozen.sharp_winners(data, Y).tolist() == [[True, False, False, False]]


def test_leaks_are_the_gradient_far_out(normalize):
    data, Y = some_data()
    rng = np.random.default_rng(1)
    while True:
        winners = frozen.sharp_winners(data, Y, normalize)
        kept = winners.sum(axis=1) == 1
        if kept.any():
            break
        Y = rng.normal(size=Y.shape)
    data, winners = data.only(np.flatnonzero(kept)[:1]), winners[np.flatnonzero(kept)[:1]]
    found = frozen.winner_leaks(data, Y, winners, normalize)
    Z = np.zeros((5, 5))
    Z[data.last[0], winners[0].argmax()] = 30
    expected = np.exp(found.log_c - found.rows @ Z.ravel()) @ found.rows
    ours = -gradients(data, Y, Z, normalize)[1].ravel()
    np.testing.assert_allclose(ours, expected, rtol=1e-10, atol=1e-25)


def test_kept_tokens_have_mass():
    data = one_hot_data([[1, 1, 1], [1, 1, 0]], [0, 1], [0, 0])
    Z = np.zeros((3, 3))
    Z[:2] = [0, -1, -20], [5, 50, 0]
    assert frozen.kept_tokens(data, Z).tolist() == [[True, True, False], [False, True, False]]


def test_leaks_refuse_contexts_without_one_sharp_winner():
    data, Y = some_data()
    with pytest.raises(ValueError, match="winners"):
        frozen.winner_leaks(data, Y, np.zeros((6, 5)))
    with pytest.raises(ValueError, match="slopes"):
        frozen.winner_leaks(data, np.zeros((5, 4)), np.eye(5)[[0] * 6])


def test_the_leak_of_two_tokens():
    """Y = 2 I: at token 0 token 1 costs 2 q + 2 q, q the wrong label's mass, and m_1 / m_0 = 3."""
    data, q = one_hot_data([[1, 3]], [0], [0]), 1 / (1 + np.exp(2))
    found = frozen.winner_leaks(data, 2 * np.eye(2), [[True, False]])
    assert found.log_c == pytest.approx([np.log(4 * q * 3)]) and found.pairs.tolist() == [[0, 1]]
    assert found.rows.tolist() == [[1, -1, 0, 0]]
