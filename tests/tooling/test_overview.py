"""The figure of the landing page and its table, of the run that a chapter has stored."""

import re
from types import SimpleNamespace

import pytest
from ledgerbook.statements import statement

from checks import figures
from ledgerbook import notebooks
from tooling import overview, placed_sliders


@pytest.fixture(scope="module")
def figure_2():
    return notebooks.read(statement(overview.TAG).chapter)


def test_the_title_says_how_far_the_shared_word_falls(figure_2):
    _, steps, rows = overview.run(figure_2)
    ends = (f"{100 * row[0]:.0f}" for row in (rows[0], rows[-1]))
    falls = "falls from {} to {} percent".format(*ends)
    assert f"{falls} in {steps[-1]} steps" in overview.drawing(figure_2)


def test_text_and_outlines_are_of_the_first_step_and_bars_of_the_last(figure_2, monkeypatch):
    rows = [[share, *[1 - share] * 4] for share in (0.9, 0.6, 0.3)]
    monkeypatch.setattr(overview, "run", lambda notebook: (["a"] * 5, [0, 1, 7], rows))
    html = overview.drawing(figure_2)
    assert "falls from 90 to 30 percent in 7 steps" in html
    for kind, row in (("ghost", rows[0]), ("bar", rows[-1])):
        heights = re.findall(rf'class="{kind}".* height="([^"]+)"', html)
        wanted = [overview.SCALE * share for share in (row[0], row[0], *row[1:])]
        assert [float(height) for height in heights] == pytest.approx(wanted)


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


def test_the_directives_show_the_stored_chapter(figure_2):
    (figure,) = overview.Overview.__new__(overview.Overview).content_nodes()
    assert figure["format"] == "html" and figure.astext() == overview.drawing(figure_2)


@pytest.mark.parametrize("extension", [overview, placed_sliders])
def test_sphinx_may_read_and_write_with_several_processes(extension):
    app = SimpleNamespace(add_directive=lambda *_: None, connect=lambda *_: None)
    about = extension.setup(app)
    assert about["parallel_read_safe"] and about["parallel_write_safe"]


def test_a_step_s_attention_is_whole_for_each_class(figure_2):
    """The shared word and the two of either class."""
    words, _, rows = overview.run(figure_2)
    assert {len(row) for row in rows} == {len(words)} == {5}
    for shared, *own in rows:
        assert (shared + sum(own[:2]), shared + sum(own[2:])) == pytest.approx((1, 1), abs=0.02)
