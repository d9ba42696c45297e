"""The engine in plain PyTorch: Lemma 1, Eq. (3), of *Scan and Snap*, and an optimizer's step.

It takes any optimizer and precision, and it is what the compiled engine is compared with.  Dense
throughout: a batch is its table of token counts, (N, L) over the L tokens that some class emits.
"""

from collections.abc import Iterator

import numpy as np
import torch

from lib.scan_snap.engine.batches import Batch
from lib.scan_snap.engine.optimizers import ascent
from lib.scan_snap.engine.settings import Settings
from lib.scan_snap.engine.state import State
from lib.scan_snap.yz_transformer import attend, layer_norm, lemma_1


def gradients(state: State, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """``(dJ/dY, dJ/dZ, loss)`` of one ``Batch`` for all R cells, in the state's layout.

    loss (R,) is -J, the mean cross-entropy of the batch.
    """
    layout, dtype = state.layout, state.Y.dtype
    label, weight = torch.as_tensor(batch.label), torch.as_tensor(batch.weight).to(dtype)
    tokens = torch.as_tensor(layout.tokens)
    query = torch.as_tensor(layout.query_row)[label]  # (N,), which row of Z a sample uses
    next_token = torch.as_tensor(layout.classes.next_token)[label]  # (N,)

    counts = torch.zeros(len(label), len(tokens), dtype=dtype).scatter_add_(
        1, torch.as_tensor(layout.index)[label], torch.as_tensor(batch.counts).to(dtype)
    )
    z = state.Z[:, :, tokens][:, query]  # (R, N, L)
    f = layer_norm(attend(z, counts))  # LN(X^T b)
    objective, grad_y, rows = lemma_1(f, state.Y, next_token.expand(len(z), -1), weight)
    grad_z = torch.zeros_like(state.Z)
    grad_z[:, :, tokens] = grad_z[:, :, tokens].index_add(1, query, rows)
    return grad_y, grad_z, -objective


def run_reference(
    state: State,
    batches: Iterator[Batch],
    eta_y: np.ndarray,
    eta_z: np.ndarray,
    settings: Settings,
    keep: tuple,
) -> tuple[np.ndarray, np.ndarray]:
    """Train all cells on ``batches``; an ``Engine``, see ``lib.scan_snap.engine.train``."""
    ascend_y, ascend_z = (ascent(settings, eta) for eta in (eta_y, eta_z))
    kept, losses = [state.Z.numpy().copy()] if keep[0] == 0 else [], []
    for step, batch in enumerate(batches, start=1):
        grad_y, grad_z, loss = gradients(state, batch)
        ascend_y.step(state.Y, grad_y)
        ascend_z.step(state.Z, grad_z)
        losses.append(loss.numpy())
        if step in keep:
            kept.append(state.Z.numpy().copy())
    return np.stack(kept, axis=1), np.stack(losses, axis=1)
