"""The landing page's run as a table, and the figures that move in their places."""

import re
from types import SimpleNamespace

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths

from tooling import moving, placed


@pytest.fixture(scope="module")
def figure_2():
    return notebooks.read(statement(placed.TAG).chapter)


def test_the_table_has_a_row_for_each_of_the_four_moments(figure_2):
    here = SimpleNamespace(parse_markdown=str.splitlines)
    head, _, *rows = placed.AttentionTable.content_nodes(here)
    assert head.startswith("| moment | step |")
    told = [tuple(cell.strip() for cell in row.split("|")[1:3]) for row in rows]
    steps = map(str, placed.moments(figure_2))
    assert told == list(zip(placed.PANELS, steps))
    words, steps, attention = placed.run(figure_2)
    assert head.split("|")[3:-1] == [f" *{word}* " for word in words[:3]]
    for step, row in zip(placed.moments(figure_2), rows):
        wanted = attention[steps.index(step)][:3]
        shown = [float(cell.removesuffix(" % ")) for cell in row.split("|")[3:-1]]
        assert shown == pytest.approx([100 * share for share in wanted], abs=0.5)


def test_a_step_s_attention_is_whole_for_each_class(figure_2):
    """The shared word and the two of either class."""
    words, _, rows = placed.run(figure_2)
    assert {len(row) for row in rows} == {len(words)} == {5}
    for shared, *own in rows:
        assert (shared + sum(own[:2]), shared + sum(own[2:])) == pytest.approx((1, 1), abs=0.02)


@pytest.mark.long
@pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first")
@pytest.mark.parametrize("name", moving.figures())
def test_the_built_page_has_its_figure_and_what_it_reads(name):
    about = moving.figures()[name]
    docname = statement(about["tag"]).docname if "tag" in about else about["page"]
    page = paths.HTML / f"{docname}.html"
    text = page.read_text(encoding="utf-8")
    assert text.count('<figure class="moving"') == 1
    if "tag" in about:
        here = f"moving-{name.replace('_', '-')}"
        places = [text.index(f'id="{each}"') for each in ("the-idea", here, "predict")]
        assert places == sorted(places)
    sources = re.findall(r'(?:src|href)="([^"]*/lab/[^"]*)"', text)
    assert len(sources) == 4 and all((page.parent / source).exists() for source in sources)
