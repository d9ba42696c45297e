"""What a reader by ear is told: names of folds, of regions, of what heads a table."""

import functools
from types import SimpleNamespace

import pytest
from docutils import nodes
from ledgerbook.site import accessibility
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx
from sphinx.registry import SphinxComponentRegistry
from sphinx.util import docutils


def test_the_themes_templates_say_what_they_should(tmp_path):
    (tmp_path / "sections").mkdir()
    accessibility.write_templates(tmp_path)
    search = (tmp_path / "search-button-field.html").read_text("utf-8")
    assert "<button" in search and "aria-label" not in search
    sidebar = (tmp_path / "sections/sidebar-primary.html").read_text("utf-8")
    assert 'role="region" aria-label="This book"' in sidebar


def test_a_theme_that_says_something_else_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(
        accessibility, "TEMPLATES", {"search-button-field.html": ("no such words", "")}
    )
    with pytest.raises(ValueError, match="search-button-field.html does not say 'no such words'"):
        accessibility.write_templates(tmp_path)


def fold(prompt, *titles):
    """A folded cell within sections of these titles, from the inmost."""
    node = HideCodeCellNode(prompt_show=prompt, classes=["above-input"])
    inner = node
    for title in titles:
        inner = nodes.section("", nodes.title("", title), nodes.container("", inner))
    return node


@pytest.mark.parametrize(
    ("prompt", "titles", "said"),
    [
        ("Show code cell source", ("Walk", "Lemma 5"), "the code"),
        ("Show code cell outputs", ("Walk",), "the output"),
        ("Show code cell content", (), "code and output"),
        ("Show it <all>", (), "the code"),
        ("Show code cell source", ("Exercises", "Lemma 5"), "the answer"),
        ("Show code cell source", ("First", "Exercises", "Lemma 5"), "the answer"),
    ],
)
def test_a_folded_cell_is_named_by_what_it_hides(prompt, titles, said):
    writer = SimpleNamespace(body=[])
    accessibility.open_cell(writer, fold(prompt, *titles))
    (html,) = writer.body
    assert html.startswith('<details class="admonition hide above-input">')
    assert f">Show {said}</p>" in html and f">Hide {said}</p>" in html


class Writer:
    """A writer of HTML as the one that is replaced: what it writes, and what it keeps for later."""

    def __init__(self):
        self.body, self.context = ["<p>", "before", "</p>"], ["</div>", "</p>", "</a>"]

    def visit_citation(self, node):
        self.body.append('<div role="doc-biblioentry">')

    def depart_citation(self, node):
        self.body.append("</div>")

    def visit_entry(self, node):
        self.body.append('<th class="head"><thin>')
        self.context.append("</th>")

    def depart_entry(self, node):
        self.body.append(self.context.pop())


def test_an_entry_of_the_bibliography_is_an_item_of_its_list():
    writer, node = Writer(), nodes.citation()
    accessibility.open_citation(writer, node)
    accessibility.close_citation(writer, node)
    assert writer.body == ["<p>", "before", "</p>", '<div role="listitem">', "</div>"]


@pytest.mark.parametrize(
    ("part", "words", "opened", "closed"),
    [
        (nodes.thead, "", '<td class="head"><thin>', "</td>"),
        (nodes.thead, "size", '<th class="head"><thin>', "</th>"),
        (nodes.tbody, "", '<th class="head"><thin>', "</th>"),
    ],
)
def test_an_empty_cell_above_a_column_heads_nothing(part, words, opened, closed):
    writer, entry = Writer(), nodes.entry("", nodes.paragraph("", words))
    part("", nodes.row("", entry))
    accessibility.open_entry(writer, entry)
    accessibility.close_entry(writer, entry)
    assert writer.body == ["<p>", "before", "</p>", opened, closed]
    assert writer.context == ["</div>", "</p>", "</a>"]


def test_what_is_replaced_is_replaced_without_a_warning(caplog):
    app = SimpleNamespace(registry=SphinxComponentRegistry())
    app.add_node = functools.partial(Sphinx.add_node, app)
    known = docutils.is_node_registered(HideCodeCellNode)
    app.add_node(HideCodeCellNode, override=True, html=(print, print))
    accessibility.setup(app)
    if not known:
        docutils.unregister_node(HideCodeCellNode)
    assert caplog.records == []
    handlers = app.registry.translation_handlers["html"]
    assert handlers["HideCodeCellNode"][0] is accessibility.open_cell
    assert handlers["citation"] == (accessibility.open_citation, accessibility.close_citation)
    assert handlers["entry"] == (accessibility.open_entry, accessibility.close_entry)
