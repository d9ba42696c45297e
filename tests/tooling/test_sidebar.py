"""The contents beside a page: one part open, a computed status before each chapter, one name."""

import html
import json
import re
from functools import cache

import pytest
from bs4 import BeautifulSoup
from ledgerbook.pages import SYMBOLS
from ledgerbook.statements import parts, statements, written

from ledgerbook import notebooks, paths, sidebar

CONTENTS = """<p class="caption" role="heading"><span class="caption-text">One</span></p>
<ul><li><a href="../graph.html">Graph</a></li></ul>
<p class="caption" role="heading"><span class="caption-text">Two</span></p>
<ul class="current"><li class="current"><a href="#">Here</a></li>
<li><a href="lemma_05.html">Lemma 5</a></li></ul>"""
built = pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first")


@cache
def page(docname):
    """A built page."""
    text = (paths.HTML / f"{docname}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def test_only_the_part_of_the_page_is_open():
    status_of = {"scan-snap.lemma-05": "does not hold"}
    soup = BeautifulSoup(
        sidebar.folded(CONTENTS, "book/scan-snap/lemma_04", status_of), "html.parser"
    )
    found = {fold.summary.get_text(): fold.has_attr("open") for fold in soup.select("details.part")}
    assert found == {"One": False, "Two": True}
    marks = soup.select(".status")
    assert [mark.parent["href"] for mark in marks] == ["lemma_05.html"]
    assert marks[0]["title"] == "does not hold"
    assert [piece.get_text() for piece in marks[0].select("span")] == ["✗", "does not hold: "]
    assert marks[0].select_one("[aria-hidden=true]").get_text() == "✗"


def test_the_open_page_has_its_own_mark():
    shown = sidebar.folded(
        CONTENTS, "book/scan-snap/lemma_04", {"scan-snap.lemma-04": "holds as corrected"}
    )
    link = BeautifulSoup(shown, "html.parser").select_one(".status").parent
    assert link["href"] == "#" and link.get_text().startswith("✎holds as corrected: Here")


@built
@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_built_contents_open_one_part_and_show_what_is_stored(row):
    nav = page(row.docname).select_one("nav.bd-docs-nav")
    caption = next(part.caption for part in parts() if part.name == row.part)
    opened = [fold.summary.get_text().strip() for fold in nav.select("details.part[open]")]
    assert opened == [caption.replace("'", "’")] or opened == [caption]
    stored = json.loads(paths.STATUSES.read_text(encoding="utf-8"))
    shown = {}
    for link in nav.select("li a[href]"):
        mark = link.select_one(".status")
        if mark:
            shown[sidebar.document(link["href"], row.docname)] = (
                mark["title"],
                mark.select_one("[aria-hidden]").get_text(),
            )
    expected = {one.docname: (stored[one.tag], SYMBOLS[stored[one.tag]]) for one in written()}
    assert shown == expected


def plain(text):
    """Words without the typographer's quotes and marks."""
    return re.sub(r"\s+", " ", html.unescape(text)).replace("’", "'").strip()


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_a_chapter_is_headed_by_its_name(row):
    assert notebooks.read(row.chapter).cells[0].source.splitlines()[0] == f"# {row.name}"


@built
def test_contents_title_graph_ledger_and_search_say_the_one_name():
    ledger = {plain(h.contents[0]) for h in page(paths.document("ledger")).select("h2")}
    nodes = [plain(one.get_text()) for one in page(paths.document("graph")).select("svg title")]
    listed = {plain(a.get_text()) for a in page(paths.document("graph")).select("article li a")}
    found = (paths.HTML / "_static/found.js").read_text(encoding="utf-8")
    titles = {one["url"]: plain(one["title"]) for one in json.loads(found[found.index("[") : -2])}
    for row in statements().values():
        assert row.name in ledger and row.name in listed, row.tag
        assert any(title.startswith(f"{row.name} — ") for title in nodes), row.tag
    for row in written():
        own = page(row.docname)
        assert titles[f"{row.docname}.html"] == row.name
        assert plain(own.title.get_text()).startswith(row.name)
        link = own.select_one("nav.bd-docs-nav li.active > a")
        link.select_one(".status").extract()
        assert plain(link.get_text()) == row.name


@built
@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_figures_have_the_papers_numbers_and_no_other(row):
    """A second count would put "Fig. 63" below a picture of the chapter *Figure 7*."""
    captions = [caption.get_text() for caption in page(row.docname).select("figcaption")]
    assert captions
    assert not page(row.docname).select(".caption-number")
    assert not [text for text in captions if re.match(r"\s*Fig(ure|\.)\s*\d", text)]
