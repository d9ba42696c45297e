"""Names become links, on pages of HTML alone."""

from types import SimpleNamespace

import pytest
from docutils import nodes

from ledgerbook import mentions, places

THEOREM = "book/textbook/theorem_01"
EQUATION = places.Shown(THEOREM, "a = b", True)


@pytest.fixture
def linked(monkeypatch):
    """Links a sentence of the first page, in a book with Eq. (3): each link's words and target."""
    for known in (places.numbered, mentions.pattern):
        known.cache_clear()  # other tests may have looked at other books
    monkeypatch.setattr(places, "numbers", lambda: frozenset({"3"}))
    monkeypatch.setattr(places, "shown", lambda: {"3": {THEOREM: EQUATION}})
    monkeypatch.setattr(places, "best", lambda number: EQUATION)

    def link(words, form="html"):
        page = nodes.document(None, None, "", nodes.paragraph("", words))
        builder = SimpleNamespace(format=form, get_relative_uri=lambda here, to: f"{to}.html")
        mentions.link(SimpleNamespace(builder=builder), page, "book/intro")
        return [(one.astext(), one["refuri"]) for one in page.findall(nodes.reference)]

    return link


def test_a_statement_and_an_equation_lead_to_their_places(linked):
    found = linked("By (3), which Theorem 1 has, and not by (4).")
    assert found == [("(3)", f"{THEOREM}.html#eq-3"), ("Theorem 1", f"{THEOREM}.html")]


def test_what_is_printed_has_no_mentions(linked):
    assert linked("By (3), which Theorem 1 has.", "latex") == []
