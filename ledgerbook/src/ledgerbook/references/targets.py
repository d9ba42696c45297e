"""Where a thing stands that a page may name: an equation, a hypothesis, a statement, a row.

All of it is read from the list of statements, the ledger and the stored sources, so that a page
can be linked before the others are written.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from docutils import nodes

from ledgerbook.chapters import collect, equations, notebooks, summary
from ledgerbook.chapters.statements import Statement, judged_in, of_docname, statements, written
from ledgerbook.ledger.judgement import rows_of
from ledgerbook.project import paths
from ledgerbook.references import mathml

DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
NUMBERED = re.compile(r"([A-Z][a-z]+) (\d+|\([a-z]\))$")


def in_chapter(name: str) -> str:
    """The address of a row on its chapter's page."""
    return nodes.make_id(f"claim-{name}")


def in_ledger(tag: str, name: str) -> str:
    """The address of a row on the ledger's page."""
    return nodes.make_id(f"claim-{tag}-{name}")


class Target(NamedTuple):
    """A place: a document, and the name in it, "" for the page itself."""

    docname: str
    place: str


class Source(NamedTuple):
    """What is written on a page: all its Markdown; of a chapter the sentence below its title."""

    text: str
    sentence: str


@cache
def source(docname: str) -> Source:
    """What is written on a page."""
    file = paths.ROOT / f"{docname}.ipynb"
    if not file.exists():
        return Source(file.with_suffix(".md").read_text(encoding="utf-8"), "")
    notebook = notebooks.read(file)
    cells = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return Source("\n\n".join(cells), summary.sentence(notebook))


@cache
def documents() -> list[str]:
    """Every chapter, in the reader's order, then every other page."""
    pages = [paths.relative(file.with_suffix("")) for file in sorted(paths.BOOK.glob("**/*.md"))]
    return [row.docname for row in written()] + pages


@cache
def shown() -> dict[str, dict[str, str]]:
    """For each numbered equation the documents that display it, each with its formula."""
    found: dict[str, dict[str, str]] = {}
    for docname in documents():
        for tex in DISPLAY.findall(source(docname).text):
            for number in mathml.numbers(tex):
                found.setdefault(number, {}).setdefault(docname, tex.strip())
    return found


@cache
def numbers() -> frozenset[str]:
    """The equation numbers of the papers that have a table of equations."""
    return frozenset(entry["number"].strip("()") for entry in collect.load()["equations"])


def counts(row: Statement | None) -> bool:
    """Whether a number in brackets may be an equation's on a page: not in a chapter of a paper
    without numbers that uses no other paper either.
    """
    papers = equations.reasons()
    return row is None or any(tag.split(".")[0] in papers for tag in (row.tag, *row.uses))


@cache
def best(number: str) -> str | None:
    """The document where an equation stands best: the chapter that states it, early."""
    stated = {row.docname for row in written() if int(number) in equations.numbers(row.equations)}
    return min(shown().get(number, {}), key=lambda one: one not in stated, default=None)


def equation(number: str, docname: str) -> Target | None:
    """Where a page leads with an equation's number: to itself where it displays the equation, or
    else to where it stands best, or to the table of equations.
    """
    one = docname if docname in shown().get(number, {}) else best(number)
    if one is not None:
        return Target(one, f"eq-{number}")
    if number in numbers() and (paths.BOOK / "equations.md").exists():
        return Target(paths.document("equations"), f"eq-{number}")
    return None


def anchor(row: Statement) -> Target:
    """Where a statement stands: its page, or its place on the page of another."""
    return Target(row.docname, row.tag if row.home else "")


@cache
def numbered() -> dict[str, list[Statement]]:
    """Statements by numbers such as "Lemma 5"; several where papers count alike."""
    found: dict[str, list[Statement]] = {}
    for row in statements().values():
        if NUMBERED.match(row.number) and row.written:
            found.setdefault(row.number, []).append(row)
    return found


@cache
def records() -> dict[str, dict]:
    """The ledger's entries by tag."""
    return {record["tag"]: record for record in collect.load()["statements"]}


def _judged(docname: str) -> list[dict]:
    """The ledger's entries that a chapter judges, its own first."""
    own = of_docname(docname)
    return [records()[one.tag] for one in judged_in(own)] if own else []


@cache
def claims(docname: str) -> dict[str, dict]:
    """The rows of a chapter by name, its own statement's first."""
    return _first(row for record in _judged(docname) for row in rows_of(record))


@cache
def hypotheses(docname: str) -> dict[str, dict]:
    """The hypotheses of a chapter by name, its own statement's first."""
    return _first(row for record in _judged(docname) for row in record["hypotheses"])


def _first(rows: Iterable[dict]) -> dict[str, dict]:
    found: dict[str, dict] = {}
    for row in rows:
        found.setdefault(row["id"], row)
    return found


def hypothesis(id: str) -> str:
    """The name of a hypothesis' place on its page."""
    return nodes.make_id(f"hypothesis-{id}")


@cache
def errata() -> dict[str, dict]:
    """The errata by number, where the companion has a page of them."""
    known = (paths.BOOK / "errata.md").exists()
    return {row["id"]: row for row in collect.load()["errata"]} if known else {}


@cache
def slips() -> dict[tuple[str, str], str]:
    """For each (statement, row) the erratum whose evidence, or a consequence's, the row is."""
    found: dict[tuple[str, str], str] = {}
    for id, erratum in errata().items():
        for one in (erratum, *erratum["consequences"]):
            for row in one["evidence"]:
                found.setdefault((one["tag"], row), id)
    return found


@cache
def codes(docname: str) -> frozenset[str]:
    """What is set as code in the sentences of a page."""
    return frozenset(re.findall(r"(?<!`)`([^`\n]+)`", source(docname).text))


@cache
def named_claims() -> set[tuple[str, str]]:
    """(chapter, row) of the rows that are named away from their own row."""
    ledger = collect.load()
    pairs = {tuple(name.split("#")) for entry in ledger["equations"] for name in entry["claims"]}
    for record in ledger["statements"]:
        ids = (id for finding in record["findings"] for id in finding["evidence"])
        pairs |= {(record["tag"], id) for id in ids}
    named = {(statements()[tag].docname, id) for tag, id in (*pairs, *slips())}
    for docname in documents():
        named |= {(docname, code) for code in codes(docname) if code in claims(docname)}
    return named
