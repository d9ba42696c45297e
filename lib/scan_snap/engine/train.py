"""Training the (Y, Z) transformer, a whole grid of learning rates and seeds as one batch.

Lemma 1 in closed form on token counts.  Three facts make it fast, and none is an
approximation: only rows z_m of query tokens move; only rows of Y whose token some class emits
move; and from Y(0) = 0 the columns of all never-predicted tokens stay equal, so one stands for all.
Data and initialization belong to a seed and are shared by its cells of learning rates.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from lib.scan_snap.engine.batches import Layout, require_batch
from lib.scan_snap.engine.compiled import run_compiled
from lib.scan_snap.engine.optimizers import Adam, Momentum
from lib.scan_snap.engine.reference import run_torch
from lib.validation import require, require_choice, require_integer, require_momentum, require_rate

WORKING_SET = (
    2**20
)  # entries of Y that move together, at most: seeds share a pass as long as a cache holds them
DTYPES = {"float32": torch.float32, "float64": torch.float64}


@dataclass
class State:
    """Y on the rows and columns that matter and Z on the query rows, for R cells at once (learning
    rates, of one seed or several).

    Y: (R, L, C), rows ``layout.tokens``; C = M, or K + 1 with the last column standing for
    all M - K tokens that are never predicted.  Z: (R, Q, M).
    """

    layout: Layout
    Y: torch.Tensor
    Z: torch.Tensor
    compressed: bool

    def __post_init__(self):
        classes, layout = self.layout.classes, self.layout
        M, K = classes.vocab_size, classes.num_classes
        column_of = (
            np.full(M, K) if self.compressed else np.arange(M)
        )  # the state's column for each token
        if self.compressed:
            column_of[classes.next_token] = np.arange(K)
        self.column_of = torch.as_tensor(column_of)
        self.label_column = self.column_of[torch.as_tensor(classes.next_token)]
        self.stands_for = torch.bincount(self.column_of, minlength=self.Y.shape[-1]).to(
            self.Y.dtype
        )
        self.index, self.pair = (
            torch.as_tensor(layout.index),
            torch.as_tensor(layout.pair),
        )  # (K, t)
        query, row = torch.as_tensor(layout.pairs).T  # (p,)
        self.pair_z, self.shared = (
            query * M + torch.as_tensor(layout.tokens)[row],
            row[layout.lone :],
        )  # where a pair is in Z, in Y
        self.z_index = self.pair_z[self.pair]  # (K, t)

    @classmethod
    def initial(cls, layout, cells, init, rng, dtype):
        """Zero, or every entry of Y and Z uniform in +-1/sqrt(M); the same for all cells."""
        K, M = layout.classes.num_classes, layout.classes.vocab_size
        if init == "zero":
            Y, Z = (
                torch.zeros(len(layout.tokens), min(K + 1, M)),
                torch.zeros(len(layout.queries), M),
            )
        else:
            full_y, full_z = rng.uniform(-1, 1, size=(2, M, M)) / np.sqrt(M)
            Y, Z = torch.as_tensor(full_y[layout.tokens]), torch.as_tensor(full_z[layout.queries])
        return cls(
            layout,
            *(p.to(dtype).expand(cells, *p.shape).clone() for p in (Y, Z)),
            compressed=init == "zero",
        )

    @classmethod
    def joined(cls, states):
        """The cells of several states of one layout, in their order."""
        Y, Z = (
            torch.cat(parts)
            for parts in zip(*((state.Y, state.Z) for state in states), strict=True)
        )
        return cls(states[0].layout, Y, Z, states[0].compressed)

    def full(self):
        """Y and Z as (R, M, M); rows that never move from zero are 0."""
        M = self.layout.classes.vocab_size
        Y, Z = (torch.zeros(len(self.Y), M, M, dtype=self.Y.dtype) for _ in range(2))
        Y[:, torch.as_tensor(self.layout.tokens)] = self.Y[..., self.column_of]
        Z[:, torch.as_tensor(self.layout.queries)] = self.Z
        return Y, Z


@dataclass(frozen=True)
class Trajectory:
    """What ``train`` recorded: S seeds, R cells of learning rates, after the steps ``kept``.

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
    def attention(self):
        """c_n, Eq. (5), the attention of an endless sequence: (S, R, kept, K, M), rows sum to
        1.
        """
        return long_attention(self.layout, self.z)


def long_attention(layout, z):
    """c_n, Eq. (5), for query rows z (..., Q, M): (..., K, M), rows sum to 1."""
    classes = layout.classes
    z = np.asarray(z, dtype=np.float64)[..., layout.query_row, :]
    z = z - np.where(classes.support, z, -np.inf).max(axis=-1, keepdims=True)
    weights = classes.conditional * np.exp(np.where(classes.support, z, 0))
    return weights / weights.sum(axis=-1, keepdims=True)


def train(
    classes,
    eta_y,
    eta_z,
    *,
    steps,
    batch_size=128,
    T=128,
    optimizer="sgd",
    momentum=0.9,
    init="zero",
    seeds=(0,),
    keep=None,
    dtype="float32",
    engine="auto",
):
    """Train every learning-rate cell from every seed and return a ``Trajectory``.

    classes: any ``SequenceClasses``.  eta_y, eta_z: numbers or arrays that broadcast to the R
    cells.  batch_size, T: whole numbers or ``inf`` (both ``inf``: the population limit).
    optimizer: "sgd" (with ``momentum``) or "adam".  init: "zero" or "uniform" (+-1/sqrt(M)).
    keep: steps after which Z is kept, 0 is the start; the last one when omitted.
    engine: "torch" (any optimizer and dtype), "compiled" (SGD in float32, about twice as
    fast), or "auto": compiled where it can be.

    Raises ``ValueError`` that names the argument.
    """
    for name, rates in (("eta_y", eta_y), ("eta_z", eta_z)):
        for rate in np.ravel(rates).tolist():
            require_rate(name, rate)
    eta_y, eta_z = (np.atleast_1d(np.asarray(rates, float)) for rates in (eta_y, eta_z))
    fits = eta_y.ndim == eta_z.ndim == 1 and (
        1 in (len(eta_y), len(eta_z)) or len(eta_y) == len(eta_z)
    )
    require(
        fits,
        "eta_y.shape, eta_z.shape",
        (eta_y.shape, eta_z.shape),
        "a number each, or one axis of as many cells",
    )
    eta_y, eta_z = np.broadcast_arrays(eta_y, eta_z)
    require_momentum("momentum", momentum)
    for name, value, choices in (
        ("optimizer", optimizer, ("sgd", "adam")),
        ("init", init, ("zero", "uniform")),
        ("dtype", dtype, tuple(DTYPES)),
        ("engine", engine, ("auto", "torch", "compiled")),
    ):
        require_choice(name, value, choices)
    require_integer("steps", steps, 1)
    require_batch(batch_size, T)
    require(
        np.iterable(seeds) and len(seeds),
        "seeds",
        seeds,
        "a list of at least one whole number from 0 up",
    )
    seeds = tuple(require_integer("seeds", seed, 0) for seed in seeds)
    keep = (steps,) if keep is None else tuple(require_integer("keep", t, 0, steps) for t in keep)
    require(keep == tuple(sorted(set(keep))) and keep, "keep", keep, "rising steps, at least one")
    compilable = optimizer == "sgd" and dtype == "float32"
    require(
        compilable or engine != "compiled",
        "engine",
        engine,
        '"torch" unless the optimizer is "sgd" and the dtype "float32"',
    )
    compiled = compilable and engine != "torch"
    layout = Layout.of(classes)

    def ascents(copies):
        return [
            _optimizer(optimizer, np.tile(rate, copies), momentum, DTYPES[dtype])
            for rate in (eta_y, eta_z)
        ]

    runs, cells = [], len(eta_y)
    together = (
        1 if compiled else max(1, WORKING_SET // (cells * len(layout.tokens) * classes.vocab_size))
    )
    for group in (seeds[k : k + together] for k in range(0, len(seeds), together)):
        starts, data = (
            [np.random.default_rng([seed, stream]) for seed in group] for stream in range(2)
        )
        state = State.joined(
            [State.initial(layout, cells, init, rng, DTYPES[dtype]) for rng in starts]
        )
        batches = [layout.batches(steps, batch_size, T, rng) for rng in data]
        run = (
            run_compiled(state, batches[0], eta_y, eta_z, momentum, keep)
            if compiled
            else run_torch(state, batches, *ascents(len(group)), keep)
        )
        runs.append([part.reshape(len(group), cells, *part.shape[1:]) for part in run])
    return Trajectory(
        layout,
        *(np.concatenate(parts) for parts in zip(*runs, strict=True)),
        eta_y,
        eta_z,
        seeds,
        keep,
    )


def _optimizer(name, rate, momentum, dtype):
    rate = torch.as_tensor(rate, dtype=dtype)[:, None, None]
    return Momentum(rate, momentum) if name == "sgd" else Adam(rate)
