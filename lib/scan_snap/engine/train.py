"""Training the (Y, Z) transformer of *Scan and Snap*: a grid of learning rates and seeds.

Lemma 1 in closed form on token counts, by the compiled engine where it can do the work and by the
plain one elsewhere.  Data and initialization belong to a seed and are shared by its cells of
learning rates.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from lib.arrays import Array, ArrayLike
from lib.scan_snap.engine.batches import Batch, Layout
from lib.scan_snap.engine.compiled import run_compiled
from lib.scan_snap.engine.reference import run_reference
from lib.scan_snap.engine.settings import Settings
from lib.scan_snap.engine.state import State
from lib.scan_snap.sequence_classes import SequenceClasses, limit_of_rows
from lib.validation import require, require_choice, require_integer, require_rate, require_seed


class Engine(Protocol):
    """What an engine does: all R cells of one seed through ``settings.steps`` batches.

    eta_y, eta_z: (R,).  keep: rising steps; 0 is the start.  ``state`` ends at the last step.
    Returns Z after each of the steps ``keep``, (R, kept, Q, M), and each step's loss, (R, steps).
    """

    def __call__(
        self,
        state: State,
        batches: Iterator[Batch],
        eta_y: np.ndarray,
        eta_z: np.ndarray,
        settings: Settings,
        keep: tuple,
    ) -> tuple[np.ndarray, np.ndarray]: ...


ENGINES: dict[str, Engine] = {"compiled": run_compiled, "reference": run_reference}


@dataclass(frozen=True)
class Trajectory:
    """What ``train`` kept: S seeds, R cells of learning rates, after the steps ``kept``.

    z: (S, R, kept, Q, M), the query rows of Z; loss: (S, R, steps), mean cross-entropy of each
    batch before its update; eta_y, eta_z: (R,); seeds: (S,); kept: those steps, 0 is the start.
    """

    layout: Layout
    z: np.ndarray
    loss: np.ndarray
    eta_y: np.ndarray
    eta_z: np.ndarray
    seeds: tuple
    kept: tuple

    @cached_property
    def attention(self) -> Array:
        """c_n, Eq. (5), the attention of an endless sequence: (S, R, kept, K, M)."""
        return limit_of_rows(self.layout.classes, self.z[..., self.layout.query_row, :])


def train(
    classes: SequenceClasses,
    eta_y: ArrayLike,
    eta_z: ArrayLike,
    *,
    seeds: Iterable[int] = (0,),
    keep: Iterable[int] | None = None,
    engine: str = "auto",
    **options: Any,
) -> Trajectory:
    """Train the (Y, Z) transformer of *Scan and Snap* for pairs of learning rates and for seeds.

    classes: ``SequenceClasses``. eta_y, eta_z: learning rates, numbers or arrays that broadcast to
    the R pairs. seeds: a run for each; data and start belong to a seed and are shared by the pairs.
    keep: steps after which Z is kept, 0 is the start; the last one when omitted. engine: "compiled"
    (SGD in float32), "reference" (any), or "auto", compiled where that is possible. options: the
    fields of ``Settings``; only ``steps`` has no default.

    Returns a ``Trajectory``.  Raises ``ValueError`` that names the argument.

    >>> from lib.scan_snap.sequence_classes import syn_small
    >>> forever = {"steps": 100, "batch_size": float("inf"), "T": float("inf"), "dtype": "float64"}
    >>> run = train(syn_small(), [1.0, 0.5], 1.0, **forever)  # endless data, two values of eta_y
    >>> run.attention.shape, run.loss[0, :, 0].round(3).tolist()  # ln 34 before the first step
    ((1, 2, 1, 2, 34), [3.526, 3.526])
    """
    settings = Settings(**options)
    eta_y, eta_z = _cells(eta_y, eta_z)
    seeds, keep = _seeds(seeds), _steps_to_keep(keep, settings.steps)
    run = ENGINES[_engine(engine, settings)]
    layout, results = Layout.of(classes), []
    for seed in seeds:
        starts, data = (np.random.default_rng([seed, stream]) for stream in range(2))
        state = State.initial(layout, len(eta_y), settings.init, starts, settings.torch_dtype)
        batches = layout.batches(settings.steps, settings.batch_size, settings.T, data)
        results.append(run(state, batches, eta_y, eta_z, settings, keep))
    z, loss = (np.stack(parts) for parts in zip(*results, strict=True))
    return Trajectory(layout, z, loss, eta_y, eta_z, seeds, keep)


def _cells(eta_y: ArrayLike, eta_z: ArrayLike) -> tuple[Array, ...]:
    """Both rates as (R,)."""
    for name, etas in (("eta_y", eta_y), ("eta_z", eta_z)):
        for eta in np.ravel(etas).tolist():
            require_rate(name, eta)
    eta_y, eta_z = (np.atleast_1d(np.asarray(etas, float)) for etas in (eta_y, eta_z))
    alike = len(eta_y) == len(eta_z) or 1 in (len(eta_y), len(eta_z))
    require(
        eta_y.ndim == eta_z.ndim == 1 and alike,
        "eta_y.shape, eta_z.shape",
        (eta_y.shape, eta_z.shape),
        "a number each, or one axis of as many cells",
    )
    return np.broadcast_arrays(eta_y, eta_z)


def _seeds(seeds: Iterable[int]) -> tuple[int, ...]:
    allowed = "a list of at least one whole number from 0 up"
    each = list(seeds) if np.iterable(seeds) else []
    require(each, "seeds", seeds, allowed)
    return tuple(require_seed("seeds", seed) for seed in each)


def _steps_to_keep(keep: Iterable[int] | None, steps: int) -> tuple[int, ...]:
    if keep is None:
        return (steps,)
    keep = tuple(require_integer("keep", step, 0, steps) for step in keep)
    rising = keep == tuple(sorted(set(keep)))
    require(keep and rising, "keep", keep, "rising steps, at least one")
    return keep


def _engine(engine: str, settings: Settings) -> str:
    """Name of the engine to use, "compiled" or "reference"."""
    require_choice("engine", engine, ("auto", *ENGINES))
    compilable = settings.optimizer == "sgd" and settings.dtype == "float32"
    allowed = '"reference" unless the optimizer is "sgd" and the dtype "float32"'
    require(compilable or engine != "compiled", "engine", engine, allowed)
    if engine == "auto":
        return "compiled" if compilable else "reference"
    return engine
