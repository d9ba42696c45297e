"""When the lines of previews are written."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths
from ledgerbook.references import notation, symbols, targets, tooltips
from ledgerbook.references.notation import Explained

OWN = statement("textbook.theorem-01")


def test_below_what_one_needs_the_symbols_lead_to_their_rows_by_sign_and_by_name(monkeypatch):
    row = Explained("symbol-rate", "textbook", (r"$\eta_Y$ (rate)", "how fast $Y$ learns"))
    monkeypatch.setattr(tooltips, "stated", lambda own: [row])
    page = publish_doctree(".. class:: you-need\n\nNothing.\n\nWords.\n\nMore.\n")
    app = SimpleNamespace(builder=SimpleNamespace(get_relative_uri=lambda here, to: "n.html"))
    tooltips._list_symbols(app, page, OWN.docname, OWN)
    (link,) = page.findall(nodes.reference)
    sign, name = link.children
    assert link["refuri"] == "n.html#symbol-rate"
    assert (sign.astext(), name.astext()) == (r"\eta_Y", "eta_Y (rate)")
    assert name["classes"] == ["visually-hidden"]
    shown = [one for one in page.children if not isinstance(one, nodes.raw)]
    assert [one.astext() for one in shown if link.parent is not one] == [
        "Nothing.",
        "Words.",
        "More.",
    ]
    assert shown.index(link.parent) == 1
    without = publish_doctree("Nothing.\n\nWords.\n")
    tooltips._list_symbols(app, without, OWN.docname, OWN)
    monkeypatch.setattr(tooltips, "stated", lambda own: [])
    tooltips._list_symbols(app, page, OWN.docname, OWN)
    assert len(list(without.findall(nodes.raw))) == 0 and len(list(page.findall(nodes.raw))) == 2


@pytest.fixture
def explained(monkeypatch):
    """A notation page with three rows, of which two explain the theorem's letters."""
    rows = [
        Explained("symbol-loss", "textbook", (r"$L$", "how wrong it is")),
        Explained("symbol-rate", "textbook", (r"$\eta_Y$", "how fast $Y$ learns")),
        Explained("symbol-y", "textbook", (r"$Y$", "what learns")),
    ]
    table = symbols.Table(
        symbols.Row(row.place, tuple(notation.FORMULA.findall(row.cells[0]))) for row in rows
    )
    monkeypatch.setattr(notation, "symbols", lambda: rows)
    monkeypatch.setattr(notation, "tables", lambda: {"textbook": table})
    tooltips.marked.cache_clear()
    yield rows
    tooltips.marked.cache_clear()


@pytest.mark.parametrize(
    ("form", "docname", "known", "marks", "lists"),
    [
        ("html", OWN.docname, True, 2, 1),
        ("html", "book/intro", True, 2, 0),
        ("html", OWN.docname, False, 0, 0),
        ("latex", OWN.docname, True, 0, 0),
    ],
)
def test_formulas_are_marked_on_pages_of_html_where_symbols_are_explained(
    explained, monkeypatch, form, docname, known, marks, lists
):
    monkeypatch.setattr(notation, "symbols", lambda: explained if known else [])
    listed = []
    monkeypatch.setattr(tooltips, "_list_symbols", lambda *given: listed.append(given[-1]))
    page = publish_doctree(":math:`L`\n\n.. math:: L\n")
    tooltips.mark(SimpleNamespace(builder=SimpleNamespace(format=form)), page, docname)
    found = [one["mathml"] for one in page.findall() if getattr(one, "get", {}.get)("mathml")]
    assert (len(found), len(listed)) == (marks, lists)
    assert ['display="block"' in text for text in found] == [False, True][:marks]


@pytest.fixture
def told(explained, monkeypatch):
    """A small book: equation (3) stands on a page, (4) on none; of two claims one is named."""
    shown = {"3": {"book/some_page": targets.Shown("book/some_page", "a = b", False)}}
    claim = {"claim": "it holds", "passed": True, "as_printed": False, "margin": 1.0}
    claim |= {"observed": 1.0, "relation": "<=", "bound": 2.0, "strength": "proved"}
    rows = {"tight": ("claim-tight", claim), "loose": ("claim-loose", claim)}
    equations = [
        {"number": "(3)", "claims": [], "why_not": ""},
        {"number": "(4)", "claims": [], "why_not": "it is a definition"},
    ]
    erratum = {"id": "E1", "location": "(3)", "printed": "$a$", "reach": "harmless"}
    for name, known in {
        "shown": lambda: shown,
        "best": lambda number: next(iter(shown.get(number, {}).values()), None),
        "records": lambda: dict.fromkeys(
            (OWN.tag, "textbook.corollary-01"), {"status": "holds", "strength": "proved"}
        ),
        "hypotheses": lambda docname: (
            {"H1": {"id": "H1", "text": "it is"}} if docname == OWN.docname else {}
        ),
        "claims": lambda docname: rows if docname == OWN.docname else {},
        "named_claims": lambda: {(OWN.docname, "tight")},
        "errata": lambda: {"E1": erratum},
    }.items():
        monkeypatch.setattr(targets, name, known)
    monkeypatch.setattr(tooltips.collect, "load", lambda: {"equations": equations})
    monkeypatch.setattr(notation, "words", lambda: [notation.Word("word-flow", ("flow",), "runs")])
    monkeypatch.setattr(tooltips.tooltip_text, "PAPERS", {"textbook": "A textbook theorem"})
    cited = SimpleNamespace(
        formatted_entry=SimpleNamespace(text=SimpleNamespace(render_as=lambda form: "A book.")),
        bibliography_key=SimpleNamespace(docname="book/literature"),
        citation_id="cite-1",
    )
    return SimpleNamespace(domains={"cite": SimpleNamespace(citations=[cited])})


def test_all_that_a_link_may_lead_to_has_its_line_once(told):
    found = {(docname, place): line for docname, place, line in tooltips.told(told)}
    notation_page, corollary = paths.document("notation"), "book/textbook/corollary_01"
    assert list(found) == [
        (OWN.docname, ""),
        (corollary, ""),
        ("book/some_page", "eq-3"),
        (paths.document("equations"), "eq-4"),
        (OWN.docname, "hypothesis-h1"),
        (OWN.docname, "claim-tight"),
        (notation_page, "symbol-loss"),
        (notation_page, "symbol-rate"),
        (notation_page, "symbol-y"),
        (notation_page, "word-flow"),
        (paths.document("errata"), "e1"),
        ("book/literature", "cite-1"),
    ]
    assert found["book/some_page", "eq-3"].endswith("<small>(3), some page</small>")
    made = tooltips.data(told)
    assert made["pages"].keys() == {docname for docname, _ in found}
    packed = made["pages"][OWN.docname]["hypothesis-h1"]
    assert "".join(made["parts"].get(sign, sign) for sign in packed) == "<b>H1</b> it is"
    assert made["symbols"] == ["symbol-loss", "symbol-rate", "symbol-y"]
    assert made["homes"]["textbook-corollary-01"] == corollary
