"""The main path: where *Next* leads from the landing page, and what it never touches."""

import html
import re
from functools import cache

import pytest
from ledgerbook.chapters import toc
from ledgerbook.chapters.statements import parts, written
from ledgerbook.project.project import current
from ledgerbook.site import reading_path

from tests.tooling.pages_in_browser import led_to

CORE = (20, 28)  # chapters: what one person reads to the end
built = pytest.mark.skipif(not current().index.exists(), reason="no pages: run make book first")


def test_the_path_is_the_first_hour_and_then_a_book_of_chapters():
    landing, hour, *others = reading_path.documents()
    assert (landing, hour) == (current().document("intro"), current().document("first_hour"))
    assert CORE[0] <= len(reading_path.chapters()) <= CORE[1]
    story = {row.docname for row in written()} | reading_path.interludes()
    assert set(others) <= story  # chapters and the pages that open their parts: no apparatus


@pytest.mark.parametrize(
    "row",
    [row for row in written() if not reading_path.number(row.docname)],
    ids=lambda row: row.tag,
)
def test_each_chapter_of_the_appendix_is_reached_from_one_of_the_path(row):
    assert reading_path.leans(row.docname) in reading_path.chapters()


@pytest.mark.parametrize("row", reading_path.chapters(), ids=lambda row: row.tag)
def test_a_chapter_of_the_path_needs_what_comes_before_it_there_and_no_more(row):
    before = {one.tag for one in reading_path.chapters()[: reading_path.number(row.docname) - 1]}
    needed = set(reading_path.to_have_read(row))
    assert {*row.uses} & before <= needed <= before


@cache
def links(docname, opens, closes):
    """The documents that a stretch of a built page leads to, by the class of each link."""
    text = (current().html / f"{docname}.html").read_text(encoding="utf-8")
    stretch = text.partition(opens)[2].partition(closes)[0]
    found = re.findall(r'<a\s+(?:class="([^"]*)"\s+)?href="(?!https?:|#)([^"]+)"', stretch)
    return [(name, led_to(html.unescape(link), docname)) for name, link in found]


def beside(docname):
    """What a page has as *previous* and *next*."""
    return dict(links(docname, '<div class="prev-next-area">', "</footer>"))


@built
def test_next_leads_from_the_landing_page_to_the_last_chapter_and_previous_back():
    trail = [current().document("intro")]
    while (onward := beside(trail[-1]).get("right-next")) is not None:
        assert beside(onward)["left-prev"] == trail[-1]
        trail.append(onward)
    assert trail == reading_path.documents()


@built
def test_beside_the_path_there_is_no_next_and_no_previous():
    listed = {document for part in parts() if not part.path for document in toc.documents(part)}
    assert {document for document in listed if beside(document)} == set()


@built
def test_every_page_is_reached_from_the_landing_page():
    """By links of the pages themselves, without the contents that a script completes."""
    to_see, seen = [current().document("intro")], set()
    while to_see:
        here = to_see.pop()
        if here not in seen and (current().html / f"{here}.html").exists():
            seen.add(here)
            to_see += [
                there for _, there in links(here, '<article class="bd-article"', "</article>")
            ]
            to_see += beside(here).values()
    listed = {document for part in parts() for document in toc.documents(part)}
    assert listed <= seen, listed - seen
