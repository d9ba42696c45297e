"""Which row has which address, and where its name leads."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import Statement, statement
from ledgerbook.references import anchors

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


def test_a_row_of_a_statement_that_the_chapter_judges_too_leads_to_that_one(ledger, monkeypatch):
    both = [statement(THEOREM), Statement(COROLLARY, "Corollary 1", "", home=THEOREM)]
    monkeypatch.setattr(anchors, "judged_in", lambda own: both)
    other = row(named("faster"))
    address(page(table(other)), CHAPTER)
    uri = "../ledger.html#claim-textbook-corollary-01-faster"
    assert of(other) == [(["claim-faster"], COROLLARY, (uri, True, "faster"))]


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


@pytest.mark.parametrize("outer", [THEOREM, "not-a-tag", ""])
def test_a_section_around_sections_has_no_rows_of_its_own(outer):
    inner, above = row(named("faster")), row(named("rate"))
    section = nodes.section("", nodes.paragraph("", "", named(COROLLARY)), table(inner))
    head = [nodes.paragraph("", "", named(outer))] if outer else []
    address(page(nodes.section("", *head, table(above), section)), "book/ledger")
    assert of(above) == [([], None, None)]
    assert of(inner)[0][:2] == (["claim-textbook-corollary-01-faster"], COROLLARY)


@pytest.mark.parametrize(
    ("docname", "format"), [(CHAPTER, "latex"), ("book/intro", "html"), ("book/ledger", "text")]
)
def test_other_pages_and_other_forms_have_no_addresses(ledger, docname, format):
    one = row(named("rate"))
    address(page(nodes.section("", named(THEOREM), table(one))), docname, format)
    assert of(one) == [([], None, None)]


@pytest.mark.parametrize(
    ("href", "document"),
    [
        ("../ledger.html#claim-a", "book/ledger"),
        ("corollary_01.html", "book/textbook/corollary_01"),
        ("#claim-a", CHAPTER),
        ("", CHAPTER),
    ],
)
def test_a_link_leads_to_a_document(href, document):
    assert anchors.document(href, CHAPTER) == document


def test_controls_have_addresses_in_the_ledger_too(monkeypatch):
    control = {"control": {"id": "broken"}}
    entry = {"tag": THEOREM, "claims": [{"id": "a_b"}], "hypotheses": [control]}
    monkeypatch.setattr(collect, "load", lambda: {"statements": [entry]})
    anchors.ledger_names.cache_clear()
    found = anchors.ledger_names()
    anchors.ledger_names.cache_clear()
    assert found == {"claim-textbook-theorem-01-a-b", "claim-textbook-theorem-01-broken"}


def test_addresses_are_given_before_the_evidence_is_folded():
    from ledgerbook.site import collapsible

    given = {}
    for part in (anchors, collapsible):
        app = SimpleNamespace(
            connect=lambda event, done, priority=500: given.update({done: (event, priority)}),
            add_node=lambda *a, **k: None,
        )
        part.setup(app)
    assert given[anchors.address] < given[collapsible.fold]
