"""A residual connection around attention (*Scan and Snap*, Section 7).

The decoder sees LN(LN(u~) + u_{x_T}).

In (Y, Z) coordinates, with orthonormal embeddings, class n of query m looks like
``f_bar_n = LN(f_n + e_m)`` instead of f_n.
"""

from collections.abc import Iterable

import numpy as np
import torch

from lib.arrays import Array, ArrayLike, Ids
from lib.scan_snap.overlaps import softmax_shortfall
from lib.scan_snap.yz_transformer import attend, layer_norm, query_rows
from lib.validation import require


def residual_features(F: Array, query: Ids) -> Array:
    """Rows f_bar_n = LN(f_n + e_psi(n)), (K, M), from unit rows f_n and ids psi(n) (K,)."""
    features = np.array(F, dtype=float)
    features[np.arange(len(features)), query] += 1
    return features / np.linalg.norm(features, axis=1, keepdims=True)


def residual_gram(F: Array, query: Ids) -> Array:
    """Inner products of ``residual_features`` written out, (K, K).

    ``(f_n . f_n' + I(psi = psi') + f_n[psi'] + f_n'[psi]) / (nu_n nu_n')`` with nu_n^2 = 2 + 2
    f_n[psi]; half of ``f_n . f_n' + I(psi = psi')`` when no context contains a query token.
    """
    query = np.asarray(query)
    at_query = F[:, query]  # (n, n'): f_n at the query of n'
    scale = np.sqrt(2 + 2 * np.diag(at_query))
    same = query[:, None] == query[None, :]
    return (F @ F.T + same + at_query + at_query.T) / np.outer(scale, scale)


def residual_row_velocity(f: Array, m: int, g: Array) -> Array:
    """The step of z_m by one endless sequence per unit of eta_Z: two projectors, not one.

    ``diag(f) (I - f f^T) (I - f_bar f_bar^T) g / |f + e_m|``; f: (M,) unit; g: (M,) gradient at
    f_bar.
    """
    shifted = np.array(f, dtype=float)
    shifted[m] += 1
    length = np.linalg.norm(shifted)
    f_bar = shifted / length
    inner = (g - f_bar * (f_bar @ g)) / length
    return f * (inner - f * (f @ inner))


def residual_objective(
    Y: torch.Tensor,
    Z: torch.Tensor,
    counts: torch.Tensor,
    query: torch.Tensor,
    next_token: torch.Tensor,
    copies: ArrayLike | None = None,
) -> torch.Tensor:
    """J of (15) with the residual connection, over the batch: shape (...).

    Y: (..., M, C), column j for each of copies[j] equal columns; copies: (C,), one each if
    omitted (then C = M).  The rest as in ``yz_transformer``: Z (..., M, M), counts (..., B, M),
    query and next_token (..., B), a next token having one column of its own.
    """
    attended = layer_norm(attend(query_rows(Z, query), counts))
    tokens = torch.nn.functional.one_hot(query, counts.shape[-1]).to(attended.dtype)
    logits = layer_norm(attended + tokens) @ Y
    if copies is not None:
        logits = logits + torch.as_tensor(_log_copies(copies, Y.shape[-1]))
    log_alpha = torch.log_softmax(logits, dim=-1)
    return torch.take_along_dim(log_alpha, next_token[..., None], dim=-1).mean(dim=(-1, -2))


def repeated_shortfall(Y: Array, F: Array, n: int, copies: Array) -> Array:
    """``overlaps.shortfall`` for a Y that repeats columns: (C,), each entry the sum of its copies.

    Y: (M, C), column j for each of copies[j] equal ones; F: (K, M); copies: (C,).  As every copy
    of j adds the same, the backpropagated g = Y (e_n - alpha) is ``Y @`` this, and one column of
    the update (7) or (26) gets entry j over copies[j].
    """
    return softmax_shortfall(F[n] @ Y + _log_copies(copies, Y.shape[1]), n)


def repeated_ascent(
    labels: Iterable[int], F: Array, eta_y: float, directions: Array, copies: ArrayLike
) -> Array:
    """``overlaps.feature_ascent`` for a Y that repeats columns: (M, C), from Y = 0.

    Columns that start equal and are no class's next token stay equal, so one stands for all.
    labels: class ids; F, directions: (K, M), F for (7), ``dual_vectors(F)`` for (26); copies:
    (C,), C >= K, 1 at the next tokens 0 .. K-1.
    """
    copies, K = np.asarray(copies, dtype=float), len(F)
    require((copies[:K] == 1).all(), "copies[:K]", copies[:K], "1 for each next token")
    Y = np.zeros((F.shape[1], len(copies)))
    for n in labels:
        Y += eta_y * np.outer(directions[n], repeated_shortfall(Y, F, n, copies) / copies)
    return Y


def _log_copies(copies: ArrayLike, columns: int) -> Array:
    copies = np.asarray(copies, dtype=float)
    require(copies.shape == (columns,), "copies.shape", copies.shape, f"({columns},)")
    require((copies >= 1).all(), "copies", copies, "numbers >= 1")
    return np.log(copies)
