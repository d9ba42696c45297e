"""The foot of a page: which entry cites it, and which links stand there, by the kind of page."""

import html
import re

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


def test_links_stand_as_they_are_and_titles_are_escaped(about):
    about |= {"doi": "10.1/x_y", "url": "https://a.b/c_d#e%20f", "title": "50% of A & B_c #1 $"}
    said = cite.bibtex(None, "key")
    assert "  doi = {10.1/x_y},\n  url = {https://a.b/c_d#e%20f},\n" in said
    assert r"title = {50\% of A \& B\_c \#1 \$}," in said
