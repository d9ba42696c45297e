"""Chapter, ledger, erratum, equation, graph node: each leads to the other's own place."""

import html
import re
from functools import cache

import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import statement, written
from ledgerbook.pages import parts
from ledgerbook.project import paths
from ledgerbook.references import targets

pytestmark = pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first")
LINK = re.compile(r'href="([^"#:?]*)(?:#([\w.-]+))?"')


@cache
def source(docname):
    """The text of a built page."""
    return (paths.HTML / f"{docname}.html").read_text(encoding="utf-8")


@cache
def ids(file):
    """The addresses that a built page has."""
    return set(re.findall(r'\sid="([^"]+)"', file.read_text(encoding="utf-8")))


def test_every_link_finds_its_page_and_its_place():
    lost = []
    for file in sorted(paths.HTML.glob("book/**/*.html")):
        for href, place in LINK.findall(file.read_text(encoding="utf-8")):
            target = (file.parent / html.unescape(href)).resolve() if href else file
            there = target.exists() and (not place or place in ids(target))
            lost += [] if there else [(file.stem, href, place)]
    assert lost == []


@pytest.mark.parametrize("one", written(), ids=lambda one: one.tag)
def test_a_chapter_its_rows_and_its_node_lead_to_each_other(one):
    rows, node = parts.address("rows", one.tag), parts.address("node", one.tag)
    assert f'href="../ledger.html#{rows}"' in source(one.docname)
    assert f'href="../graph.html#{node}"' in source(one.docname)
    ledger, graph = source(paths.document("ledger")), source(paths.document("graph"))
    head = ledger[ledger.index(f'id="{rows}"') :].partition("</p>")[0]
    chapter = one.docname.removeprefix("book/")
    assert f'href="graph.html#{node}"' in head and f'href="{chapter}.html"' in head
    assert f'href="ledger.html#{rows}"' in graph and f'<rect id="{node}"' in graph


@pytest.mark.parametrize("erratum", collect.load()["errata"], ids=lambda one: one["id"])
def test_the_rows_behind_an_erratum_name_it(erratum):
    docname = statement(erratum["tag"]).docname
    for name in erratum["evidence"]:
        row = source(docname).partition(f'id="{targets.in_chapter(name)}"')[2].partition("</tr>")[0]
        slip = targets.slips()[erratum["tag"], name]
        assert f'href="../errata.html#{slip.lower()}"' in row
