"""The graph of a made-up paper: where boxes stand, what fits into them, the same as a list."""

import re

import pytest
from docutils import nodes
from ledgerbook.chapters.statements import Statement
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.pages import graph, parts
from ledgerbook.project import paths
from ledgerbook.site import configuration

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
RECORD = {"status": "holds", "strength": "measured", "kind": "setting"}
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


def test_the_list_names_what_is_used_and_the_slips_of_a_statement_of_its_paper(rows, project):
    errata = [{"id": "E1", "tag": "a.left"}, {"id": "E2", "tag": "a.middle"}]
    (project / "book/ledger.md").touch()
    said = graph.listing("a", dict.fromkeys(rows, RECORD), paths.document("graph"), errata)
    first, second, third, *rest = said.splitlines()
    words = "{status}`holds` measured; statement read; uses"
    assert first == (
        f"- [Lemma 1 — a.left](a/left.ipynb) — {words} nothing"
        " ({ref}`ledger <rows-a-left>`, {ref}`E1 <e1>`)"
    )
    assert second.endswith(f"{words} Lemma 7 ({{ref}}`ledger <rows-a-right>`)")
    assert third.startswith("- Lemma 3 — a.middle (not written yet) — ")
    assert third.endswith("uses Lemma 1 ({ref}`ledger <rows-a-middle>`, {ref}`E2 <e2>`)")
    assert len(rest) == 3


def test_a_status_has_one_colour_in_the_graph_and_in_every_chip():
    sheet = (configuration.STATIC / "book.css").read_text(encoding="utf-8")
    for status, symbol in SYMBOLS.items():
        rule = rf"\.{nodes.make_id(status)}\b[^{{}}]*\{{ --status: (#\w+)"
        assert re.search(rule, sheet)[1] == graph.FILLS[symbol], status
