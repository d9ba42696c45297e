"""The list of statements: what exists, where its chapter is, what it uses."""

import difflib
import graphlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ledgerbook.ledger.ledger import STANDINGS, TAG
from ledgerbook.project import settings, storage, typed
from ledgerbook.project.project import current, per_project
from ledgerbook.project.validation import require, require_choice

PAGES = (".md", ".ipynb", ".rst")  # what a page of the book may be written in
KINDS = ("statement", "setting", "assumption", "experiment", "remark")


@dataclass(frozen=True)
class Statement:
    """One row of ``statements.toml``."""

    tag: str
    number: str
    title: str
    uses: tuple[str, ...] = ()
    kind: str = "statement"
    equations: str = ""
    standing: str = "read"
    part: str = ""  # of the table of contents; its paper's own unless given
    home: str = ""  # the tag whose chapter judges it, where it has none of its own

    @property
    def name(self) -> str:
        """What it is called on every page: the heading of its chapter, word for word."""
        return f"{self.number} — {self.title}"

    @property
    def paper(self) -> str:
        """The part of the tag before the dot."""
        return self.tag.split(".")[0]

    @property
    def chapter(self) -> Path:
        """Path of the notebook that judges it, whether or not it is written."""
        paper, name = (self.home or self.tag).split(".")
        return current().book / paper / f"{name.replace('-', '_')}.ipynb"

    @property
    def written(self) -> bool:
        """Whether the chapter exists."""
        return self.chapter.exists()

    @property
    def docname(self) -> str:
        """The chapter's document name in the book."""
        return current().relative(self.chapter).removesuffix(".ipynb")


@dataclass(frozen=True)
class Part:
    """A part of the table of contents: its pages, its chapters, and the pages that close it."""

    name: str
    caption: str
    pages: tuple[str, ...] = ()
    closing: tuple[str, ...] = ()
    group: str = ""  # the heading that it shares with its neighbours in the contents
    path: bool = False  # whether one who reads from page to page comes through it

    @property
    def listed(self) -> tuple[str, ...]:
        """Its pages that are no chapters."""
        return (*self.pages, *self.closing)

    @property
    def heading(self) -> str:
        """What it is listed under in the contents."""
        return self.group or self.caption


@per_project
def _table() -> dict[str, Any]:
    return storage.table(current().statements)


def _made(kind: type, row: Any) -> Any:
    """A row of the list as an object; ``ValueError`` that names row and key for a bad one."""
    where = current().relative(current().statements)
    require(isinstance(row, dict), where, row, "tables [[statement]] and [[part]]")
    return typed.made(kind, row, f"{where}: {row.get('tag', row.get('name', row))}")


def parts() -> list[Part]:
    """The parts of the contents in their order; by default one for pages, one for each paper."""
    pages = sorted(file.stem for file in current().book.glob("*.md") if file.stem != "intro")
    usual: list[dict] = [{"name": "book", "caption": "The book", "pages": pages}]
    usual += [
        {"name": name, "caption": title, "pages": []}
        for name, title in current().settings.papers.items()
    ]
    return [_made(Part, row) for row in _table().get("part", usual)]


@per_project
def statements() -> dict[str, Statement]:
    """All statements by tag, in the reader's order.  Raises ``ValueError`` for a bad row."""
    where = current().relative(current().statements)
    book = current().settings.book
    require(
        current().book.is_dir(), f"[tool.{settings.TABLE}]: book", book, "a folder of the project"
    )
    for name, rows in _table().items():
        require_choice(f"{where}: table", name, ("part", "statement"))
        require(isinstance(rows, list), f"{where}: {name}", rows, f"tables [[{name}]]")
    listed = [_made(Statement, row) for row in _table().get("statement", ())]
    table = {row.tag: replace(row, part=row.part or row.paper) for row in listed}
    _require_once(where, [row.tag for row in listed])
    _require_once(where, [part.name for part in parts()])
    for row in table.values():
        _require_row(f"{where}: {row.tag}", row, table)
    try:
        graphlib.TopologicalSorter({row.tag: row.uses for row in table.values()}).prepare()
    except graphlib.CycleError as error:
        circle = " uses ".join(reversed(error.args[1]))
        raise ValueError(f"{where}: a circle: {circle}") from None
    return table


def _require_once(where: str, names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"{where}: {twice[0]} stands twice")


def require_pages() -> None:
    """Raise ``ValueError`` for a page of the contents that is not there: the pages need it."""
    where = f"{current().relative(current().statements)}: "
    listed = [] if current().settings.start else [("", "intro")]
    listed += [*((part.name, page) for part in parts() for page in part.listed)]
    for name, page in listed:
        there = any((current().book / f"{page}{suffix}").is_file() for suffix in PAGES)
        allowed = f"one of {current().relative(current().book)}/, without its ending"
        require(there, f"{where}{name}: page" if name else "first page", page, allowed)


def _require_row(where: str, row: Statement, table: dict[str, Statement]) -> None:
    """Refuse a row that its neighbours contradict."""
    unknown = [use for use in row.uses if use not in table]
    require(TAG.fullmatch(row.tag), f"{where}: tag", row.tag, "paper.name in lower case")
    require(not unknown, f"{where}: uses", unknown, "tags of this list")
    choices = {"paper": tuple(current().settings.papers), "kind": KINDS, "standing": STANDINGS}
    names = [part.name for part in parts()]
    for name, among in (choices | ({} if row.home else {"part": names})).items():
        require_choice(f"{where}: {name}", getattr(row, name), among)
    others = ("", *(tag for tag in table if tag != row.tag))
    require(row.home in others, f"{where}: home", row.home, "another tag of this list")


def statement(tag: str) -> Statement:
    """The statement of a tag; an unknown tag names its nearest neighbours."""
    if tag not in statements():
        near = difflib.get_close_matches(tag.lower(), statements(), cutoff=0.4)
        such = f", such as {', '.join(near)}" if near else ""
        require(False, "CH", tag, f"a tag of {current().relative(current().statements)}{such}")
    return statements()[tag]


def written() -> list[Statement]:
    """The statements that have a chapter of their own which exists."""
    return [row for row in statements().values() if row.written and not row.home]


@per_project  # asked for each link of each page
def of_docname(docname: str) -> Statement | None:
    """The statement whose own chapter is the document, or ``None``."""
    own = (row for row in statements().values() if not row.home)
    return next((row for row in own if row.docname == docname), None)


def judged_in(chapter: Statement) -> list[Statement]:
    """The statements that a statement's chapter judges, in the order of the list."""
    return [one for one in statements().values() if chapter.tag in (one.tag, one.home)]


def part_of(tag: str) -> str:
    """The part of the contents whose chapter judges a statement, by its caption."""
    home = statement(statement(tag).home or tag)
    return next(part.caption for part in parts() if part.name == home.part)
