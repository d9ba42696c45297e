"""Long tables for a reader who looks for a row: a script filters, sorts and pages them.

Each table stands in ``noscript``: a browser that runs scripts takes it as one text, so that a
thousand rows cost it nothing until they are asked for; one that runs none shows the whole.
"""

import html
import json
import os
from collections.abc import Callable

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import part_of, parts, statements
from ledgerbook.ledger.judgement import STRENGTHS
from ledgerbook.ledger.ledger_table import typeset
from ledgerbook.project import markup

SET = ("observed", "bound", "margin")
SIZE = 50  # rows of a page
CONTROLS = {"✓ holds": "✓ as expected", "✗ fails": "✗ not as expected"}
REACHES = ("changes a conclusion", "changes a constant", "harmless")
# For each page: the first column of its tables, and what a reader may choose by.
PAGES = {
    "ledger": ("row", ("part", "verdict", "evidence", "kind")),
    "errata": ("reach", ("reach", "part", "evidence")),
    "equations": ("equation", ("part", "evidence")),
}


class RowTools(SphinxDirective):
    """The place where the script puts the controls of the page that the argument names, with the
    files for machines.
    """

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        heading, choices = PAGES[self.arguments[0]]
        ordered = ["", *STRENGTHS, *reversed(REACHES), *(part.caption for part in parts())]
        text = markup.render(
            "rows.html.jinja",
            how=json.dumps({"filter": choices, "order": ordered, "size": SIZE}),
            data=os.path.relpath("_data", os.path.dirname(self.env.docname)),
        )
        return [nodes.raw("", text, format="html", rows=heading)]


def defer(app: Sphinx, doctree: nodes.document) -> None:
    """Put the tables of a page that has tools into the script's hands: those whose first column is
    called as the page says; each says which part all its rows are about, if they share it.
    """
    for place in list(doctree.findall(nodes.raw)):
        for table in list(doctree.findall(nodes.table)) if "rows" in place else ():
            head = next(iter(table.findall(nodes.entry)), None)
            if head is not None and head.astext() == place["rows"]:
                opened = f'<noscript class="rows" data-part="{html.escape(_shared_part(table))}">'
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
        text.parent.replace(text, nodes.Text(how(text)))


def _shared_part(table: nodes.table) -> str:
    """The part of the statement whose section a table stands in; nothing where it has none."""
    for literal in table.parent.findall(nodes.literal) if table.parent else ():
        if literal.astext() in statements():
            return part_of(literal.astext())
    return ""


def setup(app: Sphinx) -> None:
    """Register and connect it."""
    app.add_directive("row-tools", RowTools)
    app.connect("doctree-read", mend)
    app.connect("doctree-read", defer)
