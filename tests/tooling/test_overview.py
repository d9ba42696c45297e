"""The figure of the landing page and its table, of the run that a chapter has stored."""

import re
from types import SimpleNamespace

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import statement

from checks import figures
from tooling import overview


@pytest.fixture(scope="module")
def figure_2():
    return notebooks.read(statement(overview.TAG).chapter)


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


def test_bars_and_outlines_are_as_high_as_their_shares(figure_2):
    """The shared word stands on both sides, the first class's two above, the second's below."""
    _, steps, rows = overview.run(figure_2)
    html = overview.drawing(figure_2)
    drawn = r'class="{}"{} x=.* height="([^"]+)"'
    bar = drawn.format("bar", r' data-bar="(.)" data-side="(.*?)"') + ' fill="([^"]+)"'
    bars, ghosts = re.findall(bar, html), re.findall(drawn.format("ghost", ""), html)
    sides = [("0", "up"), ("0", "down"), ("1", "up"), ("2", "up"), ("3", "down"), ("4", "down")]
    assert [tuple(found[:2]) for found in bars] == sides
    for (k, _, height, color), ghost in zip(bars, ghosts, strict=True):
        ends = rows[0][int(k)], rows[-1][int(k)]
        assert (float(ghost), float(height)) == pytest.approx([overview.SCALE * x for x in ends])
        assert color == figures.COLORS["common" if k == "0" else "distinct"]
    assert f'max="{len(steps) - 1}" value="{len(steps) - 1}"' in html


def test_a_step_s_attention_is_whole_for_each_class(figure_2):
    """The shared word and the two of either class."""
    words, _, rows = overview.run(figure_2)
    assert {len(row) for row in rows} == {len(words)} == {5}
    for shared, *own in rows:
        assert (shared + sum(own[:2]), shared + sum(own[2:])) == pytest.approx((1, 1), abs=0.02)
