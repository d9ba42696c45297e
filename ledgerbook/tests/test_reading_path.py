"""The main path: who is next, which number a chapter has, what stands behind it."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters.statements import Part, Statement
from ledgerbook.project import paths
from ledgerbook.site import reading_path

ROWS = {
    f"p.{name}": Statement(f"p.{name}", f"Lemma {name}", "t", tuple(f"p.{use}" for use in uses))
    for name, uses in {"a": "x", "b": "ay", "c": "", "x": "z", "y": "", "z": "", "v": "ab"}.items()
}
PATH = ["intro", "hour", "p/a", "p/part", "p/b", "p/c"]
CACHED = ("documents", "chapters", "interludes", "_below", "leans")


@pytest.fixture(autouse=True)
def book(monkeypatch):
    """A path of three chapters in two parts; x, y, z and v are in the appendix."""
    listed = [
        (Part("one", "One", group="All", path=True), ["hour", "p/a"]),
        (Part("two", "Two", group="All", path=True), ["p/part", "p/b", "p/c"]),
        (Part("more", "More"), ["p/x", "p/y", "p/z", "p/v"]),
    ]
    documents = {part.name: [paths.document(one) for one in some] for part, some in listed}
    by_docname = {paths.document(tag.replace(".", "/")): row for tag, row in ROWS.items()}
    monkeypatch.setattr(reading_path, "parts", lambda: [part for part, _ in listed])
    monkeypatch.setattr(reading_path.toc, "documents", lambda part: documents[part.name])
    monkeypatch.setattr(reading_path, "of_docname", by_docname.get)
    monkeypatch.setattr(reading_path, "statement", ROWS.__getitem__)
    monkeypatch.setattr(reading_path, "written", lambda: list(ROWS.values()))
    for name in CACHED:
        getattr(reading_path, name).cache_clear()
    yield
    for name in CACHED:
        getattr(reading_path, name).cache_clear()


def test_it_runs_through_its_parts_and_counts_chapters_alone():
    assert reading_path.documents() == [paths.document(one) for one in PATH]
    numbers = [reading_path.number(paths.document(one)) for one in [*PATH, "p/x"]]
    assert numbers == [None, None, 1, None, 2, 3, None]
    assert reading_path.interludes() == {paths.document(one) for one in ("hour", "p/part")}


@pytest.mark.parametrize(
    ("name", "home"), [("x", "a"), ("y", "b"), ("z", "a"), ("v", "b"), ("a", None), ("hour", None)]
)
def test_an_appendix_stands_behind_its_first_user_or_the_last_that_it_uses(name, home):
    found = reading_path.leans(paths.document(name if name == "hour" else f"p/{name}"))
    assert (found and found.tag) == (home and f"p.{home}")


@pytest.mark.parametrize(("name", "needed"), [("a", []), ("b", ["p.a"]), ("v", ["p.a", "p.b"])])
def test_a_chapter_of_the_path_sends_its_reader_to_what_comes_before_it_there(name, needed):
    assert reading_path.to_have_read(ROWS[f"p.{name}"]) == needed
    row = ROWS[f"p.{name}"]
    later = Statement(row.tag, row.number, row.title, (*row.uses, "p.c"))
    assert reading_path.to_have_read(later) == (needed if name != "v" else [*needed, "p.c"])


def test_it_sends_him_there_also_by_way_of_what_stands_elsewhere():
    last = Statement("p.c", "Lemma c", "t", ("p.v", "p.y"))
    assert reading_path.to_have_read(last) == ["p.a", "p.b"]


def shown(pagename):
    """The context of a page after the path has been put into it."""
    builder = SimpleNamespace(
        get_relative_uri=lambda here, there: f"{there}.html",
        render_partial=lambda title: {"title": title},
    )
    titles = {paths.document(one): f"<i>{one}</i>" for one in PATH}
    app = SimpleNamespace(builder=builder, env=SimpleNamespace(titles=titles))
    context = {"body": "words", "prev": "by the list", "next": "by the list"}
    reading_path.put(app, paths.document(pagename), "page.html", context, None)
    return context


def test_a_chapter_says_where_it_is_and_what_stands_behind_it():
    context = shown("p/b")
    assert context["prev"] == {"link": "book/p/part.html", "title": "<i>p/part</i>"}
    assert context["next"] == {"link": "book/p/c.html", "title": "3. <i>p/c</i>"}
    assert context["body"].startswith('<p class="place">Chapter 2 of 3</p>words')
    assert '<a href="book/p/y.html">Lemma y</a>, <a href="book/p/v.html">' in context["body"]


def test_nothing_outside_of_the_path_is_next_to_anything():
    context = shown("p/z")
    assert context["prev"] is None and context["next"] is None
    assert 'Appendix to <a href="book/p/a.html">1. Lemma a</a>' in context["body"]
    assert shown("ledger") == {"body": "words", "prev": None, "next": None}
    assert shown("intro")["prev"] is None and shown("p/c")["next"] is None


def test_a_book_without_a_path_keeps_its_list(monkeypatch):
    monkeypatch.setattr(reading_path, "parts", list)
    reading_path.documents.cache_clear()
    assert shown("p/b") == {"body": "words", "prev": "by the list", "next": "by the list"}
