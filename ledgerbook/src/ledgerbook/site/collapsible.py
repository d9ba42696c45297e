"""Folding the evidence of a chapter: closed at first, opened by a click, a link or printing.

The headings stay, so that the contents of the page are complete; what follows a heading goes into
an element that the browser folds by itself.
"""

import itertools
import re

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import of_docname
from ledgerbook.chapters.summary import EVIDENCE
from ledgerbook.ledger.ledger_table import MIME

SHOWS = {
    "Walk": "Show the walk",
    "Proof": "How it is proved",
    "Check": "How this was checked",
    "Control": "What fails without each hypothesis",
    "Exercises": "Show the exercises",
    "Where it sits": "What it uses, what uses it",
    "Provenance": "How to run this chapter again",
}


class evidence(nodes.General, nodes.Element):
    """The folded part of a section; ``summary`` says what it hides."""


def badges(notebook) -> dict[str, str]:
    """For each section of a chapter that has rows: how many hold, how many fail as printed."""
    found: dict[str, list] = {}
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            below = re.findall(r"^## +(.+?)\s*$", cell.source, re.MULTILINE)
            heading = below[-1] if below else heading
        elif cell.cell_type == "code":
            shown = (output.get("data", {}).get(MIME, {}) for output in cell.outputs)
            rows = found.setdefault(heading, [])
            rows += [row for content in shown for row in content.get("rows", ())]
    return {heading: _badge(rows, heading) for heading, rows in found.items() if rows}


def _badge(rows: list[dict], heading: str) -> str:
    held = sum(row["passed"] for row in rows)
    failed = sum(row["as_printed"] and not row["passed"] for row in rows)
    word = "as expected" if heading == "Control" else "hold"
    return f"{held} of {len(rows)} {word}" + (f", {failed} fail as printed" if failed else "")


def fold(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put what follows the heading of each evidence section of a chapter into a fold."""
    row = of_docname(docname)
    if row is None or app.builder.format != "html":
        return
    shown = badges(notebooks.read(row.chapter))
    for section in list(doctree.findall(nodes.section)):
        title = section.next_node(nodes.title)
        name = title.astext() if title is not None and title.parent is section else ""
        if name in EVIDENCE:
            badge = f": {shown[name]}" if name in shown else ""
            _put_into_fold(section, section.children[1:], SHOWS[name] + badge)
        elif section.parent is doctree:
            _put_into_fold(section, set_up(section), "Parameters and set-up")


def set_up(section: nodes.section) -> list[nodes.Node]:
    """The code cells below a chapter's title that show nothing: its parameters and imports."""
    before = itertools.takewhile(lambda n: not isinstance(n, nodes.section), section.children)
    cells = [
        node for node in before if "cell" in getattr(node, "attributes", {}).get("classes", ())
    ]
    silent = itertools.takewhile(lambda cell: not [*cell.findall(_is_output)], cells)
    return list(silent)


def _is_output(node: nodes.Node) -> bool:
    return "cell_output" in getattr(node, "attributes", {}).get("classes", ())


def _put_into_fold(section: nodes.section, inside: list[nodes.Node], summary: str) -> None:
    """Move nodes of a section into a fold at the place of the first."""
    if inside:
        place = section.index(inside[0])
        for child in inside:
            section.remove(child)
        section.insert(place, evidence("", *inside, summary=summary))


def open_fold(self, node):
    """The start of a fold."""
    self.body.append('<details class="evidence"><summary>')
    self.body.append(self.encode(node["summary"]))
    self.body.append("</summary>\n")


def close_fold(self, node):
    """The end of a fold."""
    self.body.append("</details>\n")


def setup(app: Sphinx) -> None:
    """Register the fold."""
    app.add_node(evidence, html=(open_fold, close_fold))
    app.connect("doctree-resolved", fold)
