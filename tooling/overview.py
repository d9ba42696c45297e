"""The landing page's figure: the run that Figure 2's chapter stores, moved by its reader.

Sphinx extension with two directives: ``overview`` draws the run as one SVG that a small script
moves; ``attention-table`` is the same run at the chapter's four moments.
"""

import json
import re

from docutils import nodes
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import statement
from ledgerbook.ledger.ledger_table import markdown_table
from ledgerbook.project import markup, paths
from ledgerbook.site.sphinx_ext import Generated
from nbformat import NotebookNode

TAG = "scan-snap.figure-02"
HEADER = re.compile(r" +step +\w+: +(\w+) +(\w+) +(\w+) +\w+: +\w+ +(\w+) +(\w+)")
PANELS = ("start", "scan", "winners", "snap")
SCALE = 200  # pixels for all of the attention
LEFT, STEP, WIDTH, MIDDLE = 78, 92, 64, 138


def run(notebook: NotebookNode) -> tuple[list[str], list[int], list[list[float]]]:
    """Words, steps and rows of attention, as the chapter printed them.

    A row has the shared word, the first class's two and the second class's two.  Raises
    ``ValueError`` if the chapter prints no such table.
    """
    for cell in notebooks.code_cells(notebook):
        for output in cell.outputs:
            lines = output.get("text", "").splitlines()
            found = HEADER.fullmatch(lines[0]) if lines else None
            if found:
                table = [[float(word) for word in line.split()] for line in lines[1:]]
                steps = [int(row[0]) for row in table]
                return list(found.groups()), steps, [row[1:4] + row[5:] for row in table]
    raise ValueError(f"{TAG}: its chapter prints no table of attention by step")


def moments(notebook: NotebookNode) -> list[int]:
    """The steps of the four panels, as the chapter prints them."""
    _, steps, _ = run(notebook)
    shown = re.search(r"^panels are steps (.*)$", _printed(notebook), re.MULTILINE)
    if not shown:
        raise ValueError(f"{TAG}: its chapter does not say which steps its panels are")
    wanted = [int(word) for word in shown.group(1).split(", ")]
    return [step for step in steps if step in wanted]


def _printed(notebook: NotebookNode) -> str:
    cells = notebooks.code_cells(notebook)
    return "\n".join(output.get("text", "") for cell in cells for output in cell.outputs)


def drawing(notebook: NotebookNode) -> str:
    """The figure as HTML: bars of the last step, outlines of the first, the whole run beside."""
    from checks import figures  # no other page waits for what this one draws
    from lib.scan_snap.four_classes import NEXT_TOKENS

    words, steps, rows = run(notebook)
    bars = [
        {
            "word": word,
            "x": LEFT + STEP * k,
            "up": k < 3,
            "down": k in (0, 3, 4),
            "color": figures.COLORS["common" if k == 0 else "distinct"],
            "first": SCALE * rows[0][k],
            "last": SCALE * rows[-1][k],
        }
        for k, word in enumerate(words)
    ]
    data = {"steps": steps, "rows": rows, "moments": moments(notebook), "names": PANELS}
    return markup.render(
        "overview.html.jinja",
        paths.ROOT / "tooling/templates",
        bars=bars,
        middle=MIDDLE,
        width=WIDTH,
        scale=SCALE,
        classes=NEXT_TOKENS,
        first=rows[0][0],
        last=rows[-1][0],
        steps=steps[-1],
        frames=len(steps) - 1,
        data=json.dumps(data),
    )


def table(notebook: NotebookNode) -> str:
    """Attention of the first class's query at the four moments, as Markdown."""
    words, steps, rows = run(notebook)
    kept = [(step, row) for step, row in zip(steps, rows, strict=True) if step in moments(notebook)]
    cells = [
        [name, str(step), *(f"{value:.0%}".replace("%", " %") for value in row[:3])]
        for name, (step, row) in zip(PANELS, kept, strict=True)
    ]
    return markdown_table(["moment", "step", *(f"*{word}*" for word in words[:3])], cells)


class FromFigure(Generated):
    """A directive that is made from the stored chapter of Figure 2."""

    depends = (statement(TAG).chapter,)

    @property
    def notebook(self):
        return notebooks.read(statement(TAG).chapter)


class Overview(FromFigure):
    def content_nodes(self):
        return [nodes.raw("", drawing(self.notebook), format="html")]


class AttentionTable(FromFigure):
    def content_nodes(self):
        return self.parse_markdown(table(self.notebook))


def setup(app):
    """Register the directives."""
    app.add_directive("overview", Overview)
    app.add_directive("attention-table", AttentionTable)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
