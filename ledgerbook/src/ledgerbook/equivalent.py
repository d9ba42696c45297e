"""Faults that were shown to change no result: campaigns count them apart and ask nobody again.

The companion keeps them in one file, an entry each: the module, the line's own text (a number would
be another line tomorrow), what becomes wrong there in the words that a campaign prints, and why
nothing changes.
"""

import functools
import tomllib
from typing import NamedTuple

from ledgerbook import paths
from ledgerbook.validation import require

NAMES = {"file", "code", "change", "why"}


class Fault(NamedTuple):
    """file: relative to the project.  code: the line without its indent.  change: in words."""

    file: str
    code: str
    change: str


@functools.cache
def _lines(file: str) -> list[str]:
    text = (paths.ROOT / file).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines()]


@functools.cache
def shown() -> dict[Fault, str]:
    """Each fault that is listed, and why it changes nothing.

    Raises ``ValueError`` for an entry that lacks a part or whose line is nowhere in its file.
    """
    if not paths.EQUIVALENT.is_file():
        return {}
    entries = tomllib.loads(paths.EQUIVALENT.read_text(encoding="utf-8")).get("equivalent", [])
    found = {}
    for entry in entries:
        whole = entry.keys() == NAMES and all(entry.values())
        require(whole, "equivalent", sorted(entry), f"an entry of {', '.join(sorted(NAMES))}")
        one = Fault(entry["file"], entry["code"], entry["change"])
        there = (paths.ROOT / one.file).is_file() and one.code in _lines(one.file)
        require(there, "equivalent", one.code, f"a line of {one.file} as it stands")
        found[one] = entry["why"]
    return found


def is_shown(file: str, line: int, change: str) -> bool:
    """Whether a fault is listed as one that changes no result."""
    codes = {one.code for one in shown() if (one.file, one.change) == (file, change)}
    return bool(codes) and _lines(file)[line - 1] in codes
