"""An address for every row: ``#claim-uniform`` in its chapter, ``#claim-paper.tag-uniform`` in the
ledger; and links from each to the other, to its slip and to its equation.
"""

import html
import os
import re

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect, registry
from ledgerbook.chapters.statements import judged_in, of_docname, statement, statements
from ledgerbook.project.project import current
from ledgerbook.references import targets
from ledgerbook.references.targets import address, rows
from ledgerbook.rows import kept


def page(target: str, docname: str) -> str:
    """The address of a document as seen from another."""
    return os.path.relpath(target, os.path.dirname(docname)) + ".html"


def connect(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Give the rows of a chapter, of the ledger or of the equations their addresses and links."""
    own = of_docname(docname)
    if own is not None:
        judged = [one.tag for one in judged_in(own)]
        for name, (row, shown) in _named(doctree).items():
            tag = next((tag for tag in judged if f"{tag}#{name}" in rows()), own.tag)
            row["ids"].append(address("claim", name))
            if f"{tag}#{name}" in rows():
                _link(
                    shown,
                    f"{page(current().document('ledger'), docname)}#{address('claim', tag, name)}",
                )
            method = registry.place(tag, name)
            if method is not None and len(row) > 1:
                row[1] += _method(app, method, docname, kept.sentence(tag, name))
            _name_slip(row, tag, name, docname)
    elif docname == current().document("ledger"):
        for section in list(doctree.findall(nodes.section)):
            tag = next((one.astext() for one in section.findall(nodes.literal)), "")
            if tag in statements() and section.next_node(nodes.section) is None:
                for name, (row, shown) in _named(section).items():
                    row["ids"].append(address("claim", tag, name))
                    chapter = page(statement(tag).docname, docname)
                    _link(shown, f"{chapter}#{address('claim', name)}")
                    _name_slip(row, tag, name, docname)
    elif docname == current().document("equations"):
        _connect_equations(doctree, docname)


def _named(node: nodes.Node) -> dict[str, tuple[nodes.row, nodes.literal]]:
    """The rows of all tables below a node by the name in their first cell, with what shows it."""
    found: dict[str, tuple[nodes.row, nodes.literal]] = {}
    for row in node.findall(nodes.row):
        for shown in list(row[0].findall(nodes.literal))[:1] if row.children else ():
            found.setdefault(shown.astext(), (row, shown))  # an address leads to one place
    return found


def _name_slip(row: nodes.row, tag: str, name: str, docname: str) -> None:
    """Behind the verdict of a row that an erratum rests on, the erratum's number."""
    if slip := targets.slips().get((tag, name)):
        target = f"{page(current().document('errata'), docname)}#{slip.lower()}"
        verdict = row[-1].next_node(nodes.paragraph)
        verdict += [nodes.Text(" · "), nodes.reference("", slip, refuri=target, internal=True)]


def _connect_equations(doctree: nodes.document, docname: str) -> None:
    """An address for each equation; each claim's name leads to its row in the ledger."""
    entries = {entry["number"]: entry for entry in collect.load()["equations"]}
    for row in doctree.findall(nodes.row):
        entry = entries.get(row[0].astext())
        if entry is not None:
            row["ids"].append(f"eq-{entry['number'].strip('()')}")
            row[0]["classes"].append("linked")
            literals = list(row.findall(nodes.literal))
            for literal, claim in zip(literals, entry["claims"], strict=False):
                place = address("claim", *claim.split("#"))
                _link(literal, f"{page(current().document('ledger'), docname)}#{place}")


def _method(app: Sphinx, method: registry.Place, docname: str, witness: str) -> nodes.raw:
    """The few lines that measure a row, folded, the way to them, and what turns the row red."""
    code = app.builder.highlighter.highlight_block(method.source, "python")  # type: ignore[attr-defined]
    source = page(targets.code_page(method.file), docname)
    said = re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(witness))
    text = (
        '<details class="method"><summary>how it is measured</summary>'
        f'{code}<a href="{source}#:~:text=def%20{method.name}(">'
        f"{current().relative(method.file)}, line {method.first}</a>"
        f"{' ' * bool(said)}{said}</details>"
    )
    return nodes.raw("", text, format="html")


def _link(shown: nodes.Node, target: str) -> None:
    """Make what shows a name a link."""
    link = nodes.reference("", "", refuri=target, internal=True)
    shown.parent.replace(shown, link)
    link += shown


def setup(app: Sphinx) -> None:
    """Connect it, before the evidence is folded."""
    app.connect("doctree-resolved", connect, priority=400)
