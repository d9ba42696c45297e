"""Long tables for a reader who looks for a row: a script filters, sorts and pages them.

Each table stands in ``noscript``: a browser that runs scripts takes it as one text, so that a
thousand rows cost it nothing until they are asked for; one that runs none shows the whole.
"""

import html
import json
import os

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
# For each page: whether the tools stand below what opens it, the first column of its tables, what
# a reader may choose by, sort by, the files for machines.
PAGES = {
    "ledger": {
        "below": True,
        "heading": "row",
        "filter": ("part", "verdict", "evidence", "kind"),
        "sort": ("evidence", "margin", "verdict", "kind"),
        "files": ("ledger.json", "claims.csv"),
    },
    "errata": {
        "below": False,
        "heading": "reach",
        "filter": ("reach", "part", "evidence"),
        "sort": ("reach", "evidence", "equation", "part"),
        "files": ("ledger.json",),
    },
    "equations": {
        "below": False,
        "heading": "equation",
        "filter": ("part", "evidence"),
        "sort": ("evidence", "equation", "part"),
        "files": ("ledger.json",),
    },
}


class RowTools(SphinxDirective):
    """The place where the script puts the controls of the page that the argument names, with the
    files for machines.
    """

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        page = PAGES[self.arguments[0]]
        how = {key: page[key] for key in ("filter", "sort")}
        ordered = ["", *STRENGTHS, *reversed(REACHES), *(part.caption for part in parts())]
        text = markup.render(
            "rows.html.jinja",
            how=json.dumps({**how, "order": ordered, "size": SIZE}),
            files=page["files"],
            data=os.path.relpath("_data", os.path.dirname(self.env.docname)),
        )
        return [nodes.raw("", text, format="html", rows=page["heading"])]


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


def say_of_controls(app: Sphinx, doctree: nodes.document) -> None:
    """A control that held is a hypothesis that was dropped with the effect foretold, most often a
    failure: its row says so, where *holds* would seem to speak of the statement.
    """
    for row in doctree.findall(nodes.row):
        if row[0].astext().startswith("control of "):
            for word in list(row[-1].findall(nodes.Text)):
                word.parent.replace(word, nodes.Text(CONTROLS.get(word, word)))


def say_whose_words(app: Sphinx, doctree: nodes.document) -> None:
    """Beside each claim of a chapter's own tables what the ledger calls it, as corrected, say, or
    beyond the print: a notebook's rows know of themselves only whether they are as printed.
    """
    file = f"{app.env.docname}.ipynb"
    shown = [one for one in collect.load()["statements"] if one["chapter"] == file]
    known = {claim["id"]: claim["label"] for one in shown for claim in one["claims"]}
    for row in doctree.findall(nodes.row) if known else ():
        role, *id = [part.astext() for part in row[0].findall(nodes.Text)] or [""]
        label = known.get(id[0]) if role in ("claim ", "step ") and id else None
        if label and f"({label})" not in row[1].astext():
            words = row[1][0] if len(row[1]) else nodes.paragraph()
            words += [nodes.Text(" "), nodes.emphasis("", f"({label})")]


def set_numbers(app: Sphinx, doctree: nodes.document) -> None:
    """Bounds and values of rows, which notebooks hold as they are typed, as they are set."""
    for table in doctree.findall(nodes.table):
        columns = [entry.astext() for entry in next(iter(table.findall(nodes.row)))]
        if "bound" in columns:
            for row in table.findall(nodes.row):
                for cell in (one for one, name in zip(row, columns, strict=True) if name in SET):
                    for text in list(cell.findall(nodes.Text)):
                        text.parent.replace(text, nodes.Text(typeset(text)))


def _shared_part(table: nodes.table) -> str:
    """The part of the statement whose section a table stands in; nothing where it has none."""
    for literal in table.parent.findall(nodes.literal) if table.parent else ():
        if literal.astext() in statements():
            return part_of(literal.astext())
    return ""


def setup(app: Sphinx) -> None:
    """Register and connect it."""
    app.add_directive("row-tools", RowTools)
    app.connect("doctree-read", say_of_controls)
    app.connect("doctree-read", say_whose_words)
    app.connect("doctree-read", set_numbers)
    app.connect("doctree-read", defer)
