"""Sums of exponentials as scipy has them, on any size of logits."""

import math

import numpy as np
import pytest
from scipy import special

from lib.log_sums import log_softmax, log_sum_exp, softmax


@pytest.mark.parametrize("scale", [1e-3, 1.0, 300.0, 1e5])
def test_they_are_scipys(scale):
    logits = scale * np.random.default_rng(0).normal(size=(3, 40, 6))
    logits[:, :20, 2] = -np.inf
    for ours, scipys in (
        (log_sum_exp, special.logsumexp),
        (log_softmax, special.log_softmax),
        (softmax, special.softmax),
    ):
        np.testing.assert_allclose(ours(logits), scipys(logits, axis=-1), rtol=1e-13, atol=1e-14)


def test_a_row_of_minus_infinity_sums_to_nothing():
    logits = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    np.testing.assert_array_equal(log_sum_exp(logits), [-np.inf, 0.0])


def test_a_long_row_loses_no_digit():
    """Of rows with a million small entries the sum is exact to a few units in the last place."""
    logits = np.random.default_rng(0).normal(size=(2, 10**6))
    np.testing.assert_allclose(softmax(logits), special.softmax(logits, axis=-1), rtol=1e-15)
    np.testing.assert_allclose(
        np.log([math.fsum(row) for row in np.exp(logits)]), log_sum_exp(logits), rtol=4e-16
    )
