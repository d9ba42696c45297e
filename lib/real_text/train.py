"""Training on text: windows, plain SGD, attention statistics at checkpoints.

One run is a function of its settings and seed: the windows are consecutive, the seed draws where
they start, the initial parameters and dropout.  What is kept of a checkpoint are a few numbers, not
its maps.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tqdm import tqdm

from lib.arrays import Ids
from lib.real_text.state import Progress, restore, save
from lib.sweeps.threads import one_torch_thread
from lib.validation import require, require_integer, require_rate, require_real, require_seed

EPSILON = 1e-8  # inside the logarithm of the published entropy


@dataclass(frozen=True)
class Training:
    """How to train.  Defaults are Figure 7's: batch 20, length 35, rate 5, clip 0.5, no momentum.

    rate: learning rate; ``rates`` gives other factors on it by a parameter's last name,
    ``{"up": 2, "down": 2}`` in Figure 7.  clip: bound on the global gradient norm, 0 for none.
    every: iterations between checkpoints of statistics.
    """

    iterations: int = 1500
    batch_size: int = 20
    length: int = 35
    rate: float = 5.0
    rates: tuple = (("up", 2.0), ("down", 2.0))
    clip: float = 0.5
    seed: int = 0
    every: int = 100

    def __post_init__(self) -> None:
        for name in ("iterations", "batch_size", "every"):
            require_integer(name, getattr(self, name), 1)
        require_integer("length", self.length, 2)
        require_rate("rate", self.rate)
        require_real("clip", self.clip, at_least=0)
        require_seed("seed", self.seed)


def streams(ids: Ids, batch_size: int) -> torch.Tensor:
    """Cut a text into ``batch_size`` equal consecutive streams: (batch_size, N)."""
    rows = len(ids) // batch_size
    require(rows >= 2, "batch_size", batch_size, f"at most half of the {len(ids)} tokens")
    return torch.as_tensor(np.asarray(ids)[: rows * batch_size].reshape(batch_size, rows))


def windows(
    ids: Ids, batch_size: int, length: int, shift: int = 0
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Endless windows ``(tokens, targets)``, each (batch_size, length), along the streams."""
    data = streams(ids, batch_size)
    last = data.shape[1] - length - 1
    require(
        last >= 0, "length", length, f"at most {data.shape[1] - 1} for this text and batch size"
    )
    position = shift
    while True:
        start = position % (last + 1)
        yield data[:, start : start + length], data[:, start + 1 : start + length + 1]
        position += length


def fixed_windows(ids: Ids, count: int, length: int) -> tuple[torch.Tensor, torch.Tensor]:
    """``count`` evenly spaced windows of a text as ``(tokens, targets)``, each (count, length)."""
    starts = np.linspace(0, len(ids) - length - 1, count).astype(int)
    index = starts[:, None] + np.arange(length + 1)
    both = torch.as_tensor(np.asarray(ids)[index])
    return both[:, :-1], both[:, 1:]


def sgd_step(
    parameters: dict[str, torch.Tensor], rate: float, factors: dict[str, float], clip: float
) -> float:
    """One step of SGD with a bound on the global norm; sparse gradients stay sparse.

    factors: last part of a parameter's name to its factor on ``rate``.  Returns the norm before
    clipping.
    """
    gradients = {
        name: _by_index(p.grad) if p.grad.is_sparse else (None, p.grad)
        for name, p in parameters.items()
        if p.grad is not None
    }
    norm = float(torch.stack([values.norm() for _, values in gradients.values()]).norm())
    scale = rate * min(1.0, clip / norm) if clip and norm > 0 else rate
    with torch.no_grad():
        for name, (index, values) in gradients.items():
            step = -scale * factors.get(name.split(".")[-1].removesuffix("_bias"), 1.0)
            p = parameters[name]
            if index is None:
                p.add_(values, alpha=step)
            else:
                p.index_add_(0, index, values, alpha=step)
            p.grad = None
    return norm


def _by_index(gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Indices, each once, and values of a sparse gradient; sorted only where they are not yet.

    Autograd forgets of a gradient that it was coalesced.
    """
    index = gradient._indices()[0]
    if not (index[1:] > index[:-1]).all():
        gradient = gradient.coalesce()
    return gradient._indices()[0], gradient._values()


def published_entropy(attention: torch.Tensor) -> float:
    """Entropy of attention with the authors' summand: mean of -sum a log(a + 1e-8).

    The mean is over the queries that have at least two keys, since one key leaves no choice.

    attention: (B, T, T), causal, as from ``attention`` of a model.

    Returns nats, as a float.
    """
    rows = _rows_with_a_choice(attention)
    return float(-(rows * torch.log(rows + EPSILON)).sum(-1).mean())


def _rows_with_a_choice(attention: torch.Tensor) -> torch.Tensor:
    """Rows with two keys or more: not a causal map's first, without self not its second either."""
    first = 1 if attention[0, 0, 0] > 0 else 2
    return attention[:, first:]


def uniform_entropy(length: int, attend_self: bool) -> float:
    """The value of ``published_entropy`` for uniform attention, without its 1e-8.

    length: T, tokens of a window.  attend_self: whether a query is among its own keys.

    Returns nats, as a float.

    >>> round(uniform_entropy(3, True), 6)  # the mean of ln 2 and ln 3
    0.89588
    """
    return float(np.log(np.arange(2, length + (1 if attend_self else 0))).mean())


def attention_statistics(
    attention: torch.Tensor, previous: torch.Tensor | None = None
) -> dict[str, float]:
    """Numbers of one checkpoint: entropy, mean largest share; against ``previous`` maps also the
    mean l1 change of a query's row (0 to 2) and the share of queries whose largest key stayed.
    """
    rows = _rows_with_a_choice(attention)
    numbers = {"entropy": published_entropy(attention), "max_share": float(rows.amax(-1).mean())}
    if previous is not None:
        before = _rows_with_a_choice(previous)
        numbers |= {
            "change": float((rows - before).abs().sum(-1).mean()),
            "same_argmax": float((rows.argmax(-1) == before.argmax(-1)).double().mean()),
        }
    return numbers


@one_torch_thread()
def train(
    model: Any,
    ids: Ids,
    training: Training,
    valid: tuple[torch.Tensor, torch.Tensor],
    resume: str | Path | None = None,
    observe: Callable[[int, Any, torch.Tensor], Any] | None = None,
    device: str = "cpu",
    carry: dict[str, Any] | None = None,
    save_every: int = 1,
) -> list[dict[str, Any]]:
    """Train ``model`` in place on ``ids``, on one thread; returns a list of checkpoint records.

    valid: ``(tokens, targets)`` of a fixed validation batch for loss and statistics.
    resume: path of a state file, written at every ``save_every``-th checkpoint, continued if it is
    there and whole.  observe: called with ``(iteration, model, maps)`` at each checkpoint, before
    the state is written.  carry: dictionary of numbers, lists and tensors that ``observe`` fills;
    it is kept and restored with the state.
    A run whose gradient is no longer finite ends with a record ``diverged``.
    """
    generator = torch.Generator(device).manual_seed(training.seed)
    progress = Progress(carry={} if carry is None else carry)
    if resume and Path(resume).exists():
        restore(resume, model, training, generator, progress)
    start, records, norms = progress.iteration, progress.records, []
    offset = int(np.random.default_rng(training.seed).integers(len(ids) // training.batch_size))
    batches = windows(ids, training.batch_size, training.length, offset + start * training.length)
    valid = tuple(part.to(device) for part in valid)

    def checkpoint(iteration: int) -> None:
        maps = model.attention(valid[0])
        record = _checkpoint(model, valid, maps, progress.previous, norms, training.clip)
        records.append({"iteration": iteration} | record)
        progress.iteration, progress.previous = iteration, maps
        norms.clear()
        if observe:
            observe(iteration, model, maps)
        if resume and len(records) % save_every == 0:
            save(resume, model, training, generator, progress)

    if not records:
        checkpoint(0)
    for iteration in tqdm(range(start + 1, training.iterations + 1), disable=None, leave=False):
        batch = (part.to(device) for part in next(batches))
        model.loss(*batch, generator=generator).backward()
        norms.append(sgd_step(model.parameters, training.rate, dict(training.rates), training.clip))
        if not math.isfinite(norms[-1]):
            records.append({"iteration": iteration, "diverged": True})
            break
        if iteration % training.every == 0 or iteration == training.iterations:
            checkpoint(iteration)
    return records


def _checkpoint(
    model: Any,
    valid: tuple[torch.Tensor, torch.Tensor],
    maps: torch.Tensor,
    previous: torch.Tensor | None,
    norms: list[float],
    clip: float,
) -> dict[str, Any]:
    """Loss and attention on the validation batch, and the gradient norms since the last time."""
    with torch.no_grad():
        record = {"loss": float(model.loss(*valid))} | attention_statistics(maps, previous)
    if norms:
        record["gradient_norm"] = float(np.median(norms))
        record["clipped"] = float(np.mean(np.array(norms) > clip)) if clip else 0.0
    return record
