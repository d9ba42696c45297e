"""Records of runs: what this machine executed, its cost, its verdict on what is stored."""

import json
from pathlib import Path
from typing import Any

from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import environment
from ledgerbook.project import paths, storage


def path(tag: str) -> Path:
    """Where the record of a chapter lies."""
    return paths.RUNS / f"{tag}.json"


def executed(row: Statement) -> Path:
    """Where the chapter lies as this machine executed it."""
    return paths.EXECUTED / row.chapter.relative_to(paths.BOOK)


def load(tag: str) -> dict[str, Any]:
    """The record of a chapter's last execution here; empty where there is none or it is damaged."""
    try:
        return storage.table(path(tag))
    except ValueError:  # the next run makes it again
        return {}


def save(tag: str, record: dict[str, Any]) -> None:
    """Store a record, atomically."""
    text = json.dumps(record, indent=1, sort_keys=True)  # escaped: an error may hold any text
    paths.write_if_changed(path(tag), text)


def is_fresh(row: Statement) -> bool:
    """Whether this machine has executed the chapter for its present inputs, without an error."""
    record = load(row.tag)
    if record.get("error", "") is not None or not executed(row).is_file():
        return False
    try:
        now = fingerprint.fingerprint(notebooks.read(row.chapter))
    except Exception:  # whatever is wrong with the file: executing it will say so
        return False
    return (record.get("inputs"), record.get("environment")) == (now, environment.described())
