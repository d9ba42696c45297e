"""What the pages show, for machines: the errata and the equations beside the ledger."""

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ledgerbook import paths
from ledgerbook.data_scripts import packed
from ledgerbook.ledger_page import strongest

ERRATUM = "id tag location reach misprint proof printed corrected fails holds script".split()
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
