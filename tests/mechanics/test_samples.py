"""The data of *Mechanics*: every rejection names its culprit."""

import numpy as np
import pytest

from lib.mechanics.draws import authors_draw
from lib.mechanics.samples import (
    NextTokenData,
    from_sequences,
    gaussian_embeddings,
    orthonormal_embeddings,
    stack,
)

E = np.eye(4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"counts": np.zeros((0, 4)), "last": [], "label": []}, "data set is empty"),
        ({"counts": [[1, 2, 0, 0], [1, np.inf, 0, 0]]}, r"counts\[1\]"),
        ({"label": [0, 9]}, r"label\[1\] = 9, allowed: a token 0 .. 3"),
        ({"label": [0, 3]}, r"label\[1\] = 3, allowed: a token of sample 1's input, \[0, 1\]"),
        ({"last": [2, 1]}, r"last\[0\] = 2, allowed: a token of sample 0's own input"),
        ({"counts": [[1, 1, 0, 0], [0, 0, 0, 0]]}, r"counts\[1\]"),
        ({"counts": [[1, 1.5, 0, 0], [1, 1, 0, 0]]}, r"counts\[0\]"),
        ({"embeddings": np.eye(4)[:, :3]}, "K = 4, allowed: K <= d = 3"),
        ({"embeddings": E[[0, 1, 2, 2]]}, "tokens 2 and 3 point the same way"),
        ({"embeddings": np.c_[E[:, :3], E[:, 0] * 0]}, "embeddings"),
        ({"embeddings": E * np.nan}, "finite"),
        ({"embeddings": E[[0, 1, 2, 2]] / 1000}, "tokens 2 and 3 point the same way"),
        ({"embeddings": np.ones(4)}, "embeddings.shape"),
        ({"embeddings": np.ones((4, 0))}, "embeddings.shape"),
        ({"weight": [1.0]}, "weight"),
        ({"weight": [1.0, 0.0]}, "weight"),
        ({"counts": [1, 2, 0, 0]}, "samples"),
        ({"counts": [[1, 2, 0], [1, 1, 0]]}, r"counts.shape = \(2, 3\)"),
        ({"counts": [[3, 1, -1, 0], [1, 1, 0, 0]]}, r"counts\[0\]"),
        ({"label": [0, 4]}, r"label\[1\] = 4, allowed: a token 0 .. 3"),
        ({"label": [0, -1]}, r"label\[1\] = -1, allowed: a token 0 .. 3"),
        ({"label": [0.0, 1.0]}, r"label\[0\] = 0.0"),
        ({"last": [1]}, r"last.shape = \(1,\)"),
    ],
)
def test_bad_data_is_rejected_by_name(change, words):
    good = {
        "counts": [[1, 2, 0, 0], [1, 1, 0, 0]],
        "last": [1, 0],
        "label": [0, 1],
        "embeddings": E,
    }
    NextTokenData(**good)
    with pytest.raises(ValueError, match=words):
        NextTokenData(**(good | change))


def test_dependent_rows_are_named():
    rows = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]])
    with pytest.raises(ValueError, match=r"dependent rows \[0, 1, 2\]"):
        NextTokenData([[1, 1, 0, 0]], [0], [0], rows)


def test_one_token_in_one_dimension_is_data_enough():
    alone = from_sequences([[0]], [0], gaussian_embeddings(1, 1, np.random.default_rng(0)))
    assert alone.shape == (1, 1, 1) and abs(alone.embeddings[0, 0]) == 1


def test_labels_and_last_tokens_may_be_absent_where_that_is_said():
    counts = [[1, 1, 0, 0]]
    off = NextTokenData(counts, [3], [2], E, realizable=False, complete=False)
    assert off.one_hot.tolist() == [[0, 0, 1, 0]] and off.queries.tolist() == [[0, 0, 0, 1]]
    with pytest.raises(ValueError, match="last"):
        NextTokenData(counts, [3], [2], E, realizable=False)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_independent_rows_are_so_at_any_size(size):
    rows = size * np.array([[1.0, 0, 0], [1, 1, 0], [0, 0, 1]])
    data = from_sequences([[0, 1]], [0], rows)
    np.testing.assert_allclose(data.head @ rows.T, np.eye(3), atol=1e-12)


def test_embeddings_are_exchanged_for_independent_ones_unless_others_are_asked_for():
    data, flat = from_sequences([[0, 1]], [1], np.eye(2)), np.ones((2, 2))
    with pytest.raises(ValueError, match="tokens 0 and 1"):
        data.with_embeddings(flat)
    assert (data.with_embeddings(flat, independent=False).queries == 1).all()


def test_orthonormal_rows_are_as_many_as_asked_for_and_fit_in():
    rng = np.random.default_rng(0)
    for K, d in ((3, 5), (1, 1)):
        rows = orthonormal_embeddings(K, d, rng)
        assert rows.shape == (K, d)
        np.testing.assert_allclose(rows @ rows.T, np.eye(K), atol=1e-14)
    for draw, K, d in (
        (orthonormal_embeddings, 4, 3),
        (orthonormal_embeddings, 0, 3),
        (gaussian_embeddings, 0, 3),
        (gaussian_embeddings, 3, 0),
    ):
        with pytest.raises(ValueError, match="K|d"):
            draw(K, d, rng)


def test_sequences_of_any_length():
    data = from_sequences([[0, 1, 1], [2, 3]], [1, 3], E)
    assert data.counts.tolist() == [[1, 2, 0, 0], [0, 0, 1, 1]] and data.last.tolist() == [1, 3]
    assert data.weight.tolist() == [0.5, 0.5]
    np.testing.assert_array_equal(np.exp(data.log_counts), data.counts)
    assert from_sequences([[0, 1, 2]], [1], E).last.tolist() == [2]
    with pytest.raises(ValueError, match="samples = 0, .*empty"):
        from_sequences([], [], E)
    with pytest.raises(ValueError, match=r"sequences\[1\] = \[\]"):
        from_sequences([[0], []], [0, 0], E)
    with pytest.raises(ValueError, match=r"sequences\[1\]\[0\] = 7"):
        from_sequences([[0, 1], [7]], [1, 3], E)


def test_head_inverts_the_embedding():
    data = from_sequences([[0, 1]], [0], gaussian_embeddings(5, 8, np.random.default_rng(0)))
    np.testing.assert_allclose(data.head @ data.embeddings.T, np.eye(5), atol=1e-12)


def test_stack_wants_one_shape():
    rng = np.random.default_rng(2)
    batch = stack([authors_draw(rng, n=5) for _ in range(3)])
    assert batch.queries.shape == (3, 5, 8) and batch.one_hot.shape == batch.counts.shape
    assert (batch.one_hot.argmax(axis=2) == batch.label).all() and batch.one_hot.sum() == 15
    assert stack([authors_draw(rng)]).counts.shape == (1, 6, 6)
    with pytest.raises(ValueError, match="data_sets = 0"):
        stack([])
    with pytest.raises(ValueError, match="shapes"):
        stack([authors_draw(rng), authors_draw(rng, n=7)])


@pytest.mark.parametrize("samples", [[0, 2], [True, False, True]])
def test_a_subset_by_indices_or_by_a_mask_keeps_its_weights(samples):
    data = from_sequences([[0, 1], [1, 2], [2, 0]], [0, 2, 0], np.eye(3), weight=[0.5, 0.3, 0.2])
    part = data.only(samples)
    np.testing.assert_array_equal(part.counts, data.counts[[0, 2]])
    assert part.last.tolist() == [1, 0] and part.label.tolist() == [0, 0]
    assert part.weight.tolist() == [0.5, 0.2]
