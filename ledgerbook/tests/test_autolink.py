"""Names become links, on pages of HTML alone."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.project import paths
from ledgerbook.references import autolink, notation, targets

THEOREM = "book/textbook/theorem_01"
EQUATION = targets.Shown(THEOREM, "a = b", True)


@pytest.fixture
def linked(monkeypatch):
    """Links a sentence of the first page, in a book with Eq. (3): each link's words and target."""
    for known in (targets.numbered, autolink.pattern):
        known.cache_clear()  # other tests may have looked at other books
    monkeypatch.setattr(targets, "numbers", lambda: frozenset({"3"}))
    monkeypatch.setattr(targets, "shown", lambda: {"3": {THEOREM: EQUATION}})
    monkeypatch.setattr(targets, "best", lambda number: EQUATION)

    def link(words, form="html", docname="book/intro"):
        page = publish_doctree(words)
        builder = SimpleNamespace(format=form, get_relative_uri=lambda here, to: f"{to}.html")
        autolink.link(SimpleNamespace(builder=builder), page, docname)
        named = [one for one in page.findall() if isinstance(one, nodes.Element) and one.get("ids")]
        places = [(one.astext(), f"#{one['ids'][0]}") for one in named]
        return [(one.astext(), one["refuri"]) for one in page.findall(nodes.reference)] + places

    return link


def test_a_statement_and_an_equation_lead_to_their_places(linked):
    found = linked("By (3), which Theorem 1 has, and not by (4).")
    assert found == [("(3)", f"{THEOREM}.html#eq-3"), ("Theorem 1", f"{THEOREM}.html")]


def test_of_several_statements_each_that_is_there_is_linked(linked, monkeypatch):
    (first,) = targets.numbered()["Theorem 1"]
    (second,) = targets.numbered()["Corollary 1"]
    known = {"Theorem 1": [first], "Theorem 2": [second], "Corollary 1": [second]}
    monkeypatch.setattr(targets, "numbered", lambda: known)
    found = linked("Theorems 1, 2 and 7 hold.")
    assert found == [("Theorems 1", f"{THEOREM}.html"), ("2", "book/textbook/corollary_01.html")]


def test_the_heading_of_a_column_leads_to_what_is_said_of_it(linked, monkeypatch):
    word = notation.Word("word-column-margin", ("column margin",), "how far off the bound is")
    monkeypatch.setattr(autolink, "_words", lambda: {"column margin": word})
    table = "===  ======\nrow  margin\n===  ======\na    margin\n===  ======\n"
    (found,) = linked(table, docname=THEOREM)
    assert found == ("margin", f"{paths.document('notation')}.html#word-column-margin")
