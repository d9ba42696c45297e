"""The small index: what it says about a page."""

import pytest
from docutils import nodes
from docutils.core import publish_doctree
from ledgerbook.statements import statement

from ledgerbook import find

LONGEST = "w" * find.EXCERPT


@pytest.mark.parametrize("words", ["Few words.", LONGEST])
def test_a_short_first_paragraph_stands_whole(words):
    doctree = publish_doctree(f"Title\n=====\n\n{words}\n\nMore.\n")
    assert find.said("page", doctree)["about"] == words


def test_a_long_first_paragraph_is_cut_between_two_words():
    doctree = publish_doctree(f"Title\n=====\n\n{'word ' * 100}\n\nMore.\n")
    about = find.said("page", doctree)["about"]
    assert set(about.removesuffix(" …").split()) == {"word"}
    assert about.endswith("word …") and len(about) <= find.EXCERPT + len(" …")


def test_a_chapter_is_found_by_number_title_and_tag_beside_what_it_says():
    says = {"title": "Each step shrinks the angle", "shows": ["1"]}
    entry = find.entry("book/textbook/theorem_01", says, statement("textbook.theorem-01"))
    assert says.items() <= entry.items() and entry["url"] == "book/textbook/theorem_01.html"
    assert entry["names"] == ["Theorem 1"]
    assert entry["also"] == ["The angle shrinks", "textbook.theorem-01"]


def test_sections_with_a_heading_and_an_address_are_listed():
    page = publish_doctree("Page\n====\n\nWords.\n")
    page += nodes.section("", nodes.title("", "no address"))
    page += nodes.section("", nodes.paragraph("", "no heading"), ids=["none"])
    page += nodes.section("", nodes.title("", "Two\nlines"), ids=["two-lines"])
    assert [*find._sections(page)] == [("Two lines", "two-lines")]
