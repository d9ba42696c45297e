"""What a chapter's words rest on: its rows, its sections, the conclusions that it judges."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters import quantifiers
from ledgerbook.ledger.ledger_table import MIME
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ROW = {"id": "one", "claim": "it always holds", "as_printed": False, "passed": True}


@pytest.mark.parametrize(
    ("change", "offends"),
    [
        ({"strength": "measured"}, True),
        ({"strength": "certified"}, True),
        ({"strength": "proved"}, False),
        ({"strength": "proved", "as_printed": True, "passed": False}, False),
        ({"strength": "measured", "passed": False}, True),
        ({"strength": "measured", "as_printed": True}, True),
        ({"strength": "measured", "as_printed": True, "passed": False}, False),  # it quotes
    ],
)
def test_a_row_answers_for_its_own_words_unless_it_quotes_what_fails(change, offends):
    record = {"tag": "a.b", "claims": [ROW | change], "hypotheses": []}
    assert [one.place for one in quantifiers.offending_rows(record)] == ["a.b#one"] * offends


def shown(passed, strength="proved"):
    rows = {"rows": [{"passed": passed, "strength": strength}]}
    outputs = [new_output("stream", text="words"), new_output("display_data", {MIME: {}})]
    return new_code_cell("1", outputs=[*outputs, new_output("display_data", {MIME: rows})])


def offending(*cells):
    found = quantifiers.offending_prose("a.b", new_notebook(cells=list(cells)), False)
    return [(one.place, one.sentence) for one in found]


def test_each_section_is_backed_by_the_rows_below_its_own_heading():
    head = new_markdown_cell("It never ends.\n\n## One\n\nIt always is.")
    other = new_markdown_cell("## Two\n\nFor all of them.\n\n## Three\n\nAnd never more.")
    in_head, first = ("a.b, the head", "It never ends."), ("a.b, One", "It always is.")
    second, third = ("a.b, Two", "For all of them."), ("a.b, Three", "And never more.")
    assert offending(head, other) == [in_head, first, second, third]
    assert offending(head, shown(True), new_code_cell("2"), other) == [in_head, second, third]
    assert offending(head, shown(False), other, shown(True)) == [in_head, first, second]
    assert offending(new_markdown_cell("It never ends."), shown(True)) == []
    assert offending(new_markdown_cell("Never."), shown(True, "measured")) != []


def test_a_chapter_s_prose_is_backed_by_any_conclusion_that_it_judges(monkeypatch):
    own, beside = SimpleNamespace(tag="a.own", chapter="own"), SimpleNamespace(tag="a.beside")
    prose = new_notebook(cells=[new_markdown_cell("It never ends.")])
    monkeypatch.setattr(quantifiers, "written", lambda: [own])
    monkeypatch.setattr(quantifiers, "judged_in", lambda chapter: [chapter, beside])
    monkeypatch.setattr(quantifiers.notebooks, "read", lambda chapter: prose)
    for strengths, number in ((("measured", "proved"), 1), (("measured", "certified"), 2)):
        records = [
            {"tag": tag, "strength": strength, "claims": [], "hypotheses": []}
            for tag, strength in zip(("a.own", "a.beside"), strengths, strict=True)
        ]
        records[1]["claims"] = [ROW | {"strength": "measured"}]
        found = [str(one) for one in quantifiers.offenders({"statements": records})]
        assert len(found) == number
        assert found[0] == "a.beside#one: “always” rests on no proved row: it always holds"
