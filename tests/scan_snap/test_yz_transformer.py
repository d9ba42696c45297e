"""Lemma 1's gradients: counts, sequences and automatic differentiation say the same."""

import numpy as np
import pytest
import torch

from lib.scan_snap.sequence_classes import random_classes, token_counts
from lib.scan_snap.yz_transformer import (
    attend,
    forward,
    gradients,
    layer_norm,
    lemma_1,
    objective,
    sequence_gradients,
)


def instance(seed, K=4, M=9, T=11, batch=13):
    """A random model and a random batch: (Y, Z, sequences, counts)."""
    rng = np.random.default_rng(seed)
    classes = random_classes(K, M, rng, num_queries=2)
    sequences = classes.sample(batch, T, rng)
    Y, Z = (torch.as_tensor(rng.normal(size=(M, M))) for _ in range(2))
    return (
        Y,
        Z,
        [torch.as_tensor(x) for x in sequences],
        torch.as_tensor(token_counts(sequences.tokens, M)),
    )


@pytest.mark.parametrize("seed", range(6))
def test_counts_sequences_and_autograd_agree(seed):
    Y, Z, (tokens, query, next_token), counts = instance(seed)
    by_counts = gradients(Y, Z, counts, query, next_token)
    by_sequence = sequence_gradients(Y, Z, tokens, query, next_token)
    variables = [p.clone().requires_grad_() for p in (Y, Z)]
    by_autograd = torch.autograd.grad(objective(*variables, counts, query, next_token), variables)
    for a, b, c in zip(by_counts, by_sequence, by_autograd):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)
        torch.testing.assert_close(a, c, rtol=0, atol=1e-12)


def test_absent_tokens_and_other_queries_get_nothing():
    Y, Z, (_, query, next_token), counts = instance(2)
    counts[:, 3] = 0
    counts[:, 4] += 1
    grad_y, grad_z = gradients(Y, Z, counts, query, next_token)
    assert (grad_y[3] == 0).all() and (grad_z[:, 3] == 0).all()
    others = torch.tensor([m for m in range(9) if m not in set(query.tolist())])
    assert (grad_z[others] == 0).all()


def test_the_length_of_a_sequence_does_not_matter_only_its_proportions():
    Y, Z, (_, query, next_token), counts = instance(3)
    once, thrice = (gradients(Y, Z, k * counts, query, next_token) for k in (1, 3))
    torch.testing.assert_close(once, thrice, rtol=0, atol=1e-13)


def test_attention_ignores_a_constant_and_survives_large_logits():
    Y, Z, (_, query, _), counts = instance(4)
    rows = Z[query]
    torch.testing.assert_close(attend(rows + 1e3, counts), attend(rows, counts), rtol=0, atol=1e-12)
    assert torch.isfinite(forward(Y, 1e4 * Z, counts, query).alpha).all()


def test_normalized_attention_has_unit_length():
    _, Z, (_, query, _), counts = instance(5)
    norms = torch.linalg.vector_norm(layer_norm(attend(Z[query], counts)), dim=-1)
    torch.testing.assert_close(norms, torch.ones_like(norms), rtol=0, atol=1e-14)


@pytest.mark.parametrize("axes", [(4,), (2, 2)])
def test_a_batch_of_runs_is_each_run(axes):
    parts = [instance(seed) for seed in range(4)]

    def stacked(tensors):
        return torch.stack(tensors).reshape(*axes, *tensors[0].shape)

    Y, Z, counts = (stacked([p[i] for p in parts]) for i in (0, 1, 3))
    query, next_token = (stacked([p[2][i] for p in parts]) for i in (1, 2))
    together = gradients(Y, Z, counts, query, next_token)
    values = objective(Y, Z, counts, query, next_token)
    seen, weight = forward(Y, Z, counts, query), torch.full((13,), 1 / 13, dtype=torch.float64)
    lemma = lemma_1(seen.normalized, Y, next_token, weight)
    torch.testing.assert_close(lemma[0], values, rtol=0, atol=1e-14)
    for place, (y, z, (_, q, n), c) in zip(np.ndindex(*axes), parts, strict=True):
        torch.testing.assert_close(
            [g[place] for g in together], list(gradients(y, z, c, q, n)), rtol=0, atol=1e-14
        )
        torch.testing.assert_close(values[place], objective(y, z, c, q, n), rtol=0, atol=1e-14)
        alpha = forward(y, z, c, q).alpha
        torch.testing.assert_close(seen.alpha[place], alpha, rtol=0, atol=1e-14)


def test_the_objective_is_the_mean_log_probability_of_the_next_token():
    Y, Z, (_, query, next_token), counts = instance(6)
    seen = forward(Y, Z, counts, query)
    value = objective(Y, Z, counts, query, next_token)
    logs = torch.stack([row[n].log() for row, n in zip(seen.alpha, next_token, strict=True)])
    torch.testing.assert_close(logs.mean(), value, rtol=0, atol=1e-14)


def test_wrong_shapes_are_refused():
    Y, Z, (_, query, next_token), counts = instance(0)
    with pytest.raises(ValueError, match="counts.shape"):
        gradients(Y, Z, counts[:, :5], query, next_token)
    with pytest.raises(ValueError, match=r"^query.shape = \(1, 12\), allowed: \(1, 13\)$"):
        forward(Y, Z, counts[None], query[None, :12])
    with pytest.raises(ValueError, match="Y.shape"):
        forward(Y[:, :4], Z, counts, query)


def test_rows_of_the_gradients_sum_to_zero_from_a_zero_start():
    """dY's rows always do; dZ's do when Y's columns carry no common part: row sums are conserved
    from 0.
    """
    Y, Z, (_, query, next_token), counts = instance(1)
    grad_y, _ = gradients(Y, Z, counts, query, next_token)
    torch.testing.assert_close(grad_y.sum(-1), torch.zeros(9).double(), rtol=0, atol=1e-13)
    Y, Z = torch.zeros_like(Y), torch.zeros_like(Z)
    for _ in range(30):
        grad_y, grad_z = gradients(Y, Z, counts, query, next_token)
        Y, Z = Y + 0.7 * grad_y, Z + 0.9 * grad_z
    torch.testing.assert_close(Y.sum(-1), torch.zeros(9).double(), rtol=0, atol=1e-12)
    torch.testing.assert_close(Z.sum(-1), torch.zeros(9).double(), rtol=0, atol=1e-12)
