"""Entropy and recall: limits and conventions."""

import numpy as np
import pytest

from lib.scan_snap.sequence_classes import SequenceClasses, syn_medium, syn_small
from lib.scan_snap.sparsity import (
    distinct_entropy,
    entropy,
    on_distinct,
    recall,
    row_attention,
    top_distinct,
)


def test_entropy_of_the_uniform_and_of_certainty():
    assert entropy(np.full(10, 0.1)) == pytest.approx(np.log(10))
    assert entropy(np.eye(4)[2]) == 0
    assert entropy(np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])).tolist() == pytest.approx(
        [np.log(2), 0.0]
    )


def test_untrained_attention_has_the_published_entropy():
    """2.151, whatever the number of classes: only the shares among distinct tokens count."""
    for classes in (syn_small(), syn_medium(5), syn_small(common_weight=7.0)):
        assert distinct_entropy(classes.conditional, classes) == pytest.approx(2.151, abs=5e-4)


def test_the_entropy_is_the_mean_over_classes_and_not_their_middle():
    classes = syn_medium(2, next_per_query=2)
    attention = classes.conditional.copy()
    for n, used in enumerate((10, 1, 1, 1)):  # one class looks at ten tokens alike, three at one
        attention[n] = 0
        attention[n, classes.distinct_tokens(n)[:used]] = 1 / used
    assert distinct_entropy(attention, classes) == pytest.approx(np.log(10) / 4)


def test_distinct_shares_forget_the_common_tokens():
    classes = syn_small()
    tilted = classes.conditional.copy()
    tilted[:, classes.common_tokens] *= 0.01
    np.testing.assert_allclose(
        on_distinct(tilted / tilted.sum(1, keepdims=True), classes),
        on_distinct(classes.conditional, classes),
        atol=1e-15,
    )
    assert top_distinct(tilted, classes).tolist() == [9, 9]


def test_a_class_without_distinct_tokens_is_refused():
    same = SequenceClasses(np.full((2, 4), 0.25), query=[3, 3])
    with pytest.raises(ValueError, match="distinct"):
        distinct_entropy(same.conditional, same)


def test_recall_of_untrained_rows_is_a_step_at_one_over_m():
    classes = syn_medium(3)
    rows = row_attention(np.zeros((3, classes.vocab_size)), classes, np.array([0, 0, 1, 1, 2, 2]))
    np.testing.assert_allclose(rows, 1 / classes.vocab_size)
    assert recall(
        rows, classes, [0.99 / classes.vocab_size, 1.01 / classes.vocab_size]
    ).tolist() == [1.0, 0.0]


def test_recall_falls_with_the_threshold_and_counts_shares():
    classes = syn_small()
    curve = recall(classes.conditional, classes, np.linspace(0, 0.07, 50))
    assert (np.diff(curve) <= 0).all() and curve[0] == 1 and curve[-1] == 0
    median = np.median(classes.conditional[0, classes.distinct_tokens(0)])
    assert recall(classes.conditional, classes, [median]).tolist() == [0.5]


def test_row_attention_survives_large_logits():
    classes = syn_small()
    rows = row_attention(np.array([[1e4] + [0.0] * 33, [0.0] * 34]), classes, np.array([0, 1]))
    np.testing.assert_allclose(rows.sum(-1), 1)
    assert rows[0, 0] == pytest.approx(1)


def test_a_stack_is_measured_one_by_one():
    classes, query_row = syn_small(), np.array([0, 1])
    z = np.random.default_rng(0).normal(size=(3, 2, classes.vocab_size))
    measures = (
        lambda rows: distinct_entropy(rows, classes),
        lambda rows: top_distinct(rows, classes),
        lambda rows: recall(rows, classes, [0.02, 0.05]),
    )
    stack = row_attention(z, classes, query_row)
    for rows, own in zip(stack, z, strict=True):
        np.testing.assert_allclose(rows, row_attention(own, classes, query_row), rtol=1e-14)
    for measure in measures:
        np.testing.assert_allclose(measure(stack), [measure(rows) for rows in stack], rtol=1e-14)
