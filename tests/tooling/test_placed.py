"""The figures that move, in their places."""

import re

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.project import paths

from tooling import moving


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
