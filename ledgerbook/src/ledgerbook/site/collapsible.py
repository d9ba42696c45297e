"""The order of a chapter's page: a verdict below the title, the picture, then what made it; the
evidence as one list of folds, closed at first, opened by a click, a link or printing.

A fold's heading stands in the line that opens it.
"""

import itertools
import re

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect, notebooks
from ledgerbook.chapters.statements import of_docname
from ledgerbook.chapters.summary import EVIDENCE
from ledgerbook.ledger.ledger_table import MIME
from ledgerbook.site import roles

# What a fold shows, beside its heading.
SHOWS = {
    "Walk": "step by step",
    "Proof": "how it is proved",
    "Check": "how this was checked",
    "Control": "what fails without each hypothesis",
    "Exercises": "with answers",
    "Where it sits": "what it uses, what uses it",
    "Provenance": "how to run this chapter again",
}
SET_UP = "Parameters and code of the picture"
# Where the line below the title leads.
FULL = {"Statement": "the statement in full", "What you may believe": "what you may believe"}


class fold(nodes.General, nodes.Element):
    """What a reader may open: a ``fold_line`` with its words, and what they hide."""


class fold_line(nodes.section):
    """The line of a fold; a section, so that a heading may stand in it."""


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


def arrange(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Bring a chapter's page into a reader's order."""
    row = of_docname(docname)
    if row is None or app.builder.format != "html":
        return
    shown = badges(notebooks.read(row.chapter))
    named = {}
    for section in list(doctree.findall(nodes.section)):
        title = section.children[0] if section.children else None
        if isinstance(title, nodes.title):
            named[title.astext()] = section
            if title.astext() in EVIDENCE:
                _close(section, title, shown)
    for cell in doctree.findall(_is_cell):
        if _is_code(cell.children[0]):  # hidden code stands below what it shows
            cell.append(cell.pop(0))
    whole = doctree.next_node(nodes.section)
    if whole is not None:
        _open(whole)
        whole.insert(1, _standing(collect.statuses().get(row.tag, "not checked"), named))


def _close(section: nodes.section, title: nodes.title, shown: dict[str, str]) -> None:
    """Put an evidence section into a fold, its heading into the fold's line."""
    inside = section.children[1:]
    if not inside:
        return
    name = title.astext()
    words = ": ".join([SHOWS[name], *([shown[name]] if name in shown else [])])
    section.clear()
    line = fold_line("", title, nodes.inline("", words, classes=["shows"]), ids=section["ids"])
    section += fold("", line, *inside)


def _standing(status: str, named: dict[str, nodes.section]) -> nodes.paragraph:
    """The line below the title: what became of the statement, and where it stands in full."""
    line = nodes.paragraph("", "", roles.chip(status), classes=["standing"])
    for name, words in FULL.items():
        if name in named:
            line += [nodes.Text(" "), nodes.reference("", words, refid=named[name]["ids"][0])]
    return line


def _open(section: nodes.section) -> None:
    """Behind the first picture what one needs, then parameters and code in one fold."""
    before = itertools.takewhile(lambda n: not isinstance(n, nodes.section), section.children)
    lead = list(before)
    cells = [node for node in lead if _is_cell(node)]
    picture = next((cell for cell in cells if any(cell.findall(nodes.image))), None)
    if picture is None:
        return
    first = cells[: cells.index(picture)]
    silent = [cell for cell in first if not any(cell.findall(_is_output))]
    need = [node for node in lead if "you-need" in _classes(node)]
    code = [node for node in picture.children if _is_code(node)]
    said = [cell for cell in first if cell not in silent]
    for node in (*first, *need, *code):
        node.parent.remove(node)
    line = fold_line("", nodes.inline("", SET_UP))
    at = section.index(picture) + 1
    section[at:at] = [*need, *said, fold("", line, *silent, *code)]


def _classes(node: nodes.Node) -> list[str]:
    return node.get("classes", []) if isinstance(node, nodes.Element) else []


def _is_output(node: nodes.Node) -> bool:
    return "cell_output" in _classes(node)


def _is_cell(node: nodes.Node) -> bool:
    return "cell" in _classes(node) and bool(node.children)


def _is_code(node: nodes.Node) -> bool:
    """Whether a node is a cell's hidden code; its kind comes with the databases of notebooks."""
    return type(node).__name__ == "HideCodeCellNode" and "above-input" in _classes(node)


def open_fold(self, node):
    """The start of a fold."""
    self.body.append('<details class="evidence">')


def close_fold(self, node):
    """The end of a fold."""
    self.body.append("</details>\n")


def open_line(self, node):
    """The start of a fold's line."""
    self.body.append("<summary>")


def close_line(self, node):
    """The end of a fold's line."""
    self.body.append("</summary>\n")


def setup(app: Sphinx) -> None:
    """Register the fold."""
    app.add_node(fold, html=(open_fold, close_fold))
    app.add_node(fold_line, html=(open_line, close_line))
    app.connect("doctree-resolved", arrange)
