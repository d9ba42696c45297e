"""The order of a chapter's page: a verdict below the title, the picture, then what made it; the
evidence as one list of folds, closed at first, opened by a click, a link or printing.

A fold's heading stands in the line that opens it.
"""

import itertools

from docutils import nodes
from sphinx.application import Sphinx

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import of_docname
from ledgerbook.chapters.summary import EVIDENCE
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


def fold(line: list[nodes.Node], inside: list[nodes.Node]) -> list[nodes.Node]:
    """What a reader may open: a line with its words, and what they hide."""
    marks = ('<details class="evidence"><summary>', "</summary>\n", "</details>\n")
    start, middle, end = (nodes.raw("", mark, format="html") for mark in marks)
    return [start, *line, middle, *inside, end]


def badge(section: nodes.section, heading: str) -> str:
    """How many rows of a section hold, how many fail as printed; nothing where it has none."""
    tables = (table.get("stored", ()) for table in section.findall(nodes.table))
    rows = [row for table in tables for _, row in table]
    held = sum(row["passed"] for row in rows)
    failed = sum(row["as_printed"] and not row["passed"] for row in rows)
    word = "as expected" if heading == "Control" else "hold"
    return (f"{held} of {len(rows)} {word}" if rows else "") + (
        f", {failed} fail as printed" if failed else ""
    )


def arrange(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Bring a chapter's page into a reader's order."""
    row = of_docname(docname)
    if row is None:
        return
    named = {}
    for section in list(doctree.findall(nodes.section)):
        title = section.children[0] if section.children else None
        if isinstance(title, nodes.title):
            named[title.astext()] = section
            if title.astext() in EVIDENCE:
                _close(section, title)
    for cell in doctree.findall(_is_cell):
        if _is_code(cell.children[0]):  # hidden code stands below what it shows
            cell.append(cell.pop(0))
    whole = doctree.next_node(nodes.section)
    if whole is not None:
        _open(whole)
        whole.insert(1, _standing(collect.statuses().get(row.tag, "not checked"), named))


def _close(section: nodes.section, title: nodes.title) -> None:
    """Put an evidence section into a fold, its heading into the fold's line."""
    inside = section.children[1:]
    if not inside:
        return
    name = title.astext()
    words = ": ".join(filter(None, [SHOWS[name], badge(section, name)]))
    section[:] = fold([title, nodes.inline("", words, classes=["shows"])], inside)
    for cell in section.findall(_is_code) if name == "Exercises" else ():
        cell["prompt_show"], cell["prompt_hide"] = "Show the answer", "Hide the answer"


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
    output = lambda node: "cell_output" in _classes(node)
    silent = [cell for cell in first if not any(cell.findall(output))]
    need = [node for node in lead if "you-need" in _classes(node)]
    code = [node for node in picture.children if _is_code(node)]
    said = [cell for cell in first if cell not in silent]
    for node in (*first, *need, *code):
        node.parent.remove(node)
    at = section.index(picture) + 1
    section[at:at] = [*need, *said, *fold([nodes.inline("", SET_UP)], [*silent, *code])]


def _classes(node: nodes.Node) -> list[str]:
    return node.get("classes", []) if isinstance(node, nodes.Element) else []


def _is_cell(node: nodes.Node) -> bool:
    return "cell" in _classes(node) and bool(node.children)


def _is_code(node: nodes.Node) -> bool:
    """Whether a node is a cell's hidden code; its kind comes with the databases of notebooks."""
    return type(node).__name__ == "HideCodeCellNode" and "above-input" in _classes(node)


def setup(app: Sphinx) -> None:
    """Connect it."""
    app.connect("doctree-resolved", arrange)
