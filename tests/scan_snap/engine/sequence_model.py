"""The plain model that the engines are compared with: whole sequences, one-hot, autograd."""

import numpy as np
import torch


def full_counts(layout, batch):
    """A batch's counts over the whole vocabulary: (N, M)."""
    counts = np.zeros((len(batch.label), layout.classes.vocab_size), dtype=batch.counts.dtype)
    np.add.at(
        counts,
        (np.arange(len(counts))[:, None], layout.tokens[layout.index[batch.label]]),
        batch.counts,
    )
    return counts


def plain_loss(Y, Z, classes, counts, label):
    """Mean cross-entropy of a sequence-level model: one-hot tokens, softmax over positions,
    autograd's graph.
    """
    total = 0.0
    for row, n in zip(counts, label):
        X = torch.nn.functional.one_hot(
            torch.as_tensor(np.repeat(np.arange(len(row)), row)), len(row)
        ).double()
        attended = X.T @ torch.softmax(X @ Z[classes.query[n]], dim=0)
        logits = Y.T @ (attended / torch.linalg.vector_norm(attended))
        total = total - torch.log_softmax(logits, dim=0)[classes.next_token[n]]
    return total / len(label)
