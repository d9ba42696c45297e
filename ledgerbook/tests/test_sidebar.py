"""The contents beside a page, as the theme asks for them and as a style reads them."""

from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup

from ledgerbook import collect, data_scripts, sidebar

PART = '<p class="caption">{}</p><ul class="nav{}"><li class="toctree-l1{}">{}</li></ul>'
LINK = '<a class="reference internal{}" href="../{}.html">A page</a>'


def contents():
    """Two parts: one with the current page, one of a single page."""
    here = LINK.format(" current", "here")
    return PART.format("One", " current", " current active", here) + PART.format(
        "Two", "", "", LINK.format("", "there")
    )


def test_of_the_classes_those_stay_that_a_style_asks_for():
    soup = BeautifulSoup(sidebar.folded(contents(), "book/page", {}), "html.parser")
    assert [link.get("class") for link in soup.select("li a")] == [["current"], None]
    assert [item.get("class") for item in soup.select("li")] == [["current", "active"], None]


def test_a_caption_without_a_list_stays_a_caption():
    alone = '<p class="caption">Alone</p>'
    soup = BeautifulSoup(sidebar.folded(alone, "book/page", {}), "html.parser")
    assert soup.p.get_text() == "Alone" and not soup.select("details")


def test_a_part_without_a_list_is_an_empty_list_for_the_script():
    folds = 2 * '<details class="part"><summary>One</summary></details>'
    assert sidebar.lists(folds) == ["", ""]
    assert sidebar.own_part(folds).count("part more") == 1


def test_only_what_the_theme_asks_for_the_sidebar_is_made_anew_and_once(monkeypatch):
    asked = []

    def theirs(**options):
        asked.append(options)
        return contents() if options.get("depth") != 0 else ""

    monkeypatch.setattr(collect, "statuses", dict)
    context = {"generate_toctree_html": theirs}
    sidebar.put(None, "book/page", "page.html", context, None)
    make = context["generate_toctree_html"]
    assert make(kind="raw") == contents() and make() == contents()
    first = make(kind="sidebar", depth=1)
    assert first == make(kind="sidebar", depth=1) and first.count("<details") == 2
    assert make(kind="sidebar", depth=0) == ""
    assert len(asked) == 4


def test_a_page_without_contents_gets_none():
    context = {}
    sidebar.put(None, "book/page", "page.html", context, None)
    assert context == {}


@pytest.mark.parametrize("page, kept", [("search", 4), ("book/page", 3)])
def test_the_page_of_the_search_has_the_whole_and_writes_it_for_the_others(
    tmp_path, monkeypatch, page, kept
):
    written = []
    monkeypatch.setattr(collect, "statuses", dict)
    monkeypatch.setattr(data_scripts, "write", lambda *what: written.append(what))
    second = PART.format("Two", "", "", "a").replace("</ul>", "<li>b</li></ul>")
    made = PART.format("One", "", "", "a").replace("</ul>", "<li>b</li></ul>") + second
    shown = sidebar._ours(SimpleNamespace(outdir=str(tmp_path)), page, made)
    assert shown.count("<li") == kept
    if page == sidebar.WHOLE:
        ((folder, name, lists),) = written
        assert (folder, name, len(lists)) == (tmp_path, "contents", 2)
    else:
        assert written == []
