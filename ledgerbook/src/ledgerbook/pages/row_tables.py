"""Tables of rows on pages: made of the stored rows, not of the cells that a notebook shows."""

import html
from typing import Any

from ledgerbook.chapters.statements import part_of
from ledgerbook.execution.snapshot import recorded_rows
from ledgerbook.ledger.ledger_table import (
    HEADER,
    markdown_table,
    row_cells,
    show_value,
    table_cell,
    typeset,
)
from ledgerbook.references import targets

# A control that held is a hypothesis that was dropped with the effect foretold, most often a
# failure: *holds* would seem to speak of the statement.
CONTROLS = {"✓ holds": "✓ as expected", "✗ fails": "✗ not as expected"}


def stored(shown: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """The rows that an output shows as the ledger has them, each behind its role.

    The ledger knows whose words a claim takes, as corrected, say; a notebook only whether it is as
    printed.  Empty where the ledger does not have all of them.
    """
    record = targets.records().get(shown.get("tag", ""))
    known = {row["id"]: (role, row) for role, row in recorded_rows(record)} if record else {}
    ids = [row["id"] for row in shown.get("rows", ())]
    return [known[id] for id in ids] if known.keys() >= {*ids} else []


def table(rows: list[tuple[str, dict[str, Any]]]) -> str:
    """A chapter's table of rows, as Markdown."""
    return markdown_table(HEADER, [cells(f"{role} `{row['id']}`", row) for role, row in rows])


def cells(name: str, row: dict[str, Any]) -> list[str]:
    """The cells of a row: bounds and values set as numbers, a control's verdict as such."""
    first, claim, _, _, margin, evidence, verdict = row_cells(name, row)
    numbers = [show_value(row["observed"]), f"{row['relation']} {show_value(row['bound'])}", margin]
    if name.startswith("control of "):
        verdict = CONTROLS.get(verdict, verdict)
    return [first, claim, *(table_cell(typeset(one)) for one in numbers), evidence, verdict]


def deferred(tag: str, table: str) -> str:
    """A table of the ledger page in ``noscript``, with the part that its statement is of.

    A browser that runs scripts takes it as one text, of which a script shows what is asked for, so
    that a thousand rows cost it nothing until then; one that runs none shows the whole.
    """
    return (
        f'<noscript class="rows" data-part="{html.escape(part_of(tag))}">\n\n{table}\n\n</noscript>'
    )
