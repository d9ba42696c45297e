"""Facts about the residual connection: Gram matrix, gradient, limits."""

import numpy as np
import pytest
import torch

from lib.scan_snap.attention_flow import (
    class_velocities,
    finite_beta,
    random_block_classes,
    row_velocity,
)
from lib.scan_snap.overlaps import dual_vectors, feature_ascent, gram, shortfall
from lib.scan_snap.residual_connection import (
    repeated_ascent,
    repeated_shortfall,
    residual_features,
    residual_gram,
    residual_objective,
    residual_row_velocity,
)
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention


@pytest.fixture
def with_queries():
    """Four classes whose contexts contain query tokens, their own included."""
    rng = np.random.default_rng(0)
    return SequenceClasses(rng.dirichlet(np.ones(12), 4), query=np.array([10, 10, 11, 11]))


def features(classes):
    return normalized_attention(
        classes, np.random.default_rng(1).normal(size=(classes.vocab_size,) * 2)
    )


def test_gram_of_the_residual_features(with_queries):
    F = features(with_queries)
    np.testing.assert_allclose(
        residual_gram(F, with_queries.query),
        gram(residual_features(F, with_queries.query)),
        atol=1e-14,
    )


def test_velocity_is_the_gradient(with_queries):
    rng = np.random.default_rng(2)
    Y, Z = (torch.tensor(rng.normal(size=(12, 12)), requires_grad=True) for _ in range(2))
    F = normalized_attention(with_queries, Z.detach().numpy())
    bars = residual_features(F, with_queries.query)
    for n, m in enumerate(with_queries.query):
        args = [
            torch.tensor(part[n : n + 1])
            for part in (with_queries.conditional, with_queries.query, with_queries.next_token)
        ]
        grad_z = torch.autograd.grad(residual_objective(Y, Z, *args), Z)[0].numpy()
        matrix = Y.detach().numpy()
        g = matrix @ shortfall(matrix, bars, n)
        np.testing.assert_allclose(residual_row_velocity(F[n], m, g), grad_z[m], atol=1e-13)


COPIES = np.array([1, 1, 1, 1, 3, 5])  # 12 columns, the last eight in two groups


@pytest.fixture
def repeated():
    """Four classes whose contexts contain query tokens, and their rows f_bar_n (4, 12), Z = 0."""
    rng = np.random.default_rng(3)
    classes = SequenceClasses(rng.dirichlet(np.ones(12), 4), query=np.array([10, 10, 11, 11]))
    F = normalized_attention(classes, np.zeros((12, 12)))
    return classes, residual_features(F, classes.query)


def test_repeated_columns_learn_as_if_written_out(repeated):
    _, bars = repeated
    labels = np.tile(np.arange(4), 6)
    for directions in (bars, dual_vectors(bars)):
        short = repeated_ascent(labels, bars, 0.7, directions, COPIES)
        full = feature_ascent(labels, bars, 0.7, directions)
        np.testing.assert_allclose(np.repeat(short, COPIES, axis=1), full, rtol=0, atol=1e-14)


def test_backpropagated_gradient_of_repeated_columns(repeated):
    _, bars = repeated
    short = np.random.default_rng(4).normal(size=(12, 6))
    full = np.repeat(short, COPIES, axis=1)
    for n in range(4):
        out, total = shortfall(full, bars, n), repeated_shortfall(short, bars, n, COPIES)
        np.testing.assert_allclose(np.add.reduceat(out, [0, 1, 2, 3, 4, 7]), total, atol=1e-15)
        np.testing.assert_allclose(short @ total, full @ out, atol=1e-14)


def test_objective_of_repeated_columns(repeated):
    classes, _ = repeated
    rng = np.random.default_rng(5)
    short, Z = torch.tensor(rng.normal(size=(12, 6))), torch.tensor(rng.normal(size=(12, 12)))
    event = [torch.tensor(a) for a in (classes.conditional, classes.query, classes.next_token)]
    full = torch.repeat_interleave(short, torch.tensor(COPIES), dim=1)
    written_out = residual_objective(full, Z, *event).item()
    assert residual_objective(short, Z, *event, COPIES).item() == pytest.approx(
        written_out, abs=1e-14
    )
    assert residual_objective(short, Z, *event).item() != pytest.approx(written_out, abs=1e-2)


def test_objective_of_several_runs_is_that_of_each(repeated):
    classes, _ = repeated
    rng = np.random.default_rng(6)
    Y, Z = (torch.tensor(rng.normal(size=(3, 12, columns))) for columns in (6, 12))
    event = [torch.tensor(a) for a in (classes.conditional, classes.query, classes.next_token)]
    together = residual_objective(Y, Z, *(a.expand(3, *a.shape) for a in event), COPIES)
    alone = [residual_objective(y, z, *event, COPIES) for y, z in zip(Y, Z, strict=True)]
    torch.testing.assert_close(together, torch.stack(alone), rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("copies", "message"),
    [(np.ones(5), "copies.shape"), (np.array([1, 1, 1, 1, 0, 5]), "numbers >= 1")],
)
def test_copies_of_another_kind_are_refused(repeated, copies, message):
    with pytest.raises(ValueError, match=message):
        repeated_shortfall(np.zeros((12, 6)), repeated[1], 0, copies)


def test_a_next_token_has_one_column(repeated):
    with pytest.raises(ValueError, match="copies\\[:K\\]"):
        repeated_ascent([0], repeated[1], 0.5, repeated[1], np.array([1, 1, 2, 1, 3]))


def test_gram_without_query_tokens_in_contexts_is_half_of_overlap_plus_same_query():
    classes = random_block_classes(4, 2, 3, np.random.default_rng(0), groups=[0, 0, 1, 1])
    F = features(classes)
    np.testing.assert_allclose(
        residual_gram(F, classes.query),
        (gram(F) + np.kron(np.eye(2), np.ones((2, 2)))) / 2,
        atol=1e-14,
    )


def test_without_query_tokens_in_contexts_it_is_half_of_lemma_4_with_other_coefficients():
    classes = random_block_classes(4, 2, 3, np.random.default_rng(0), groups=[0, 0, 1, 1])
    F = features(classes)
    bars = residual_features(F, classes.query)
    Y = feature_ascent(np.tile(np.arange(4), 5), bars, 0.5, dual_vectors(bars))
    direct = np.array(
        [residual_row_velocity(F[n], classes.query[n], Y @ shortfall(Y, bars, n)) for n in range(4)]
    )
    lemma = class_velocities(F, finite_beta(bars, classes.vocab_size)) / 2
    scale = (direct * lemma).sum() / (lemma**2).sum()
    np.testing.assert_allclose(direct, scale * lemma, atol=1e-13)
    plain = np.array([row_velocity(F[n], Y @ shortfall(Y, bars, n)) for n in range(4)])
    np.testing.assert_allclose(plain, np.sqrt(2) * direct, atol=1e-13)
