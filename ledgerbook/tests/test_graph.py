"""The graph of a made-up paper: where boxes stand, what fits into them, the same as a list."""

from xml.etree import ElementTree

import pytest
from ledgerbook.chapters.statements import Statement
from ledgerbook.pages import graph, parts
from ledgerbook.project import paths

SVG = "{http://www.w3.org/2000/svg}"
STEP_X, STEP_Y = graph.WIDTH + graph.GAP_X, graph.HEIGHT + graph.GAP_Y
USES = {
    "a.left": (),
    "a.right": ("b.one",),
    "a.middle": ("a.left",),
    "a.below": ("a.middle",),
    "a.below-left": ("a.middle", "a.left"),
    "a.below-right": ("a.middle", "a.right"),
    "b.one": (),
    "b.two": ("b.one",),
}
RECORD = {"status": "holds", "strength": "measured", "inherited_strength": "measured"}
RECORD |= {"standing": "read"}


@pytest.fixture
def rows(project, monkeypatch):
    """Two papers, of which the first uses the second; no chapter is written but one."""
    found = {
        tag: Statement(tag, f"Lemma {number}", tag, uses)
        for number, (tag, uses) in enumerate(USES.items(), 1)
    }
    chapter = found["a.left"].chapter
    chapter.parent.mkdir(parents=True)
    chapter.touch()
    for module in (graph, parts):
        monkeypatch.setattr(module, "statement", found.__getitem__)
    monkeypatch.setattr(graph, "statements", lambda: found)
    monkeypatch.setattr(graph, "PAPERS", {"a": "First", "b": "Second"})
    return found


def test_what_is_used_stands_above_and_a_row_is_ordered_by_the_middles_of_what_it_uses(rows):
    spots = graph.layout(graph.dependencies("a"))
    left, top = graph.MARGIN, graph.MARGIN
    assert spots == {
        "a.left": (left + STEP_X / 2, top),
        "a.right": (left + 1.5 * STEP_X, top),
        "a.middle": (left + STEP_X, top + STEP_Y),
        "a.below-left": (left, top + 2 * STEP_Y),
        "a.below": (left + STEP_X, top + 2 * STEP_Y),
        "a.below-right": (left + 2 * STEP_X, top + 2 * STEP_Y),
    }


def test_the_picture_ends_a_margin_behind_its_boxes_and_words_stand_within_them(rows):
    text = graph.svg("a", dict.fromkeys(rows, RECORD), paths.document("graph"))
    picture = ElementTree.fromstring(text).find(f"{SVG}svg")
    size = [float(picture.get(side)) for side in ("width", "height")]
    assert size == [
        3 * STEP_X - graph.GAP_X + 2 * graph.MARGIN,
        3 * STEP_Y - graph.GAP_Y + 2 * graph.MARGIN,
    ]
    assert picture.get("viewBox").split()[2:] == [picture.get("width"), picture.get("height")]
    spots = graph.layout(graph.dependencies("a"))
    for node in [*picture.findall(f"{SVG}g"), *picture.findall(f"{SVG}a")]:
        box, words = node.find(f"{SVG}rect"), node.findall(f"{SVG}text")
        x, y = float(box.get("x")), float(box.get("y"))
        tag = node.find(f"{SVG}title").text.partition(" — ")[2].partition(" — ")[0]
        assert (x, y) == spots.pop(tag)
        heights = [float(one.get("y")) for one in words]
        assert y < heights[0] and heights == sorted(heights) and heights[-1] < y + graph.HEIGHT
        assert {float(one.get("x")) for one in words} == {x + graph.WIDTH / 2}
    assert spots == {}
    assert picture.find(f"{SVG}a").get("href") == "a/left.html"


def test_the_list_names_what_is_used_and_the_slips_of_a_statement_of_its_paper(rows, project):
    errata = [{"id": "E1", "tag": "a.left"}, {"id": "E2", "tag": "a.middle"}]
    (project / "book/ledger.md").touch()
    said = graph.listing("a", dict.fromkeys(rows, RECORD), paths.document("graph"), errata)
    first, second, third, *rest = said.splitlines()
    words = "✓ holds, measured; statement read; uses"
    assert first == (
        f"- [Lemma 1 — a.left](a/left.ipynb) — {words} nothing"
        " ({ref}`ledger <rows-a-left>`, {ref}`E1 <e1>`)"
    )
    assert second.endswith(f"{words} Lemma 7 ({{ref}}`ledger <rows-a-right>`)")
    assert third.startswith("- Lemma 3 — a.middle (not written yet) — ")
    assert third.endswith("uses Lemma 1 ({ref}`ledger <rows-a-middle>`, {ref}`E2 <e2>`)")
    assert len(rest) == 3


def test_without_a_ledger_page_and_slips_nothing_is_in_brackets(rows):
    said = graph.listing("b", dict.fromkeys(rows, RECORD), paths.document("graph"))
    assert [line.partition("; uses ")[2] for line in said.splitlines()] == ["nothing", "Lemma 7"]
