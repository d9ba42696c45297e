"""Where a thing stands that a page may name: an equation, a hypothesis, a statement, a row.

All of it is read from the list of statements, the ledger and the stored sources, so that a page
can be linked before the others are written.
"""

import re
from collections.abc import Callable, Iterable
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from docutils import nodes

from ledgerbook.chapters import collect, equations, notebooks, summary
from ledgerbook.chapters.statements import Statement, judged_in, of_docname, statements, written
from ledgerbook.ledger.judgement import rows_of
from ledgerbook.project.project import current, per_project
from ledgerbook.references import mathml

DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
NUMBERED = re.compile(r"([A-Z][a-z]+) (\d+|\([a-z]\))$")


def address(kind: str, *names: str) -> str:
    """A place on a page: of a row ``claim-ID`` in its chapter and ``claim-TAG-ID`` in the ledger,
    of a ``hypothesis-ID``, of all ``rows-TAG`` of a statement there, of its ``node-TAG``.
    """
    return nodes.make_id("-".join((kind, *names)))


def code_page(file: Path) -> str:
    """The document of a module's page, as in ``source/lib/measure``."""
    return f"source/{current().relative(file.with_suffix(''))}"


class Target(NamedTuple):
    """A place: a document, and the name in it, "" for the page itself."""

    docname: str
    place: str


class Source(NamedTuple):
    """What is written on a page: all its Markdown; of a chapter the sentence below its title."""

    text: str
    sentence: str


@per_project
def source(docname: str) -> Source:
    """What is written on a page."""
    file = current().root / f"{docname}.ipynb"
    if not file.exists():
        return Source(file.with_suffix(".md").read_text(encoding="utf-8"), "")
    notebook = notebooks.read(file)
    cells = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return Source("\n\n".join(cells), summary.sentence(notebook))


@per_project
def documents() -> list[str]:
    """Every chapter, in the reader's order, then every other page."""
    pages = [
        current().relative(file.with_suffix("")) for file in sorted(current().book.glob("**/*.md"))
    ]
    return [row.docname for row in written()] + pages


@per_project
def shown() -> dict[str, dict[str, str]]:
    """For each numbered equation the documents that display it, each with its formula."""
    found: dict[str, dict[str, str]] = {}
    for docname in documents():
        for tex in DISPLAY.findall(source(docname).text):
            for number in mathml.numbers(tex):
                found.setdefault(number, {}).setdefault(docname, tex.strip())
    return found


@per_project
def numbers() -> frozenset[str]:
    """The equation numbers of the papers that have a table of equations."""
    return frozenset(entry["number"].strip("()") for entry in collect.load()["equations"])


def counts(row: Statement | None) -> bool:
    """Whether a number in brackets may be an equation's on a page: not in a chapter of a paper
    without numbers that uses no other paper either.
    """
    papers = equations.reasons()
    return row is None or any(tag.split(".")[0] in papers for tag in (row.tag, *row.uses))


@per_project
def equation(number: str, docname: str) -> Target | None:
    """Where a page leads with an equation's number: to itself where it displays the equation, or
    else to the chapter that states it, to what displays it early, or to the table of equations.
    """
    stated = {row.docname for row in written() if int(number) in equations.numbers(row.equations)}
    weight = lambda one: (one != docname, one not in stated)
    best = min(shown().get(number, {}), key=weight, default=None)
    if best is not None:
        return Target(best, f"eq-{number}")
    if number in numbers() and (current().book / "equations.md").exists():
        return Target(current().document("equations"), f"eq-{number}")
    return None


def anchor(row: Statement) -> Target:
    """Where a statement stands: its page, or its place on the page of another."""
    return Target(row.docname, row.tag if row.home else "")


@per_project
def numbered() -> dict[str, list[Statement]]:
    """Statements by numbers such as "Lemma 5"; several where papers count alike."""
    found: dict[str, list[Statement]] = {}
    for row in statements().values():
        if NUMBERED.match(row.number) and row.written:
            found.setdefault(row.number, []).append(row)
    return found


@per_project
def records() -> dict[str, dict]:
    """The ledger's entries by tag."""
    return {record["tag"]: record for record in collect.load()["statements"]}


@per_project
def rows() -> dict[str, dict]:
    """Every claim and control of the ledger by ``tag#id``."""
    return {f"{tag}#{row['id']}": row for tag, one in records().items() for row in rows_of(one)}


@per_project
def claims(docname: str) -> dict[str, dict]:
    """The rows of a chapter by name."""
    return _judged(docname, rows_of)


@per_project
def hypotheses(docname: str) -> dict[str, dict]:
    """The hypotheses of a chapter by name."""
    return _judged(docname, itemgetter("hypotheses"))


def _judged(docname: str, of: Callable[[dict], Iterable[dict]]) -> dict[str, dict]:
    """What the ledger has of all that a chapter judges, its own statement's first."""
    own, found = of_docname(docname), dict[str, dict]()
    for one in judged_in(own) if own else ():
        for row in of(records()[one.tag]):
            found.setdefault(row["id"], row)
    return found


@per_project
def errata() -> dict[str, dict]:
    """The errata by number, where the companion has a page of them."""
    known = (current().book / "errata.md").exists()
    return {row["id"]: row for row in collect.load()["errata"]} if known else {}


@per_project
def slips() -> dict[tuple[str, str], str]:
    """For each (statement, row) the erratum whose evidence, or a consequence's, the row is."""
    found: dict[tuple[str, str], str] = {}
    for id, erratum in errata().items():
        for one in (erratum, *erratum["consequences"]):
            for row in one["evidence"]:
                found.setdefault((one["tag"], row), id)
    return found


@per_project
def codes(docname: str) -> frozenset[str]:
    """What is set as code in the sentences of a page."""
    return frozenset(re.findall(r"(?<!`)`([^`\n]+)`", source(docname).text))


@per_project
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
