"""Notebooks as files: reading, stripping, storing whole, and finding the ledger's rows in them."""

import ast
import hashlib
import json

import nbformat

from lib.judgement import controls
from lib.ledger_table import MIME
from tooling import paths

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}
KEPT_CELL_METADATA = ("tags",)


def read(path):
    """A notebook in format 4."""
    return nbformat.read(path, as_version=4)


def strip(notebook):
    """Remove what differs from run to run: times, paths, versions.  In place; returned for
    chaining.
    """
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}}
    )
    for number, cell in enumerate(notebook.cells):
        cell.metadata = nbformat.from_dict(
            {key: cell.metadata[key] for key in KEPT_CELL_METADATA if cell.metadata.get(key)}
        )
        cell.id = f"cell-{number:02d}"
        if cell.cell_type == "code":
            cell.outputs = joined_streams(cell.outputs)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def joined_streams(outputs):
    """Outputs with runs of the same stream as one: where a stream is cut depends on the moment."""
    joined = []
    for output in outputs:
        if (
            joined
            and output.output_type == joined[-1].output_type == "stream"
            and output.name == joined[-1].name
        ):
            joined[-1] = nbformat.v4.new_output(
                "stream", name=output.name, text=joined[-1].text + output.text
            )
        else:
            joined.append(output)
    return joined


def store(notebook, path):
    """Write a notebook atomically, in one canonical form."""
    nbformat.validate(notebook)
    paths.write_atomically(path, nbformat.writes(notebook) + "\n")


def code_cells(notebook):
    """The code cells that hold code."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def code(notebook):
    """All code, cell after cell, as one text with clear seams."""
    return "\n# ---\n".join(cell.source for cell in code_cells(notebook))


def parameters(notebook):
    """Names and default values of the cell tagged ``parameters``: plain assignments only."""
    cell = next(
        (cell for cell in code_cells(notebook) if "parameters" in cell.metadata.get("tags", ())),
        None,
    )
    if cell is None:
        return {}
    return {
        node.targets[0].id: ast.literal_eval(node.value) for node in ast.parse(cell.source).body
    }


def outputs_digest(notebook):
    """A hash of all outputs and execution counts: changed when somebody, or a crash, touched
    them.
    """
    content = [(cell.execution_count, cell.outputs) for cell in code_cells(notebook)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def ledger_outputs(notebook):
    """The machine-readable outputs of the ledger, in order."""
    return [
        output["data"][MIME]
        for cell in code_cells(notebook)
        for output in cell.outputs
        if MIME in output.get("data", {})
    ]


def closing_records(notebook):
    """The records that ``ledger.close()`` left, by tag: one for each statement judged here."""
    closed = [output["closed"] for output in ledger_outputs(notebook) if "closed" in output]
    return {record["tag"]: record for record in closed}


def recorded_rows(record):
    """All rows of a closing record: claims, then controls."""
    return [*record["claims"], *controls(record)]


def execution_problem(notebook):
    """Why the stored execution cannot be trusted, or ``None``: counts must be 1..n, and the ledger
    closed.
    """
    counts = [cell.execution_count for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        return f"code cells are not executed 1..{len(counts)} in order: {counts}"
    if any(
        output.output_type == "error" for cell in code_cells(notebook) for output in cell.outputs
    ):
        return "a stored cell holds an error"
    records = closing_records(notebook)
    if not records:
        return "no ledger row: the last cell must be ledger.close()"
    shown = [row for output in ledger_outputs(notebook) for row in output.get("rows", ())]
    recorded = [row for record in records.values() for row in recorded_rows(record)]
    if sorted(map(json.dumps, shown)) != sorted(map(json.dumps, recorded)):
        return "the rows shown and the rows of the closing record differ"
    return None
