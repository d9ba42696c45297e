"""``python -m ledgerbook recheck C12 C40``: chosen claims, measured again and compared.

Every row of the ledger has a number here, C1, C2, ..., in the ledger's own order: first the
claims of a statement, then the controls of its hypotheses.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ledgerbook import collect, compare, downloads, execute, notebooks
from ledgerbook.ledger_table import show_value


class Numbered(NamedTuple):
    """A row of the ledger: its number, its statement's entry, the row itself."""

    number: str
    statement: dict[str, Any]
    row: dict[str, Any]


def numbered(ledger: dict[str, Any]) -> list[Numbered]:
    """All rows of a ledger, numbered."""
    rows = ((one, row) for one in ledger["statements"] for row in rows_of(one))
    return [Numbered(f"C{count}", one, row) for count, (one, row) in enumerate(rows, 1)]


def rows_of(statement: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The claims of an entry, or of a chapter's closing record, and its controls."""
    yield from statement["claims"]
    for hypothesis in statement["hypotheses"]:
        controls = [hypothesis.get("control"), *hypothesis.get("further_controls", ())]
        yield from (control for control in controls if control)


COLUMNS = (
    "kind strength observed relation bound rtol atol passed as_printed resolution claim".split()
)


def described(one: Numbered) -> dict[str, Any]:
    """A row for a table of all: its number, its names, what it says."""
    names = {"number": one.number, "statement": one.statement["tag"], "row": one.row["id"]}
    return names | {name: one.row.get(name) for name in COLUMNS}


def table(ledger: dict[str, Any]) -> str:
    """All rows as comma-separated values, numbered."""
    columns = ["number", "statement", "row", *COLUMNS]
    return downloads.as_csv(columns, (described(one) for one in numbered(ledger)))


def main(wanted: list[str], ledger_file: Path | None) -> int:
    """Execute the chapters of the claims ``wanted`` apart and compare; returns the exit status.

    ledger_file: the evidence to compare with; what this project has stored when omitted.  Raises
    ``ValueError`` for a number that the ledger does not have.
    """
    stored = collect.collect() if ledger_file is None else _ledger(ledger_file)
    known = {one.number: one for one in numbered(stored)}
    unknown = [name for name in wanted if name not in known]
    if unknown or not wanted:
        raise ValueError(f"claims = {wanted}, allowed: one or more of C1 to C{len(known)}")
    chosen = [known[name] for name in dict.fromkeys(wanted)]
    failed = 0
    for chapter in dict.fromkeys(one.statement["chapter"] for one in chosen):
        here = [one for one in chosen if one.statement["chapter"] == chapter]
        found, error = _again(here[0].statement["tag"])
        for one in here:
            lines = [error] if error else _differences(one, found)
            failed += bool(lines)
            print(_line(one, lines), flush=True)
    print(f"{len(chosen) - failed} of {len(chosen)} claims reproduced")
    return 1 if failed else 0


def _ledger(file: Path) -> dict[str, Any]:
    ledger = json.loads(file.read_text(encoding="utf-8"))
    collect.validate(ledger)
    return ledger


def _again(tag: str) -> tuple[dict[str, dict[str, Any]], str | None]:
    """``({statement: {row id: row}}, error)`` of a chapter executed now, apart."""
    target, error = execute.run_chapter(tag)
    if error:
        return {}, error
    records = notebooks.closing_records(notebooks.read(target))
    return {tag: {row["id"]: row for row in rows_of(one)} for tag, one in records.items()}, None


def _differences(one: Numbered, found: dict[str, dict[str, Any]]) -> list[str]:
    row = found.get(one.statement["tag"], {}).get(one.row["id"])
    if row is None:
        return ["no such row any more"]
    place = f"{one.statement['tag']} row {row['id']}"
    old = {key: value for key, value in one.row.items() if key in row}
    return [str(line) for line in compare.row_differences(place, old, row)]


def _line(one: Numbered, differences: list[str]) -> str:
    row, name = one.row, f"{one.number} {one.statement['tag']} {one.row['id']}"
    told = f"{name}: {show_value(row['observed'])} ({row['relation']} {show_value(row['bound'])})"
    return f"DIFFERS {told}: {'; '.join(differences)}" if differences else f"same    {told}"
