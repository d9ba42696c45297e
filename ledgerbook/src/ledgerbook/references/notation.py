"""The notation page as data: a table of symbols for each paper, and a list of words.

The page is ``book/notation.md``: below a heading that is a paper's title a table whose first
column is called *symbol*; anywhere a definition list of words, their other forms after commas.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from docutils import nodes

from ledgerbook.project.project import current, per_project
from ledgerbook.references.symbols import Table

FIRST = "symbol"  # the heading of the column that makes a table one of symbols
FORMULA = re.compile(r"\$([^$]+)\$")
HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)
BAR = re.compile(r"(?<!\\)\|")
DEFINED = re.compile(r"^([^\s:#|].*)\n\n?:[ \t]+(.+(?:\n(?!:).+)*)", re.MULTILINE)


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


@per_project
def _text() -> str:
    page = current().book / "notation.md"
    return page.read_text(encoding="utf-8") if page.exists() else ""


def _rows(text: str) -> Iterator[tuple[str, ...]]:
    """The cells of the rows of a table of symbols."""
    lines = [line.strip() for line in text.splitlines() if line.startswith("|")]
    rows = [tuple(cell.strip() for cell in BAR.split(line.strip("|"))) for line in lines]
    yield from rows[2:] if rows and rows[0][0] == FIRST else ()


@per_project
def symbols() -> list[Explained]:
    """The rows of the tables of symbols, in the page's order."""
    papers = {title: paper for paper, title in current().settings.papers.items()}
    found, names = list[Explained](), Counter[str]()
    _, *parts = HEADING.split(_text())
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        for cells in _rows(text) if heading in papers else ():
            place = nodes.make_id(f"symbol-{papers[heading]}-{cells[0]}")
            names[place] += 1
            place = f"{place}-{names[place]}" if names[place] > 1 else place
            found.append(Explained(place, papers[heading], cells))
    return found


@per_project
def tables() -> dict[str, Table]:
    """A table of symbols for each paper that has one."""
    rows: dict[str, list[tuple[str, list[str]]]] = {}
    for one in symbols():
        rows.setdefault(one.paper, []).append((one.place, FORMULA.findall(one.cells[0])))
    return {paper: Table(some) for paper, some in rows.items()}


def _forms(term: str) -> tuple[str, ...]:
    return tuple(form.strip() for form in term.split(","))


@per_project
def words() -> list[Word]:
    """The words that the page explains."""
    found = [(_forms(term), meaning) for term, meaning in DEFINED.findall(_text())]
    return [Word(nodes.make_id(f"word-{forms[0]}"), forms, said) for forms, said in found]


def address(doctree: nodes.document) -> None:
    """Give the rows and words of the page's own document their addresses."""
    places = iter(symbols())
    for section in doctree.findall(nodes.section):
        if section[0].astext() in current().settings.papers.values():
            for body in section.findall(nodes.tbody):
                for row in body.findall(nodes.row):
                    row["ids"].append(next(places).place)
    known = {word.forms: word.place for word in words()}
    for term in doctree.findall(nodes.term):
        if (forms := _forms(term.astext())) in known:
            term["ids"].append(known[forms])
