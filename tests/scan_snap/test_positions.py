"""Facts about position biases: limits of the effective length, agreement with plain attention,
means.
"""

import numpy as np
import pytest
import torch

from lib.scan_snap.positions import (
    attend_with_bias,
    effective_length,
    sample_by_position,
    weighted_law,
)
from lib.scan_snap.sequence_classes import token_counts
from lib.scan_snap.yz_transformer import attend


@pytest.mark.parametrize(
    "bias, length",
    [
        (np.zeros(7), 7),
        (np.full(9, 3.0), 9),
        ([0, 0, 1000], 1),
        (-0.5 * np.arange(400), 1 / np.tanh(0.25)),
    ],
)
def test_effective_length(bias, length):
    assert effective_length(bias) == pytest.approx(length, rel=1e-9)


def test_constant_bias_is_plain_attention():
    rng = np.random.default_rng(0)
    tokens, z = rng.integers(6, size=(5, 20)), rng.normal(size=6)
    plain = attend(torch.tensor(np.tile(z, (5, 1))), torch.tensor(token_counts(tokens, 6))).numpy()
    np.testing.assert_allclose(attend_with_bias(z, tokens, np.full(20, 1.7)), plain, atol=1e-14)


def test_infinite_preference_reads_one_position():
    bias = np.zeros(4)
    bias[2] = 800
    assert attend_with_bias(np.zeros(3), [[0, 1, 2, 1]], bias).tolist() == [[0, 0, 1]]


def test_mean_attention_under_flat_logits_is_the_weighted_law():
    rng = np.random.default_rng(1)
    laws, bias = rng.dirichlet(np.ones(4), 30), rng.normal(size=30)
    seen = attend_with_bias(np.zeros(4), sample_by_position(laws, 20_000, rng), bias)
    np.testing.assert_allclose(
        seen.mean(axis=0),
        weighted_law(laws, bias),
        atol=5 * np.sqrt(0.25 / effective_length(bias) / 20_000),
    )


def test_each_position_follows_its_own_law():
    laws = np.array([[1.0, 0, 0], [0, 0.5, 0.5]])
    tokens = sample_by_position(laws, 4000, np.random.default_rng(2))
    assert (tokens[:, 0] == 0).all() and set(tokens[:, 1]) == {1, 2}
    assert sample_by_position(laws, 1, np.random.default_rng(2)).shape == (1, 2)
    assert abs((tokens[:, 1] == 1).mean() - 0.5) < 5 * np.sqrt(0.25 / 4000)


def test_a_law_that_sums_to_a_little_less_than_one_has_no_token_beyond_the_last(largest_draws):
    assert sample_by_position([[0.5, 0.5 - 5e-10]], 1, largest_draws).tolist() == [[1]]


def test_shapes_are_named():
    wrong = r"^bias.shape = \(3,\), allowed: \(2,\)$"
    with pytest.raises(ValueError, match=wrong):
        attend_with_bias(np.zeros(3), [[0, 1]], np.zeros(3))
    with pytest.raises(ValueError, match=wrong):
        weighted_law(np.ones((2, 3)) / 3, np.zeros(3))
