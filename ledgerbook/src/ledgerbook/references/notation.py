"""The notation page as data: a table of symbols for each paper, and a list of words.

The page is ``book/notation.md``: below a heading that is a paper's title a table whose first
column is called *symbol*; anywhere a definition list of words, their other forms after commas.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from docutils import nodes
from markdown_it import MarkdownIt
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin

from ledgerbook.chapters.statements import PAPERS
from ledgerbook.project import paths
from ledgerbook.references.symbols import Row, Table

PAGE = paths.BOOK / "notation.md"
FIRST = "symbol"  # the heading of the column that makes a table one of symbols
FORMULA = re.compile(r"\$([^$]+)\$")


class Explained(NamedTuple):
    """A row of a table of symbols: its address, its paper, its cells as Markdown."""

    place: str
    paper: str
    cells: tuple[str, ...]


class Word(NamedTuple):
    """A word with its other forms, what it means as Markdown, and its address."""

    place: str
    forms: tuple[str, ...]
    meaning: str


@cache
def _blocks() -> list[tuple[str, str, str]]:
    """(kind of the block around it, heading above it, text) for each line of text of the page."""
    if not PAGE.exists():
        return []
    reader = MarkdownIt("commonmark").enable("table").use(deflist_plugin).use(dollarmath_plugin)
    found, heading, kind = [], "", ""
    for part in reader.parse(PAGE.read_text(encoding="utf-8")):
        if part.nesting == 1:
            inside = part.type == "paragraph_open" and part.level  # of a definition
            kind = kind if inside else part.type.removesuffix("_open")
        elif part.type == "inline":
            heading = part.content if kind == "heading" else heading
            found.append((kind, heading, part.content))
        if part.type == "tr_open":
            found.append(("row", heading, ""))
    return found


def _rows() -> Iterator[tuple[str, list[str]]]:
    """(heading, cells) of every row of a table."""
    cells: list[str] = []
    for kind, heading, text in _blocks():
        if kind == "row":
            cells = []
            yield heading, cells
        elif kind in ("th", "td"):
            cells.append(text)


@cache
def symbols() -> list[Explained]:
    """The rows of the tables of symbols, in the page's order."""
    papers = {title: paper for paper, title in PAPERS.items()}
    found: list[Explained] = []
    listed, names = "", Counter[str]()
    for heading, cells in list(_rows()):
        if heading in papers and cells[0] == FIRST:
            listed = heading
        elif heading == listed:
            place = nodes.make_id(f"symbol-{papers[heading]}-{cells[0]}")
            names[place] += 1
            place = f"{place}-{names[place]}" if names[place] > 1 else place
            found.append(Explained(place, papers[heading], tuple(cells)))
    return found


@cache
def tables() -> dict[str, Table]:
    """A table of symbols for each paper that has one."""
    by_paper = {
        row.paper: [one for one in symbols() if one.paper == row.paper] for row in symbols()
    }
    return {
        paper: Table(Row(one.place, tuple(FORMULA.findall(one.cells[0]))) for one in rows)
        for paper, rows in by_paper.items()
    }


@cache
def words() -> list[Word]:
    """The words that the page explains."""
    found: list[Word] = []
    for kind, _, text in _blocks():
        if kind == "dt":
            forms = tuple(form.strip() for form in text.split(","))
            found.append(Word(nodes.make_id(f"word-{forms[0]}"), forms, ""))
        elif kind == "dd" and not found[-1].meaning:
            found[-1] = found[-1]._replace(meaning=text)
    return found


def address(doctree: nodes.document) -> None:
    """Give the rows and words of the page's own document their addresses."""
    by_title = {title: paper for paper, title in PAPERS.items()}
    places = iter(symbols())
    for section in doctree.findall(nodes.section):
        if section[0].astext() in by_title:
            for body in section.findall(nodes.tbody):
                for row in body.findall(nodes.row):
                    row["ids"].append(next(places).place)
    known = {word.forms: word.place for word in words()}
    for term in doctree.findall(nodes.term):
        forms = tuple(form.strip() for form in term.astext().split(","))
        if forms in known:
            term["ids"].append(known[forms])
