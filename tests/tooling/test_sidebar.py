"""The contents beside a page: one part open, a computed status before each chapter, one name."""

import html
import json
import re
from functools import cache

import pytest
from bs4 import BeautifulSoup
from ledgerbook.chapters import data_scripts, notebooks
from ledgerbook.chapters.statements import parts, statements, written
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.project import paths
from ledgerbook.references import anchors
from ledgerbook.site import sidebar

CONTENTS = """<p class="caption" role="heading"><span class="caption-text">One</span></p>
<ul><li><a href="../graph.html">Graph</a></li></ul>
<p class="caption" role="heading"><span class="caption-text">Two</span></p>
<ul class="current"><li class="current"><a href="#">Here</a></li>
<li><a href="lemma_05.html">Lemma 5</a></li></ul>"""
built = pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first")


@cache
def source(docname):
    """The text of a built page."""
    return (paths.HTML / f"{docname}.html").read_text(encoding="utf-8")


def contents(docname):
    """The contents beside a built page."""
    nav = source(docname).partition('<nav class="bd-links bd-docs-nav"')[2].partition("</nav>")[0]
    return BeautifulSoup(f"<nav{nav}</nav>", "html.parser")


def texts(pattern, docname):
    """What a built page has between tags, without tags within."""
    found = re.findall(pattern, source(docname), re.DOTALL)
    return [plain(re.sub(r"<[^>]*>", "", one)) for one in found]


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
    assert marks[0]["role"] == "img" and marks[0].get_text() == "✗"


def test_the_open_page_has_its_own_mark():
    shown = sidebar.folded(
        CONTENTS, "book/scan-snap/lemma_04", {"scan-snap.lemma-04": "holds as corrected"}
    )
    link = BeautifulSoup(shown, "html.parser").select_one(".status").parent
    assert link["href"] == "#" and link.get_text() == "✎Here"
    assert link.select_one(".status")["title"] == "holds as corrected"


def test_a_closed_part_keeps_its_first_page_and_a_script_has_the_rest():
    more = CONTENTS.replace(' class="current"', "")
    whole = sidebar.folded(CONTENTS + more, "book/scan-snap/lemma_04", {})
    parts = BeautifulSoup(sidebar.own_part(whole), "html.parser").select("details.part")
    assert [len(part.select("li")) for part in parts] == [1, 2, 1, 1]
    assert [part["class"] for part in parts] == [["part"]] * 2 + [["part", "more"]] * 2
    assert [listed.count("<li") for listed in sidebar.lists(whole)] == [1, 2, 1, 2]


def test_pages_below_the_first_page_of_a_closed_part_stay_with_it():
    below = "<ul><li>below</li><li>last</li></ul>"
    listed = f"<details class='part'><ul><li>first{below}</li><li>second</li></ul></details>"
    parts = BeautifulSoup(sidebar.own_part(2 * listed), "html.parser").select("details.part")
    assert [[*part.stripped_strings] for part in parts] == [
        ["first", "below", "last", "second"],
        ["first", "below", "last"],
    ]


@built
@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_built_contents_open_one_part_and_show_what_is_stored(row):
    nav = contents(row.docname)
    caption = next(part.caption for part in parts() if part.name == row.part)
    opened = [fold.summary.get_text().strip() for fold in nav.select("details.part[open]")]
    assert opened == [caption.replace("'", "’")] or opened == [caption]
    assert marks(nav, row.docname) == expected(row.part)


@built
def test_the_lists_that_a_script_fetches_are_whole():
    text = (paths.HTML / data_scripts.place("contents")).read_text(encoding="utf-8")
    lists = json.loads(text[text.index("[") : -2])
    assert marks(BeautifulSoup("".join(lists), "html.parser"), "search") == expected()
    assert len(lists) == len(contents(written()[0].docname).select("details.part"))


def marks(nav, docname):
    """For each document in the contents that has a status: its word and its sign."""
    found = {link: link.select_one(".status") for link in nav.select("li a[href]")}
    return {
        anchors.document(link["href"], docname): (mark["title"], mark.get_text())
        for link, mark in found.items()
        if mark
    }


def expected(part=None):
    """What is stored of the chapters of a part, or of all."""
    stored = json.loads(paths.STATUSES.read_text(encoding="utf-8"))
    return {
        one.docname: (stored[one.tag], SYMBOLS[stored[one.tag]])
        for one in written()
        if part in (None, one.part)
    }


def plain(text):
    """Words without the typographer's quotes and marks."""
    return re.sub(r"\s+", " ", html.unescape(text)).replace("’", "'").strip()


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_a_chapter_is_headed_by_its_name(row):
    assert notebooks.read(row.chapter).cells[0].source.splitlines()[0] == f"# {row.name}"


@built
def test_contents_title_graph_ledger_and_search_say_the_one_name():
    ledger = set(texts(r"<h2>(.*?)<a class=.headerlink", paths.document("ledger")))
    nodes = texts(r"<title>(.*?)</title>", paths.document("graph"))[1:]
    listed = set(texts(r"<li><p><a [^>]*>(.*?)</a>", paths.document("graph")))
    found = (paths.HTML / "_static/found.js").read_text(encoding="utf-8")
    titles = {one["url"]: plain(one["title"]) for one in json.loads(found[found.index("[") : -2])}
    for row in statements().values():
        assert row.name in ledger and row.name in listed, row.tag
        assert any(title.startswith(f"{row.name} — ") for title in nodes), row.tag
    for row in written():
        assert titles[f"{row.docname}.html"] == row.name
        assert texts(r"<title>(.*?)</title>", row.docname)[0].startswith(row.name)
        link = contents(row.docname).select_one("li.active > a")
        link.select_one(".status").extract()
        assert plain(link.get_text()) == row.name


@built
@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_figures_have_the_papers_numbers_and_no_other(row):
    """A second count would put "Fig. 63" below a picture of the chapter *Figure 7*."""
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", source(row.docname), re.DOTALL)
    assert captions and not [one for one in captions if "caption-number" in one]
    words = texts(r"<figcaption>(.*?)</figcaption>", row.docname)
    assert not [one for one in words if re.match(r"Fig\.\s*\d", one)]
