"""Long tables for a reader who looks for a row: a script filters and pages them.

Each table stands in ``noscript``: a browser that runs scripts takes it as one text, so that a
thousand rows cost it nothing until they are asked for; one that runs none shows the whole.
"""

import html
from collections.abc import Callable

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import part_of, statements
from ledgerbook.ledger.ledger_table import typeset
from ledgerbook.project import markup, paths

SET = ("observed", "bound", "margin")
CONTROLS = {"✓ holds": "✓ as expected", "✗ fails": "✗ not as expected"}


def defer(app: Sphinx, doctree: nodes.document) -> None:
    """Put the tables of the ledger into the script's hands, those whose first column is called
    *row*; each says which part its statement is of.
    """
    if app.env.docname != paths.document("ledger"):
        return
    for table in list(doctree.findall(nodes.table)):
        if table.next_node(nodes.entry).astext() == "row":
            names = (one.astext() for one in table.parent.findall(nodes.literal))
            part = part_of(next(name for name in names if name in statements()))
            opened = f'<noscript class="rows" data-part="{html.escape(part)}">'
            around = (nodes.raw("", one, format="html") for one in (opened, "</noscript>\n"))
            table.parent.replace(table, [next(around), table, next(around)])


def mend(app: Sphinx, doctree: nodes.document) -> None:
    """What tables of rows, stored as a notebook showed them, leave to the page.

    Bounds and values are set as numbers.  Beside a claim stands what the ledger calls it, as
    corrected, say, or beyond the print: a notebook knows only whether it is as printed.  A control
    that held is a hypothesis that was dropped with the effect foretold, most often a failure: its
    row says so, where *holds* would seem to speak of the statement.
    """
    file = f"{app.env.docname}.ipynb"
    shown = [one for one in collect.load()["statements"] if one["chapter"] == file]
    labels = {claim["id"]: claim["label"] for one in shown for claim in one["claims"]}
    for table in doctree.findall(nodes.table):
        head, *rows = table.findall(nodes.row)
        names = [entry.astext() for entry in head]
        for row in rows if "bound" in names else ():
            for cell in (one for one, name in zip(row, names, strict=True) if name in SET):
                _say(cell, typeset)
            role, *id = [part.astext() for part in row[0].findall(nodes.Text)] or [""]
            if role.startswith("control of "):
                _say(row[-1], lambda words: CONTROLS.get(words, words))
            label = labels.get(id[0]) if role in ("claim ", "step ") and id else None
            if label and f"({label})" not in row[1].astext():
                row[1][0] += [nodes.Text(" "), nodes.emphasis("", f"({label})")]


def _say(cell: nodes.entry, how: Callable[[str], str]) -> None:
    """A cell's words in another form."""
    for text in list(cell.findall(nodes.Text)):
        markup.exchange(text, nodes.Text(how(text)))


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("doctree-read", mend)
    app.connect("doctree-read", defer)
