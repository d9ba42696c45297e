"""The contents beside a page, as the theme asks for them and as a style reads them."""

from bs4 import BeautifulSoup
from ledgerbook.site import sidebar

PART = '<p class="caption">{}</p><ul class="nav{}"><li class="toctree-l1{}">{}</li></ul>'
THEOREM = "textbook.theorem-01"
LINK = '<a class="reference internal{}" href="../{}.html">A page</a>'


def contents():
    """Two parts: one with the current page, one of a single page."""
    here = LINK.format(" current", "here")
    return PART.format("One", " current", " current active", here) + PART.format(
        "Two", "", "", LINK.format("", "there")
    )


def test_a_chapter_s_status_stands_before_its_name():
    names = ("textbook/theorem_01", "textbook/corollary_01", "intro")
    links = "".join(LINK.format("", f"book/{name}") for name in names)
    made = sidebar.folded(PART.format("One", "", "", links), "book/page", {THEOREM: "holds"})
    theorem, corollary, page = BeautifulSoup(made, "html.parser").select("a")
    mark = '<span class="status" role="img" title="holds">✓</span>'
    assert "".join(map(str, theorem.contents)) == f"{mark}A page"
    assert corollary.decode_contents() == page.decode_contents() == "A page"


def test_of_a_closed_part_the_first_entry_stays_with_all_below_it():
    below = "<ul><li>a.a</li><li>a.b</li></ul>"
    listed = f'</p><ul><li class="toctree-l1">a{below}</li><li>b</li></ul>'
    parts = "".join(f'<p class="caption">{name}{listed}' for name in ("One", "Two"))
    one, two = BeautifulSoup(
        sidebar.own_part(sidebar.folded(parts, "book/page", {})), "html.parser"
    ).select("details")
    assert [item.contents[0] for item in one.select("li")] == ["a", "a.a", "a.b", "b"]
    assert [item.contents[0] for item in two.select("li")] == ["a", "a.a", "a.b"]
    assert (one["class"], two["class"]) == (["part"], ["part", "more"])
