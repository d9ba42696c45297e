"""What one has to read and to believe before a kernel's verdict says anything about a paper.

The kernel is asked whether a proof proves its theorem, and by nothing else whether the theorem says
what the paper says.  So for each statement with theorems: the definitions that they stand on, how
each is tied to the function of the companion that computes the same, the axioms, and how the form
in Coq differs from the printed one, as somebody wrote who compared the two (``compared.toml``).
That sentence is of one text: where the theorems or their definitions changed since, it is no
longer taken.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ledgerbook.ledger import coq_record, coq_text
from ledgerbook.ledger.coq_text import Definition, Proofs
from ledgerbook.ledger.judgement import STRENGTHS
from ledgerbook.project import storage
from ledgerbook.project.validation import require

COMPARED = "compared.toml"
LIBRARY, AXIOMS = "library", "axioms"  # the tables of what Coq's own libraries bring
TIES = ("proved equal", "tested at points", "tested inside another", "by reading")
NOT_COMPARED = "not compared"


def table() -> dict[str, Any]:
    """``compared.toml``: how the form in Coq differs, by tag, and the words of the libraries."""
    return storage.table(coq_record.folder() / COMPARED)


def said(theorem: Mapping[str, Any]) -> str:
    """A theorem's statement as Coq prints it, without its name."""
    return theorem["statement"].partition("\n:")[2].strip()


def to_read(statements: list[str]) -> int:
    """How many lines theorems are, where what several of them assume is read once."""
    shared, shown = coq_text.told_once(statements)
    return sum(map(coq_text.lines, [*shared.values(), *shown]))


def key(one: Definition) -> str:
    """A definition by file and name, as in ``shared.sums#Sum``."""
    return f"{one.tag}#{one.name}"


def fingerprint(theorems: Iterable[Mapping[str, Any]], basis: Iterable[Definition]) -> str:
    """A short hash of theorems, their axioms and all the definitions that they stand on."""
    texts = [" ".join([said(one), *sorted(one["axioms"])]) for one in theorems]
    texts += sorted(f"{one.tag} {coq_text.code(one.text)[0]}" for one in basis)
    whole = "\n".join(" ".join(text.split()) for text in texts)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def form(tag: str, now: str) -> str | None:
    """How a statement's form in Coq differs from the printed one, if that was said of this text."""
    entry = table().get(tag, {})
    return entry["form"] if entry.get("basis") == now else None


def outdated() -> Iterator[str]:
    """Where a comparison is of other theorems or definitions than there are now, by name."""
    proofs, known = coq_text.proofs(), coq_record.record().get("statements", {})
    for tag, entry in table().items():
        if tag in (LIBRARY, AXIOMS):
            continue
        if tag not in known:
            yield f"{COMPARED}: {tag} has no theorem on record"
            continue
        theorems = known[tag]["theorems"]
        now = fingerprint(theorems, proofs.basis(map(said, theorems), tag))
        if entry.get("basis") != now:
            yield (
                f"{COMPARED}: {tag}: its theorems, axioms or definitions are others than those that"
                f' were compared with the print; read them again, then basis = "{now}"'
            )


def ties(proofs: Proofs) -> dict[str, dict[str, Any]]:
    """By definition: the function that it is tied to, the number of goals and their tolerance."""
    made: dict[str, dict[str, Any]] = {}
    for entry in storage.table(coq_record.folder() / "ties.toml").get("tie", ()):
        one = entry["tag"] in proofs.files and proofs.meaning(entry["name"], entry["tag"])
        if one:
            goals, within = entry.get("goals", 3), entry.get("tolerance", "1e-9")
            before = made.get(key(one), {"goals": 0})["goals"]
            made[key(one)] = {"goals": before + goals, "tolerance": within}
    for file in proofs.files.values():
        for name, function in file.bridges:
            one = proofs.meaning(name, file.tag)
            if one and key(one) in made:
                made[key(one)].setdefault("function", function)
    return made


def surface(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What has to be trusted, of a ledger's statements: see ``trust`` in the schema."""
    rows, known = [*rows], coq_record.record()
    proofs, found = coq_text.proofs(), list[dict[str, Any]]()
    used: dict[str, tuple[Definition, list[str]]] = {}
    for row in rows:
        if stored := known.get("statements", {}).get(row["tag"]):
            entry, basis = _statement(row, stored, proofs)
            found.append(entry)
            for one in basis:
                used.setdefault(key(one), (one, []))[1].append(row["tag"])
    tied = ties(proofs)
    inside = _inside(proofs, tied)
    return {
        "coq": known.get("coq"),
        "statements": found,
        "definitions": [
            _definition(one, tags, tied.get(name), inside.get(name))
            for name, (one, tags) in used.items()
        ],
        "library": [
            {"name": name, "words": table().get(LIBRARY, {}).get(name)} for name in _library(found)
        ],
        "axioms": sorted({axiom for one in found for axiom in one["axioms"]}),
    }


def _library(found: Iterable[Mapping[str, Any]]) -> list[str]:
    return sorted({name for one in found for name in one["library"]})


def _statement(
    row: Mapping[str, Any], stored: Mapping[str, Any], proofs: Proofs
) -> tuple[dict[str, Any], list[Definition]]:
    """A statement's entry, and the definitions that its theorems stand on."""
    tag, theorems = row["tag"], stored["theorems"]
    texts = [said(one) for one in theorems]
    basis = proofs.basis(texts, tag)
    now = fingerprint(theorems, basis)
    entry = {
        "tag": tag,
        "theorems": [
            {"name": one["name"], "verdict": one["verdict"], "parts": _behind(row, one["name"])}
            for one in theorems
        ],
        "definitions": [key(one) for one in basis],
        "axioms": sorted({axiom for one in theorems for axiom in one["axioms"]}),
        "library": proofs.foreign(texts, tag),
        "basis": now,
        "form": form(tag, now),
        "lines": to_read(texts) + sum(one.lines for one in basis),
    }
    return entry, basis


def _behind(row: Mapping[str, Any], theorem: str) -> list[str]:
    """The parts of a conclusion that rest on a theorem."""
    id = coq_record.row_id(theorem)
    return [part["part"] for part in row["parts"] if id in part["rows"]]


def _inside(proofs: Proofs, tied: Mapping[str, Any]) -> dict[str, str]:
    """By definition: a tied one that is computed with it, the one with the fewest others."""
    inside: dict[str, tuple[int, str]] = {}
    for file in proofs.files.values():
        for one in file.definitions:
            if key(one) in tied:
                below = [other for other in proofs.basis([one.name], file.tag) if other != one]
                for other in below:
                    seen = inside.get(key(other), (len(below) + 1, ""))
                    inside[key(other)] = min(seen, (len(below), key(one)))
    return {name: outer for name, (_, outer) in inside.items()}


def _definition(
    one: Definition, tags: list[str], tie: Mapping[str, Any] | None, inside: str | None
) -> dict[str, Any]:
    """A definition's entry."""
    path = coq_record.source(one.tag)
    return {
        "name": key(one),
        "file": f"{path.parent.name}/{path.name}",
        "line": one.line,
        "lines": one.lines,
        "tie": TIES[1] if tie else TIES[2] if inside else TIES[3],
        "inside": None if tie else inside,
        "function": None,
        "goals": 0,
        "tolerance": None,
        "used_by": tags,
    } | dict(tie or {})


def weakest_parts(row: Mapping[str, Any]) -> list[str]:
    """The parts of a statement's conclusion that are measured and no more."""
    return [part["part"] for part in row["parts"] if part["strength"] == STRENGTHS[0]]


def require_forms() -> None:
    """Raise ``ValueError`` for an entry of ``compared.toml`` without both of its words."""
    for tag, entry in table().items():
        if tag not in (LIBRARY, AXIOMS):
            require({*entry} == {"basis", "form"}, f"{COMPARED}: {tag}", entry, "basis and form")
