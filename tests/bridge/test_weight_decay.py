"""Where training with a penalty rests: it is a stationary point, and descent goes there."""

import numpy as np
import pytest

from lib.bridge.joint_training import gradients, joint_descent, one_hot_data
from lib.bridge.two_clocks import class_data
from lib.bridge.weight_decay import late_gap, rest


def grouped(K, s):
    """K classes, a common token for every s of them, a query each."""
    counts = np.zeros((K, K + K // s + K))
    counts[:, :K] = np.eye(K)
    counts[np.arange(K), K + np.arange(K) // s] = 1
    return one_hot_data(counts, K + K // s + np.arange(K), np.arange(K))


@pytest.mark.parametrize("normalize", [False, True], ids=["plain", "normalized"])
@pytest.mark.parametrize(("K", "s", "C"), [(4, 4, 4), (4, 4, 7), (4, 2, 6), (6, 3, 6)])
def test_it_is_a_stationary_point(K, s, C, normalize):
    data, penalty = grouped(K, s), np.exp(-9.0)
    found = rest(s, C, [5.0, 9.0], weight=1 / K, normalize=normalize)
    gap, V = found.gap[1], data.counts.shape[1]
    Z = np.zeros((V, V))
    rows = K + K // s + np.arange(K)
    Z[rows, np.arange(K)], Z[rows, K + np.arange(K) // s] = gap / 2, -gap / 2
    odds = np.exp(-np.array([found.margin[1], found.others[1]]))
    p = np.full((K, C), odds[1])
    for k in range(K):
        p[k, [j for j in range(K) if j // s == k // s]] = odds[0]
    p[np.arange(K), np.arange(K)] = 1
    error = np.eye(K, C) - p / p.sum(axis=1, keepdims=True)
    f = np.exp(Z[rows]) * (data.counts > 0)
    f /= np.linalg.norm(f, axis=1, keepdims=True) if normalize else f.sum(axis=1, keepdims=True)
    Y = f.T @ error / K / penalty
    by_y, by_z = gradients(data, Y, Z, normalize)
    assert np.abs(by_y + penalty * Y).max() < 1e-12
    assert np.abs(by_z + penalty * Z).max() < 1e-12


@pytest.mark.parametrize("normalize", [False, True], ids=["plain", "normalized"])
def test_descent_with_a_penalty_ends_there(normalize):
    data = class_data(4)
    path = joint_descent(
        data, np.zeros((9, 7)), np.zeros((9, 9)), [12_000], decay=0.01, normalize=normalize
    )
    gap = rest(4, 7, [np.log(100)], normalize=normalize).gap[0]
    assert path.Z[0, 5, 0] - path.Z[0, 5, 4] == pytest.approx(gap, rel=1e-7)


def test_the_law_solves_its_equation_and_is_exact_without_spare_labels():
    margin = np.array([3.0, 50.0])
    for normalize, q, share in ((False, 1, 4 / 5), (True, 2, 2 / 5)):
        g = late_gap(margin, 3, 5, normalize=normalize)
        np.testing.assert_allclose(g * np.exp(q * g), 2 * margin**2 * share)
    found = rest(3, 3, [2.0, 6.0, 20.0], weight=1 / 3, normalize=True)
    np.testing.assert_allclose(found.gap, late_gap(found.margin, 3, 3, normalize=True))


def test_what_makes_no_sense_is_named():
    with pytest.raises(ValueError, match="log_inverse"):
        rest(2, 3, [3.0, 2.0])
    with pytest.raises(ValueError, match="shared"):
        rest(1, 3, [3.0])
