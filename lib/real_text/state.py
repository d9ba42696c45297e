"""Saving and restoring a training run on text, so that an interrupted run can go on."""

import io
import warnings
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from lib.storage import write_atomically
from lib.validation import require


@dataclass
class Progress:
    """How far a run is.  records: checkpoints; previous: the last maps; carry: the caller's."""

    records: list = field(default_factory=list)
    iteration: int = 0
    previous: torch.Tensor | None = None
    carry: dict = field(default_factory=dict)


def save(
    path: str | Path, model: Any, training: Any, generator: torch.Generator, progress: Progress
) -> None:
    """Write the state atomically: after a kill the old state or the new one is there."""
    state = {
        "settings": asdict(training),
        "parameters": {name: p.detach() for name, p in model.parameters.items()},
        "generator": generator.get_state(),
        "records": progress.records,
        "iteration": progress.iteration,
        "previous": progress.previous,
        "carry": progress.carry,
    }
    buffer = io.BytesIO()
    torch.save(state, buffer)
    write_atomically(path, buffer.getvalue())


def restore(
    path: str | Path, model: Any, training: Any, generator: torch.Generator, progress: Progress
) -> None:
    """Load a stored state.  For a damaged file there is a warning, and the run starts at the
    beginning.

    Raises ``ValueError`` for a state of other settings (``iterations`` may differ) or model.
    """
    try:
        state = torch.load(path, weights_only=True)
        settings, parameters, carry = (state[name] for name in ("settings", "parameters", "carry"))
        records, iteration, previous = (state[n] for n in ("records", "iteration", "previous"))
        found = {name: tuple(p.shape) for name, p in parameters.items()}
        generator.set_state(state["generator"])
    except Exception:  # a damaged archive fails in a dozen ways
        # Said of the line that called `train`: its decorator is a frame of its own.
        warnings.warn(f"{path}: damaged, the run starts anew", stacklevel=4)
        return
    for name, value in asdict(training).items():
        require(
            name == "iterations" or settings.get(name) == value,
            "resume",
            str(path),
            f"a state with {name} = {value!r}, this one has {settings.get(name)!r}",
        )
    wanted = {name: tuple(p.shape) for name, p in model.parameters.items()}
    require(found == wanted, "resume", str(path), "a state of the same model")
    with torch.no_grad():
        for name, p in model.parameters.items():
            p.copy_(parameters[name])
    progress.records, progress.iteration, progress.previous = records, iteration, previous
    progress.carry.update(carry)
