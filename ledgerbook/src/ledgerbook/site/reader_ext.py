"""Sphinx directives for the reader's pages: a part as a map, the questions as a self-test, a
chapter's picture on another page.
"""

import base64
import hashlib
import os
import re
from itertools import groupby

from docutils import nodes
from sphinx.environment import BuildEnvironment

from ledgerbook.chapters import notebooks, statements, summary
from ledgerbook.chapters.statements import Statement, statement, written
from ledgerbook.ledger.ledger_table import markdown_table
from ledgerbook.pages import parts
from ledgerbook.project import markup, paths, storage
from ledgerbook.site.sphinx_ext import Generated


def chapters(part: str) -> list[Statement]:
    """The written chapters of a part, in the reader's order."""
    return [row for row in written() if row.part == part]


def part_map(part: str, docname: str, ledger: dict) -> str:
    """What, how long, how sure: a table of a part's chapters, as seen from a page."""
    records = {row["tag"]: row for row in ledger["statements"]}
    rows = []
    for row in chapters(part):
        notebook, record = notebooks.read(row.chapter), records[row.tag]
        sure = f"{parts.chip(record['status'])} {record['strength'] or 'no evidence'}"
        what = summary.sentence(notebook) or row.title
        rows.append([parts.link(row, docname), what, str(summary.minutes(notebook)), sure])
    return markdown_table(["chapter", "what it says", "minutes", "how sure"], rows)


def self_test(docname: str, heading: str = "") -> str:
    """The questions of all chapters, or of those below one heading of the contents, each with its
    answer folded.
    """
    blocks = []
    for listed, some in groupby(statements.parts(), lambda part: part.heading):
        rows = [row for part in some for row in chapters(part.name)]
        asked = [(row, summary.question(notebooks.read(row.chapter))) for row in rows]
        found = [_question(row, found, docname) for row, found in asked if found]
        if found and heading in ("", listed):
            blocks += found if heading else [f"## {listed}", *found]
    return "\n\n".join(blocks)


def _question(row: Statement, found: tuple[str, str, str], docname: str) -> str:
    """One question as a block that a script may give buttons to."""
    asked, answer, right = (_moved(text, row, docname) for text in found)
    name, heading = f"question-{row.tag.replace('.', '-')}", parts.link(row, docname)
    heading = f"**{heading}** — {row.title}"
    return markup.question(name, heading, asked, answer, summary.choices(asked), right)


def _moved(text: str, row: Statement, docname: str) -> str:
    """Markdown of a chapter with its links as seen from another page."""
    here, there = os.path.dirname(docname), os.path.dirname(row.docname)

    def again(found):
        target = found.group(1)
        return f"]({os.path.relpath(os.path.join(there, target), here)})"

    return re.sub(r"\]\((?!https?:|#)([^)]+)\)", again, text)


class Reader(Generated):
    """A directive that reads stored chapters."""

    def run(self):
        for row in written():
            self.env.note_dependency(str(row.chapter))
        return super().run()


class PartMap(Reader):
    required_arguments = 1

    def markdown(self, ledger):
        return part_map(self.arguments[0], self.env.docname, ledger)


class SelfTest(Reader):
    """All questions, or those below the heading of the contents that the argument names."""

    optional_arguments = 1
    final_argument_whitespace = True

    def markdown(self, ledger):
        return self_test(self.env.docname, *self.arguments)


class ChapterPicture(Reader):
    """The first picture of a chapter, with its caption, on another page."""

    required_arguments = 1

    def content_nodes(self):
        row = statement(self.arguments[0])
        png, details = first_picture(row)
        image = nodes.image("", uri=stored(png, self.env), alt=details["alt"])
        caption = self.parse_markdown(
            f"{details['caption']} (From {parts.link(row, self.env.docname)}.)"
        )
        return [nodes.container("", image, *caption, classes=["chapter-picture"])]


def first_picture(row: Statement) -> tuple[str, dict]:
    """The first picture of a stored chapter, as base64, with its alt text, caption and width."""
    for cell in notebooks.code_cells(notebooks.read(row.chapter)):
        for output in cell.outputs:
            details = output.get("metadata", {}).get("image/png", {})
            if "alt" in details:
                return output["data"]["image/png"], details
    raise ValueError(f"{paths.relative(row.chapter)}: no picture is stored in it")


def stored(png: str, env: BuildEnvironment) -> str:
    """The address of a picture as a file, the one that its own chapter's page shows."""
    data = base64.b64decode(png)
    file = paths.BUILD / "jupyter_execute" / f"{hashlib.sha256(data).hexdigest()}.png"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        storage.write_atomically(file, data)
    return f"/{os.path.relpath(file, env.srcdir)}"


def setup(app):
    """Register the directives."""
    app.add_directive("part-map", PartMap)
    app.add_directive("self-test", SelfTest)
    app.add_directive("chapter-picture", ChapterPicture)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
