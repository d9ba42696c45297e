"""The state holds what moves, and unfolds to whole matrices."""

import numpy as np
import torch

from lib.scan_snap.engine.batches import Layout
from lib.scan_snap.engine.state import State
from lib.scan_snap.sequence_classes import random_classes


def test_the_uniform_start_is_one_draw_of_two_whole_matrices():
    classes = random_classes(4, 9, np.random.default_rng(2), num_queries=2, density=0.3)
    layout = Layout.of(classes)
    state = State.initial(layout, 3, "uniform", np.random.default_rng(7), torch.float64)
    whole = np.random.default_rng(7).uniform(-1, 1, size=(2, 9, 9)) / 3
    for full, drawn, rows in zip(state.full(), whole, (layout.tokens, layout.queries), strict=True):
        wanted = np.zeros((9, 9))
        wanted[rows] = drawn[rows]
        np.testing.assert_array_equal(full.numpy(), np.stack([wanted] * 3))


def test_a_copy_and_the_cells_move_on_their_own():
    layout = Layout.of(random_classes(3, 7, np.random.default_rng(0)))
    state = State.initial(layout, 2, "zero", None, torch.float32)
    copy = state.copy()
    copy.Y[0] += 1
    copy.Z[1] += 1
    assert not state.Y.any() and not state.Z.any()
    assert not copy.Y[1].any() and not copy.Z[0].any()
