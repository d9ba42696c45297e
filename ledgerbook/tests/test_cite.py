"""The foot of a page: which entry cites it, and which links stand there."""

import html
import re
from types import SimpleNamespace

import pytest
from ledgerbook.project import paths
from ledgerbook.site import cite

ABOUT = {
    "title": "50% of A & B",
    "version": "2.1",
    "authors": [
        {"family-names": "Li", "given-names": "Y."},
        {"family-names": "Plato"},
        {"name": "A group"},
    ],
    "date-released": "2031-05-06",
    "license": "MIT",
    "doi": "10.1/x_y",
    "references": [
        {"title": "A paper", "year": 1999, "url": "https://a.b/c"},
        {"title": "A book on paper", "year": 1899},
    ],
}


@pytest.fixture
def foot(tmp_path, monkeypatch):
    """The function that makes the foot of a page."""
    monkeypatch.setattr(cite, "citation", lambda: ABOUT)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "LICENSE").touch()
    app = SimpleNamespace(builder=SimpleNamespace(name="html"))
    app.config, app.env = SimpleNamespace(copyright="text CC BY"), SimpleNamespace(found_docs=())

    def made(docname, title, part="body"):
        context = {"title": title, "body": ""}
        cite.put(app, docname, "page.html", context, object())
        return html.unescape(context[part])

    return made


def test_a_chapter_is_cited_by_its_name_and_leads_to_papers_and_licence(foot):
    said = foot("book/textbook/theorem_01", "another title")
    assert re.search(r"<pre[^>]*>(.*?)</pre>", said, re.DOTALL)[1] == (
        "@incollection{textbook.theorem-01,\n"
        "  title = {Theorem 1 — The angle shrinks},\n"
        "  author = {Li, Y. and Plato and {A group}},\n"
        "  booktitle = {50\\% of A \\& B},\n"
        "  year = {2031},\n"
        "  note = {version 2.1, textbook.theorem-01},\n"
        "  doi = {10.1/x_y},\n"
        "}"
    )
    assert dict(re.findall(r'<a href="([^"]*)">(.*?)</a>', said)) == {
        "https://a.b/c": "A paper",
        "../../_data/LICENSE.txt": "MIT",
    }


def test_the_foot_says_which_book_of_which_year_under_which_terms(foot, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1931000000")
    said = foot("book/first/second", "A", "theme_extra_footer")
    assert said.startswith("<p>50% of A & B, 2031 · text CC BY · ")
    assert '<a href="../../_data/LICENSE.txt">' in said


def test_another_page_is_cited_by_its_title_and_place(foot):
    assert "@incollection{second,\n  title = {A \\& B},\n" in foot(
        "book/first/second", "<i>A</i> & B"
    )
