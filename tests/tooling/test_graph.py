"""The dependency graph: complete, its names within their boxes."""

import re
from itertools import pairwise

import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import statements
from ledgerbook.pages import graph, parts
from ledgerbook.project.project import current


def test_every_numbered_statement_of_the_papers_is_listed():
    numbers = " ".join(row.number for row in statements().values())
    expected = (
        [f"Lemma {k}" for k in range(1, 19)]
        + [f"Theorem {k}" for k in range(1, 6)]
        + ["Corollary 1", "Corollary 2", "Assumption 1", "Assumption 2"]
        + [f"Remark {k}" for k in range(1, 5)]
    )
    assert [name for name in expected if not re.search(rf"{name}\b", numbers)] == []


def test_no_line_of_a_box_is_longer_than_fits():
    """A name stands on one line or two; 152 px hold 20 characters of its size."""
    lines = {row.number: graph._lines(f"◐ {row.number}") for row in statements().values()}
    assert [name for name, found in lines.items() if len(found) > 2] == []
    assert max(len(line) for found in lines.values() for _, line in found) <= graph.FITS
    assert any(len(found) == 2 for found in lines.values())


def test_what_the_readme_shows_and_says_is_what_is_computed():
    """Its picture, and between two markers the sentence of the page on checks."""
    ledger, readme = collect.collect(), (current().root / "README.md").read_text(encoding="utf-8")
    pictures = {current().relative(file): text for file, text in graph.pictures(ledger)}
    assert [name for name in pictures if f"({name})" in readme] == list(pictures) != []
    made = {current().root / name: text for name, text in pictures.items()}
    made[current().root / "README.md"] = parts.with_counts(readme, ledger)
    assert "<!-- counts:" in readme and parts.END_OF_COUNTS in readme
    old = [file.name for file, text in made.items() if file.read_text(encoding="utf-8") != text]
    assert not old, f"not those of the rows: {', '.join(old)}; `make pages` writes them anew"


@pytest.mark.parametrize("paper", current().settings.papers)
def test_no_arrow_runs_under_a_box(paper):
    own = [row.tag for row in statements().values() if row.paper == paper]
    dependencies = collect.dependencies().subgraph(own)
    spots = graph.layout(dependencies)
    for way in graph.ways(dependencies, spots):
        for (x, y), (to_x, to_y) in pairwise(way):
            for left, top in spots.values():
                beside = max(x, to_x) <= left or min(x, to_x) >= left + graph.WIDTH
                assert beside or to_y <= top or y >= top + graph.HEIGHT


def test_the_graph_fits_beside_the_contents_of_a_window_of_1280():
    for paper in current().settings.papers:
        own = [row.tag for row in statements().values() if row.paper == paper]
        spots = graph.layout(collect.dependencies().subgraph(own))
        assert max(x for x, _ in spots.values()) + graph.WIDTH + graph.MARGIN <= 732
