"""A grid of learning rates on the synthetic data of *Scan and Snap*, Section 8, as a TOML file.

A block, the unit of work, is one number of queries, one seed and up to ``CELLS_PER_BLOCK`` pairs of
rates: they share data and start, and the cut depends on the grid alone, never on who computes it.
"""

import csv
import io
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from lib.scan_snap.engine.settings import Settings
from lib.scan_snap.engine.train import train
from lib.scan_snap.sequence_classes import syn_medium
from lib.scan_snap.sparsity import distinct_entropy, top_distinct
from lib.sweeps.store import Result, Run
from lib.sweeps.threads import one_torch_thread
from lib.sweeps.toml import naming, read_tables, require_run_count
from lib.validation import require, require_integer, require_rate

CELLS_PER_BLOCK = 64
OPTIONS: dict[str, dict] = {
    "run": {
        "steps": 100,
        "batch_size": 128,
        "T": 128,
        "momentum": 0.9,
        "init": "uniform",
        "optimizer": "sgd",
        "dtype": "float32",
    },
    "classes": {"next_per_query": 2, "num_common": 10, "num_distinct": 10, "common_weight": 1.0},
}
MEASURED = ("entropy", "common_share", "top_is_frequent", "loss")
COLUMNS = ("queries", "eta_z", "ratio", "seed", *MEASURED)


@dataclass(frozen=True)
class RateGrid:
    """queries, eta_z, ratio (eta_Y / eta_Z): lists; seeds: how many, from 0; else: options."""

    queries: list
    eta_z: list
    ratio: list
    seeds: int
    run: dict = field(default_factory=dict)
    classes: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, check in (
            ("queries", lambda argument, value: require_integer(argument, value, 1)),
            ("eta_z", require_rate),
            ("ratio", require_rate),
        ):
            _require_list(f"grid.{name}", getattr(self, name), check)
        require_integer("grid.seeds", self.seeds, 1)
        require_run_count(self.num_runs)
        for eta_z, ratio in product(self.eta_z, self.ratio):
            require_rate("grid.eta_z * grid.ratio", float(eta_z) * float(ratio))
        for name, known in OPTIONS.items():
            unknown = sorted(set(getattr(self, name)) - set(known))
            require(not unknown, f"[{name}]", unknown, "only " + ", ".join(known))
            object.__setattr__(self, name, known | getattr(self, name))
        with naming("[run]"):
            Settings(**self.run)
        syn_medium(1, **self.classes)

    @property
    def num_runs(self) -> int:
        """How many training runs the grid asks for."""
        return len(self.queries) * len(self.eta_z) * len(self.ratio) * self.seeds

    def record(self) -> dict[str, Any]:
        """The grid as plain data."""
        return asdict(self)

    def runs(self) -> list[Run]:
        """Its blocks, each a ``Run``, in the order of the table."""
        cells = [(float(eta_z), float(ratio)) for eta_z, ratio in product(self.eta_z, self.ratio)]
        parts = [cells[k : k + CELLS_PER_BLOCK] for k in range(0, len(cells), CELLS_PER_BLOCK)]
        return [
            Run(
                f"queries{queries}-seed{seed}-part{number}",
                {
                    "queries": queries,
                    "seed": seed,
                    "eta_z": [eta_z for eta_z, _ in part],
                    "ratio": [ratio for _, ratio in part],
                    "run": self.run,
                    "classes": self.classes,
                },
            )
            for queries, seed, (number, part) in product(
                self.queries, range(self.seeds), enumerate(parts)
            )
        ]

    def work(self, folder: Path) -> Callable[[Run], Result]:
        """``run_block``; blocks are short and need no folder for states."""
        return run_block

    def table(self, read: Callable[[Run], Result], command: str) -> tuple[str, bytes]:
        """All runs as one CSV in the grid's order, floats at full precision."""
        text = io.StringIO()
        table = csv.writer(text, lineterminator="\n")
        table.writerow(COLUMNS)
        for block in self.runs():
            columns = read(block).arrays
            for row in zip(
                *(columns[name].tolist() for name in ("eta_z", "ratio", *MEASURED)), strict=True
            ):
                table.writerow(
                    [block.settings["queries"], *row[:2], block.settings["seed"], *row[2:]]
                )
        return "results.csv", text.getvalue().encode()


def run_block(block: Run) -> Result:
    """Train one block; its ``Result`` has columns (cells,): eta_z, ratio and ``MEASURED``.

    entropy: on distinct tokens; common_share: attention on common tokens; top_is_frequent: share of
    classes whose favourite is the distinct token with the largest probability; loss: mean of the
    last ten batches; the others after the last step.  Raises ``ValueError`` for rates at which a
    number is not finite.
    """
    s = block.settings
    classes = syn_medium(s["queries"], **s["classes"])
    eta_z, ratio = np.array(s["eta_z"], dtype=float), np.array(s["ratio"], dtype=float)
    with one_torch_thread(), np.errstate(all="ignore"):
        run = train(classes, eta_z * ratio, eta_z, seeds=(s["seed"],), **s["run"])
        attention = run.attention[0, :, -1]
        frequent = s["classes"]["num_distinct"] - 1
        columns = {
            "eta_z": eta_z,
            "ratio": ratio,
            "entropy": distinct_entropy(attention, classes),
            "common_share": attention[..., classes.common_tokens].sum(-1).mean(-1),
            "top_is_frequent": (top_distinct(attention, classes) == frequent).mean(-1),
            "loss": run.loss[0, :, -10:].mean(-1).astype(float),
        }
    for name in MEASURED:
        for rate, factor, value in zip(eta_z, ratio, columns[name], strict=True):
            require(
                np.isfinite(value),
                f"{name} at eta_z = {rate:g}, ratio = {factor:g}, queries = {s['queries']}",
                float(value),
                "finite numbers: take smaller rates",
            )
    return Result({}, columns)


def _require_list(argument: str, values: Any, check: Callable[[str, Any], Any]) -> None:
    """A list of different values, each of which ``check`` accepts."""
    require(
        isinstance(values, list) and len(values) > 0,
        argument,
        values,
        "a list with at least one number",
    )
    for value in values:
        check(argument, value)
    require(len(set(values)) == len(values), argument, values, "no value twice")


def read_rate_grid(path: str | Path, seeds: int | None = None) -> RateGrid:
    """Read a ``RateGrid``; raises ``ValueError`` that names the file and what is wrong with it.

    seeds: how many, instead of what the file says.
    """
    tables = read_tables(path)
    with naming(path):
        require(
            set(tables) <= {"grid", *OPTIONS} and "grid" in tables,
            "tables",
            sorted(tables),
            "[grid], and [run] and [classes] if wanted",
        )
        wanted = {"queries", "eta_z", "ratio", "seeds"}
        require(
            set(tables["grid"]) == wanted,
            "[grid]",
            sorted(tables["grid"]),
            "exactly " + ", ".join(sorted(wanted)),
        )
        options = {name: tables.get(name, {}) for name in OPTIONS}
        asked = {} if seeds is None else {"seeds": seeds}
        return RateGrid(**tables["grid"] | asked, **options)  # type: ignore[arg-type]
