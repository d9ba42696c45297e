"""The generated parts of pages, as Markdown."""

from dataclasses import replace

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.pages import parts
from ledgerbook.project import paths

THEOREM, COROLLARY = (statement(f"textbook.{name}-01") for name in ("theorem", "corollary"))


@pytest.fixture
def with_pages(tmp_path, monkeypatch):
    """A book that has the pages `errata`, `graph` and `ledger`; chapters stay where they are."""
    for name in ("errata", "graph", "ledger"):
        (tmp_path / f"{name}.md").touch()
    here = type("Paths", (), {"BOOK": tmp_path, "relative": staticmethod(paths.relative)})
    monkeypatch.setattr(parts, "paths", here)


@pytest.mark.parametrize(
    ("standing", "slips", "more"),
    [
        ("read", [], ""),
        ("read", ["E1", "E2"], " · errata {ref}`E1 <e1>`, {ref}`E2 <e2>`"),
        ("established", [], " · statement established, not read in print"),
    ],
)
def test_what_became_of_a_statement_is_one_line(standing, slips, more):
    known = {"status": "holds", "strength": "proved", "inherited_strength": "proved"}
    line = parts.what_became(known | {"standing": standing, "slips": slips}, THEOREM)
    assert line == f"**✓ holds** · evidence: **proved**{more}"


def test_pages_that_the_book_has_are_linked_and_others_are_named(with_pages):
    assert parts.generated("errata", "../") == "[errata](../errata.md)"
    assert parts.generated("sharper", "../") == "sharper"
    found = parts.places(THEOREM.tag, "graph", "ledger")
    assert found == [
        "{ref}`graph <node-textbook-theorem-01>`",
        "{ref}`ledger <rows-textbook-theorem-01>`",
    ]
    *_, equations, status = parts.where_it_sits(replace(THEOREM, equations="(3)"), {}).splitlines()
    assert equations == "- **Equations of the paper:** (3)"
    assert status.endswith(f"○ not checked — {', '.join(found)}, [errata](../errata.md)")


def test_what_is_known_is_counted(monkeypatch):
    known = {"textbook.theorem-01": THEOREM, "lab": replace(THEOREM, kind="experiment")}
    monkeypatch.setattr(parts, "statement", known.__getitem__)

    def row(status, kind, strength, claims, *controls):
        asked = [{"control": control} for control in controls]
        return {
            "status": status,
            "kind": kind,
            "strength": strength,
            "claims": [{}] * claims,
            "hypotheses": asked,
        }

    rows = [
        row("holds", "statement", "proved", 2, {}, None),
        row("holds", "remark", "kernel-checked", 3, {}),
        row("does not hold", "statement", "certified", 1),
        row("replicated", "experiment", "kernel-checked", 1),
        row("not checked", "statement", None, 0),
    ]
    errata = [
        {"tag": "textbook.theorem-01", "misprint": False},
        {"tag": "textbook.theorem-01", "misprint": True},
        {"tag": "lab", "misprint": False},
    ]
    classes = [parts.erratum_class(one) for one in errata]
    assert classes == ["slip", "misprint", "experiment"]
    said = parts.counts_sentence({"statements": rows, "errata": errata})
    for words in (
        "**4** of 5 statements and experiments",
        "checked by **7** claims and 2 controls",
        "**1** formulas or sentences did not hold as printed",
        "under errata.",
        "Of 4 statements and remarks **2** rest on a proof",
        "speak of, 1 of these accepted by a proof assistant's kernel.",
    ):
        assert words in said, words


def test_a_chapter_says_what_it_is_built_on_and_how_to_run_it():
    lines = parts.provenance(THEOREM).splitlines()
    assert lines[:3] == [
        "- **Tag:** `textbook.theorem-01`",
        "- **Parameters:** `seed=0 matrices=200`",
        "- **Built on:** `checks/textbook/theorem_01.py`, `power/iteration.py`",
    ]
    assert lines[4].endswith('`make chapter CH=textbook.theorem-01 P="seed=0 matrices=200"`')


def test_a_status_is_counted_for_its_own_paper(monkeypatch):
    monkeypatch.setattr(parts, "PAPERS", {"one": "Part one", "two": "Part two"})
    pairs = [("one", "holds"), ("one", "holds"), ("two", "holds"), ("two", "does not hold")]
    rows = [{"paper": paper, "status": status} for paper, status in pairs]
    assert parts.status_table({"statements": rows}).splitlines() == [
        "| paper | ✓ holds | ✗ does not hold |",
        "| --- | --- | --- |",
        "| Part one | 2 |  |",
        "| Part two | 1 | 1 |",
    ]


@pytest.mark.parametrize(
    ("own", "inherited", "words"),
    [
        ("proved", "proved", "proved"),
        ("proved", "measured", "proved (the weakest of what it uses: measured)"),
        ("proved", None, "proved (the weakest of what it uses: not checked)"),
        (None, "measured", "no evidence (the weakest of what it uses: measured)"),
    ],
)
def test_evidence_is_named_with_the_weakest_it_stands_on(own, inherited, words):
    assert parts.evidence({"strength": own, "inherited_strength": inherited}) == words
