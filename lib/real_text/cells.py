"""The runs behind the real-text chapters: which cells, how one is run, how tables are stored.

``python -m lib.real_text.cells GRID`` runs a grid cell by cell, skips what is done already, and
writes ``book/data/GRID.json`` with provenance.  A chapter runs a few cells itself, smaller.
"""

import argparse
import json
import sys
import time
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

from lib.real_text import corpus as corpora
from lib.real_text.models import (
    OUTPUTS,
    Architecture,
    EmbeddingTransformer,
    TokenTransformer,
    paper_layer,
)
from lib.real_text.tables import DATA, provenance, rounded, write_json
from lib.real_text.train import Training, attention_statistics, fixed_windows, train
from lib.validation import require_choice

WORK = corpora.PROJECT_ROOT / "_build" / "text"
LONG_GAP = 500  # the paper draws maps at 0, 500, 1000, 1500
QUERIES = 200  # attention logits are kept for the 200 commonest queries
MAP_SIZE = 32
SAVE_EVERY = 3  # checkpoints between two states on disk: a (Y, Z) state is half a gigabyte
ONE_RATE = ()  # Figure 10: no extra factor on any rate
TOKEN_RATE = 200.0


def figure_07_cells(vocab_size, width):
    """Cells of Figure 7 and its controls: name to (architecture, training)."""
    model, training = Architecture(vocab_size, width, width), Training()
    return {
        "one layer": (model, training),
        "three layers": (replace(model, layers=3), training),
        "token (Y, Z)": (None, token_training()),
        "no clip": (model, replace(training, clip=0.0)),
        "tight clip": (model, replace(training, clip=0.1)),
        "no positions": (replace(model, positions=False), training),
        "rate 1": (model, replace(training, rate=1.0)),
        "rate 1, no clip": (model, replace(training, rate=1.0, clip=0.0)),
        "batch x 5": (model, replace(training, batch_size=100, iterations=1000)),
    }


def figure_10_cells(vocab_size, width):
    """Cells of Figure 10 in both readings of "one layer", eta = 1 .. 5, and the (Y, Z) layer."""
    full, plain = (
        Architecture(vocab_size, width, width, dropout=0.2),
        paper_layer(vocab_size, width),
    )
    cells = {}
    for eta in (1, 2, 3, 4, 5):
        training = Training(rate=float(eta), rates=ONE_RATE)
        cells |= {f"full, eta {eta}": (full, training), f"plain, eta {eta}": (plain, training)}
    return cells | {
        f"token (Y, Z), eta {eta}": (None, replace(token_training(), rate=float(eta)))
        for eta in (50, 100, 200, 400)
    }


def token_by_token_cells(vocab_size, width):
    """The models whose logits are read token by token; ``shuffled`` ones see the text in random
    order.
    """
    plain = paper_layer(vocab_size, width)
    training = Training(rates=ONE_RATE)
    slow = replace(token_training(), rate=TOKEN_RATE / 4, rates=(("Z", 0.1),))
    return {
        "token (Y, Z)": (None, token_training()),
        "token (Y, Z), slow attention": (None, slow),
        "plain": (plain, training),
        "full": (Architecture(vocab_size, width, width), Training()),
        "token (Y, Z), shuffled": (None, token_training()),
        "plain, shuffled": (plain, training),
    }


def token_training():
    """Settings of the (Y, Z) layer on text: a mean over a batch of many classes needs a large
    rate.
    """
    return Training(rate=TOKEN_RATE, rates=ONE_RATE, clip=0.0)


DRAWN = ("one layer", "three layers", "token (Y, Z)")  # cells whose maps are kept
GRIDS = {
    "figure_07": figure_07_cells,
    "figure_10": figure_10_cells,
    "token_by_token": token_by_token_cells,
}


def run_cell(
    corpus,
    architecture,
    training,
    windows=64,
    keep=(),
    device="cpu",
    shuffled=False,
    output="float32",
    resume=None,
):
    """Train one cell; returns ``{"records", "gaps", "maps", "logits"}``.

    records: checkpoints.  gaps: statistics between maps ``LONG_GAP`` iterations apart.  maps: one
    validation window's attention at those times and at the end.  logits: content logits of the
    commonest queries at the iterations in ``keep``.  shuffled: train on the tokens in random order.
    output: arithmetic of the output layer, as for ``EmbeddingTransformer``.  resume: state file, as
    for ``lib.real_text.train.train``; removed at the end.
    """
    model = _model(corpus, architecture, training.seed, device, output)
    text = (
        np.random.default_rng(training.seed).permutation(corpus.train) if shuffled else corpus.train
    )
    seen = {
        "gaps": [],
        "maps": {},
        "logits": {},
        "before": None,
    }  # tensors and numbers, so that it can be kept with the state

    def observe(iteration, model, maps):
        if iteration % LONG_GAP == 0:
            if seen["before"] is not None:
                seen["gaps"].append(
                    {"iteration": iteration} | attention_statistics(maps, seen["before"])
                )
            seen["before"] = maps
        if iteration % LONG_GAP == 0 or iteration == training.iterations:
            seen["maps"][iteration] = maps[0, :MAP_SIZE, :MAP_SIZE].cpu().double()
        if iteration in keep:
            queries = torch.arange(min(QUERIES, corpus.vocab_size), device=device)
            seen["logits"][iteration] = model.content_logits(queries).cpu()

    valid = fixed_windows(corpus.valid, windows, training.length)
    records = train(
        model,
        text,
        training,
        valid,
        observe=observe,
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


def _model(corpus, architecture, seed, device="cpu", output="float32"):
    """A new model of a cell; ``architecture`` None is the (Y, Z) layer."""
    if architecture is None:
        return TokenTransformer(corpus.vocab_size, device=device)
    return EmbeddingTransformer(architecture, seed=seed, device=device, output=output)


def twins(corpus, architecture, training, nudge=1e-6, windows=64):
    """Two runs that differ by ``nudge`` (relative to 0.1) in every initial parameter, the same seed
    and data.

    Returns a list of ``{"iteration", "change", "same_argmax", …}``: the two runs' maps against each
    other.
    """
    valid = fixed_windows(corpus.valid, windows, training.length)
    seen = {}
    for twin in (0, 1):
        model = _model(corpus, architecture, training.seed)
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in model.parameters.values():
                parameter.add_(
                    twin * 0.1 * nudge * torch.randn(parameter.shape, generator=generator)
                )
        train(
            model,
            corpus.train,
            training,
            valid,
            observe=lambda i, _, maps, twin=twin: seen.setdefault(i, []).append(maps),
        )
    return [
        {"iteration": i} | attention_statistics(second, first)
        for i, (first, second) in seen.items()
    ]


def table(grid, corpus, command, folder, width, maps_of=(), target=None):
    """Collect a grid's finished runs into ``target`` (``book/data``): maps only of the cells
    ``maps_of``, seed 0.
    """
    runs = [
        json.loads(path.read_text(encoding="utf-8")) for path in sorted(Path(folder).glob("*.json"))
    ]
    for run in runs:
        run.pop("seconds", None)
        if run["cell"] not in maps_of or run["seed"]:
            run.pop("maps")
    order = {name: i for i, name in enumerate(GRIDS[grid](corpus.vocab_size, width))}
    runs.sort(key=lambda run: (order[run["cell"]], run["seed"]))
    write_json(
        target or DATA / f"{grid}.json",
        {
            "provenance": provenance(corpus, command, vocab_size=corpus.vocab_size, width=width),
            "runs": runs,
        },
    )


def one_run(grid, corpus, width, name, seed, device="cpu", output="float32", states=None):
    """One cell of a grid for one seed: (record for JSON, logits by iteration).

    states: a folder for the state of the unfinished run, from which the next call goes on; none if
    it is not there.
    """
    architecture, training = GRIDS[grid](corpus.vocab_size, width)[name]
    keep = (0, 100, 300, 500, 1000, training.iterations) if grid == "token_by_token" else ()
    resume = (
        Path(states) / f"{slug(name)}-{seed}.state" if states and Path(states).is_dir() else None
    )
    started = time.process_time()
    result = run_cell(
        corpus,
        architecture,
        replace(training, seed=seed),
        keep=keep,
        device=device,
        shuffled="shuffled" in name,
        output=output,
        resume=resume,
    )
    logits = {str(iteration): values for iteration, values in result.pop("logits").items()}
    record = {
        "cell": name,
        "seed": seed,
        "training": asdict(training),
        "seconds": time.process_time() - started,
        "output": output if architecture else "plain",
        "architecture": asdict(architecture) if architecture else None,
    } | result
    return rounded(record), logits


def in_turn(function, items):
    """Yield (item, function(item)), one after the other in this process."""
    for item in items:
        yield item, function(item)


def sweep(
    grid,
    corpus,
    width,
    seeds,
    only=None,
    device="cpu",
    folder=None,
    finished=in_turn,
    output="float32",
):
    """Run a grid's cells for ``seeds``; returns the folder.

    A run whose file is there is skipped; an interrupted one goes on from its last saved state.
    finished: how runs are carried out, a function like ``in_turn`` (``lib.real_text.text_sweep``
    passes Dask).
    """
    folder = (
        Path(folder or WORK) / f"{grid}-{corpus.sha256[:8]}-{corpus.vocab_size}-{width}-{output}"
    )
    paths = {
        (name, seed): folder / f"{slug(name)}-{seed}.json"
        for seed in seeds
        for name in GRIDS[grid](corpus.vocab_size, width)
        if not only or any(word in name for word in only)
    }
    missing = [item for item, path in paths.items() if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for item, (record, logits) in finished(
        partial(_one_run, grid, corpus, width, device, output, folder.resolve()), missing
    ):
        if logits:
            np.savez(paths[item].with_suffix(".npz"), **logits)
        write_json(paths[item], record)
    return folder


def _one_run(grid, corpus, width, device, output, states, item):
    return one_run(grid, corpus, width, *item, device=device, output=output, states=states)


def slug(name):
    """A cell's name as part of a file name."""
    return "".join(c if c.isalnum() else "_" for c in name)


def main(arguments=None):
    """Command line: run a grid and store its table."""
    parser = argparse.ArgumentParser(
        description="Run a grid of real-text experiments and store its table."
    )
    parser.add_argument("grid", choices=sorted(GRIDS))
    parser.add_argument(
        "--corpus", default="wikitext", help="wikitext, embedded, or the path of a UTF-8 text"
    )
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--width", type=int, default=200)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    parser.add_argument(
        "--only", nargs="*", help="run only cells whose name contains one of these words"
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument(
        "--output", choices=OUTPUTS, default="float32", help="arithmetic of the output layer"
    )
    options = parser.parse_args(arguments)
    require_choice("grid", options.grid, tuple(GRIDS))
    corpus = corpora.load(options.corpus, options.vocab_size)
    folder = sweep(
        options.grid,
        corpus,
        options.width,
        options.seeds,
        options.only,
        options.device,
        output=options.output,
    )
    print(folder)
    if options.grid == "token_by_token":
        return print(
            "now: python -m lib.real_text.token_effects FOLDER, which reads the logits kept there"
        )
    command = "python -m lib.real_text.cells " + " ".join(arguments or sys.argv[1:])
    table(options.grid, corpus, command, folder, options.width, maps_of=DRAWN)


if __name__ == "__main__":
    main()
