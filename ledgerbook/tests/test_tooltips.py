"""Lines of previews, and the letters of formulas that have one."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters.statements import Statement, statement
from ledgerbook.project import paths
from ledgerbook.references import notation, symbols, targets, tooltip_text, tooltips
from ledgerbook.references.notation import Explained, Word

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


X = "<math><mi>x</mi></math>"
CLAIM = {"claim": "so $x$", "passed": True, "as_printed": False, "strength": "proved"}
CLAIM |= {"observed": 1.0, "relation": "<=", "bound": 2.0, "margin": 2.0}
SLIP = {"id": "E3", "location": "Eq. (1)", "printed": "$x$", "reach": "harmless"}


@pytest.mark.parametrize(
    ("row", "strength", "line"),
    (
        (
            Statement("textbook.theorem-01", "Theorem 1", "The angle shrinks"),
            "proved",
            "<b>Theorem 1</b> Multiply a vector by a matrix again and again: what is largest wins,"
            " at a known rate. <small>✓ holds, proved</small>",
        ),
        (
            Statement("textbook.lemma-09", "Lemma 9", "Not *written*"),
            None,
            "<b>Lemma 9</b> Not <em>written</em> <small>✓ holds</small>",
        ),
        (
            Statement("textbook.lemma-08", "Lemma 8", "Judged there", home="textbook.theorem-01"),
            "measured",
            "<b>Lemma 8</b> Judged there <small>✓ holds, measured</small>",
        ),
    ),
)
def test_a_statement_is_told_by_its_chapters_sentence_or_by_its_title(row, strength, line):
    assert tooltip_text.of_statement(row, {"status": "holds", "strength": strength}) == line


@pytest.mark.parametrize(
    ("line", "html"),
    (
        (
            tooltip_text.of_equation("7", "x", False, "Lemma <1>"),
            f"{X} <small>(7), Lemma &lt;1&gt;</small>",
        ),
        (
            tooltip_text.of_equation("7", "x", True, "Lemma 1"),
            '<math display="block"><mi>x</mi></math> <small>Lemma 1</small>',
        ),
        (tooltip_text.of_hypothesis({"id": "H1", "text": "a $x$"}), f"<b>H1</b> a {X}"),
        (tooltip_text.of_claim(CLAIM), f"so {X} <small>✓ holds, proved</small>"),
        (tooltip_text.of_erratum(SLIP), f"<b>E3</b> Eq. (1): {X} <small>harmless</small>"),
        (
            tooltip_text.of_symbol(Explained("", "textbook", ("$x$", "vector", "what *turns*"))),
            f"<b>{X}</b> what <em>turns</em> <small>A textbook theorem</small>",
        ),
        (tooltip_text.of_word(Word("", ("a<b", "b"), "*less*")), "<b>a&lt;b</b> <em>less</em>"),
        (tooltip_text.inline("{term}`gap <x>` [there](a.md)\n<i>"), "gap there &lt;i&gt;"),
    ),
)
def test_each_kind_of_line_says_what_it_shows_and_escapes_what_is_text(line, html):
    assert line == html
