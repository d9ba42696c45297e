"""A grid of runs on real text as a TOML file: an experiment, the text, the size, the seeds."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import torch

from lib.arrays import Array
from lib.real_text.cells import WINDOWS, Cell, run_cell
from lib.real_text.corpus import Corpus, load
from lib.real_text.effects_table import grid_effects
from lib.real_text.experiments import EXPERIMENTS
from lib.real_text.kneser_ney import baselines
from lib.real_text.models import OUTPUTS, Architecture
from lib.real_text.tables import json_bytes, provenance, rounded
from lib.real_text.train import fixed_windows
from lib.sweeps.store import Result, Run, path_of
from lib.sweeps.toml import naming, read_tables, require_seeds
from lib.validation import require, require_choice, require_integer


@dataclass(frozen=True)
class TextGrid:
    """Which runs: an experiment of ``lib.real_text.experiments``, the text, the size, the seeds.

    only: words; cells whose name holds none of them are left out (all cells when empty).
    output: arithmetic of the output layer (``lib.real_text.fused_loss``); whether ``bfloat16``
    takes less time depends on the processor, ``benchmarks.text`` measures it.  device: its name.
    """

    experiment: str
    corpus: str = "wikitext"
    vocab_size: int = 8000
    width: int = 200
    seeds: tuple = (0, 1, 2, 3, 4)
    only: tuple = ()
    output: str = "float32"
    device: str = "cpu"

    def __post_init__(self) -> None:
        require_choice("experiment", self.experiment, tuple(EXPERIMENTS))
        require_integer("vocab_size", self.vocab_size, 10)
        require_integer("width", self.width, 2)
        object.__setattr__(self, "seeds", require_seeds("seeds", self.seeds))
        require_choice("output", self.output, OUTPUTS)
        _require_device(self.device)
        names = EXPERIMENTS[self.experiment].cells(self.vocab_size, self.width)
        words = isinstance(self.only, (list, tuple)) and all(
            isinstance(word, str) for word in self.only
        )
        require(
            words and (not self.only or any(word in name for word in self.only for name in names)),
            "only",
            self.only,
            f"a list of words from {sorted(names)}",
        )

    @cached_property
    def text(self) -> Corpus:
        """The ``Corpus``, read once."""
        return load(self.corpus, self.vocab_size)

    @cached_property
    def cells(self) -> dict[str, Cell]:
        """The wanted ``Cell``s by name."""
        cells = EXPERIMENTS[self.experiment].cells(self.text.vocab_size, self.width)
        wanted = lambda name: not self.only or any(word in name for word in self.only)
        return {name: cell for name, cell in cells.items() if wanted(name)}

    def record(self) -> dict[str, Any]:
        """The grid as plain data, with the text's fingerprint."""
        return asdict(self) | {"sha256": self.text.sha256}

    def run_of(self, name: str, seed: int) -> Run:
        """The ``Run`` of a cell for a seed."""
        cell = self.cells[name].trained(seed=seed)
        settings = {
            "cell": name,
            "model": {"kind": type(cell.model).__name__} | asdict(cell.model),
            "training": asdict(cell.training),
            "shuffled": cell.shuffled,
            "logits_at": self.logits_at(cell),
            "text": self.text.sha256,
            "vocab_size": self.text.vocab_size,
            "output": self.output,
            "device": self.device,
        }
        return Run(f"{name}, seed {seed}", settings)

    def logits_at(self, cell: Cell) -> list[int]:
        """When a cell's attention logits are kept: at the experiment's iterations and the end."""
        wanted = EXPERIMENTS[self.experiment].logits_at
        return [*wanted, cell.training.iterations] if wanted else []

    def runs(self) -> list[Run]:
        """Every ``Run``, by cell, then by seed."""
        return [self.run_of(name, seed) for name in self.cells for seed in self.seeds]

    def work(self, folder: Path) -> Callable[[Run], Result]:
        """A function of a ``Run`` to its ``Result``; unfinished ones leave a state in ``folder``.

        Where that folder is not, as on a cluster's other machine, it begins anew.
        """
        return partial(run_text, self.text, self.cells, folder)

    def table(self, read: Callable[[Run], Result], command: str) -> tuple[str, bytes]:
        """``results.json`` in the form of the tables in ``book/data``."""
        runs = EXPERIMENTS[self.experiment]
        table = self._effects(read) if runs.logits_at else self._of_runs(read, runs.drawn)
        origin = provenance(self.text, command, vocab_size=self.text.vocab_size, width=self.width)
        return "results.json", json_bytes(table | {"provenance": origin})

    def _of_runs(self, read: Callable[[Run], Result], drawn: Collection[str]) -> dict[str, Any]:
        """The runs, and what n-grams do on the windows that their losses are means over."""
        return {"runs": self._records(read, drawn), "baselines": self.baselines()}

    def baselines(self) -> dict[str, float]:
        """Nats of n-grams by order: ``lib.real_text.kneser_ney.baselines``."""
        length = next(iter(self.cells.values())).training.length
        return rounded(baselines(self.text, fixed_windows(self.text.valid, WINDOWS, length)))

    def _effects(self, read: Callable[[Run], Result]) -> dict[str, Any]:
        def logits_of(name: str, seed: int) -> dict[int, Array]:
            return {int(i): values for i, values in read(self.run_of(name, seed)).arrays.items()}

        return rounded(grid_effects(self.text, self.cells, self.seeds, logits_of))

    def _records(
        self, read: Callable[[Run], Result], drawn: Collection[str]
    ) -> list[dict[str, Any]]:
        """The runs' records; maps only of the cells ``drawn``, and of the first seed."""
        records = []
        for name in self.cells:
            for seed in self.seeds:
                record = dict(read(self.run_of(name, seed)).record)
                if name not in drawn or seed != self.seeds[0]:
                    record.pop("maps")
                records.append(record)
        return records


def run_text(corpus: Corpus, cells: dict[str, Cell], folder: Path, run: Run) -> Result:
    """Carry out one ``Run`` of a ``TextGrid``; the ``Result``'s arrays are logits by iteration."""
    wanted = run.settings
    cell = cells[wanted["cell"]].trained(seed=wanted["training"]["seed"])
    result = run_cell(
        corpus,
        cell,
        keep=wanted["logits_at"],
        device=wanted["device"],
        output=wanted["output"],
        resume=path_of(folder, run).with_suffix(".state") if folder.is_dir() else None,
    )
    logits = {str(iteration): values for iteration, values in result.pop("logits").items()}
    embedding = isinstance(cell.model, Architecture)
    record = {
        "cell": wanted["cell"],
        "seed": cell.training.seed,
        "training": asdict(cell.training),
        "output": wanted["output"] if embedding else "plain",
        "architecture": asdict(cell.model) if embedding else None,
    }
    return Result(rounded(record | result), logits)


def _require_device(name: str) -> None:
    try:
        torch.device(name)
    except (RuntimeError, TypeError):
        require(False, "device", name, "a device of PyTorch, such as 'cpu' or 'cuda'")


def is_text_grid(path: str | Path) -> bool:
    """Whether a TOML file describes runs on real text: it has a table ``[text]``."""
    return "text" in read_tables(path)


def read_text_grid(path: str | Path, seeds: Sequence[int] | None = None) -> TextGrid:
    """Read a ``TextGrid``; raises ``ValueError`` that names the file and what is wrong with it.

    seeds: a list, instead of what the file says.
    """
    tables = read_tables(path)
    with naming(path):
        known = set(TextGrid.__dataclass_fields__)
        require(set(tables) == {"text"}, "tables", sorted(tables), "[text] alone")
        require(
            set(tables["text"]) <= known and "experiment" in tables["text"],
            "[text]",
            sorted(tables["text"]),
            "experiment, and of " + ", ".join(sorted(known)),
        )
        return TextGrid(**tables["text"] | ({} if seeds is None else {"seeds": seeds}))
