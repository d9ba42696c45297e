"""The pull of the decoder's memory is the gradient of attention, and its rest points are where it
says.
"""

import numpy as np
import pytest
import torch

from lib.scan_snap.decoder_memory import memory, pull
from lib.scan_snap.engine.batches import INFINITE, Layout
from lib.scan_snap.engine.reference import gradients
from lib.scan_snap.engine.state import State
from lib.scan_snap.sequence_classes import random_classes


def a_state(seed=0):
    """A random state of classes that share queries and tokens, two cells."""
    rng = np.random.default_rng(seed)
    layout = Layout.of(random_classes(5, 14, rng, num_queries=2))
    Y, Z = (
        torch.as_tensor(rng.normal(size=(2, rows, 14)))
        for rows in (len(layout.tokens), len(layout.queries))
    )
    return State(layout, Y, Z)


def test_the_pull_is_the_population_gradient():
    state = a_state()
    exact = gradients(
        state, next(state.layout.batches(1, INFINITE, INFINITE, np.random.default_rng(0)))
    )[1].numpy()
    np.testing.assert_allclose(pull(state), exact, atol=1e-13)


def test_the_decoder_adds_attention_to_its_memory():
    """A small step of Y along its gradient moves m, at fixed residual, along p_n e_n f for the
    class's own direction.
    """
    rng = np.random.default_rng(1)
    layout = Layout.of(random_classes(1, 6, rng))
    state = State(
        layout,
        torch.zeros(1, len(layout.tokens), 6).double(),
        torch.zeros(1, 1, 6).double(),
    )
    grad_y = gradients(state, next(layout.batches(1, INFINITE, INFINITE, rng)))[0]
    state.Y += 1e-6 * grad_y
    f, m = memory(state).normalized[0, 0], memory(state).remembered[0, 0]
    np.testing.assert_allclose(m / np.linalg.norm(m), f, atol=1e-6)


def test_attention_along_the_memory_is_at_rest():
    """Rows of Y proportional to f: whatever f, the gradient of attention is zero."""
    rng = np.random.default_rng(2)
    layout = Layout.of(random_classes(1, 6, rng))
    state = State(
        layout,
        torch.zeros(1, len(layout.tokens), 6).double(),
        torch.as_tensor(rng.normal(size=(1, 1, 6))),
    )
    direction = torch.as_tensor(rng.normal(size=6))
    state.Y += torch.as_tensor(memory(state).normalized[0, 0, layout.tokens])[:, None] * direction
    np.testing.assert_allclose(
        memory(state).cosine, np.sign(direction.numpy() @ (shortfall(state))), atol=1e-12
    )
    np.testing.assert_allclose(pull(state), 0, atol=1e-14)
    state.Y[:, 0] *= 2
    assert np.abs(pull(state)).max() > 1e-4


def test_a_decoder_that_is_sure_to_the_last_bit_is_refused():
    state = a_state()
    state.Y[..., :] = 0
    state.Y[:, :, state.layout.classes.next_token[0]] = 1e4
    with pytest.raises(ValueError, match="^error = "):
        memory(state)


def shortfall(state):
    """x_{T+1} - alpha of the only class."""
    f = memory(state).normalized[0, 0]
    alpha = torch.softmax(torch.as_tensor(f) @ state.full()[0][0], dim=0).numpy()
    return np.eye(6)[state.layout.classes.next_token[0]] - alpha
