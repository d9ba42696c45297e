"""What a chapter's page folds, and what the line says that opens it."""

from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from ledgerbook.ledger.ledger_table import MIME
from ledgerbook.site import collapsible


def row(passed, as_printed=False):
    return {"passed": passed, "as_printed": as_printed}


def code(source, *shown):
    """A code cell that shows rows, an output each."""
    outputs = [
        nbformat.v4.new_output("display_data", data={MIME: {"rows": rows}} if rows else {})
        for rows in shown
    ]
    return nbformat.v4.new_code_cell(source, outputs=outputs)


def test_a_section_with_rows_says_how_many_hold_and_how_many_fail_as_printed():
    words = nbformat.v4.new_markdown_cell
    cells = [
        *(words("# Title"), words("## Walk\n\nwords"), code("1", [])),
        *(words("## Check"), words("Words, no heading."), code("## a comment", [row(True)], [])),
        code("2", [row(False, True), row(False, True), row(True, True)]),
        *(words("## Control"), code("3", [row(True), row(True)])),
    ]
    assert collapsible.badges(nbformat.v4.new_notebook(cells=cells)) == {
        "Check": "2 of 4 hold, 2 fail as printed",
        "Control": "2 of 2 as expected",
    }


def cell(*inside):
    return nodes.container("", *inside, classes=["cell"])


def section(title, *inside):
    return nodes.section("", nodes.title("", title), *inside)


@pytest.fixture
def page(monkeypatch):
    """A chapter's page, and the cells that it has."""
    out = nodes.container("", classes=["cell_output"])
    cells = {
        "parameters": cell(nodes.literal_block("", "size = 7")),
        "imports": cell(nodes.container("", classes=["cell_input"])),
        "figure": cell(nodes.container("", classes=["cell_input"]), out),
        "silent": cell(),
        "inner": cell(),
    }
    idea = section("Idea", nodes.paragraph("", "open"), cells["inner"])
    walk = section("Walk", nodes.paragraph("", "a"), section("A step", nodes.paragraph("", "b")))
    untitled = nodes.section("", section("Check", nodes.paragraph("", "c")), nodes.section())
    top = section(
        "Title",
        *(nodes.paragraph("", "sentence"), cells["parameters"], cells["imports"]),
        *(cells["figure"], cells["silent"], idea, walk, untitled),
    )
    notebook = nbformat.v4.new_notebook()
    monkeypatch.setattr(collapsible, "of_docname", lambda name: SimpleNamespace(chapter=name))
    monkeypatch.setattr(collapsible.notebooks, "read", lambda chapter: notebook)
    monkeypatch.setattr(
        collapsible, "badges", lambda read: {"Walk": "2 of 4 hold"} if read is notebook else {}
    )
    document = nodes.document(None, None)
    document += top
    return document, cells


def folded(document, builder="html"):
    collapsible.fold(SimpleNamespace(builder=SimpleNamespace(format=builder)), document, "book/a")
    return {one["summary"]: one for one in document.findall(collapsible.evidence)}


def test_evidence_and_the_cells_that_set_up_are_folded_below_their_headings(page):
    document, cells = page
    found = folded(document)
    assert list(found) == [
        "Parameters and set-up",
        "Show the walk: 2 of 4 hold",
        collapsible.SHOWS["Check"],
    ]
    set_up, walk, check = found.values()
    assert set_up.children == [cells["parameters"], cells["imports"]]
    assert document[0].index(set_up) == 2  # behind the title and the sentence
    assert walk.astext().split() == ["a", "A", "step", "b"]
    assert walk.parent.astext().split()[0] == "Walk" and len(walk.parent) == 2
    assert check.astext() == "c"
