"""The places of a paper that a row may name, and the parts that a conclusion has, as data.

A row says what it is about by a label, as in ``"(31)–(33), Lemma 7(a)"``, and strength is computed
from labels.  So each is looked up when the class is made: an equation has to be among those that
the list of statements gives the statement, and these among those that the paper displays
(``equations.toml``).  All else stands in ``places.toml``, a table for each tag:

    ["a-paper.lemma-05"]
    parts = ["(31)–(33)"]             # of the conclusion, those that its class has to list
    alone = ["(43), first equality"]  # those that its rows make without being listed
    places = ["sentence after (24)"]  # halves, names, and equations of other statements

Without ``places.toml``, or with a tag that is in no list, numbers are compared with the paper's and
nothing else is asked.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from ledgerbook.ledger.judgement import BESIDE, labels
from ledgerbook.project import storage
from ledgerbook.project.validation import require

FILE = "places.toml"
PARTS = ("parts", "alone", "places")
NUMBER = re.compile(r"\((\d+)\)")


class Known(NamedTuple):
    """What is known of a statement's places: ``None`` for what no file speaks of.

    displayed: the first and the last equation of its paper.  own: its equations.  places: what
    else its rows may name.  parts: of its conclusion, as listed; alone: as its rows make them.
    """

    displayed: tuple[int, int] | None
    own: frozenset[str]
    places: frozenset[str] | None
    parts: tuple[str, ...] | None
    alone: tuple[str, ...]


def file() -> Path:
    """Where the places are declared."""
    from ledgerbook.project import paths  # late: `ledgerbook init` has no project yet

    return paths.BOOK / FILE


@lru_cache(maxsize=8)
def _read(path: Path, _: int) -> dict[str, Any]:
    return storage.table(path)


def _table(path: Path) -> dict[str, Any]:
    """A file as it is now, read again only where it changed."""
    return _read(path, path.stat().st_mtime_ns) if path.exists() else {}


def known(tag: str) -> Known:
    """What the companion's files say of a tag's places."""
    from ledgerbook.project import paths  # late: `ledgerbook init` has no project yet

    paper = _table(paths.EQUATIONS).get(tag.partition(".")[0], {})
    displayed = (paper["first"], paper["last"]) if {"first", "last"} <= {*paper} else None
    listed = _table(paths.STATEMENTS).get("statement", ())
    row = next((one for one in listed if one.get("tag") == tag), None)
    own = frozenset(labels((row or {}).get("equations")))
    if row is None or not file().exists():
        return Known(displayed, own, None, None, ())
    said = _table(file()).get(tag, {})
    for name in said:
        require(name in PARTS, f"{FILE}: {tag}", name, ", ".join(PARTS))
    places, parts, alone = (said.get(name, ()) for name in ("places", "parts", "alone"))
    return Known(displayed, own, frozenset(places), tuple(parts), tuple(alone))


def require_displayed(where: str, tag: str, text: str | None) -> None:
    """Raise ``ValueError`` where a text names an equation that the paper does not display."""
    of = known(tag)
    if of.displayed:
        low, high = of.displayed
        for number in NUMBER.findall(text or ""):
            paper = f"({low}) to ({high}), which the paper displays"
            near = _near(f"({number})", of)
            require(low <= int(number) <= high, where, f"({number})", f"{paper}{near}")


def require_known(where: str, tag: str, equation: str | None) -> None:
    """Raise ``ValueError``, by file and row, for a label that names no place of its statement."""
    of = known(tag)
    for label in labels(equation):
        require_displayed(f"{where}: equation", tag, label)
        if of.places is not None:
            of_tag = f"an equation of {tag} or what {FILE} says of it"
            right = label in of.own | of.places
            require(right, f"{where}: equation", label, f"{of_tag}{_near(label, of)}")


def _near(label: str, of: Known) -> str:
    """The known places that look most like a label."""
    near = difflib.get_close_matches(label, sorted(of.own | (of.places or frozenset())), 3, 0.5)
    return f"; near: {', '.join(near)}" if near else ""


def require_parts(where: str, tag: str, parts: Mapping[str, Iterable[str]]) -> None:
    """Raise ``ValueError``, by file and class, where a conclusion lists other parts than it has,
    or one without a row.
    """
    wanted = known(tag).parts
    if wanted is None:
        return
    listed = [part for part in parts if part != BESIDE]
    for missing in (part for part in wanted if part not in listed):
        require(False, f"{where}: parts", listed, f"with {missing!r}, which {FILE} says of {tag}")
    for new in (part for part in listed if part not in wanted):
        require(False, f"{where}: part", new, f"one of those that {FILE} says of {tag}")
    for part in listed:
        require([*parts[part]], f"{where}: part {part!r}", parts[part], "at least one row")


def drifted(ledger: Mapping[str, Any]) -> Iterator[str]:
    """Where the parts that a conclusion came out with are not those that are declared.

    A needed row that no part lists makes a part of its own, and a part decides how strong a
    statement is: each such one has to be declared, too.
    """
    for row in ledger["statements"]:
        of = known(row["tag"])
        if of.parts is None or row["kind"] not in ("statement", "remark") or not row["claims"]:
            continue
        found, wanted = [one["part"] for one in row["parts"]], {*of.parts, *of.alone}
        for part in (one for one in found if one not in wanted):
            yield f"{row['tag']}: its rows make a part {part!r}, of which {FILE} says nothing"
        for part in (one for one in [*of.parts, *of.alone] if one not in found):
            yield f"{row['tag']}: {FILE} says that there is a part {part!r}, and no row makes it"
