"""The generated parts of pages, as Markdown."""

import pytest
from ledgerbook.statements import statement

from ledgerbook import pages


def test_a_chapter_says_where_it_sits():
    theorem = statement("textbook.theorem-01")
    assert pages.where_it_sits(theorem, {theorem.tag: "holds"}).splitlines() == [
        "- **Uses:** nothing in this book",
        "- **Used by:** [Corollary 1](corollary_01.ipynb) *The eigenvalue comes faster*"
        " (○ not checked)",
        "- **Status, as computed:** ✓ holds — errata",
    ]


def test_a_status_is_counted_for_its_own_paper(monkeypatch):
    monkeypatch.setattr(pages, "PAPERS", {"one": "Part one", "two": "Part two"})
    pairs = [("one", "holds"), ("one", "holds"), ("two", "holds"), ("two", "does not hold")]
    rows = [{"paper": paper, "status": status} for paper, status in pairs]
    assert pages.status_table({"statements": rows}).splitlines() == [
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
    assert pages.evidence({"strength": own, "inherited_strength": inherited}) == words
