"""Batches have the law of counted sequences, and a layout holds each class's support."""

import numpy as np
import pytest

from lib.scan_snap.engine.batches import INFINITE, Layout
from lib.scan_snap.sequence_classes import random_classes
from tests.scan_snap.engine.sequence_model import full_counts


def test_batches_have_the_law_of_counted_sequences():
    """Class frequencies and token means against their probabilities, five standard errors."""
    classes = random_classes(5, 11, np.random.default_rng(1), density=0.4)
    layout, T, size = Layout.of(classes), 9, 20000
    batch = next(layout.batches(1, size, T, np.random.default_rng(2)))
    assert (batch.counts.sum(axis=1) == T - 1).all() and batch.weight.sum() == pytest.approx(1)
    counts = full_counts(layout, batch)
    for n in range(5):
        mine = counts[batch.label == n]
        rows = np.arange(batch.bounds[n], batch.bounds[n + 1])
        np.testing.assert_array_equal(np.flatnonzero(batch.label == n), rows)
        assert abs(len(mine) / size - 0.2) < 5 * np.sqrt(0.2 * 0.8 / size)
        p = classes.conditional[n]
        assert (
            np.abs(mine.mean(axis=0) - (T - 1) * p)
            <= 5 * np.sqrt((T - 1) * p * (1 - p) / len(mine))
        ).all()
        assert (mine[:, p == 0] == 0).all()


def test_the_smallest_batch_is_one_token_of_one_sample():
    layout = Layout.of(random_classes(3, 7, np.random.default_rng(0)))
    (batch,) = layout.batches(1, 1, 2, np.random.default_rng(1))
    assert len(batch.label) == 1 and batch.counts.sum() == 1 and batch.weight.tolist() == [1]


def test_layout_holds_every_support_once_padded_in_front():
    classes = random_classes(9, 14, np.random.default_rng(4), num_queries=3, density=0.2)
    layout = Layout.of(classes)
    assert layout.tokens.tolist() == np.flatnonzero(classes.support.any(axis=0)).tolist()
    np.testing.assert_array_equal(layout.queries[layout.query_row], classes.query)
    for n, (index, probability) in enumerate(zip(layout.index, layout.probability, strict=True)):
        real = probability > 0
        assert (np.diff(real.astype(int)) >= 0).all() and real[-1]
        ids = layout.tokens[index[real]]
        assert ids.tolist() == np.flatnonzero(classes.support[n]).tolist()
        np.testing.assert_array_equal(probability[real], classes.conditional[n, ids])


def test_endless_batches_are_the_table_weighted_by_class():
    classes = random_classes(4, 9, np.random.default_rng(2))
    layout = Layout.of(classes)
    (limit,) = layout.batches(1, INFINITE, INFINITE, None)
    np.testing.assert_allclose(full_counts(layout, limit), classes.conditional, atol=1e-15)
    np.testing.assert_array_equal(limit.weight, classes.prior)
    (drawn,) = layout.batches(1, 50, INFINITE, np.random.default_rng(0))
    assert drawn.weight.sum() == pytest.approx(1) and not np.allclose(drawn.weight, classes.prior)
    assert (drawn.bounds == np.arange(5)).all()
