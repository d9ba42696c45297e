"""The compiled engine of *Scan and Snap*: SGD with momentum in float32, one run at a time.

``lib.kernels.advance`` does what ``lib.scan_snap.engine.reference`` does in an order that a core
likes: a class's rows of Y are gathered once, its samples meet them in two small matrix products,
and nothing leaves the cache.
"""

from itertools import islice, pairwise

import numpy as np

from lib.kernels import advance

PIECE = 200  # steps whose batches are held at once: a few megabytes


def run_compiled(state, batches, eta_y, eta_z, settings, keep):
    """All cells through ``batches``; see ``lib.scan_snap.engine.train.Engine``.

    Batches are drawn in pieces between the steps to keep.
    """
    Y, Z = state.Y.numpy(), state.Z.numpy()  # views: the state moves along
    runs = [
        (*parts, np.float32(settings.momentum))
        for parts in zip(
            *(Y, Z, np.zeros_like(Y), np.zeros_like(Z)),
            *(np.float32(eta_y), np.float32(eta_z)),
            strict=True,
        )
    ]
    tables, kept, losses = _tables(state.layout), [], []
    for start, end in pairwise((0, *keep, settings.steps)):
        for first in range(start, end, PIECE):
            piece = _stacked(list(islice(batches, min(PIECE, end - first))))
            losses.append(np.stack([advance(run, piece, tables) for run in runs]))
        kept.append(Z.copy())
    return np.stack(kept[:-1], axis=1), np.concatenate(losses, axis=1)


def _tables(layout):
    """What the kernel reads of a ``Layout``; short supports are padded in front."""
    padding = (layout.probability == 0).sum(axis=1)
    columns = layout.tokens[layout.index]
    return layout.index, padding, layout.query_row, columns, layout.classes.next_token


def _stacked(batches):
    """Counts (steps, N, t), weights (steps, N) and bounds (steps, K + 1) of batches of one size."""
    counts, weight = (
        np.stack([getattr(batch, name) for batch in batches]).astype(np.float32)
        for name in ("counts", "weight")
    )
    return counts, weight, np.stack([batch.bounds for batch in batches])
