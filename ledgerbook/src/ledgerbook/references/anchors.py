"""An address for every row: ``#claim-uniform`` in its chapter, ``#claim-paper.tag-uniform`` in the
ledger, each with a link to the other.
"""

import os
from collections.abc import Iterator
from functools import cache

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect, registry
from ledgerbook.chapters.statements import Statement, judged_in, of_docname, statement, statements
from ledgerbook.ledger.judgement import rows_of
from ledgerbook.project import paths


def name_of(cell: nodes.Node) -> tuple[str, nodes.Node] | None:
    """A row's name in a table's first cell, and what shows it; ``None`` where there is none."""
    for literal in cell.findall(nodes.literal):
        return literal.astext(), literal
    return None


def in_chapter(name: str) -> str:
    """The address of a row on its chapter's page."""
    return nodes.make_id(f"claim-{name}")


def in_ledger(tag: str, name: str) -> str:
    """The address of a row on the ledger's page."""
    return nodes.make_id(f"claim-{tag}-{name}")


def document(href: str, docname: str) -> str:
    """The document that a link of a document leads to."""
    path = os.path.splitext(href.partition("#")[0])[0]
    return os.path.normpath(os.path.join(os.path.dirname(docname), path)) if path else docname


def rows(node: nodes.Node) -> Iterator[tuple[nodes.row, str, nodes.Node]]:
    """The rows of all tables below a node that have a name."""
    for row in node.findall(nodes.row):
        found = name_of(row[0]) if row.children else None
        if found:
            yield row, *found


def address(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Give the rows of a chapter, or of the ledger, their addresses and links."""
    if app.builder.format != "html":
        return
    row = of_docname(docname)
    if row is not None:
        _address_chapter(app, doctree, docname, row)
    elif docname == paths.document("ledger"):
        for section in list(doctree.findall(nodes.section)):
            _address_section(section, docname)


def _address_chapter(app: Sphinx, doctree: nodes.document, docname: str, own: Statement) -> None:
    known, judged = ledger_names(), judged_in(own)
    ledger = os.path.relpath(paths.document("ledger"), os.path.dirname(docname))
    given: set[str] = set()
    for row, name, shown in list(rows(doctree)):
        tag = next((one.tag for one in judged if in_ledger(one.tag, name) in known), own.tag)
        place = in_chapter(name)
        if place not in given:
            given.add(place)
            row["ids"].append(place)
            row["tag"] = tag
            if in_ledger(tag, name) in known:
                link_to(shown, f"{ledger}.html#{in_ledger(tag, name)}")
            method = registry.place(tag, name)
            if method is not None and len(row) > 1:
                row[1] += shown_method(app, method, docname)


def _address_section(section: nodes.section, docname: str) -> None:
    tags = (literal.astext() for literal in section.findall(nodes.literal))
    tag = next(tags, "")
    if tag not in statements() or section.next_node(nodes.section) is not None:
        return
    chapter = os.path.relpath(statement(tag).docname, os.path.dirname(docname))
    given: set[str] = set()
    for row, name, shown in list(rows(section)):
        place = in_ledger(tag, name)
        if place not in given:
            given.add(place)
            row["ids"].append(place)
            row["tag"] = tag
            link_to(shown, f"{chapter}.html#{in_chapter(name)}")


def shown_method(app: Sphinx, method: registry.Place, docname: str) -> nodes.raw:
    """The few lines that measure a row, folded, and the way to them in their module."""
    code = app.builder.highlighter.highlight_block(method.source, "python")  # type: ignore[attr-defined]
    file = paths.relative(method.file.with_suffix(""))
    up = os.path.relpath(f"source/{file}", os.path.dirname(docname))
    text = (
        '<details class="method"><summary>how it is measured</summary>'
        f'{code}<a href="{up}.html#{method.kind}.{method.name}">'
        f"{paths.relative(method.file)}, line {method.first}</a></details>"
    )
    return nodes.raw("", text, format="html")


@cache
def ledger_names() -> set[str]:
    """The addresses that the ledger's page has."""
    found = set()
    for record in collect.load()["statements"]:
        found |= {in_ledger(record["tag"], row["id"]) for row in rows_of(record)}
    return found


def link_to(shown: nodes.Node, target: str) -> None:
    """Make what shows a name a link."""
    link = nodes.reference("", "", refuri=target, internal=True)
    shown.parent.replace(shown, link)
    link += shown


def setup(app: Sphinx) -> None:
    """Connect it, before the evidence is folded."""
    app.connect("doctree-resolved", address, priority=400)
