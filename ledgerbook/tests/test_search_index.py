"""The small index: what it says about a page."""

from docutils.core import publish_doctree
from ledgerbook.chapters.statements import statement
from ledgerbook.references import search_index


def test_a_long_first_paragraph_is_cut_between_two_words():
    doctree = publish_doctree(f"Title\n=====\n\n{'word ' * 100}\n\nMore.\n")
    about = search_index.said("page", doctree)["about"]
    assert set(about.removesuffix(" …").split()) == {"word"}
    assert about.endswith("word …") and len(about) <= search_index.EXCERPT + len(" …")
    assert len(about) > search_index.EXCERPT - len("word")  # nothing is lost that fits


def test_a_chapter_is_found_by_number_title_and_tag_beside_what_it_says():
    says = {"title": "Each step shrinks the angle", "shows": ["1"]}
    entry = search_index.entry("book/textbook/theorem_01", says, statement("textbook.theorem-01"))
    assert says.items() <= entry.items() and entry["url"] == "book/textbook/theorem_01.html"
    assert entry["names"] == ["Theorem 1"]
    assert entry["also"] == ["The angle shrinks", "textbook.theorem-01"]


def test_numbers_of_equations_are_listed_with_their_ranges():
    assert [*search_index.listed("(3), (15)–(18), (24a)")] == ["3", "15", "16", "17", "18", "24"]
    assert [*search_index.listed("")] == []
