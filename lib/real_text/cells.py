"""One run on real text: a model, how it is trained, and on which order of the text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from lib.arrays import Ids
from lib.real_text.corpus import Corpus
from lib.real_text.models import Architecture
from lib.real_text.token_layer import TokenLayer
from lib.real_text.train import Training, attention_statistics, fixed_windows, train
from lib.validation import require

LONG_GAP = 500  # the paper draws maps at 0, 500, 1000, 1500
QUERIES = 200  # attention logits are kept for the 200 commonest queries
MAP_SIZE = 32
WINDOWS = 64  # of the validation part
SAVE_EVERY = 3  # checkpoints between two states on disk: a (Y, Z) state is half a gigabyte


@dataclass(frozen=True)
class Cell:
    """What is run.  shuffled: train on the tokens in the random order of the training's seed."""

    model: Architecture | TokenLayer
    training: Training
    shuffled: bool = False

    def trained(self, **changes: Any) -> "Cell":
        """The same cell with other settings of its ``Training``: ``cell.trained(seed=3)``."""
        return replace(self, training=replace(self.training, **changes))

    def order(self, ids: Ids) -> Ids:
        """``ids`` in the order in which this cell sees a text."""
        if self.shuffled:
            return np.random.default_rng(self.training.seed).permutation(np.asarray(ids))
        return ids


def run_cell(
    corpus: Corpus,
    cell: Cell,
    windows: int = WINDOWS,
    keep: Sequence[int] = (),
    device: str = "cpu",
    output: str = "float32",
    resume: str | Path | None = None,
) -> dict[str, Any]:
    """Train one cell; returns ``{"records", "gaps", "maps", "logits"}``.

    records: checkpoints.  gaps: statistics between maps ``LONG_GAP`` iterations apart.  maps: one
    validation window's attention at those times and at the end.  logits: content logits of the
    commonest queries at the iterations in ``keep``.  output: arithmetic of the output layer, as for
    ``EmbeddingTransformer``.  resume: state file, as for ``lib.real_text.train.train``; removed at
    the end.  Raises ``ValueError`` for a model with fewer tokens than the corpus.
    """
    require(
        cell.model.vocab_size >= corpus.vocab_size,
        "model.vocab_size",
        cell.model.vocab_size,
        f"at least {corpus.vocab_size}, the corpus's",
    )
    training = cell.training
    # Tensors and numbers alone, so that it can be kept with the state.
    seen: dict[str, Any] = {"gaps": [], "maps": {}, "logits": {}, "before": None}
    records = train(
        cell.model.build(training.seed, device, output),
        cell.order(corpus.train),
        training,
        fixed_windows(corpus.valid, windows, training.length),
        observe=partial(_observe, corpus.vocab_size, training.iterations, keep, seen),
        device=device,
        resume=resume,
        carry=seen,
        save_every=SAVE_EVERY,
    )
    if resume:
        Path(resume).unlink(missing_ok=True)
    return {"records": records, "gaps": seen["gaps"]} | {
        name: {i: t.numpy() for i, t in seen[name].items()} for name in ("maps", "logits")
    }


def _observe(
    vocab_size: int,
    end: int,
    keep: Sequence[int],
    seen: dict[str, Any],
    iteration: int,
    model: Any,
    maps: torch.Tensor,
) -> None:
    """Add to ``seen`` what ``run_cell`` returns of a checkpoint."""
    if iteration % LONG_GAP == 0:
        if seen["before"] is not None:
            gap = attention_statistics(maps, seen["before"])
            seen["gaps"].append({"iteration": iteration} | gap)
        seen["before"] = maps
    if iteration % LONG_GAP == 0 or iteration == end:
        seen["maps"][iteration] = maps[0, :MAP_SIZE, :MAP_SIZE].cpu().double()
    if iteration in keep:
        queries = torch.arange(min(QUERIES, vocab_size), device=maps.device)
        seen["logits"][iteration] = model.content_logits(queries).cpu()


def twins(
    corpus: Corpus, cell: Cell, stop: int | None = None, nudge: float = 1e-6, windows: int = WINDOWS
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Two runs that differ by ``nudge`` (relative to 0.1) in every initial parameter, same data.

    stop: iterations of the nudged one; the other makes all of the cell's.  Returns (records of the
    other, list of ``{"iteration", "change", "same_argmax", …}`` at the checkpoints that both reach:
    the two runs' maps against each other).
    """
    training = cell.training
    valid = fixed_windows(corpus.valid, windows, training.length)
    ends, seen, records = (training.iterations, stop or training.iterations), {}, []
    for twin, iterations in enumerate(ends):
        model = cell.model.build(training.seed, output="float32")
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in model.parameters.values():
                parameter.add_(
                    twin * 0.1 * nudge * torch.randn(parameter.shape, generator=generator)
                )
        observe = lambda i, _, maps: seen.setdefault(i, []).append(maps)
        own = replace(training, iterations=iterations)
        records.append(train(model, cell.order(corpus.train), own, valid, observe=observe))
    return records[0], [
        {"iteration": i} | attention_statistics(maps[1], maps[0])
        for i, maps in seen.items()
        if len(maps) == 2
    ]
