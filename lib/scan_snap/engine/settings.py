"""How a run is trained: one record for the engines and for grids of runs, checked where it is made.

Defaults are those of *Scan and Snap*, Section 8, from a zero start.
"""

from dataclasses import dataclass

import torch

from lib.scan_snap.engine.batches import require_batch
from lib.validation import require_choice, require_integer, require_momentum

DTYPES = {"float32": torch.float32, "float64": torch.float64}


@dataclass(frozen=True)
class Settings:
    """Everything about a run but its data, its seed and its learning rates.

    steps: how many.  batch_size, T: samples in a batch and position of the query, whole numbers or
        ``inf`` (both ``inf``: the population limit).
    optimizer: "sgd", with ``momentum``, or "adam".  dtype: "float32" or "float64".
    init: "zero", or "uniform", every entry of Y and Z uniform in +-1/sqrt(M).

    Raises ``ValueError`` that names the field.
    """

    steps: int
    batch_size: int | float = 128
    T: int | float = 128
    optimizer: str = "sgd"
    momentum: float = 0.9
    init: str = "zero"
    dtype: str = "float32"

    def __post_init__(self) -> None:
        require_integer("steps", self.steps, 1)
        require_batch(self.batch_size, self.T)
        require_choice("optimizer", self.optimizer, ("sgd", "adam"))
        require_momentum("momentum", self.momentum)
        require_choice("init", self.init, ("zero", "uniform"))
        require_choice("dtype", self.dtype, tuple(DTYPES))

    @property
    def torch_dtype(self) -> torch.dtype:
        """``dtype`` as PyTorch has it."""
        return DTYPES[self.dtype]
