"""How much a reader, or who publishes the pages, has to load: of the pages as they are built."""

import pytest
from ledgerbook.project import paths

from ledgerbook import slim

BAR = 20_000_000  # bytes of the site

pytestmark = pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first")


def test_the_site_is_below_its_bar():
    sizes = {file: file.stat().st_size for file in paths.HTML.rglob("*") if file.is_file()}
    heaviest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:5]
    whole = sum(sizes.values())
    assert whole < BAR, [(paths.relative(file), sizes[file]) for file in heaviest]


def test_pages_name_each_picture_of_the_site_and_no_other():
    pages = "".join(file.read_text(encoding="utf-8") for file in paths.HTML.rglob("*.html"))
    there = {f"_images/{file.name}" for file in (paths.HTML / "_images").iterdir()}
    assert there == set(slim.NAMED.findall(pages))
