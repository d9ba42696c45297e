"""The code as pages: one a module, whole, with what stands on it and no contents beside it."""

from types import SimpleNamespace

import pytest
from ledgerbook.pages import codemap
from ledgerbook.project import paths, settings
from ledgerbook.site import sources


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A module of a book, with the map of the code as the book has it."""
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "BOOK", tmp_path / "book")
    place = tmp_path / "lib" / "a" / "norms.py"
    place.parent.mkdir(parents=True)
    place.write_text('"""The *norms*."""\n\n\ndef one():\n    return 1\n', encoding="utf-8")
    monkeypatch.setattr(codemap, "modules", lambda: [place])
    monkeypatch.setattr(codemap, "what_it_is", lambda file: "The *norms*.")
    monkeypatch.setattr(codemap, "standing_on", lambda: {place: []})
    return place


def app(builder):
    highlighter = SimpleNamespace(
        highlight_block=lambda text, language: f"<div><pre>[{language}]{text}</pre></div>"
    )
    return SimpleNamespace(builder=SimpleNamespace(name=builder, highlighter=highlighter))


def test_a_module_has_a_page_with_its_code_and_an_address_for_each_function(file):
    ((name, context, template),) = sources.collect(app("html"))
    assert (name, template) == ("source/lib/a/norms", "page.html")
    assert context["title"] == "lib/a/norms.py" and context["sidebars"] == []
    assert '<pre>[python]"""The *norms*."""\n' in context["body"]
    assert '<span id="one"></span>def one():' in context["body"]
    assert "The norms." in context["body"]


def test_a_chapter_s_page_alone_has_no_pages_of_code_beside_it(file, monkeypatch):
    monkeypatch.setenv(settings.SITE, "../..")
    assert list(sources.collect(app("html"))) == []
