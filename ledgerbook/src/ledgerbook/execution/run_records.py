"""Records of runs: what this machine executed, its cost, its verdict on what is stored."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from nbformat import NotebookNode

from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import environment
from ledgerbook.project import storage
from ledgerbook.project.project import current


def path(tag: str) -> Path:
    """Where the record of a chapter lies."""
    return current().runs / f"{tag}.json"


def executed(row: Statement) -> Path:
    """Where the chapter lies as this machine executed it."""
    return current().executed / row.chapter.relative_to(current().book)


def load(tag: str) -> dict[str, Any]:
    """The record of a chapter's last execution here; empty where there is none or it is damaged."""
    try:
        return storage.table(path(tag))
    except ValueError:  # the next run makes it again
        return {}


def save(tag: str, record: dict[str, Any]) -> None:
    """Store a record, atomically."""
    text = json.dumps(record, indent=1, sort_keys=True)  # escaped: an error may hold any text
    storage.write_if_changed(path(tag), text)


class Run(NamedTuple):
    """A chapter as this machine executed it last, or why there is none."""

    error: str
    inputs: str = ""
    environment: str = ""
    outcome: str = ""  # of the last comparison with what is stored
    notebook: NotebookNode | None = None


def last(row: Statement) -> Run:
    """What the last run of a chapter left."""
    record = load(row.tag)
    if record.get("error", "") is not None:
        return Run(record.get("error", "never executed here"))
    try:
        done = notebooks.read(executed(row))
    except (OSError, ValueError) as error:
        return Run(f"{error}; run `make book` again")
    outcome = (record.get("verdict") or {}).get("outcome", "")
    return Run("", record.get("inputs", ""), record.get("environment", ""), outcome, done)


def keep(tag: str, outcome: str) -> None:
    """Add to the record of a run how it compares with what is stored."""
    save(tag, load(tag) | {"verdict": {"outcome": outcome}})


def is_fresh(row: Statement) -> bool:
    """Whether this machine has executed the chapter for its present inputs, without an error."""
    run = last(row)
    if run.notebook is None:
        return False
    try:
        now = fingerprint.fingerprint(notebooks.read(row.chapter))
    except Exception:  # whatever is wrong with the file: executing it will say so
        return False
    return (run.inputs, run.environment) == (now, environment.described())
