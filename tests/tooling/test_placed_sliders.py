"""Where the figures with sliders stand: below the idea of their chapters, in the pages alone."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from ledgerbook.chapters.statements import statement

from tooling import placed_sliders, sliders


def chapter(*titles):
    """A page with sections of these titles."""
    document = nodes.section("", nodes.title("", "Chapter"))
    document += [nodes.section("", nodes.title("", name), ids=[name]) for name in titles]
    return document


@pytest.fixture
def page(monkeypatch):
    """Places the figure of Lemma 5 on a page."""
    monkeypatch.setattr(placed_sliders, "figures", lambda: {"scan-snap.lemma-05": "<figure>"})

    def place(document, builder="html", tag="scan-snap.lemma-05"):
        app = SimpleNamespace(builder=SimpleNamespace(name=builder))
        placed_sliders.place(app, document, statement(tag).docname if tag else "book/intro")
        return [section["ids"] for section in document.findall(nodes.section) if raw(section)]

    return place


def raw(section):
    return isinstance(section.children[-1], nodes.raw)


def test_a_figure_stands_below_the_idea(page):
    assert page(chapter("The idea", "Predict")) == [["The idea"]]
    assert page(chapter("The idea"), tag="scan-snap.lemma-06") == []
    assert page(chapter("The idea"), builder="epub") == []
    assert page(chapter("The idea"), tag=None) == []  # a page that is no chapter


def test_a_chapter_without_the_section_is_named(page):
    with pytest.raises(ValueError, match="scan-snap.lemma-05: its chapter has no section"):
        page(chapter("Predict"))


@pytest.fixture
def figures_of(tmp_path, monkeypatch):
    """The figures that a build finds: of a whole book or of one chapter alone, written or not."""
    monkeypatch.setattr(placed_sliders.paths, "BUILD", tmp_path)

    def found(alone, written):
        monkeypatch.setenv(placed_sliders.chapter.SITE, "..")
        if not alone:
            monkeypatch.delenv(placed_sliders.chapter.SITE)
        if written:
            (tmp_path / sliders.PLACED).write_text('{"a.lemma": "<figure>"}', encoding="utf-8")
        return placed_sliders.figures.__wrapped__()

    return found


@pytest.mark.parametrize("alone", [True, False])
def test_figures_that_the_build_wrote_are_found(figures_of, alone):
    assert figures_of(alone, written=True) == {"a.lemma": "<figure>"}


def test_only_a_chapter_alone_may_be_without_figures(figures_of):
    assert figures_of(alone=True, written=False) == {}
    with pytest.raises(FileNotFoundError):
        figures_of(alone=False, written=False)
