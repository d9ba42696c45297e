"""The compiled engine of *Scan and Snap*: SGD with momentum in float32, one run at a time.

``lib.kernels.advance`` computes what ``lib.scan_snap.engine.reference`` does in an order that is
fast on one core: a class's rows of Y are gathered once, its samples are multiplied with them in two
small matrix products, and all of it stays in the cache.
"""

from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np

from lib.arrays import Array, ArrayLike, Ids
from lib.kernels import advance
from lib.scan_snap.engine.batches import Batch, Layout
from lib.scan_snap.engine.settings import Settings
from lib.scan_snap.engine.state import State

PIECE = 200  # steps whose batches are held at once: a few megabytes


def run_compiled(
    state: State,
    batches: Iterator[Batch],
    eta_y: np.ndarray,
    eta_z: np.ndarray,
    settings: Settings,
    keep: tuple,
) -> tuple[np.ndarray, np.ndarray]:
    """Train all cells on ``batches``; an ``Engine``, see ``lib.scan_snap.engine.train``."""
    ascent, kept, losses = CompiledAscent(state, eta_y, eta_z, settings.momentum), [], []
    for start, end in pairwise((0, *keep, settings.steps)):
        losses.append(ascent.through(batches, end - start))
        kept.append(state.Z.numpy().copy())
    return np.stack(kept[:-1], axis=1), np.concatenate(losses, axis=1)


class CompiledAscent:
    """SGD with momentum on a float32 ``State`` of R cells, from velocity zero; changes it in place.

    eta_y, eta_z: (R,); a rate of 0 freezes that half.
    """

    def __init__(self, state: State, eta_y: ArrayLike, eta_z: ArrayLike, momentum: float) -> None:
        Y, Z = state.Y.numpy(), state.Z.numpy()  # views
        rates = np.asarray(eta_y, np.float32), np.asarray(eta_z, np.float32)
        self.runs = [
            (*parts, np.float32(momentum))
            for parts in zip(Y, Z, np.zeros_like(Y), np.zeros_like(Z), *rates, strict=True)
        ]
        self.tables = _tables(state.layout)

    def through(self, batches: Iterator[Batch], steps: int) -> Array:
        """``steps`` more of the iterator ``batches``, drawn in pieces: their losses (R, steps)."""
        losses = [np.zeros((len(self.runs), 0))]
        for first in range(0, steps, PIECE):
            piece = _stacked(list(islice(batches, min(PIECE, steps - first))))
            losses.append(np.stack([advance(run, piece, self.tables) for run in self.runs]))
        return np.concatenate(losses, axis=1)


def _tables(layout: Layout) -> tuple[np.ndarray, ...]:
    """What the kernel reads of a ``Layout``; short supports are padded in front."""
    padding = (layout.probability == 0).sum(axis=1)
    columns = layout.tokens[layout.index]
    return layout.index, padding, layout.query_row, columns, layout.classes.next_token


def _stacked(batches: list[Batch]) -> tuple[Array, Array, Ids]:
    """Counts (steps, N, t), weights (steps, N) and bounds (steps, K + 1) of batches of one size."""
    counts, weight = (
        np.stack([getattr(batch, name) for batch in batches]).astype(np.float32)
        for name in ("counts", "weight")
    )
    return counts, weight, np.stack([batch.bounds for batch in batches])
