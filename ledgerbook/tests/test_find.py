"""The small index: what it says about a page."""

import pytest
from docutils.core import publish_doctree

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
