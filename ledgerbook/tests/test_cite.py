"""The foot of a page: which entry cites it, and which links stand there, by the kind of page."""

import html
import re
from types import SimpleNamespace

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.pages import codemap
from ledgerbook.project import paths, settings
from ledgerbook.site import cite

ABOUT = {
    "title": "The book",
    "version": "2.1",
    "authors": [
        {"family-names": "Li", "given-names": "Y."},
        {"family-names": "Plato"},
        {"name": "A group"},
    ],
    "date-released": "2031-05-06",
    "license": "MIT",
    "references": [
        {"title": "A paper", "year": 1999, "url": "https://a.b/c"},
        {"title": "A book on paper", "year": 1899},
    ],
}
THEOREM = "book/textbook/theorem_01"


@pytest.fixture
def about(tmp_path, monkeypatch):
    """What the citation file says, to be changed; a project with a licence and two modules."""
    said = dict(ABOUT)
    row = statement("textbook.theorem-01")
    modules = [tmp_path / "power" / name for name in ("steps.py", "other.py", "angle.py")]
    standing = {modules[0]: [row], modules[1]: [], modules[2]: [row]}
    monkeypatch.setattr(cite, "citation", lambda: said)
    monkeypatch.setattr(codemap, "standing_on", lambda: standing)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "BOOK", tmp_path / "book")
    monkeypatch.setattr(cite, "of_docname", {THEOREM: row}.get)
    (tmp_path / "LICENSE").touch()
    return said


def entry(foot):
    return html.unescape(re.search(r"<pre[^>]*>(.*?)</pre>", foot, re.DOTALL)[1])


def links(foot):
    return dict(re.findall(r'<a href="([^"]*)">(.*?)</a>', foot))


def test_a_chapter_is_cited_by_its_name_and_leads_to_its_code(about):
    foot = cite.foot(THEOREM, "another title", "intro")
    assert entry(foot) == (
        "@incollection{textbook.theorem-01,\n"
        "  title = {Theorem 1 — The angle shrinks},\n"
        "  author = {Li, Y. and Plato and {A group}},\n"
        "  booktitle = {The book},\n"
        "  year = {2031},\n"
        "  note = {version 2.1, textbook.theorem-01},\n"
        "}"
    )
    assert links(foot) == {
        "https://a.b/c": "A paper",
        "../../source/power/angle.html": "<code>power/angle.py</code>",
        "../../source/power/steps.html": "<code>power/steps.py</code>",
        "../../_data/LICENSE.txt": "MIT",
    }


def test_another_page_is_cited_by_its_title_and_place(about):
    foot = cite.foot("book/first/second", "A &amp; <B>", "intro")
    assert entry(foot).startswith("@incollection{first.second,\n  title = {A \\& <B>},\n")
    assert "code" not in links(foot).values() and "../../_data/LICENSE.txt" in links(foot)


def test_the_page_that_the_book_opens_with_cites_the_book(about):
    title = f"@misc{{{re.sub(r'[^a-z]+', '-', settings.settings().title.lower())},"
    assert entry(cite.foot("intro", "Welcome", "intro")) == (
        f"{title}\n  title = {{The book}},\n  author = {{Li, Y. and Plato and {{A group}}}},\n"
        "  year = {2031},\n  note = {version 2.1},\n}"
    )
    assert "./_data/LICENSE.txt" in links(cite.foot("intro", "Welcome", "intro"))


def test_where_there_is_no_licence_and_no_paper_none_is_named(about, tmp_path):
    (tmp_path / "LICENSE").unlink()
    del about["references"]
    assert links(cite.foot("book/page", "Page", "intro")) == {}


def test_links_stand_as_they_are_and_titles_are_escaped(about):
    about |= {"doi": "10.1/x_y", "url": "https://a.b/c_d#e%20f", "title": "50% of A & B_c #1 $"}
    said = cite.bibtex(None, "key")
    assert "  doi = {10.1/x_y},\n  url = {https://a.b/c_d#e%20f},\n" in said
    assert r"title = {50\% of A \& B\_c \#1 \$}," in said


def test_the_citation_file_is_read_where_there_is_one(tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    cite.citation.cache_clear()
    assert cite.citation() == {}
    (tmp_path / "CITATION.cff").write_text("title: A book\n", encoding="utf-8")
    cite.citation.cache_clear()
    assert cite.citation() == {"title": "A book"}
    cite.citation.cache_clear()


def app(builder):
    return SimpleNamespace(
        builder=SimpleNamespace(name=builder), config=SimpleNamespace(root_doc="intro")
    )


@pytest.mark.parametrize(
    ("doctree", "builder", "given"),
    [
        ("tree", "html", True),
        (None, "html", False),  # a page that nobody wrote, as that of the search
        ("tree", "epub", False),
    ],
)
def test_a_written_page_of_the_site_has_a_foot_and_no_other(about, doctree, builder, given):
    context = {"body": "words", "title": "Page"}
    cite.put(app(builder), "book/page", "", context, doctree)
    assert context["body"].startswith("words") and ("<details" in context["body"]) == given


@pytest.mark.parametrize(
    ("context", "name"), [({"title": "A <em>page</em>"}, "A page"), ({"title": ""}, "book/x")]
)
def test_a_page_is_cited_by_its_title_without_marks_or_else_by_its_place(about, context, name):
    context |= {"body": ""}
    cite.put(app("html"), "book/x", "", context, "tree")
    assert f"title = {{{name}}}" in context["body"]


@pytest.mark.parametrize(
    ("builder", "says", "asked"), [("html", True, 1), ("html", False, 0), ("epub", True, 0)]
)
def test_what_stands_on_what_is_found_out_before_if_a_page_will_say_it(
    about, monkeypatch, builder, says, asked
):
    times = []
    monkeypatch.setattr(codemap, "standing_on", lambda: times.append(1))
    if not says:
        about.clear()
    cite.know(app(builder), None, [])
    assert len(times) == asked
