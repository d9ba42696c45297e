"""The figure of the landing page and its table, of the run that a chapter has stored."""

import re
from types import SimpleNamespace

import pytest
from ledgerbook.statements import statement

from ledgerbook import notebooks
from tooling import overview


@pytest.fixture(scope="module")
def figure_2():
    return notebooks.read(statement(overview.TAG).chapter)


def test_the_title_says_how_far_the_shared_word_falls(figure_2):
    _, steps, rows = overview.run(figure_2)
    ends = (f"{100 * row[0]:.0f}" for row in (rows[0], rows[-1]))
    falls = "falls from {} to {} percent".format(*ends)
    assert f"{falls} in {steps[-1]} steps" in overview.drawing(figure_2)


def test_the_bars_stand_from_left_to_right_inside_the_drawing(figure_2):
    html = overview.drawing(figure_2)
    left, _, width, _ = map(float, re.search(r'viewBox="([^"]+)"', html)[1].split())
    bars = re.findall(r'data-bar="(\d)".*? x="([^"]+)" width="([^"]+)"', html)
    places = sorted({(int(bar), float(x), float(x) + float(wide)) for bar, x, wide in bars})
    edges = [edge for _, *both in places for edge in both]
    assert len(places) == 5 and edges == sorted(edges)
    assert left <= edges[0] and edges[-1] <= left + width


def test_the_table_has_a_row_for_each_of_the_four_moments(figure_2):
    here = SimpleNamespace(notebook=figure_2, parse_markdown=str.splitlines)
    head, _, *rows = overview.AttentionTable.content_nodes(here)
    assert head.startswith("| moment | step |")
    told = [tuple(cell.strip() for cell in row.split("|")[1:3]) for row in rows]
    steps = map(str, overview.moments(figure_2))
    assert told == list(zip(overview.PANELS, steps))
    words, steps, attention = overview.run(figure_2)
    assert head.split("|")[3:-1] == [f" *{word}* " for word in words[:3]]
    for step, row in zip(overview.moments(figure_2), rows):
        wanted = attention[steps.index(step)][:3]
        shown = [float(cell.removesuffix(" % ")) for cell in row.split("|")[3:-1]]
        assert shown == pytest.approx([100 * share for share in wanted], abs=0.5)
