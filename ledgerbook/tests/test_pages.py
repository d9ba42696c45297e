"""The generated parts of pages, as Markdown."""

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
