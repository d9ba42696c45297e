"""The (Y, Z) transformer of *Scan and Snap*: one attention layer, one decoder, no positions.

Shapes allow any leading batch of runs: ``Y, Z`` (..., M, M), ``counts`` (..., B, M),
``query`` and ``next_token`` (..., B).  Everything is torch; theory runs in float64.
The sign convention is the paper's: gradients of the objective J, to be ascended.
"""

from typing import NamedTuple

import torch

from lib.validation import require


class Forward(NamedTuple):
    """attended: X^T b, normalized: LN(X^T b), alpha: next-token softmax; each (..., B, M)."""

    attended: torch.Tensor
    normalized: torch.Tensor
    alpha: torch.Tensor


def attend(z_rows: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """Attention mass of each token of the vocabulary: X^T b of *Scan and Snap*, Eqs. (1), (20).

        (X^T b)_l = counts_l e^{z_l} / sum_k counts_k e^{z_k}

    z_rows: (..., B, M), attention logits of each sample's query.
    counts: (..., B, M), how often each token occurs in the context.

    Returns (..., B, M), rows with the sum 1; a token that does not occur has exactly 0.  The
    largest logit of the tokens that occur is subtracted first, so that large logits do not
    overflow.

    >>> attend(torch.tensor([[0.0, 0.0, 5.0]]), torch.tensor([[3.0, 1.0, 0.0]])).tolist()
    [[0.75, 0.25, 0.0]]
    """
    present = counts > 0
    logits = z_rows.masked_fill(~present, -torch.inf)
    weights = counts * torch.exp(logits - logits.amax(dim=-1, keepdim=True))
    return weights / weights.sum(dim=-1, keepdim=True)


def layer_norm(attended: torch.Tensor) -> torch.Tensor:
    """LN(x) = x / |x|_2 over the last axis (Section 3)."""
    return attended / torch.linalg.vector_norm(attended, dim=-1, keepdim=True)


def query_rows(Z: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
    """Rows z_m of Z for each sample's query: (..., B, M)."""
    return torch.take_along_dim(Z, query[..., None], dim=-2)


def forward(Y: torch.Tensor, Z: torch.Tensor, counts: torch.Tensor, query: torch.Tensor) -> Forward:
    """Forward pass; ``alpha`` is Eq. (16)."""
    _require_batch(Y, Z, counts, query)
    attended = attend(query_rows(Z, query), counts)
    normalized = layer_norm(attended)
    return Forward(attended, normalized, torch.softmax(normalized @ Y, dim=-1))


def objective(
    Y: torch.Tensor,
    Z: torch.Tensor,
    counts: torch.Tensor,
    query: torch.Tensor,
    next_token: torch.Tensor,
) -> torch.Tensor:
    """J(Y, Z) of Eq. (15), the mean log-likelihood over the batch: shape (...)."""
    _require_batch(Y, Z, counts, query)
    logits = layer_norm(attend(query_rows(Z, query), counts)) @ Y
    log_alpha = torch.log_softmax(logits, dim=-1)
    return torch.take_along_dim(log_alpha, next_token[..., None], dim=-1).mean(dim=(-1, -2))


def lemma_1(
    f: torch.Tensor, Y: torch.Tensor, next_token: torch.Tensor, weight: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Lemma 1, Eq. (3), on token counts, from f = LN(X^T b): ``(J, dJ/dY, dz)``.

    f: (..., B, L), Y: (..., L, C), next_token: (..., B), weight: (B,), a sample's weight in J.
    dz (..., B, L) is what each sample adds to the gradient of its query's row.  As X is one-hot,
    X^T diag(b) X = diag(X^T b): T is gone, and one norm of X^T b cancels the other.
    """
    weight, label = weight[:, None], next_token[..., None]
    logits = f @ Y
    objective = (weight * torch.log_softmax(logits, dim=-1).gather(-1, label)).sum(dim=(-1, -2))
    shortfall = -torch.softmax(logits, dim=-1)
    shortfall.scatter_add_(-1, label, torch.ones_like(f[..., :1]))  # x_{T+1} - alpha
    g = shortfall @ Y.mT  # Y (x_{T+1} - alpha)
    dz = f * (g - f * (f * g).sum(dim=-1, keepdim=True))  # diag(f) (I - f f^T) g
    return objective, f.mT @ (weight * shortfall), weight * dz


def gradients(
    Y: torch.Tensor,
    Z: torch.Tensor,
    counts: torch.Tensor,
    query: torch.Tensor,
    next_token: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of the mean log-likelihood of a batch: Lemma 1 of *Scan and Snap*, Eq. (3).

        dJ/dY = mean of f (x_{T+1} - alpha)^T
        dJ/dz_m = mean of diag(f) (I - f f^T) Y (x_{T+1} - alpha),    over samples with query m

    Y, Z: (..., M, M), decoder and attention logits.
    counts: (..., B, M), how often each token occurs in the context of each sample.
    query, next_token: (..., B), token ids.

    Returns (dJ/dY, dJ/dZ), of the shapes of Y and Z.
    Raises ``ValueError`` for shapes that do not fit.

    >>> Y, Z = torch.zeros(2, 3, 3, dtype=torch.float64)
    >>> counts, query, next_token = torch.tensor([[3, 4, 0]]), torch.tensor([2]), torch.tensor([0])
    >>> dY, dZ = gradients(Y, Z, counts, query, next_token)
    >>> (3 * dY).round(decimals=6).tolist()
    [[1.2, -0.6, -0.6], [1.6, -0.8, -0.8], [0.0, -0.0, -0.0]]
    """
    _require_batch(Y, Z, counts, query)
    f = layer_norm(attend(query_rows(Z, query), counts))
    weight = torch.full(counts.shape[-2:-1], 1 / counts.shape[-2], dtype=Y.dtype)
    _, grad_y, rows = lemma_1(f, Y, next_token, weight)
    return grad_y, torch.zeros_like(Z).scatter_add(-2, query[..., None].expand_as(rows), rows)


def sequence_gradients(
    Y: torch.Tensor,
    Z: torch.Tensor,
    tokens: torch.Tensor,
    query: torch.Tensor,
    next_token: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Lemma 1, Eq. (3) to the letter, with X, b, diag(b) and the projector as matrices.

    tokens: (B, T-1).  Slow on purpose: the reference for ``gradients``.
    """
    M = Y.shape[-1]
    grad_y, grad_z = torch.zeros_like(Y), torch.zeros_like(Z)
    for sequence, m, n in zip(tokens, query, next_token, strict=True):
        X = torch.nn.functional.one_hot(sequence, M).to(Y.dtype)  # (T-1, M)
        b = torch.softmax(X @ Z[m], dim=0)  # (T-1,)
        v = X.T @ b
        norm = torch.linalg.vector_norm(v)
        shortfall = -torch.softmax(Y.T @ (v / norm), dim=0)  # x_{T+1} - alpha
        shortfall[n] += 1
        projector = torch.eye(M, dtype=Y.dtype) - torch.outer(v, v) / norm**2
        grad_y += torch.outer(v / norm, shortfall)
        grad_z[m] += shortfall @ Y.T @ projector / norm @ X.T @ torch.diag(b) @ X
    return grad_y / len(tokens), grad_z / len(tokens)


def _require_batch(
    Y: torch.Tensor, Z: torch.Tensor, counts: torch.Tensor, query: torch.Tensor
) -> None:
    M = Y.shape[-1]
    require(Y.shape[-2:] == (M, M), "Y.shape", tuple(Y.shape), "(..., M, M)")
    require(Z.shape[-2:] == (M, M), "Z.shape", tuple(Z.shape), f"(..., {M}, {M})")
    require(counts.shape[-1] == M, "counts.shape", tuple(counts.shape), f"(..., B, {M})")
    require(
        query.shape == counts.shape[:-1],
        "query.shape",
        tuple(query.shape),
        str(tuple(counts.shape[:-1])),
    )
