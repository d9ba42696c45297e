"""The list of statements: what exists, where its chapter is, what it uses."""

import difflib
import tomllib
from dataclasses import dataclass
from functools import cache

from lib.ledger import TAG
from tooling import paths

PAPERS = {
    "scan-snap": "Scan and Snap",
    "mechanics": "Mechanics of Next Token Prediction",
    "real-text": "Real text",
}
KINDS = ("statement", "setting", "assumption", "experiment")


@dataclass(frozen=True)
class Statement:
    """One row of ``book/statements.toml``."""

    tag: str
    number: str
    title: str
    uses: tuple = ()
    kind: str = "statement"
    equations: str = ""

    @property
    def paper(self):
        """The part of the tag before the dot."""
        return self.tag.split(".")[0]

    @property
    def chapter(self):
        """Path of the chapter's notebook, whether or not it is written."""
        paper, name = self.tag.split(".")
        return paths.BOOK / paper / f"{name.replace('-', '_')}.ipynb"

    @property
    def written(self):
        """Whether the chapter exists."""
        return self.chapter.exists()

    @property
    def docname(self):
        """The chapter's document name in the book."""
        return paths.relative(self.chapter).removesuffix(".ipynb")


@cache
def statements():
    """All statements by tag, in the reader's order.  Raises ``ValueError`` for a bad row."""
    rows = [
        Statement(**{**row, "uses": tuple(row["uses"])})
        for row in tomllib.loads(paths.STATEMENTS.read_text())["statement"]
    ]
    table = {row.tag: row for row in rows}
    if len(table) < len(rows):
        raise ValueError(f"{paths.relative(paths.STATEMENTS)}: a tag stands twice")
    for row in rows:
        unknown = [use for use in row.uses if use not in table]
        if not TAG.fullmatch(row.tag) or row.kind not in KINDS or unknown:
            raise ValueError(
                f"{paths.relative(paths.STATEMENTS)}: {row.tag}: bad tag, kind {row.kind!r} or"
                f" unknown uses {unknown}"
            )
    return table


def statement(tag):
    """The statement of a tag; an unknown tag names its nearest neighbours."""
    if tag not in statements():
        near = difflib.get_close_matches(tag, statements(), n=3, cutoff=0.4)
        raise ValueError(
            f"CH = {tag!r}, allowed: a tag of {paths.relative(paths.STATEMENTS)}"
            + (f", such as {', '.join(near)}" if near else "")
        )
    return statements()[tag]


def written():
    """The statements whose chapter exists."""
    return [row for row in statements().values() if row.written]


def used_by(tag):
    """The statements that use ``tag``."""
    return [row for row in statements().values() if tag in row.uses]


def of_docname(docname):
    """The statement whose chapter is the document, or ``None``."""
    return next((row for row in statements().values() if row.docname == docname), None)
