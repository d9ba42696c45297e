"""What the pages show, for machines: errata, equations and all rows beside the ledger.

Every row of the ledger has a number there, C1, C2, ..., in the ledger's own order: first the
claims of a statement, then the controls of its hypotheses.
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ledgerbook.chapters.data_scripts import packed
from ledgerbook.ledger.judgement import rows_of
from ledgerbook.pages.ledger_page import strongest
from ledgerbook.project import paths

ERRATUM = "id tag location reach misprint proof printed corrected fails holds script".split()
COLUMNS = (
    "kind strength observed relation bound rtol atol passed as_printed resolution claim".split()
)
EQUATION = "number tag evidence claims why_not".split()


def as_csv(columns: list[str], rows: Iterable[dict[str, Any]]) -> str:
    """Rows as comma-separated values; a column that a row lacks stays empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def errata(ledger: dict[str, Any]) -> list[dict[str, Any]]:
    """One row a slip, with the ids of the claim that fails and of the one that holds."""
    return [
        {**one, "fails": one["evidence"][0], "holds": one["evidence"][1]}
        for one in ledger["errata"]
    ]


def equations(ledger: dict[str, Any]) -> list[dict[str, Any]]:
    """One row an equation, with the claims that answer for it and their strongest evidence."""
    return [
        {**one, "claims": " ".join(one["claims"]), "evidence": strongest(one, ledger)}
        for one in ledger["equations"]
    ]


def write(folder: Path, ledger: dict[str, Any]) -> None:
    """Both lists as JSON and as a table."""
    for name, columns, rows in (
        ("errata", ERRATUM, errata(ledger)),
        ("equations", EQUATION, equations(ledger)),
    ):
        paths.write_if_changed(folder / f"{name}.json", packed(ledger[name]))
        paths.write_if_changed(folder / f"{name}.csv", as_csv(columns, rows))


class Numbered(NamedTuple):
    """A row of the ledger: its number, its statement's entry, the row itself."""

    number: str
    statement: dict[str, Any]
    row: dict[str, Any]


def numbered(ledger: dict[str, Any]) -> list[Numbered]:
    """All rows of a ledger, numbered."""
    rows = ((one, row) for one in ledger["statements"] for row in rows_of(one))
    return [Numbered(f"C{count}", one, row) for count, (one, row) in enumerate(rows, 1)]


def described(one: Numbered) -> dict[str, Any]:
    """A row for a table of all: its number, its names, what it says."""
    names = {"number": one.number, "statement": one.statement["tag"], "row": one.row["id"]}
    return names | {name: one.row.get(name) for name in COLUMNS}


def table(ledger: dict[str, Any]) -> str:
    """All rows as comma-separated values, numbered."""
    columns = ["number", "statement", "row", *COLUMNS]
    return as_csv(columns, (described(one) for one in numbered(ledger)))
