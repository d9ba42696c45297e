"""The proofs of ``proofs/`` as files say them, and the record of what was proved.

A file of ``proofs/<part>/<name>.v`` belongs to the statement ``<part>.<name>``; ``proofs/shared/``
holds what several need.  Each main theorem is announced by a comment, and each definition that
stands in Python too is tied to it by goals made from what Python computes (``bridge``):

    (* THEOREM name | holds-as-corrected | one sentence for the reader *)
    (* BRIDGE coq_name | package.module.function | arguments *)

The record is committed, so that a page can show theorems on a machine that has no Coq; it counts
only while the hash in it is that of the source beside it.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ledgerbook.coq import statements
from ledgerbook.ledger import coq_record

SHARED = "shared"
VERDICTS = ("holds-as-printed", "holds-as-corrected", "refuted-as-printed")
IMPORT = re.compile(
    r"^(?:From\s+\S+\s+)?Require\b.*?\.$|^(?:Local\s+)?Open\s+Scope\b.*?\.$",
    re.MULTILINE | re.DOTALL,
)


class Failed(Exception):
    """A proof, a check or a bridge goal that does not hold; the message is for the reader."""


@dataclass(frozen=True)
class Theorem:
    """A main theorem as its file announces it."""

    name: str
    verdict: str
    words: str


@dataclass(frozen=True)
class Source:
    """One ``.v`` file."""

    path: Path
    text: str

    @property
    def folder(self) -> str:
        """The part of the book, or ``shared``."""
        return self.path.parent.name

    @property
    def tag(self) -> str:
        """The statement that it belongs to: ``part.some-name`` for part/some_name.v."""
        return f"{self.folder}.{self.path.stem.replace('_', '-')}"

    @property
    def library(self) -> str:
        """Coq's name of the compiled file."""
        return f"{logical(self.folder)}.{self.path.stem}"

    @property
    def place(self) -> str:
        """Where it lies, relative to ``proofs/``."""
        return f"{self.folder}/{self.path.name}"

    @property
    def sha256(self) -> str:
        """Hash of the source."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def theorems(self) -> list[Theorem]:
        """The main theorems, in order."""
        return [Theorem(*fields) for fields in announced(self.text, "THEOREM")]

    @property
    def bridges(self) -> list[str]:
        """The names of the definitions that ``lib`` computes too."""
        return [name for name, *_ in announced(self.text, "BRIDGE")]

    @property
    def header(self) -> str:
        """Its imports and scopes: what a query about it needs to print as its author reads."""
        return "\n".join(" ".join(found.split()) for found in IMPORT.findall(self.text))


def logical(folder: str) -> str:
    """The Coq name of a folder: ``two-words`` is ``TwoWords``."""
    return "".join(part.capitalize() for part in re.split(r"[-_]", folder))


def announced(text: str, keyword: str) -> list[list[str]]:
    """The three fields of every comment ``(* KEYWORD a | b | c *)``, white space collapsed."""
    comments = re.findall(rf"\(\*\s*{keyword}\b(.*?)\*\)", text, re.DOTALL)
    rows = [[" ".join(field.split()) for field in row.split("|", 2)] for row in comments]
    for row in rows:
        if len(row) != 3 or not all(row):
            raise Failed(f"(* {keyword} {' | '.join(row)} *): wanted three fields, a | b | c")
    return rows


def problems(source: Source) -> Iterator[str]:
    """What is wrong with a file before Coq sees it."""
    if source.folder != SHARED and not source.theorems:
        yield f"{source.place}: no (* THEOREM name | verdict | words *)"
    for theorem in source.theorems:
        if theorem.verdict not in VERDICTS:
            yield f"{source.place}: {theorem.name} is {theorem.verdict}, not one of {VERDICTS}"


def contradictions(source: Source) -> Iterator[str]:
    """Where the record of a source says something else than its text announces."""
    known = {row["name"]: row for row in coq_record.theorems(source.tag)}
    announced = {one.name: vars(one) for one in source.theorems}
    for name in [*announced, *(name for name in known if name not in announced)]:
        for key in ("name", "verdict", "words"):
            here, there = (some.get(name, {}).get(key) for some in (announced, known))
            if here != there:
                yield f"{source.tag}: {name}: {key} on record is {there!r}: run make prove"
        if name in known and (
            why := statements.differs(source.text, name, known[name]["statement"])
        ):
            yield f"{source.tag}: {name}: {why}: run make prove"


def read(path: Path) -> Source:
    """A file of proofs."""
    return Source(path, path.read_text(encoding="utf-8"))


def find() -> list[Source]:
    """All proofs, the shared ones first."""
    files = sorted(
        coq_record.folder().glob("*/*.v"), key=lambda path: (path.parent.name != SHARED, path)
    )
    return [*map(read, files)]
