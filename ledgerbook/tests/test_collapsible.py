"""What a chapter's page folds, and what the line says that opens it."""

from types import SimpleNamespace

import nbformat
import pytest
from docutils import nodes
from ledgerbook.ledger.ledger_table import MIME
from ledgerbook.site import collapsible
from myst_nb.sphinx_ import HideCodeCellNode


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


def code_of(cell):
    return HideCodeCellNode("", nodes.literal_block("", cell), classes=["above-input"])


@pytest.fixture
def page(monkeypatch):
    """A chapter's page, and the cells that stand before its picture and with it."""
    out = nodes.container("", nodes.image(), classes=["cell_output"])
    said = nodes.container("", nodes.paragraph("", "text"), classes=["cell_output"])
    cells = {
        "parameters": cell(code_of("size = 7")),
        "says": cell(code_of("print()"), said),
        "figure": cell(code_of("draw()"), out),
        "later": cell(code_of("draw()"), out.deepcopy()),
    }
    need = nodes.paragraph("", "you need", classes=["you-need"])
    walk = section("Walk", nodes.paragraph("", "a"), section("A step", nodes.paragraph("", "b")))
    untitled = nodes.section("", section("Check", nodes.paragraph("", "c")), nodes.section())
    stated = section("Statement", cells["later"])
    stated["ids"] = ["statement"]
    top = section("Title", nodes.paragraph("", "sentence"), need, *list(cells.values())[:3])
    top += [stated, walk, untitled]
    monkeypatch.setattr(
        collapsible, "of_docname", lambda name: SimpleNamespace(chapter=name, tag="a.one")
    )
    monkeypatch.setattr(collapsible.notebooks, "read", lambda chapter: None)
    monkeypatch.setattr(collapsible, "badges", lambda read: {"Walk": "2 of 4 hold"})
    monkeypatch.setattr(collapsible.collect, "statuses", lambda: {"a.one": "holds as corrected"})
    document = nodes.document(None, None)
    document += top
    return document, cells


def arranged(document):
    builder = SimpleNamespace(format="html")
    collapsible.arrange(SimpleNamespace(builder=builder), document, "book/a")
    return document[0]


def test_a_chapter_opens_with_its_verdict_and_its_picture_and_then_says_what_they_stand_on(page):
    document, cells = page
    title, standing, sentence, picture, need, said, fold = arranged(document).children[:7]
    assert standing.astext() == "✎ holds as corrected the statement in full"
    assert standing[0]["classes"] == ["chip", "holds-as-corrected"]
    assert standing[-1]["refid"] == "statement"
    assert (title.astext(), sentence.astext()) == ("Title", "sentence")
    assert picture is cells["figure"] and need.astext() == "you need" and said is cells["says"]
    line, *inside = fold.children
    assert line.astext() == collapsible.SET_UP and inside[0] is cells["parameters"]
    assert inside[1].astext() == "draw()" and len(picture) == 1


def test_hidden_code_stands_below_what_it_shows(page):
    document, cells = page
    arranged(document)
    for name, words in (("says", "print()"), ("later", "draw()")):
        assert cells[name][-1].astext() == words and len(cells[name]) == 2


def test_evidence_is_folded_and_its_heading_opens_it(page):
    document, _ = page
    _, walk, check = arranged(document).findall(collapsible.fold)
    line, *inside = walk.children
    assert [one.astext() for one in line] == ["Walk", "step by step: 2 of 4 hold"]
    assert [one.astext().split() for one in inside] == [["a"], ["A", "step", "b"]]
    assert len(walk.parent) == 1
    assert [one.astext() for one in check[0]] == ["Check", "how this was checked"]
