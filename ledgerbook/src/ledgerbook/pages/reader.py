"""The reader's pages: a part as a map, the questions as a self-test, a chapter's picture."""

import os
import re

from ledgerbook.chapters import notebooks, summary
from ledgerbook.chapters.statements import Statement, parts, written
from ledgerbook.ledger.ledger_table import markdown_table
from ledgerbook.pages.parts import UNTRUE, chip, link
from ledgerbook.project import markup
from ledgerbook.project.project import current


def chapters(part: str) -> list[Statement]:
    """The written chapters of a part, in the reader's order."""
    return [row for row in written() if row.part == part]


def part_map(part: str, docname: str, ledger: dict) -> str:
    """What, how long, how sure: a table of a part's chapters, as seen from a page."""
    records = {row["tag"]: row for row in ledger["statements"]}
    rows = []
    for row in chapters(part):
        notebook, record = notebooks.read(row.chapter), records[row.tag]
        own = "" if record["kind"] in UNTRUE else record["strength"] or "no evidence"
        sure = f"{chip(record['status'])} {own}".strip()
        what = summary.sentence(notebook) or row.title
        rows.append([link(row, docname), what, str(summary.minutes(notebook)), sure])
    return markdown_table(["chapter", "what it says", "minutes", "how sure"], rows)


def self_test(docname: str, heading: str) -> str:
    """The questions of the chapters below a heading of the contents, with folded answers."""
    rows = [row for part in parts() if part.heading == heading for row in chapters(part.name)]
    asked = [(row, summary.question(notebooks.read(row.chapter))) for row in rows]
    return "\n\n".join(_question(row, found, docname) for row, found in asked if found)


def _question(row: Statement, found: tuple[str, str, str], docname: str) -> str:
    """One question, its answer folded, as a block that a script may give buttons to."""
    asked, answer, right = (moved(text, row, docname) for text in found)
    letters = " ".join(summary.choices(asked))
    choices = markup.render("question.html.jinja", right=right, letters=letters)
    return (
        f"::::{{container}} question\n:name: question-{row.tag.replace('.', '-')}\n\n"
        f"**{link(row, docname)}** — {row.title}\n\n{asked}\n\n"
        f":::{{dropdown}} Answer\n{answer}\n:::\n\n```{{raw}} html\n{choices}\n```\n::::"
    )


def moved(text: str, row: Statement, docname: str) -> str:
    """Markdown of a chapter with its links as seen from another page."""
    here, there = os.path.dirname(docname), os.path.dirname(row.docname)
    again = lambda found: f"]({os.path.relpath(os.path.join(there, found[1]), here)})"
    return re.sub(r"\]\((?!https?:|#)([^)]+)\)", again, text)


def first_picture(row: Statement) -> tuple[str, dict]:
    """The first picture of a stored chapter, as base64, with its alt text, caption and width."""
    for cell in notebooks.code_cells(notebooks.read(row.chapter)):
        for output in cell.outputs:
            details = output.get("metadata", {}).get("image/png", {})
            if "alt" in details:
                return output["data"]["image/png"], details
    raise ValueError(f"{current().relative(row.chapter)}: no picture is stored in it")
