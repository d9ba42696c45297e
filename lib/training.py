"""Training the (Y, Z) transformer, a whole grid of learning rates as one batch.

Lemma 1 in closed form on token counts.  Three facts make it fast, and none is an
approximation: only rows z_m of query tokens move; only rows of Y whose token some class emits
move; and from Y(0) = 0 the columns of all never-predicted tokens stay equal, so one stands for all.
Data and initialisation belong to a seed and are shared by its cells of learning rates.
"""

import copy
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from lib.batches import Support, require_batch
from lib.compiled_training import run_compiled
from lib.optimizers import Adam, Momentum
from lib.validation import require, require_choice, require_integer

DTYPES = {"float32": torch.float32, "float64": torch.float64}


@dataclass
class State:
    """Y on the rows and columns that matter and Z on the query rows, for R cells at once.

    Y: (R, L, C), rows ``support.tokens``; C = M, or K + 1 with the last column standing for
    all M - K tokens that are never predicted.  Z: (R, Q, M).
    """

    support: Support
    Y: torch.Tensor
    Z: torch.Tensor
    compressed: bool

    def __post_init__(self):
        classes, support = self.support.classes, self.support
        M, K = classes.vocab_size, classes.num_classes
        column_of = np.full(M, K) if self.compressed else np.arange(M)      # the state's column for each token
        if self.compressed:
            column_of[classes.next_token] = np.arange(K)
        self.column_of = torch.as_tensor(column_of)
        self.label_column = self.column_of[torch.as_tensor(classes.next_token)]
        self.stands_for = torch.bincount(self.column_of, minlength=self.Y.shape[-1]).to(self.Y.dtype)
        self.index, self.pair = torch.as_tensor(support.index), torch.as_tensor(support.pair)           # (K, t)
        query, row = torch.as_tensor(support.pairs).T                                                   # (p,)
        self.pair_z, self.shared = query * M + torch.as_tensor(support.tokens)[row], row[support.lone:]  # where a pair is in Z, in Y
        self.z_index = self.pair_z[self.pair]                                                           # (K, t)

    @classmethod
    def initial(cls, support, cells, init, rng, dtype):
        """Zero, or every entry of Y and Z uniform in +-1/sqrt(M); the same for all cells."""
        K, M = support.classes.num_classes, support.classes.vocab_size
        if init == "zero":
            Y, Z = torch.zeros(len(support.tokens), min(K + 1, M)), torch.zeros(len(support.queries), M)
        else:
            full_y, full_z = rng.uniform(-1, 1, size=(2, M, M)) / np.sqrt(M)
            Y, Z = torch.as_tensor(full_y[support.tokens]), torch.as_tensor(full_z[support.queries])
        return cls(support, *(p.to(dtype).expand(cells, *p.shape).clone() for p in (Y, Z)), compressed=init == "zero")

    def full(self):
        """Y and Z as (R, M, M); rows that never move from zero are 0."""
        M = self.support.classes.vocab_size
        Y, Z = (torch.zeros(len(self.Y), M, M, dtype=self.Y.dtype) for _ in range(2))
        Y[:, torch.as_tensor(self.support.tokens)] = self.Y[..., self.column_of]
        Z[:, torch.as_tensor(self.support.queries)] = self.Z
        return Y, Z


def weighted_sums(table, row, weight, starts):
    """Sums of weighted rows, a sparse matrix times a dense one, for R cells that differ in their numbers alone.

    table: (R, m, C).  row: (P,), which row of the table an entry takes.  weight: (R, P), how much of it.
    starts: (n,) rising.  Returns (R, n, C): row j sums the entries from ``starts[j]`` to before ``starts[j + 1]``.
    PyTorch knows it as an embedding bag, which reads the rows where they lie.
    """
    (R, m, C), cell = table.shape, torch.arange(len(table))[:, None]
    rows, starts = row + m * cell, starts + len(row) * cell
    return torch.nn.functional.embedding_bag(rows.flatten(), table.flatten(0, 1), starts.flatten(), mode="sum",
                                             per_sample_weights=weight.flatten()).view(R, -1, C)


def cross_entropy(probability, logits, target):
    """-log of the probability of ``target`` (..., 1): from the logits where the probability is too small for its format."""
    right = probability.gather(-1, target)
    nats, lost = -right.log(), (right < torch.finfo(right.dtype).tiny)[..., 0]
    if lost.any():
        nats[lost] = logits[lost].logsumexp(-1, keepdim=True) - logits[lost].gather(-1, target[lost])
    return nats


def gradients(state, batch, into=None):
    """Lemma 1, Eq. (3), for all cells on one batch: ``(dJ/dY, dJ/dZ, loss)`` in the state's layout.

    Per sample dz = f * (g - f (f.g)) with g = Y r, r = x_{T+1} - alpha, f = LN(X^T b).  No sample's g is needed:
    f.g is r times the logits, and f * g, summed over the samples of a query, is a row of Y times their share of
    its gradient.  So the backward pass works on pairs of a query and a token, and most tokens meet one query.
    into: two tensors that the gradients are added to, new ones when omitted.  loss (R,) is -J.
    """
    dtype, label, lone = state.Y.dtype, torch.as_tensor(batch.label), state.support.lone
    grad_y, grad_z = (torch.zeros_like(state.Y), torch.zeros_like(state.Z)) if into is None else into
    with np.errstate(divide="ignore"):
        log_counts = torch.as_tensor(np.log(batch.counts), dtype=dtype)       # an absent token: -inf, attention 0
    weight, (N, t) = torch.as_tensor(batch.weight, dtype=dtype)[:, None], log_counts.shape
    z = state.Z.flatten(1)[:, state.z_index]                                  # (R, K, t)
    f = torch.softmax(z.index_select(1, label).add_(log_counts), dim=-1)      # (R, N, t) = X^T b
    f /= torch.linalg.vector_norm(f, dim=-1, keepdim=True)
    logits = weighted_sums(state.Y, state.index[label].flatten(), f.flatten(1), torch.arange(0, N * t, t))   # (R, N, C)
    seen = logits + state.stands_for.log() if state.compressed else logits
    target = state.label_column[label].expand(len(f), -1)[..., None]
    excess = torch.softmax(seen, dim=-1)                                      # alpha
    loss = (cross_entropy(excess, seen, target) * weight).sum((-1, -2))
    excess.scatter_add_(-1, target, -torch.ones_like(target, dtype=dtype))    # -r
    along = logits.mul_(excess).sum(-1, keepdim=True)                         # -f.g
    toward = torch.zeros_like(z).index_add_(1, label, f.square().mul_(along * weight))
    pair = state.pair[label].flatten()                                        # of each entry, a sample and a token
    order, size = pair.argsort(stable=True), torch.bincount(pair, minlength=len(state.pair_z))
    own = weighted_sums(excess, order // t, f.mul_(-weight).flatten(1).index_select(1, order), size.cumsum(0) - size)  # (R, pairs, C)
    share = own / state.stands_for if state.compressed else own
    grad_y[:, :lone] += share[:, :lone]
    grad_y.index_add_(1, state.shared, share[:, lone:])
    parts = own[:, :lone].mul_(state.Y[:, :lone]), own[:, lone:].mul_(state.Y.index_select(1, state.shared))
    inner = torch.cat([part.sum(-1) for part in parts], dim=1).index_add_(1, state.pair.flatten(), toward.flatten(1))
    grad_z.flatten(1).index_add_(1, state.pair_z, inner)
    return grad_y, grad_z, loss


@dataclass(frozen=True)
class Trajectory:
    """What ``train`` recorded: S seeds, R cells of learning rates, at the iterations ``times``.

    z: (S, R, times, Q, M), the query rows of Z; loss: (S, R, steps), mean cross-entropy of each
    batch before its update; eta_y, eta_z: (R,); seeds: (S,); times: (times,), 0 is the start.
    """

    support: Support
    z: np.ndarray
    loss: np.ndarray
    eta_y: np.ndarray
    eta_z: np.ndarray
    seeds: tuple
    times: tuple

    @cached_property
    def attention(self):
        """c_n, Eq. (5), the attention of an endless sequence: (S, R, times, K, M), rows sum to 1."""
        return long_attention(self.support, self.z)


def long_attention(support, z):
    """c_n, Eq. (5), for query rows z (..., Q, M): (..., K, M), rows sum to 1."""
    classes = support.classes
    z = np.asarray(z, dtype=np.float64)[..., support.query_row, :]
    z = z - np.where(classes.support, z, -np.inf).max(axis=-1, keepdims=True)
    weights = classes.conditional * np.exp(np.where(classes.support, z, 0))
    return weights / weights.sum(axis=-1, keepdims=True)


def train(classes, eta_y, eta_z, *, steps, batch_size=128, T=128, optimizer="sgd", momentum=0.9,
          init="zero", seeds=(0,), record=None, dtype="float32", engine="auto"):
    """Train every learning-rate cell from every seed and return a ``Trajectory``.

    classes: any ``SequenceClasses``.  eta_y, eta_z: numbers or arrays that broadcast to the R
    cells.  batch_size, T: whole numbers or ``inf`` (both ``inf``: the population limit).
    optimizer: "sgd" (with ``momentum``) or "adam".  init: "zero" or "uniform" (+-1/sqrt(M)).
    record: iterations to keep, 0 is the start; the last one when omitted.
    engine: "torch" (any optimizer and dtype), "compiled" (SGD in float32, about twice as
    fast), or "auto": compiled where it can be.

    Raises ``ValueError`` that names the argument.
    """
    eta_y, eta_z = np.broadcast_arrays(np.atleast_1d(np.asarray(eta_y, float)), np.atleast_1d(np.asarray(eta_z, float)))
    require(eta_y.ndim == 1, "eta_y.shape", eta_y.shape, "a number or one axis of cells")
    for name, value, choices in (("optimizer", optimizer, ("sgd", "adam")), ("init", init, ("zero", "uniform")),
                                 ("dtype", dtype, tuple(DTYPES)), ("engine", engine, ("auto", "torch", "compiled"))):
        require_choice(name, value, choices)
    require_integer("steps", steps, 1)
    require_batch(batch_size, T)
    times = (steps,) if record is None else tuple(int(require_integer("record", t, 0, steps)) for t in record)
    require(times == tuple(sorted(set(times))) and times, "record", times, "rising iterations, at least one")
    compilable = optimizer == "sgd" and dtype == "float32"
    require(compilable or engine != "compiled", "engine", engine, '"torch" unless the optimizer is "sgd" and the dtype "float32"')
    compiled = compilable and engine != "torch"
    support = Support.of(classes)
    ascents = [_optimizer(optimizer, rate, momentum, DTYPES[dtype]) for rate in (eta_y, eta_z)]
    runs = []
    for seed in seeds:
        init_rng, data_rng = (np.random.default_rng([seed, stream]) for stream in range(2))
        state = State.initial(support, len(eta_y), init, init_rng, DTYPES[dtype])
        batches = support.batches(steps, batch_size, T, data_rng)
        runs.append(run_compiled(state, batches, eta_y, eta_z, momentum, times) if compiled
                    else run_torch(state, batches, *copy.deepcopy(ascents), times))
    return Trajectory(support, *(np.stack(parts) for parts in zip(*runs)), eta_y, eta_z, tuple(seeds), times)


@contextmanager
def tiny_is_zero():
    """Inside, numbers below the smallest normal one are 0: a confident softmax is full of them, and a processor is slow on them."""
    before = float(torch.tensor(1e-40) * 1) == 0
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(before)


def keep_freed_memory():
    """One big block, freed at once: glibc then keeps what a step frees for the next one, where it would give it back and fault it in anew."""
    torch.empty(31 << 20, dtype=torch.uint8)


@tiny_is_zero()
def run_torch(state, batches, ascend_y, ascend_z, times):
    """All cells of one seed through ``batches``: z (R, times, Q, M) and loss (R, steps); ``state`` moves along."""
    keep_freed_memory()
    kept, losses = [state.Z.numpy().copy()] if times[0] == 0 else [], []
    for step, batch in enumerate(batches, start=1):
        _, _, loss = gradients(state, batch, into=(ascend_y.receive(state.Y), ascend_z.receive(state.Z)))
        ascend_y.move(state.Y)
        ascend_z.move(state.Z)
        losses.append(loss.numpy())
        if step in times:
            kept.append(state.Z.numpy().copy())
    return np.stack(kept, axis=1), np.stack(losses, axis=1)


def _optimizer(name, rate, momentum, dtype):
    rate = torch.as_tensor(rate, dtype=dtype)[:, None, None]
    return Momentum(rate, momentum) if name == "sgd" else Adam(rate)
