"""Real-text grids on Dask: finished runs are kept, an interrupted sweep resumes, inside a run too.

In-process by default, on the cluster that ``DASK_SCHEDULER_ADDRESS`` names when it is set; a run
depends on its seed alone, so the results are the same.
"""

from dataclasses import dataclass
from pathlib import Path

from lib.real_text import corpus as corpora
from lib.real_text.cells import DRAWN, GRIDS, sweep, table
from lib.real_text.models import OUTPUTS
from lib.real_text.tables import provenance, rounded, write_json
from lib.real_text.token_effects import grid_effects
from lib.sweeps.grid import read_tables
from lib.sweeps.run import as_finished, connect
from lib.validation import require, require_choice, require_integer


@dataclass(frozen=True)
class TextGrid:
    """Which runs: an experiment of ``lib.real_text.cells``, the text, the size, the seeds.

    only: words; cells whose name holds none of them are left out (all cells when empty).
    output: arithmetic of the output layer, ``bfloat16`` takes a third less time
    (``lib.real_text.fused_loss``).
    """

    experiment: str
    corpus: str = "wikitext"
    vocab_size: int = 8000
    width: int = 200
    seeds: tuple = (0, 1, 2, 3, 4)
    only: tuple = ()
    output: str = "float32"

    def __post_init__(self):
        require_choice("experiment", self.experiment, tuple(GRIDS))
        require_integer("vocab_size", self.vocab_size, 10)
        require_integer("width", self.width, 2)
        require(
            isinstance(self.seeds, (list, tuple)) and len(self.seeds) > 0,
            "seeds",
            self.seeds,
            "a list of whole numbers",
        )
        for seed in self.seeds:
            require_integer("seeds", seed, 0)
        require(
            len(set(self.seeds)) == len(self.seeds), "seeds", list(self.seeds), "no value twice"
        )
        require_choice("output", self.output, OUTPUTS)
        names = GRIDS[self.experiment](self.vocab_size, self.width)
        words = isinstance(self.only, (list, tuple)) and all(
            isinstance(word, str) for word in self.only
        )
        require(
            words and (not self.only or any(word in name for word in self.only for name in names)),
            "only",
            self.only,
            f"a list of words from {sorted(names)}",
        )


def is_text_grid(path):
    """Whether a TOML file describes runs on real text: it has a table ``[text]``."""
    return "text" in read_tables(path)


def read_text_grid(path):
    """The ``TextGrid`` of a TOML file; raises ``ValueError`` that names the file and what is wrong
    with it.
    """
    tables = read_tables(path)
    try:
        known = set(TextGrid.__dataclass_fields__)
        require(set(tables) == {"text"}, "tables", sorted(tables), "[text] alone")
        require(
            set(tables["text"]) <= known and "experiment" in tables["text"],
            "[text]",
            sorted(tables["text"]),
            "experiment, and of " + ", ".join(sorted(known)),
        )
        return TextGrid(**tables["text"])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def run_text_sweep(path, out_dir, progress=lambda runs: runs):
    """Run what is missing of a text grid in ``out_dir``; returns the path of ``results.json``.

    progress: wraps the list of missing runs and is iterated once per finished run (tqdm fits).
    The table has the form of those in ``book/data``; put there, the chapters show it.
    """
    grid, out_dir = read_text_grid(path), Path(out_dir)
    corpus = corpora.load(grid.corpus, grid.vocab_size)

    def on_dask(function, items):
        if items:
            with connect() as client:
                runs = as_finished(client, function, items)
                for _ in progress(items):
                    yield next(runs)

    folder = sweep(
        grid.experiment,
        corpus,
        grid.width,
        grid.seeds,
        grid.only,
        folder=out_dir,
        finished=on_dask,
        output=grid.output,
    )
    target, command = out_dir / "results.json", f"make sweep GRID={Path(path).name}"
    if grid.experiment == "token_by_token":
        origin = provenance(corpus, command, vocab_size=corpus.vocab_size, width=grid.width)
        write_json(
            target, rounded(grid_effects(corpus, folder, grid.width)) | {"provenance": origin}
        )
    else:
        table(grid.experiment, corpus, command, folder, grid.width, maps_of=DRAWN, target=target)
    return target
