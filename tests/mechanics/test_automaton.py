"""The laws of the layer and of the automaton."""

import numpy as np

from lib.mechanics.automaton import model_law


def test_an_absent_token_takes_no_mass_however_large_its_logit():
    embeddings = np.eye(3)
    W = np.zeros((3, 3))
    W[0, 2] = 5e3  # token 0 would win by far, but is not there
    law = model_law(W, np.array([[0, 1, 1]]), np.array([2]), embeddings)
    np.testing.assert_allclose(law, [[0, 0.5, 0.5]])


def test_mass_is_proportional_to_copies_at_equal_scores():
    law = model_law(np.zeros((3, 3)), [[3, 1, 2]], [2], np.eye(3))
    np.testing.assert_allclose(law, [[0.5, 1 / 6, 1 / 3]])
