"""Reading the TOML files that describe grids; errors name the file."""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lib.validation import require, require_seed

MOST_RUNS = 1_000_000


def read_tables(path: str | Path) -> dict[str, dict[str, Any]]:
    """The tables of a TOML file by name; raises ``ValueError`` that names file and fault."""
    given, path = str(path), Path(path)
    require(
        path.is_file(),
        "GRID",
        given,
        "an existing TOML file, such as book/grids/figure_06.toml",
    )
    with naming(path):
        try:
            tables = tomllib.loads(path.read_text(encoding="utf-8-sig"))
        except ValueError as error:  # not TOML, or not UTF-8
            raise ValueError(f"not TOML: {error}") from None
        for name, table in tables.items():
            require(
                isinstance(table, dict),
                name,
                table,
                "a table, that is a line [name] with its settings below it",
            )
    return tables


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Put the file's name before the message of a ``ValueError``."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def require_seeds(argument: str, seeds: Any) -> tuple[int, ...]:
    """Return a list of different seeds as a tuple."""
    require(isinstance(seeds, (list, tuple)) and len(seeds) > 0, argument, seeds, "a list of seeds")
    require_run_count(len(seeds))
    for seed in seeds:
        require_seed(argument, seed)
    require(len(set(seeds)) == len(seeds), argument, list(seeds), "no value twice")
    return tuple(seeds)


def require_run_count(count: int) -> None:
    """Raise ``ValueError`` for a grid of too many runs, before they are listed."""
    require(count <= MOST_RUNS, "runs", count, f"at most {MOST_RUNS} in one grid")
