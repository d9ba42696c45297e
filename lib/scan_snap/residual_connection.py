"""A residual connection around attention (*Scan and Snap*, Section 7).

The decoder sees LN(LN(u~) + u_{x_T}).

In (Y, Z) coordinates, with orthonormal embeddings, class n of query m looks like
``f_bar_n = LN(f_n + e_m)`` instead of f_n.
"""

import numpy as np
import torch

from lib.scan_snap.yz_transformer import attend, layer_norm, query_rows


def residual_features(F, query):
    """Rows f_bar_n = LN(f_n + e_psi(n)), (K, M), from unit rows f_n and ids psi(n) (K,)."""
    features = np.array(F, dtype=float)
    features[np.arange(len(features)), query] += 1
    return features / np.linalg.norm(features, axis=1, keepdims=True)


def residual_gram(F, query):
    """Inner products of ``residual_features`` written out, (K, K).

    ``(f_n . f_n' + I(psi = psi') + f_n[psi'] + f_n'[psi]) / (nu_n nu_n')`` with nu_n^2 = 2 + 2
    f_n[psi]; half of ``f_n . f_n' + I(psi = psi')`` when no context contains a query token.
    """
    query = np.asarray(query)
    at_query = F[:, query]  # (n, n'): f_n at the query of n'
    scale = np.sqrt(2 + 2 * np.diag(at_query))
    same = query[:, None] == query[None, :]
    return (F @ F.T + same + at_query + at_query.T) / np.outer(scale, scale)


def residual_row_velocity(f, m, g):
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


def residual_objective(Y, Z, counts, query, next_token):
    """J of (15) with the residual connection, over the batch; shapes as ``yz_transformer``'s."""
    attended = layer_norm(attend(query_rows(Z, query), counts))
    tokens = torch.nn.functional.one_hot(query, Y.shape[-1]).to(attended.dtype)
    log_alpha = torch.log_softmax(layer_norm(attended + tokens) @ Y, dim=-1)
    return torch.take_along_dim(log_alpha, next_token[..., None], dim=-1).mean(dim=(-1, -2))
