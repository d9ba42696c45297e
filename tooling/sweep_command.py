"""``make sweep GRID=my_grid.toml``: a grid of training runs, resumable, with a progress bar."""

import argparse
import os
import sys
import threading
from dataclasses import replace
from pathlib import Path

import joblib
from ledgerbook.project import seals
from ledgerbook.project.project import current
from tqdm import tqdm

from lib.bridge.graph_grid import is_graph_grid, read_graph_grid
from lib.real_text.text_grid import is_text_grid, read_text_grid
from lib.scan_snap.rate_grid import read_rate_grid
from lib.storage import write_atomically
from lib.sweeps.run import run_sweep
from lib.sweeps.toml import require_seeds
from lib.sweeps.workers import THREAD
from lib.validation import require


def parser():
    """The options; ``make sweep`` passes OUT and SEEDS on."""
    top = argparse.ArgumentParser(prog="python -m tooling sweep", description=__doc__)
    top.add_argument("grid", help="a TOML file; book/grids/figure_06.toml is a documented example")
    top.add_argument("--out", type=Path, help="folder for the results (default _build/sweeps/NAME)")
    top.add_argument(
        "--seeds",
        type=int,
        nargs="+",
        help="instead of the file's: the seeds of a text grid, how many of a grid of rates",
    )
    top.add_argument("--corpus", help="instead of the file's: embedded, or the path of a text")
    top.add_argument("--cell", help="of a grid on a text: this cell alone, such as 'full, eta 1'")
    top.add_argument(
        "--store",
        action="store_true",
        help="put a table on a text into book/data under the grid's name, where chapters read it",
    )
    return top


def read(path, seeds=None):
    """The grid of a TOML file, of any of the three kinds; ``seeds``: instead of the file's."""
    if seeds is not None:
        require_seeds("SEEDS", seeds)
    if is_text_grid(path):
        return read_text_grid(path, seeds)
    if is_graph_grid(path):
        require(seeds is None, "SEEDS", seeds, "none for the graph of a text")
        return read_graph_grid(path)
    if seeds is not None:
        require(len(seeds) == 1, "SEEDS", seeds, "one number for a grid of rates: how many")
    return read_rate_grid(path, seeds and seeds[0])


def narrowed(grid, corpus=None, cell=None):
    """The grid on another text, or one cell of it: a stored table's cell, to be run again."""
    given = {"corpus": corpus} if corpus else {}
    given |= {"only": (cell,)} if cell else {}
    for name in given:
        typed = {"corpus": ("CORPUS", corpus), "only": ("CELL", cell)}[name]
        require(hasattr(grid, name), *typed, "none for such a grid")
    if cell:
        names = replace(grid, **given | {"only": ()}).cells
        allowed = f"words of the name of a cell: {'; '.join(names)}"
        require(any(cell in name for name in names), "CELL", cell, allowed)
    return replace(grid, **given) if given else grid


def command_of(arguments):
    """The command that makes the same table again, for its provenance: from the project's root, and
    of a file elsewhere the name alone, since folders of this machine are nobody's business.
    """
    grid = Path(current().relative(arguments.grid))
    seeds = f' SEEDS="{" ".join(map(str, arguments.seeds))}"' if arguments.seeds else ""
    other = f" CORPUS={arguments.corpus}" if arguments.corpus else ""
    other += f" CELL={arguments.cell!r}" if arguments.cell else ""
    return f"make sweep GRID={grid.name if grid.is_absolute() else grid.as_posix()}{seeds}{other}"


def run(arguments):
    """Run what is missing and write the table; returns the path of the table."""
    grid = narrowed(read(arguments.grid, arguments.seeds), arguments.corpus, arguments.cell)
    if arguments.store:
        whole = not (arguments.corpus or arguments.cell)
        require(whole, "--store", arguments.grid, "a whole grid on its own text")
        of_text = is_text_grid(arguments.grid) or is_graph_grid(arguments.grid)
        require(of_text, "--store", arguments.grid, "a grid with a table [text] or [graph]")
    print(f"{len(grid.runs())} units of work, into {arguments.out}")
    table = run_sweep(
        grid,
        arguments.out,
        command_of(arguments),
        progress=lambda names: tqdm(names, unit="unit", disable=None),
        note=lambda line: print(line, file=sys.stderr),
        threads=joblib.cpu_count(),
    )
    if arguments.store:
        target = current().data / f"{Path(arguments.grid).stem}.json"
        write_atomically(target, table.read_bytes())
        seals.seal(target)
        print(f"stored: {target}")
    return table


def main(argv):
    """Run the grid that ``argv`` names; returns the exit status."""
    arguments = parser().parse_args(argv)
    arguments.out = arguments.out or Path("_build/sweeps") / Path(arguments.grid).stem
    try:
        table = run(arguments)
    except (ValueError, OSError, OverflowError, MemoryError) as error:
        reason = str(error) or type(error).__name__
        if isinstance(error, OverflowError | MemoryError):
            reason = f"{arguments.grid}: a run of it is larger than this machine can hold: {reason}"
        print(f"error: {reason.splitlines()[0]}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(
            f"interrupted; the same command resumes from what is in {arguments.out}",
            file=sys.stderr,
        )
        return 130
    print(f"results: {table}")
    return 0


def main_and_leave(rest):
    """``main`` for a process of its own, which ends here and now if a run is still in the middle.

    Python cannot end such threads: waiting takes minutes, and its own way out aborts.
    """
    status = main(rest)
    if any(thread.name == THREAD for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return status
