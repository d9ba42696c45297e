"""What a reader by ear is told: names of folds, of regions, of what heads a table."""

from types import SimpleNamespace

import pytest
from docutils import nodes
from ledgerbook.site import accessibility
from myst_nb.sphinx_ import HideCodeCellNode


def test_the_themes_templates_say_what_they_should(tmp_path):
    (tmp_path / "sections").mkdir()
    accessibility.write_templates(tmp_path)
    search = (tmp_path / "search-button-field.html").read_text("utf-8")
    assert "<button" in search and "aria-label" not in search
    sidebar = (tmp_path / "sections/sidebar-primary.html").read_text("utf-8")
    assert 'role="region" aria-label="This book"' in sidebar


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
