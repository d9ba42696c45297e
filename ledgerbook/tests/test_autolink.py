"""What a page names: words, hypotheses, errata, numbers behind formulas, rows beside chapters."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths
from ledgerbook.references import autolink, notation, targets

THEOREM = "book/textbook/theorem_01"
WORDS = f"{paths.document('notation')}.html"
KNOWN = [
    notation.Word("word-flow", ("flow", "gradient flow"), ""),
    notation.Word("word-column-margin", ("column margin",), ""),
]
SECTIONS = """Flow first.

Title
=====

A gradient
flow, and flows.

One
---

Overflow, Flow; the flow.

Two
---

A flow.
"""


def fresh():
    """Forget the words and numbers of other books."""
    for known in (targets.numbered, autolink.pattern, autolink._words):
        known.cache_clear()


@pytest.fixture
def linked(monkeypatch):
    """The links of a page, words and target; what it says stays as it is."""
    fresh()
    monkeypatch.setattr(notation, "words", lambda: KNOWN)
    monkeypatch.setattr(targets, "numbers", lambda: frozenset({"3"}))
    monkeypatch.setattr(targets, "counts", lambda row: True)
    monkeypatch.setattr(targets, "shown", dict)
    monkeypatch.setattr(targets, "best", lambda number: None)

    def link(words, docname="book/intro"):
        page = publish_doctree(words)
        said = page.astext()
        builder = SimpleNamespace(format="html", get_relative_uri=lambda here, to: f"{to}.html")
        autolink.link(SimpleNamespace(builder=builder), page, docname)
        assert page.astext() == said
        found = [one for one in page.findall(nodes.reference) if "mention" in one["classes"]]
        assert all(one["internal"] for one in found)
        link.page = page
        return [(one.astext(), one["refuri"]) for one in found]

    yield link
    monkeypatch.undo()
    fresh()


def test_a_word_is_linked_where_a_section_first_says_it(linked):
    word = f"{WORDS}#word-flow"
    assert linked(SECTIONS) == [("Flow", word), ("Flow", word), ("flow", word)]
    assert linked("A gradient\nflow.") == [("gradient\nflow", word)]


def test_statements_and_equations_lead_to_their_places(linked, monkeypatch):
    displayed = targets.Shown(THEOREM, "a = b")
    monkeypatch.setattr(targets, "best", lambda number: displayed)
    (first,) = targets.numbered()["Theorem 1"]
    (second,) = targets.numbered()["Corollary 1"]
    known = {"Theorem 1": [first], "Theorem 2": [second], "Corollary 1": [second]}
    monkeypatch.setattr(targets, "numbered", lambda: known)
    assert linked("By (3), not by (4), Theorems 1, 2 and 7 hold.") == [
        ("(3)", f"{THEOREM}.html#eq-3"),
        ("Theorems 1", f"{THEOREM}.html"),
        ("2", "book/textbook/corollary_01.html"),
    ]


def test_hypotheses_and_errata_are_linked_where_they_are_known(linked, monkeypatch):
    monkeypatch.setattr(targets, "hypotheses", lambda docname: {"H1": {}})
    monkeypatch.setattr(targets, "errata", lambda: {"E1": {}})
    found = linked("**Not this**. **H1** holds. By H1, not H2: E1, not E2. **H1**", THEOREM)
    errata = f"{paths.document('errata')}.html#e1"
    assert found == [("H1", "#hypothesis-h1"), ("E1", errata), ("H1", "#hypothesis-h1")]
    bold = list(linked.page.findall(nodes.strong))
    assert [one["ids"] for one in bold] == [[], ["hypothesis-h1"], []]


def test_a_statement_is_one_of_the_pages_own_paper_and_not_the_pages_own(linked, monkeypatch):
    first, second = statement("textbook.theorem-01"), statement("textbook.corollary-01")
    other = replace(second, tag="other.lemma-01")
    monkeypatch.setattr(targets, "numbered", lambda: {"Theorem 1": [other, first]})
    assert linked("By Theorem 1.", THEOREM) == []
    (found,) = linked("By Theorem 1.", second.docname)
    assert found == ("Theorem 1", f"{THEOREM}.html")
    (found,) = linked("By Theorem 1.")
    assert found == ("Theorem 1", f"{other.docname}.html")


@pytest.fixture
def tight(monkeypatch):
    """One row, `tight`, of the theorem's chapter."""
    known = {THEOREM: {"tight": ("claim-tight", {})}}
    monkeypatch.setattr(targets, "claims", lambda docname: known.get(docname, {}))
    monkeypatch.setattr(targets, "codes", lambda docname: {"tight", "loose"})


def test_a_row_is_linked_where_its_chapter_names_it_and_nowhere_else(linked, tight):
    text = "By ``tight``, not by ``loose``."
    assert linked(text, THEOREM) == [("tight", "#claim-tight")]
    assert linked(text, "book/letter") == []
