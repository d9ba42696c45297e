"""What a stored notebook must be: executed whole, its ledger closed, tables those of its rows,
outputs those of its record.

The record in its metadata, ``book = {"inputs": …, "outputs": …, "reads": …}``, is a lock: the
fingerprint of what the outputs were made from, the hash of the outputs, and the hash of each stored
table that the chapter reads, so that a table is not changed without its readers.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import fields

import nbformat
from nbformat import NotebookNode

from ledgerbook.chapters import cells as source
from ledgerbook.chapters import notebooks
from ledgerbook.ledger.judgement import controls
from ledgerbook.ledger.ledger import Claim
from ledgerbook.ledger.ledger_table import MIME, Rows, Summary

TAGS = (source.TAG, "hide-input", "hide-output", "hide-cell")
MOST = 2_000_000  # bytes of the outputs of a cell, as they are stored


def execution_problem(notebook: NotebookNode) -> str | None:
    """Why the outputs cannot be trusted, or ``None``."""
    return next(iter(problems(notebook)), None)


def problems(notebook: NotebookNode) -> Iterable[str]:
    """Everything that is wrong with an executed notebook, as lines."""
    cells = notebooks.code_cells(notebook)
    if [cell.execution_count for cell in cells] != list(range(1, len(cells) + 1)):
        yield _not_in_order(cells)
        return
    yield from source.problems(notebook)
    for number, cell in enumerate(notebooks.code_cells(notebook), 1):
        for problem in _cell_problems(cell):
            yield f"code cell {number}: {problem}"
    yield from _ledger_problems(notebook)


def _not_in_order(cells: list[NotebookNode]) -> str:
    """Why these cells were not executed as a whole."""
    counts = [cell.execution_count for cell in cells]
    if not any(counts):
        return "no code cell is executed, or the outputs were stripped"
    last = next((k for k, count in enumerate(counts) if count != k + 1), len(counts))
    if last and not any(counts[last:]) and not any(cell.outputs for cell in cells[last:]):
        return f"code cell {last} ended the run, as sys.exit() does: none below it was executed"
    return f"code cells are not executed 1..{len(counts)} in order: {counts}"


def _cell_problems(cell: NotebookNode) -> Iterable[str]:
    tags = cell.metadata.get("tags", ())
    unknown = [tag for tag in tags if tag not in TAGS]
    if unknown:
        yield f"tags {unknown}, allowed: {', '.join(TAGS)}"
    hidden = [tag for tag in tags if tag in ("hide-cell", "hide-output")]
    if hidden and any(MIME in output.get("data", {}) for output in cell.outputs):
        yield f"tags {hidden} hide rows: a cell that shows rows has hide-input at most"
    lines = [line.strip() for line in cell.source.splitlines()]
    if any(line.startswith("#") and "NBVAL_" in line.upper() for line in lines):
        yield "a comment that tells nbval to look away"
    if (size := len(json.dumps(cell.outputs))) > MOST:
        yield f"its outputs take {size / 1e6:.1f} MB, allowed: {MOST / 1e6:.0f} MB"
    for output in cell.outputs:
        if output.output_type == "error":
            yield f"a stored error: {output.get('ename')}: {output.get('evalue')}"
        if output.get("name") == "stderr":
            yield f"something on stderr: {(output.text.strip().splitlines() or [''])[-1]}"


def _ledger_problems(notebook: NotebookNode) -> Iterable[str]:
    """What the ledger shows that does not follow from the rows of its closing records."""
    records = notebooks.closing_records(notebook)
    if not records:
        yield "no ledger row: the last cell must be ledger.close()"
        return
    recorded = [(tag, *pair) for tag, one in records.items() for pair in recorded_rows(one)]
    roles = {(tag, row["id"]): role for tag, role, row in recorded}
    shown = Counter(
        (output["tag"], json.dumps(row))
        for output in notebooks.ledger_outputs(notebook)
        for row in output.get("rows", ())
    )
    wanted = Counter((tag, json.dumps(row)) for tag, _, row in recorded)
    if apart := (shown - wanted) + (wanted - shown):
        ids = sorted({json.loads(row)["id"] for _, row in apart})
        yield f"the rows shown and the rows of the closing record differ: {', '.join(ids)}"
        return
    for tag, _, row in recorded:
        yield from (f"{tag} row {row['id']}: {problem}" for problem in _row_problems(row))
    for data in notebooks.ledger_bundles(notebook):
        if closed := data[MIME].get("closed"):
            ids = ["closing record"]
            made = Summary(closed)._repr_mimebundle_()
        else:
            tag, rows = data[MIME]["tag"], data[MIME]["rows"]
            ids = [row["id"] for row in rows]
            told = [(roles[tag, row["id"]], row) for row in rows]
            made = Rows(told, tag, records[tag]["standing"])._repr_mimebundle_()
        for kind in dict.fromkeys([*made, *data]):
            if made.get(kind) != data.get(kind):
                yield f"the table shown ({kind}) is not the one of its rows: {', '.join(ids)}"


def recorded_rows(record: dict) -> Iterable[tuple[str, dict]]:
    """All rows of a closing record with their roles: claims and steps, then controls."""
    yield from ((row.get("role", "claim"), row) for row in record["claims"])
    for hypothesis in record["hypotheses"]:
        yield from ((f"control of {hypothesis['id']}", row) for row in controls(hypothesis))


def _row_problems(row: dict) -> Iterable[str]:
    """What in a stored row does not follow from the rest of it: verdict, margin."""
    known = {field.name for field in fields(Claim)}
    again = Claim(**{key: value for key, value in row.items() if key in known}).record()
    for key, value in row.items():
        if key not in again or again[key] != value:
            yield f"{key} is {value!r}, but follows to be {again.get(key, 'absent')!r}"


def record(notebook: NotebookNode) -> dict:
    """The lock that the stored notebook carries, or nothing."""
    return dict(notebook.metadata.get("book", {}))


def record_problem(notebook: NotebookNode) -> str | None:
    """Why the outputs are not those of the record, or ``None``."""
    found = record(notebook)
    if not found:
        return "its outputs carry no record of what they were made from: run `make book`"
    cells = notebooks.code_cells(notebook)
    if cells and not any(cell.execution_count or cell.outputs for cell in cells):
        return "its outputs were stripped, as nbstripout does where git is told of it"
    if found.get("outputs") != notebooks.outputs_digest(notebook):
        return "its outputs were altered by hand: they are not those of its record"
    return None


def with_outputs(
    notebook: NotebookNode, done: NotebookNode, inputs: str, reads: dict[str, str] | None = None
) -> NotebookNode:
    """``notebook`` with the outputs of ``done``, the same code executed, and their record."""
    cells = zip(notebooks.code_cells(notebook), notebooks.code_cells(done), strict=True)
    for cell, executed in cells:
        cell.outputs, cell.execution_count = executed.outputs, executed.execution_count
    digest = notebooks.outputs_digest(notebooks.strip(notebook))
    lock = {"inputs": inputs, "outputs": digest} | ({"reads": reads} if reads else {})
    notebook.metadata["book"] = nbformat.from_dict(lock)
    return notebook
