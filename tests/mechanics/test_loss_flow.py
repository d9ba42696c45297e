"""The flow of a general loss in log time: against the split flow, and against a closed form."""

import numpy as np
import pytest

from lib.mechanics.attention_layer import log_loss, mass_loss
from lib.mechanics.limit_paths import gradient_flow, loss_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences

CHAIN = from_sequences([[4, 0], [3, 4, 0], [2, 3, 0], [1, 2, 0]], [4, 3, 2, 1], np.eye(5))


def test_log_loss_agrees_with_the_split_flow():
    split = Problem(CHAIN).split
    path = gradient_flow(split, *split.coordinates(np.zeros((5, 5))), [2.0, 15.0])
    np.testing.assert_allclose(
        loss_flow(np.zeros((5, 5)), CHAIN, log_loss, [2.0, 15.0]),
        split.matrix(path.x, path.z),
        atol=1e-5,
    )


@pytest.mark.parametrize("log_t", [0.0, 3.0, 40.0])
def test_linear_loss_of_one_pair_in_closed_form(log_t):
    # g' = 2 s (1 - s), s = 1 / (1 + e^-g): 2 g + e^g - e^-g = 2 t from g(0) = 0
    one = from_sequences([[0, 1]], [0], np.eye(2))
    W = loss_flow(
        np.zeros((2, 2)), one, mass_loss(lambda u: 1 - u, lambda u: -np.ones_like(u)), [log_t]
    )[-1]
    g = W[0, 1] - W[1, 1]
    assert 2 * g + np.exp(g) - np.exp(-g) == pytest.approx(2 * np.exp(log_t), rel=1e-6)
