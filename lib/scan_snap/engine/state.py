"""The parameters that training changes (*Scan and Snap*): rows of Y and of Z, for many runs at
once.

Only rows of Y whose token some class emits change, and only rows z_m of query tokens.  To store
these alone is exact.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.random import Generator

from lib.scan_snap.engine.batches import Layout


@dataclass
class State:
    """Decoder and attention of R cells of learning rates.

    Y: (R, L, M), rows ``layout.tokens``.  Z: (R, Q, M), rows ``layout.queries``.
    """

    layout: Layout
    Y: torch.Tensor
    Z: torch.Tensor

    @classmethod
    def initial(
        cls, layout: Layout, cells: int, init: str, rng: Generator, dtype: torch.dtype
    ) -> "State":
        """The start named ``init`` of ``Settings``, drawn from ``rng``; the same for all cells."""
        M = layout.classes.vocab_size
        full_y, full_z = np.zeros((2, M, M))
        if init == "uniform":
            full_y, full_z = rng.uniform(-1, 1, size=(2, M, M)) / np.sqrt(M)
        rows = full_y[layout.tokens], full_z[layout.queries]
        return cls(
            layout, *(torch.as_tensor(p).to(dtype).expand(cells, *p.shape).clone() for p in rows)
        )

    def copy(self) -> "State":
        """The same state, to be moved on its own."""
        return State(self.layout, self.Y.clone(), self.Z.clone())

    def full(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Y and Z as (R, M, M); rows that never move are 0."""
        M = self.layout.classes.vocab_size
        Y, Z = (torch.zeros(len(self.Y), M, M, dtype=self.Y.dtype) for _ in range(2))
        Y[:, torch.as_tensor(self.layout.tokens)] = self.Y
        Z[:, torch.as_tensor(self.layout.queries)] = self.Z
        return Y, Z
