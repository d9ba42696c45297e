"""The contents beside a page: one group of parts open, before each chapter its number on the path
and a computed status, one name.
"""

import html
import json
import re
from functools import cache

import pytest
from bs4 import BeautifulSoup
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import parts, statements, written
from ledgerbook.ledger.ledger_table import SYMBOLS
from ledgerbook.project.project import current
from ledgerbook.site import reading_path

from tests.tooling.pages_in_browser import led_to

built = pytest.mark.skipif(not current().index.exists(), reason="no pages: run make book first")


@cache
def source(docname):
    """The text of a built page."""
    return (current().html / f"{docname}.html").read_text(encoding="utf-8")


def contents(docname):
    """The contents beside a built page."""
    nav = source(docname).partition('<nav class="bd-links bd-docs-nav"')[2].partition("</nav>")[0]
    return BeautifulSoup(f"<nav{nav}</nav>", "html.parser")


def texts(pattern, docname):
    """What a built page has between tags, without tags within."""
    found = re.findall(pattern, source(docname), re.DOTALL)
    return [plain(re.sub(r"<[^>]*>", "", one)) for one in found]


@built
def test_built_contents_open_one_part_and_show_what_is_stored():
    of_parts = {row.part: row for row in written()}  # the last chapter of each
    for row in of_parts.values():
        nav = contents(row.docname)
        heading = next(part.heading for part in parts() if part.name == row.part)
        opened = [fold.summary.get_text().strip() for fold in nav.select("details.part[open]")]
        assert opened == [heading]
        assert marks(nav, row.docname) == expected()


def marks(nav, docname):
    """For each document in the contents that has a status: its word and its sign."""
    found = {link: link.select_one(".chip") for link in nav.select("li a[href]")}
    return {
        led_to(link["href"], docname): (mark["title"], mark.get_text())
        for link, mark in found.items()
        if mark
    }


def expected():
    """What is stored of all chapters."""
    stored = json.loads(current().statuses.read_text(encoding="utf-8"))
    return {one.docname: (stored[one.tag], SYMBOLS[stored[one.tag]]) for one in written()}


def plain(text):
    """Words without the typographer's quotes and marks."""
    return re.sub(r"\s+", " ", html.unescape(text)).replace("’", "'").strip()


@built
def test_contents_title_graph_ledger_and_search_say_the_one_name():
    ledger = set(texts(r"<h2>(.*?)<a class=.headerlink", current().document("ledger")))
    nodes = texts(r"<title>(.*?)</title>", current().document("graph"))[1:]
    listed = set(texts(r"<li><p><a [^>]*>(.*?)</a>", current().document("graph")))
    found = (current().html / "_static/found.js").read_text(encoding="utf-8")
    places = reversed(json.loads(found[found.index("{") : -2])["places"])  # a page's own is last
    titles = {one["url"]: plain(one["title"]) for one in places}
    for row in statements().values():
        assert row.name in ledger and row.name in listed, row.tag
        assert any(title.startswith(f"{row.name} — ") for title in nodes), row.tag
    numbered = {row.docname: f"{k}." for k, row in enumerate(reading_path.chapters(), 1)}
    for row in written():
        assert notebooks.read(row.chapter).cells[0].source.splitlines()[0] == f"# {row.name}"
        assert titles[f"{row.docname}.html"] == row.name
        assert texts(r"<title>(.*?)</title>", row.docname)[0].startswith(row.name)
        link = contents(row.docname).select_one("li.active > a")
        number = link.select_one(".number")
        assert (number and number.extract().get_text().strip()) == numbered.get(row.docname)
        link.select_one(".chip").extract()
        assert plain(link.get_text()) == row.name


@built
def test_figures_have_the_papers_numbers_and_no_other():
    """A second count would put "Fig. 63" below a picture of the chapter *Figure 7*."""
    for row in written():
        captions = re.findall(r"<figcaption>(.*?)</figcaption>", source(row.docname), re.DOTALL)
        assert captions and not [one for one in captions if "caption-number" in one]
        words = texts(r"<figcaption>(.*?)</figcaption>", row.docname)
        assert not [one for one in words if re.match(r"Fig\.\s*\d", one)]
