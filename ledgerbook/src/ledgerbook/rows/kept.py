"""Reading and writing ``witnesses.json``, the file of witnesses in each folder of rows.

A *witness* of a row is a small change of the code under which the row fails.
"""

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

import filelock

from ledgerbook.chapters import registry
from ledgerbook.ledger.checks import KERNEL, Checks, Row
from ledgerbook.ledger.ledger import plain
from ledgerbook.project import storage
from ledgerbook.project.project import current, per_project
from ledgerbook.rows.changes import CHANGES, SHUFFLED
from ledgerbook.rows.reach import Reach, brackets, fingerprint, reach

NAME = "witnesses.json"
SAME = 1e-2  # by how much an answer may be another one: a change can magnify the last bit
TINY = 1e-9


@per_project
def file_of(tag: str) -> Path:
    """The ``witnesses.json`` that holds the witnesses of a statement's rows."""
    return registry.declared()[tag].parent / NAME


def of_tag(tag: str) -> dict[str, dict[str, Any]]:
    """The witnesses of a statement's rows, by the row's id."""
    file = file_of(tag)
    found = _table(file, file.stat().st_mtime_ns) if file.exists() else {}
    return {key.partition("#")[2]: one for key, one in found.items() if _of(key, tag)}


@cache
def _table(file: Path, _stamp: int) -> dict[str, dict[str, Any]]:
    return storage.table(file)


def reasons() -> dict[str, str]:
    """Why a row has no witness, by "tag#id", for the rows that have such a reason."""
    known = ((tag, id, one) for tag in registry.declared() for id, one in of_tag(tag).items())
    far = "its bound is so far that no change was found that reaches it"
    told = (
        (f"{tag}#{id}", one.get("reason") or far * bool(one.get("far"))) for tag, id, one in known
    )
    return {name: why for name, why in told if why}


def write(tag: str, found: Mapping[str, dict[str, Any]], drop: bool = False) -> None:
    """Store the witnesses of some rows of a statement.

    found: records by the row's id.  drop: also remove the records of rows that no longer exist.
    """
    file = file_of(tag)
    current().build.mkdir(exist_ok=True)
    with filelock.FileLock(current().build / f"{file.parent.name}-{NAME}.lock", is_singleton=False):
        known = storage.table(file) | {f"{tag}#{id}": one for id, one in found.items()}
        if drop:
            there = {f"{tag}#{id}" for id in _ids(tag)}
            known = {key: one for key, one in known.items() if not _of(key, tag) or key in there}
        lines = [f"{json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known)]
        storage.write_atomically(file, "{\n" + ",\n".join(lines) + "\n}\n")


def _of(key: str, tag: str) -> bool:
    return key.partition("#")[0] == tag


def _ids(tag: str) -> list[str]:
    from ledgerbook.ledger.checks import rows

    return [row.id for row in rows(registry.classes([tag])[tag]) if row.role != KERNEL]


SAID = {
    "times 1.001": "0.1 % larger", "times 0.999": "0.1 % smaller", "times 1.1": "10 % larger",
    "times 0.9": "10 % smaller", "times 2": "twice as large", "times 0.5": "half as large",
    "times 0": "zero", "plus 1": "larger by 1", "minus 1": "smaller by 1",
    "turned round": "the opposite", "without its last": "without its last entry",
    "without an edge": "without an edge", "one place later": "moved on by one place",
}  # fmt: skip


def sentence(tag: str, id: str) -> str:
    """The sentence that says on a page which change makes a row fail; empty if none is known.

    The name of the function and the code stand in backticks.
    """
    record = of_tag(tag).get(id, {})
    if "reason" in record:
        return (
            f"No small change can turn this row red, so that it is no evidence: {record['reason']}."
        )
    if "of" not in record:
        return ""
    name, change = record["of"].rpartition(":")[2], record["change"]
    if record.get("far"):
        how = f"with `{name}` {SAID.get(change, change)} it observes another number"
        return f"No change was found that turns this row red, since its bound is far; {how}."
    does = "observe another number" if record.get("moves") else "fail"
    if "with" in record:
        does += ", at the small end of its parameters,"
    if record.get("own"):
        before, _, after = re.sub(r" \(\d+\)$", "", change).partition(" -> ")
        return f"It would {does} if `{before}` were `{after}` in its own code."
    return f"It would {does} if `{name}` were {SAID.get(change, change)}."


def reason(row: Row) -> str | None:
    """Why a row can have no witness, or ``None`` for a row that can have one."""
    if row.role == KERNEL:
        return "a theorem that Coq's kernel has checked"
    return row.details.get("witness")


def reach_of(kind: type[Checks], row: Row) -> Reach:
    """The code and the parameters that a row uses, as ``reach`` finds them."""
    return reach(registry.declared()[kind.tag], kind.__name__, row.name)


def code_of(kind: type[Checks], row: Row) -> str:
    """The fingerprint of the code that a row uses."""
    return fingerprint(reach_of(kind, row).places)


def about(kind: type[Checks], row: Row, calls: Mapping[str, int]) -> dict[str, Any]:
    """What is stored with each witness: fingerprint, functions called, parameters read, and a
    fingerprint of the parts of arrays that are taken.

    calls: how often the row calls each function.
    """
    counted = {name: calls[name] for name in sorted(calls) if calls[name]}
    return {
        "code": code_of(kind, row),
        "calls": counted,
        "reads": [*reach_of(kind, row).reads],
        "parts": brackets(reach_of(kind, row).places),
    }


def answers(record: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """What a row observed under the changes that its record lists.

    These are the witness, the opposite change and some others.  Returns the stored value by (name
    of what is changed, the change).
    """
    of = record["of"]
    found = {(of, record["change"]): record["seen"]}
    found |= {(of, words): seen for words, seen in record.get("more", {}).items()}
    if "other" in record:
        found[of, CHANGES[record["change"]][2]] = record["other"]
    return found | {(name, SHUFFLED): seen for name, seen in record.get("shuffled", {}).items()}


def short(value: Any) -> Any:
    """An observed value as it is stored: numbers with four significant digits."""
    value = plain(value)
    if isinstance(value, float):
        return float(f"{value:.4g}") if math.isfinite(value) else str(value)
    if isinstance(value, list):
        return [short(one) for one in value]
    return value if isinstance(value, bool | int | str | None) else str(value)


def alike(one: Any, other: Any, within: float) -> bool:
    """Whether two observed values are equal: numbers up to the relative difference ``within``."""
    one, other = plain(one), plain(other)
    if isinstance(one, list) and isinstance(other, list):
        same = len(one) == len(other)
        return same and all(alike(a, b, within) for a, b in zip(one, other, strict=True))
    numbers = [isinstance(x, Real) and not isinstance(x, bool) for x in (one, other)]
    if not all(numbers):
        return one == other
    return math.isclose(one, other, rel_tol=within, abs_tol=TINY)
