"""Previews: what is named leads to its place and shows its line, on hover, focus and tap."""

import html
import json
import os.path
import re
from functools import cache

import pytest
from ledgerbook.chapters import data_scripts
from ledgerbook.chapters.statements import written
from ledgerbook.project import paths
from ledgerbook.site import configuration

from tests.tooling.built_pages import PAGES

pytestmark = pytest.mark.long

BUDGET = 900_000  # bytes of the script and its lines together, fetched when first asked for
SCRIPT = configuration.STATIC / "previews.js"
DATA = data_scripts.place("previewed")
built = pytest.mark.skipif(not (paths.HTML / DATA).exists(), reason="no pages yet")


@cache
def data():
    """What the script loads."""
    text = (paths.HTML / DATA).read_text(encoding="utf-8")
    return json.loads(text.removeprefix("window.previewed = ").rstrip(";\n"))


@cache
def ids(file):
    return set(re.findall(r'\sid="([^"]+)"', file.read_text(encoding="utf-8")))


def mentions(file):
    """(document, place) of each mention on a page."""
    found = re.findall(r'<a class="mention[^"]*" href="([^"]+)"', file.read_text(encoding="utf-8"))
    for target in dict.fromkeys(map(html.unescape, found)):
        page, _, place = target.partition("#")
        page = os.path.normpath(file.parent / page) if page else str(file)
        yield os.path.relpath(page, paths.HTML).removesuffix(".html"), place


@built
def test_script_and_lines_are_small():
    assert os.path.getsize(SCRIPT) + os.path.getsize(paths.HTML / DATA) <= BUDGET


@built
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_mention_leads_to_its_place_and_has_a_line(page):
    found = list(mentions(page))
    lost = [one for one in found if one[1] and one[1] not in ids(paths.HTML / f"{one[0]}.html")]
    silent = [(target, place) for target, place in found if place not in data()["pages"][target]]
    assert (lost, silent) == ([], [])


@built
@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_the_columns_of_every_table_of_rows_are_explained(row):
    text = (paths.HTML / f"{row.docname}.html").read_text(encoding="utf-8")
    heads = [
        head for head in re.findall(r"<thead>.*?</thead>", text, re.DOTALL) if "margin" in head
    ]
    assert heads
    for head in heads:
        for word in ("observed", "bound", "margin", "evidence", "verdict"):
            assert re.search(rf'<a class="mention[^>]*#word-column-{word}">{word}</a>', head), word


@built
def test_lines_are_whole_and_no_symbol_is_without_its_row():
    for lines in data()["pages"].values():
        for line in lines.values():
            opened = re.findall(r"<([a-z]+)[^>]*>", line)
            closed = re.findall(r"</([a-z]+)>", line)
            assert sorted(opened) == sorted(closed) and "$" not in line, line
    places_of_symbols = data()["pages"][data()["notation"]]
    assert all(place in places_of_symbols for place in data()["symbols"])
