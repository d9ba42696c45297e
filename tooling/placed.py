"""Sphinx extension: where the figures that move stand, and the landing page's run as a table.

A chapter's figure is put at the end of its idea when the page is written, so the notebooks hold no
script; the directive ``moving`` puts one elsewhere.  ``attention-table`` is the run that Figure 2's
chapter stores, at its four moments.  A page is written without the mathematics of ``moving``.
"""

import json
import re
from functools import cache

from docutils import nodes
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import of_docname, statement
from ledgerbook.ledger.ledger_table import markdown_table
from ledgerbook.project import paths, settings
from ledgerbook.site.sphinx_ext import Generated
from nbformat import NotebookNode

from tooling import PLACED

SECTION = "The idea"
TAG = "scan-snap.figure-02"
HEADER = re.compile(r" +step +\w+: +(\w+) +(\w+) +(\w+) +\w+: +\w+ +(\w+) +(\w+)")
PANELS = ("start", "scan", "winners", "snap")


@cache
def figures() -> dict[str, dict]:
    """Name to a figure's ``tag`` and ``html``, as the build wrote them; none for a chapter made
    before it.
    """
    file = paths.BUILD / PLACED
    if settings.alone() and not file.exists():
        return {}
    return json.loads(file.read_text(encoding="utf-8"))


def place(app, doctree, docname):
    """Put a chapter's figure below the words that it makes felt."""
    row = of_docname(docname)
    if row is None or app.builder.name != "html":
        return
    for html in (one["html"] for one in figures().values() if one["tag"] == row.tag):
        for section in doctree.findall(nodes.section):
            title = section.next_node(nodes.title)
            if title is not None and title.parent is section and title.astext() == SECTION:
                section.append(nodes.raw("", html, format="html"))
                break
        else:
            raise ValueError(f"{row.tag}: its chapter has no section {SECTION!r} for its figure")


def run(notebook: NotebookNode) -> tuple[list[str], list[int], list[list[float]]]:
    """Words, steps and rows of attention, as the chapter printed them.

    A row has the shared word, the first class's two and the second class's two.  Raises
    ``ValueError`` if the chapter prints no such table.
    """
    for text in _printed(notebook):
        lines = text.splitlines()
        if lines and (found := HEADER.fullmatch(lines[0])):
            table = [[float(word) for word in line.split()] for line in lines[1:]]
            steps = [int(row[0]) for row in table]
            return list(found.groups()), steps, [row[1:4] + row[5:] for row in table]
    raise ValueError(f"{TAG}: its chapter prints no table of attention by step")


def moments(notebook: NotebookNode) -> list[int]:
    """The steps of the four panels, as the chapter prints them."""
    shown = re.search(r"^panels are steps (.*)$", "\n".join(_printed(notebook)), re.MULTILINE)
    if not shown:
        raise ValueError(f"{TAG}: its chapter does not say which steps its panels are")
    wanted = [int(word) for word in shown.group(1).split(", ")]
    return [step for step in run(notebook)[1] if step in wanted]


def _printed(notebook: NotebookNode) -> list[str]:
    cells = notebooks.code_cells(notebook)
    return [output.get("text", "") for cell in cells for output in cell.outputs]


def table(notebook: NotebookNode) -> str:
    """Attention of the first class's query at the four moments, as Markdown."""
    words, steps, rows = run(notebook)
    kept = [(step, row) for step, row in zip(steps, rows, strict=True) if step in moments(notebook)]
    cells = [
        [name, str(step), *(f"{value:.0%}".replace("%", " %") for value in row[:3])]
        for name, (step, row) in zip(PANELS, kept, strict=True)
    ]
    return markdown_table(["moment", "step", *(f"*{word}*" for word in words[:3])], cells)


class Moving(Generated):
    """The figure that the argument names."""

    required_arguments = 1
    depends = (paths.BUILD / PLACED,)

    def content_nodes(self):
        found = figures().get(self.arguments[0])
        return [nodes.raw("", found["html"], format="html")] if found else []


class AttentionTable(Generated):
    """A table that is made from the stored chapter of Figure 2."""

    depends = (statement(TAG).chapter,)

    def content_nodes(self):
        return self.parse_markdown(table(notebooks.read(statement(TAG).chapter)))


def setup(app):
    """Register the directives and the placing."""
    app.add_directive("moving", Moving)
    app.add_directive("attention-table", AttentionTable)
    app.connect("doctree-resolved", place)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
