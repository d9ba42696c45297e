"""Lines of previews, and the letters of formulas that have one."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths
from ledgerbook.references import notation, symbols, targets, tooltips
from ledgerbook.references.notation import Explained

OWN = statement("textbook.theorem-01")


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


@pytest.fixture
def told(explained, monkeypatch):
    """A small book: equation (3) stands on a page, (4) on none; of two claims one is named."""
    shown = {"3": {"book/some_page": targets.Shown("book/some_page", "a = b")}}
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
    monkeypatch.setattr(tooltips, "PAPERS", {"textbook": "A textbook theorem"})
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
    assert found["book/some_page", "eq-3"].endswith("<small>some page</small>")
    assert found[OWN.docname, ""] == (
        "<b>Theorem 1</b> Multiply a vector by a matrix again and again: what is largest wins,"
        " at a known rate. <small>✓ holds, proved</small>"
    )
    assert found[OWN.docname, "claim-tight"] == "it holds <small>✓ holds, proved</small>"
    assert found["book/errata", "e1"].startswith("<b>E1</b> (3): <math") and "$" not in str(found)
    made = tooltips.data(told)
    assert made["pages"].keys() == {docname for docname, _ in found}
    assert made["pages"][OWN.docname]["hypothesis-h1"] == "<b>H1</b> it is"
    assert made["symbols"] == ["symbol-loss", "symbol-rate", "symbol-y"]
    assert made["homes"]["textbook-corollary-01"] == corollary


def test_a_line_of_markdown_is_html_with_its_formulas_set_and_its_text_escaped():
    assert tooltips.inline("{term}`gap <x>` [there](a.md)\n<i>") == "gap there &lt;i&gt;"
    assert tooltips.inline("*so* $x$") == (
        '<em>so</em> <math display="inline"><mrow><mi>x</mi></mrow></math>'
    )
