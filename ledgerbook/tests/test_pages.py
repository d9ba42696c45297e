"""The built pages of a small companion: what is named leads to its place, its line and its source.

Its pages beside the chapters lie in ``companions/pages``.
"""

import csv
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from docutils import nodes
from ledgerbook.chapters.statements import statement
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.references import autolink, search_index, targets, tooltips
from ledgerbook.site import configuration

THEOREM = statement("textbook.theorem-01")
IN_LEDGER = "claim-textbook-theorem-01"


@pytest.fixture(scope="module")
def site(built):
    return built.root / "_build/html"


@pytest.fixture(scope="module")
def page(site):
    """The function that reads a page."""

    @cache
    def read(name):
        return BeautifulSoup((site / f"{name}.html").read_text("utf-8"), "html.parser")

    return read


def data(site, name):
    """What a script of data says."""
    text = (site / f"_static/{name}.js").read_text(encoding="utf-8")
    assert text.startswith(f"window.{name} = ")
    return json.loads(text.partition(" = ")[2].rstrip(";\n"))


def links(part):
    """Words and target of each link, without those that a heading has to itself."""
    found = part.select("a[href]:not(.headerlink)")
    return [(one.get_text().strip(), one["href"]) for one in found]


def row(page, name, place):
    """A row by its address, also where only a script, or nobody's script, shows it."""
    return page(name).find(id=place)


def test_a_row_leads_to_the_ledger_to_its_slip_and_to_the_lines_that_measure_it(page):
    own = row(page, "book/textbook/theorem_01", "claim-sine")
    source = "../../source/checks/textbook/theorem_01.html#:~:text=def%20sine("
    assert links(own) == [
        ("sine", f"../ledger.html#{IN_LEDGER}-sine"),
        ("checks/textbook/theorem_01.py, line 47", source),
        ("E1", "../errata.html#e1"),
    ]
    assert "def sine(self):" in own.select_one("details.method").get_text()
    module = page("source/checks/textbook/theorem_01")
    assert "def sine(self):" in module.get_text() and not module.select("nav.bd-links")
    assert "Theorem 1: power iteration turns" in module.get_text()
    other = row(page, "book/textbook/theorem_01", "claim-tie")
    assert not other.select("a[href*=errata]")  # it is no slip's evidence


@pytest.mark.parametrize("name", ["sine", "tangent"])
def test_ledger_and_table_of_equations_lead_to_the_row_and_to_its_slip(page, name):
    listed = row(page, "book/ledger", f"{IN_LEDGER}-{name}")
    wanted = [(name, f"textbook/theorem_01.html#claim-{name}"), ("E1", "errata.html#e1")]
    assert links(listed)[-2:] == wanted
    equation = links(row(page, "book/equations", "eq-1"))
    assert (name, f"ledger.html#{IN_LEDGER}-{name}") in equation
    assert (name, f"textbook/theorem_01.html#claim-{name}") in links(page("book/errata"))


def test_what_a_page_names_is_linked_and_a_word_where_it_is_first_said(page):
    flow = "notation.html#word-flow"
    assert links(page("book/said").select_one("article"))[:9] == [
        ("Flow", flow),
        ("(2)", "#eq-2"),  # it displays it itself
        ("(3)", "equations.html#eq-3"),
        ("Theorems 1", "textbook/theorem_01.html"),
        ("Corollary 1", "textbook/corollary_01.html"),
        ("E1", "errata.html#e1"),
        ("0\N{NO-BREAK SPACE}%", "textbook/theorem_01.html#claim-orthogonal"),
        ("Theorem 1", "textbook/theorem_01.html"),
        ("Theorem 1", "textbook/theorem_01.html"),  # a link is not linked again
    ]
    there = page("book/said")
    number = there.find("a", string="0\N{NO-BREAK SPACE}%")
    assert number["href"] == "textbook/theorem_01.html#claim-orthogonal"
    assert number["title"] == "an orthogonal start never turns"
    assert "See a flow in" in there.get_text() and there.find(id="eq-2")
    chapter = [target for _, target in links(page("book/textbook/theorem_01"))]
    assert "#hypothesis-h1" in chapter and "../notation.html#word-column-margin" in chapter


def test_all_that_a_link_may_lead_to_has_its_line(site):
    found = data(site, "previewed")
    lines = found["pages"]
    assert lines["book/textbook/theorem_01"][""] == (
        "<b>Theorem 1</b> Multiply a vector by a matrix again and again: what is largest wins,"
        " at a known rate. <small>✎ holds as corrected, measured</small>"
    )
    assert [*lines["book/textbook/theorem_01"]] == [
        *("", "hypothesis-h1", "hypothesis-h2"),
        *("claim-sine", "claim-tangent"),  # named elsewhere: no other row is
    ]
    assert lines["book/textbook/theorem_01"]["claim-sine"].endswith(
        "<small>✗ fails, measured</small>"
    )
    assert lines["book/said"]["eq-2"].endswith("</math> <small>said</small>")
    assert [*lines["book/equations"]] == ["eq-1", "eq-3"]  # displayed nowhere
    assert lines["book/equations"]["eq-3"].endswith("; it is a definition")
    assert [*lines["book/notation"]] == [*found["symbols"], "word-flow", "word-column-margin"]
    assert lines["book/notation"]["word-flow"].startswith("<b>flow</b> what runs <em>down</em> by")
    assert lines["book/errata"]["e1"].startswith("<b>E1</b> Eq. (1): <math") and "$" not in str(
        lines
    )


def test_a_letter_of_a_formula_carries_the_number_of_its_row(page):
    stated = page("book/textbook/theorem_01").select_one("#statement")
    marked = {one.get_text(): one["data-s"] for one in stated.select("[data-s]")}
    assert (marked["ρ"], marked["θk"]) == ("0", "1") and "λ1" not in marked


def test_a_page_is_found_by_names_words_and_what_it_displays(site):
    found = {one["url"]: one for one in data(site, "found")["places"]}
    theorem = found["book/textbook/theorem_01.html"]
    assert theorem["names"] == ["Theorem 1", "The angle shrinks", "von Mises", "theorem 01"]
    assert theorem["about"].startswith("Multiply a vector") and "shrinks" in theorem["text"]
    said = found["book/said.html"]
    assert said["names"] == ["hearsay", "said"] and said["about"].endswith(" …")
    assert len(said["about"]) <= search_index.EXCERPT + 2
    assert said["whole"] and not found["book/errata.html#e1"]["whole"]
    assert found["book/said.html#eq-2"]["names"] == ["2", "(2)"]
    assert found["book/errata.html#e1"]["about"] == "sinθk≤ρ^ksinθ0"
    assert found["book/notation.html#word-flow"]["names"] == ["flow", "gradient flow"]
    assert found["book/notation.html#symbol-textbook-rho"]["names"] == ["rate"]


def test_a_chapter_opens_with_verdict_and_picture_and_folds_what_they_stand_on(page):
    article = page("book/textbook/theorem_01").select_one("article section")
    title, standing, sentence, picture, need, code = article.find_all(recursive=False)[:6]
    assert standing.get_text() == "✎ holds as corrected the statement in full"
    assert (
        standing.select_one("span.chip.holds-as-corrected") and standing.a["href"] == "#statement"
    )
    assert sentence.get_text().startswith("Multiply") and picture.select_one("img")
    assert need.get_text() == "You need: nothing from this book."
    assert len(code.select(".tag_parameters")) == 1 and "theorem = Theorem01" in code.get_text()
    said = [" ".join(one.get_text().split("#\n")) for one in article.select(".evidence > summary")]
    assert said == [
        "Parameters and code of the picture",
        "Check how this was checked: 2 of 3 hold, 1 fail as printed",
        "Control what fails without each hypothesis: 2 of 2 as expected",
    ]


def test_a_part_is_a_map_its_questions_a_test_and_its_picture_shown_elsewhere(page):
    told = page("book/said").select_one("article")
    rows = told.select("#told tbody tr")
    cells = [[one.get_text().strip() for one in row.select("td")] for row in rows]
    assert [row[0] for row in cells] == ["Theorem 1", "Corollary 1"]
    assert cells[0][1].startswith("Multiply a vector") and cells[0][3] == (
        "✎ holds as corrected measured"
    )
    asked = told.select_one("#question-textbook-corollary-01")
    wanted = ["textbook/corollary_01.html", "textbook/theorem_01.html", "intro.html"]
    assert [target for _, target in links(asked)][:3] == wanted
    assert asked.select_one("details").get_text().strip().startswith("Answer")
    picture = told.select_one(".chapter-picture")
    shown = page("book/textbook/theorem_01").select_one("article img")
    assert Path(picture.img["src"]).name == Path(shown["src"]).name
    assert picture.img["alt"] == shown["alt"] != "" and "(From Theorem 1.)" in picture.get_text()
    assert shown.find_parent("figure").figcaption.get_text()


def test_of_the_themes_style_a_site_keeps_what_it_names_and_offers_notebooks_without_outputs(site):
    style = (site / "_static/site.css").read_text(encoding="utf-8")
    assert ".fa-bars" in style and ".fa-trash" not in style
    addresses = re.findall(r"url\(([^)]*fa-solid[^)]*woff2)\)", style)
    assert addresses and all((site / "_static" / one).stat().st_size < 20_000 for one in addresses)
    offered = json.loads((site / "_sources/book/textbook/theorem_01.ipynb").read_text("utf-8"))
    assert not any(cell.get("outputs") for cell in offered["cells"])


def test_the_contents_open_the_pages_own_part_with_the_status_of_each_chapter(page):
    opened, other = page("book/textbook/theorem_01").select("details.part")[::-1]
    assert opened.has_attr("open") and not other.has_attr("open")
    chapters = [(one.span["title"], one.get_text()[:9]) for one in opened.select("li a")]
    assert chapters == [("holds as corrected", "✎Theorem "), ("holds", "✓Corollar")]


def test_a_book_without_a_path_is_read_by_its_list(page):
    beside = page("book/textbook/corollary_01").select_one(".prev-next-area")
    assert [target for _, target in links(beside)] == ["theorem_01.html"]


def test_the_graph_stands_as_a_list_too(page):
    assert [one.get_text() for one in page("book/intro").select("article li")] == [
        "Theorem 1 — The angle shrinks — ✎ holds as corrected measured; statement read;"
        " uses nothing (ledger, E1)",
        "Corollary 1 — The eigenvalue comes faster — ✓ holds measured; statement read;"
        " uses Theorem 1 (ledger)",
    ]


def test_a_status_has_its_colour():
    sheet = (configuration.STATIC / "book.css").read_text(encoding="utf-8")
    for status in SYMBOLS:
        assert re.search(rf"\.{nodes.make_id(status)}\b[^{{}}]*\{{ --status: #\w+", sheet), status


def test_every_row_stands_in_a_table_for_machines(site):
    text = (site / "_data/claims.csv").read_text(encoding="utf-8")
    rows = list(csv.DictReader(text.splitlines()))
    assert len(rows) == 8
    found = {(row["statement"], row["row"]): row for row in rows}
    sine = found["textbook.theorem-01", "sine"]
    assert (sine["observed"], sine["passed"], sine["as_printed"]) == ("313.406532", "False", "True")
    assert ("textbook.corollary-01", "skew") in found  # controls stand behind the claims
    beside = {file.name for file in (site / "_data").iterdir()}
    assert beside == {"ledger.json", "ledger.schema.json", "claims.csv", "LICENSE.txt"}


WORDS = {
    "book/intro": "1 formulas or sentences did not hold as printed",
    "book/equations": "none: it is a definition",
    "book/sharper": "No sharper constant recorded so far.",
    "book/status": "stored from this machine's run",
    "book/code": "Theorem 1: power iteration turns to the first eigenvector",
    "book/said": "so is 0\N{NO-BREAK SPACE}%.",
    "book/textbook/theorem_01": "evidence: measured",
}


@pytest.mark.parametrize("name", WORDS)
def test_a_generated_part_stands_on_its_page(page, name):
    said = page(name).select_one("article").get_text().replace("’", "'")
    assert WORDS[name] in " ".join(said.split("\n"))


def test_the_foot_of_a_page_says_how_to_cite_it_and_under_which_terms(page):
    chapter = page("book/textbook/theorem_01")
    cited = chapter.select_one("details.cite")
    assert cited.select_one("pre").get_text() == (
        "@incollection{textbook.theorem_01,\n"
        "  title = {Theorem 1 — Each step shrinks the angle by the ratio of two eigenvalues},\n"
        "  author = {Li, Y. and Plato and {A group}},\n"
        "  booktitle = {Power iteration: taken apart \\& put together},\n"
        "  note = {version 2.1}\n"
        "}"
    )
    assert links(cited) == [("A paper", "https://a.b/c")]
    foot = chapter.select_one("details.cite + p")
    assert foot.get_text().startswith("Power iteration ·")
    assert ("licence", "../../_data/LICENSE.txt") in links(foot)


def test_a_statement_is_one_of_the_pages_own_paper_and_not_the_pages_own(monkeypatch):
    other = replace(THEOREM, tag="other.lemma-01")
    monkeypatch.setattr(targets, "numbered", lambda: {"Theorem 1": [other, THEOREM]})
    found = {one: autolink.Page(one, str).statement("Theorem 1") for one in ("book/intro",)}
    assert found["book/intro"].docname == other.docname
    own = autolink.Page(THEOREM.docname, str)
    assert own.statement("Theorem 1") is None
    beside = autolink.Page(statement("textbook.corollary-01").docname, str)
    assert beside.statement("Theorem 1").docname == THEOREM.docname


def test_a_line_of_markdown_is_html_with_its_formulas_set_and_its_text_escaped():
    assert tooltips.inline("{term}`gap <x>` [there](a.md)\n<i>") == "gap there &lt;i&gt;"
    assert search_index.said(r"**length** of $\beta_n$, see [there](x.md)") == (
        "length of βn, see there"
    )
