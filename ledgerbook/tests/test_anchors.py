"""Addresses of rows, and links between a chapter and the ledger."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.chapters import collect
from ledgerbook.project import paths
from ledgerbook.references import anchors, backlinks, targets

THEOREM, COROLLARY = "textbook.theorem-01", "textbook.corollary-01"
CHAPTER = "book/textbook/theorem_01"


def row(*cells):
    """A table's row; a cell that is a name stands as code."""
    entries = [
        nodes.entry("", nodes.paragraph("", "", one if isinstance(one, nodes.Node) else text(one)))
        for one in cells
    ]
    return nodes.row("", *entries)


def text(words):
    return nodes.Text(words)


def named(name):
    return nodes.literal("", name)


def page(*inside):
    document = nodes.document(None, None)
    document += inside
    return document


def table(*rows):
    return nodes.table("", nodes.tgroup("", nodes.tbody("", *rows)))


def of(*rows):
    """Addresses, statement and link of each row."""
    links = [next(one.findall(nodes.reference), None) for one in rows]
    uris = [link and (link["refuri"], link["internal"], link.astext()) for link in links]
    return [(one["ids"], one.get("tag"), uri) for one, uri in zip(rows, uris, strict=True)]


@pytest.fixture
def ledger(monkeypatch):
    """A ledger with three rows."""
    claims = {THEOREM: ["shrinks", "rate"], COROLLARY: ["faster"]}
    entries = [
        {"tag": tag, "claims": [{"id": id} for id in ids], "hypotheses": []}
        for tag, ids in claims.items()
    ]
    monkeypatch.setattr(collect, "load", lambda: {"statements": entries})
    anchors.ledger_names.cache_clear()
    yield
    anchors.ledger_names.cache_clear()


def address(document, docname, format="html"):
    app = SimpleNamespace(builder=SimpleNamespace(format=format))
    anchors.address(app, document, docname)


def test_a_chapters_row_is_found_by_name_and_leads_to_its_row_in_the_ledger(ledger):
    first, again, new = row(named("rate"), "0.5"), row(named("rate")), row(named("just_made"))
    without = row("words", named("shrinks"))
    address(page(table(nodes.row(), first, again, new, without)), CHAPTER)
    uri = "../ledger.html#claim-textbook-theorem-01-rate"
    assert of(first, again, new, without) == [
        (["claim-rate"], THEOREM, (uri, True, "rate")),
        ([], None, None),  # an address leads to one place
        (["claim-just-made"], THEOREM, None),  # the ledger does not know it yet
        ([], None, None),
    ]


def test_a_row_of_the_ledger_leads_to_its_chapter():
    rows = row(named("rate")), row(named("rate")), row(named("shrinks"))
    title = nodes.title("", "Theorem 1")
    tag = nodes.paragraph("", "", named(THEOREM))
    address(page(nodes.section("", title, tag, table(*rows))), "book/ledger")
    uri = "textbook/theorem_01.html#claim"
    assert of(*rows) == [
        (["claim-textbook-theorem-01-rate"], THEOREM, (f"{uri}-rate", True, "rate")),
        ([], None, None),
        (["claim-textbook-theorem-01-shrinks"], THEOREM, (f"{uri}-shrinks", True, "shrinks")),
    ]


ROWS = """
=========  ======  =====
``bound``  it is   holds
``other``  it was  holds
=========  ======  =====
"""


@pytest.fixture
def connected():
    """Links a page that is a table of two rows: the words and the target of each link."""

    def connect(docname, table, tag="", names=("errata",)):
        page = publish_doctree(table)
        for row in page.findall(nodes.row):
            row["tag"] = tag
        env = SimpleNamespace(found_docs={*map(paths.document, names)})
        app = SimpleNamespace(builder=SimpleNamespace(format="html"), env=env)
        backlinks.connect(app, page, docname)
        found = list(page.findall(nodes.reference))
        assert all(one["internal"] for one in found)
        return [(one.astext(), one["refuri"], one.parent.astext()) for one in found]

    return connect


def test_the_verdict_of_a_row_that_shows_a_slip_names_the_slip(connected, monkeypatch):
    slip = {"id": "E1", "tag": "textbook.theorem-01", "evidence": ["bound"], "consequences": []}
    monkeypatch.setattr(targets, "errata", lambda: {"E1": slip})
    chapter = ("book/textbook/theorem_01", ROWS, "textbook.theorem-01")
    assert connected(*chapter) == [("E1", "../errata.html#e1", "holds · E1")]
    assert connected(*chapter, names=()) == []  # a companion without a page of errata
    assert connected(paths.document("errata"), *chapter[1:]) == []
