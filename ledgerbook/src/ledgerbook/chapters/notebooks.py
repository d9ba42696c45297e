"""Notebooks as files: reading, normalising and writing them, and finding the ledger's outputs."""

import ast
import hashlib
import json
import warnings
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from ledgerbook.ledger.ledger_table import MIME
from ledgerbook.project import storage, syntax
from ledgerbook.project.project import current
from ledgerbook.project.validation import require

KERNELSPEC = {"display_name": "Python 3", "language": "python", "name": "python3"}


def read(path: Path) -> NotebookNode:
    """The notebook in a file, in format 4 and normalised by ``tidied``.

    Raises ``ValueError`` that names the file if it is not a notebook.
    """
    return parse(path.read_bytes(), path)


_valid: set[bytes] = set()  # digests of what was found to be a notebook: one run reads it often


def parse(data: bytes, path: Path) -> NotebookNode:
    """The notebook in ``data``, the content of the file ``path``, as ``read`` returns it."""
    digest = hashlib.sha256(data).digest()
    if digest in _valid:
        return tidied(nbformat.v4.reads(data.decode("utf-8-sig")))
    try:
        text = data.decode("utf-8-sig")  # some editors begin with a mark of the byte order
        raw = json.loads(text)
        if not isinstance(raw, dict) or not isinstance(raw.get("nbformat"), int):
            raise ValueError("it names no version of nbformat")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of ids that are missing or stand twice: ours count
            notebook = nbformat.reads(text, as_version=4)
            nbformat.validate(notebook)
    except Exception as error:  # nbformat raises a dozen kinds
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        where = "".join(f"{part} " for part in getattr(error, "absolute_path", ()))
        why = f"{where}{(str(error).splitlines() or [type(error).__name__])[0]}"[:120]
        raise ValueError(f"{current().relative(path)}{line}: not a notebook: {why}") from None
    if raw["nbformat"] == 4:  # an older format is converted each time
        _valid.add(digest)
    return tidied(notebook)


def tidied(notebook: NotebookNode) -> NotebookNode:
    """Remove what editors add to a notebook.

    Line ends are unified; empty cells without outputs and empty attachments are removed.  Changes
    the notebook in place and returns it.
    """
    notebook.cells = [cell for cell in notebook.cells if cell.source.strip() or cell.get("outputs")]
    for cell in notebook.cells:
        cell.source = cell.source.replace("\r\n", "\n").replace("\r", "\n")
        if not cell.get("attachments", True):
            del cell["attachments"]
    return notebook


def strip(notebook: NotebookNode) -> NotebookNode:
    """Remove what differs from run to run, so that equal results are equal files.

    Of the metadata only kernel, language, the tags of cells and ``book`` remain; cells are
    numbered, and outputs of one stream that follow each other are joined.  Changes the notebook in
    place and returns it.
    """
    kept = {"book": notebook.metadata["book"]} if "book" in notebook.metadata else {}
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": KERNELSPEC, "language_info": {"name": "python"}, **kept}
    )
    for number, cell in enumerate(notebook.cells):
        tags = cell.metadata.get("tags")
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        cell.id = f"cell-{number:02d}"
        if cell.cell_type == "code":
            cell.outputs = joined_streams(cell.outputs)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return notebook


def joined_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Outputs in which several outputs of one stream that follow each other are joined into one.

    Where a kernel splits a stream depends on timing.
    """
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else NotebookNode()
        stream = output.output_type == last.get("output_type") == "stream"
        if stream and output.name == last.name:
            joined[-1] = NotebookNode(last, text=last.text + output.text)
        else:
            joined.append(output)
    return joined


def canonical(notebook: NotebookNode) -> bytes:
    """The notebook after ``strip``, as the bytes of its file."""
    return f"{nbformat.writes(strip(notebook))}\n".encode()


def store(notebook: NotebookNode, path: Path) -> None:
    """Validate a notebook and write its ``canonical`` form atomically."""
    nbformat.validate(notebook)
    storage.write_atomically(path, canonical(notebook))


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells of a notebook, in order.

    After ``tidied`` an empty one is left only if it has an output.
    """
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def code(notebook: NotebookNode) -> str:
    """The source of all code cells as one text, with a line ``# ---`` between two cells."""
    return "\n# ---\n".join(cell.source for cell in code_cells(notebook))


def parameters(notebook: NotebookNode) -> dict[str, Any]:
    """The parameters that a notebook ran with, by name.

    They are the assignments of the cell tagged ``parameters``, overridden by those that a run
    injected below it.  Raises ``ValueError`` for a statement that is not a plain assignment.
    """
    cells = (
        cell.source
        for cell in code_cells(notebook)
        if {"parameters", "injected-parameters"} & {*cell.metadata.get("tags", ())}
    )
    found = dict[str, Any]()
    for source in cells:
        try:
            for node in syntax.parsed(source).body:
                match node:
                    case ast.Assign(targets=[ast.Name(id=name)], value=value):
                        found[name] = ast.literal_eval(value)
                    case _:
                        raise ValueError
        except (SyntaxError, ValueError):  # their words name objects of Python's parser
            require(False, "cell tagged parameters", source, "lines such as M = 50")
    return found


def outputs_digest(notebook: NotebookNode) -> str:
    """A hash of all outputs and execution counts, to notice a change of a stored output."""
    content = [(cell.execution_count, cell.outputs) for cell in code_cells(notebook)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def ledger_bundles(notebook: NotebookNode) -> list[dict]:
    """The outputs that the ledger displayed, with all their formats, in order."""
    shown = (output.get("data", {}) for cell in code_cells(notebook) for output in cell.outputs)
    return [data for data in shown if MIME in data]


def ledger_outputs(notebook: NotebookNode) -> list[dict]:
    """The JSON format of each output that the ledger displayed, in order."""
    return [data[MIME] for data in ledger_bundles(notebook)]


def closing_records(notebook: NotebookNode) -> dict[str, dict]:
    """The records that ``ledger.close()`` wrote, by the tag of the statement."""
    closed = [output["closed"] for output in ledger_outputs(notebook) if "closed" in output]
    return {record["tag"]: record for record in closed}
