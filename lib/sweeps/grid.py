"""A grid of training runs as a TOML file says it: read, checked, cut into blocks.

A block is one number of queries, one seed and up to ``CELLS_PER_BLOCK`` pairs of rates: they share
data and start, and the cut depends on the grid alone, never on who computes it.
"""

import tomllib
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path

from lib.scan_snap.engine.batches import require_batch
from lib.scan_snap.sequence_classes import syn_medium
from lib.validation import require, require_choice, require_integer, require_momentum, require_rate

CELLS_PER_BLOCK = 64
RUN = {
    "steps": 100,
    "batch_size": 128,
    "T": 128,
    "momentum": 0.9,
    "init": "uniform",
    "optimizer": "sgd",
    "dtype": "float32",
}
CLASSES = {"next_per_query": 2, "num_common": 10, "num_distinct": 10, "common_weight": 1.0}


@dataclass(frozen=True)
class Block:
    """One unit of work: ``name`` is its file's stem; ``run`` and ``classes`` are keyword
    arguments.
    """

    name: str
    queries: int
    seed: int
    eta_z: tuple
    ratio: tuple
    run: dict
    classes: dict


@dataclass(frozen=True)
class Grid:
    """queries, eta_z, ratio (eta_Y / eta_Z): lists; seeds: how many, from 0; run and classes:
    options.
    """

    queries: list
    eta_z: list
    ratio: list
    seeds: int
    run: dict = field(default_factory=dict)
    classes: dict = field(default_factory=dict)

    def __post_init__(self):
        for name in ("queries", "eta_z", "ratio"):
            values = getattr(self, name)
            require(
                isinstance(values, list) and values,
                f"grid.{name}",
                values,
                "a list with at least one number",
            )
            for value in values:
                (
                    require_integer(f"grid.{name}", value, 1)
                    if name == "queries"
                    else require_rate(f"grid.{name}", value)
                )
            require(len(set(values)) == len(values), f"grid.{name}", values, "no value twice")
        require_integer("grid.seeds", self.seeds, 1)
        for name, known in (("run", RUN), ("classes", CLASSES)):
            unknown = sorted(set(getattr(self, name)) - set(known))
            require(not unknown, f"[{name}]", unknown, "only " + ", ".join(known))
            object.__setattr__(self, name, known | getattr(self, name))
        self._check_options()

    def _check_options(self):
        run = self.run
        require_integer("run.steps", run["steps"], 1)
        require_batch(run["batch_size"], run["T"])
        require_momentum("run.momentum", run["momentum"])
        for name, choices in (
            ("init", ("zero", "uniform")),
            ("optimizer", ("sgd", "adam")),
            ("dtype", ("float32", "float64")),
        ):
            require_choice(f"run.{name}", run[name], choices)
        syn_medium(1, **self.classes)

    @property
    def num_runs(self):
        """How many training runs the grid asks for."""
        return len(self.queries) * len(self.eta_z) * len(self.ratio) * self.seeds

    def blocks(self):
        """Yield every ``Block``, in a fixed order."""
        cells = list(product(self.eta_z, self.ratio))
        parts = [cells[k : k + CELLS_PER_BLOCK] for k in range(0, len(cells), CELLS_PER_BLOCK)]
        for queries, seed, (number, part) in product(
            self.queries, range(self.seeds), enumerate(parts)
        ):
            yield Block(
                f"queries{queries}-seed{seed}-part{number}",
                queries,
                seed,
                *zip(*part, strict=True),
                self.run,
                self.classes,
            )

    def record(self):
        """The grid as plain data, to tell whether a folder belongs to it."""
        return asdict(self)


def read_tables(path):
    """The tables of a TOML file by name; raises ``ValueError`` that names the file unless it is
    TOML made of tables.
    """
    path = Path(path)
    require(
        path.is_file(),
        "GRID",
        str(path),
        "an existing TOML file, such as book/grids/figure_06.toml",
    )
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # not TOML, or not UTF-8
        raise ValueError(f"{path}: not TOML: {error}") from None
    for name, table in tables.items():
        require(
            isinstance(table, dict),
            f"{path}: {name}",
            table,
            "a table, that is a line [name] with its settings below it",
        )
    return tables


def read_grid(path):
    """Read a ``Grid``; raises ``ValueError`` that names the file and what is wrong with it."""
    tables = read_tables(path)
    try:
        require(
            set(tables) <= {"grid", "run", "classes"} and "grid" in tables,
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
        return Grid(**tables["grid"], run=tables.get("run", {}), classes=tables.get("classes", {}))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
