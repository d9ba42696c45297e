"""Chapter row, ledger row, erratum, equation, graph node: each leads to the other's own place."""

import re
from functools import cache

import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import statement, written
from ledgerbook.pages import parts
from ledgerbook.project import paths
from ledgerbook.references import anchors, targets

pytestmark = pytest.mark.skipif(not paths.INDEX.exists(), reason="no pages: run make book first")
LEDGER = collect.load()
PLACE = re.compile(r'href="([^"#:]*)#((?:claim|rows|node|eq)-[^"]+|e\d+)"')


@cache
def source(docname):
    """The text of a built page."""
    return (paths.HTML / f"{docname}.html").read_text(encoding="utf-8")


@cache
def ids(file):
    """The addresses that a built page has."""
    return set(re.findall(r'\sid="([^"]+)"', file.read_text(encoding="utf-8")))


def row(docname, place):
    """A row of a table by its address; what stands in ``noscript`` counts."""
    at = source(docname).index(f'id="{place}"')
    return source(docname)[at : source(docname).index("</tr>", at)]


def test_every_link_to_a_place_finds_it():
    lost = []
    for file in sorted(paths.HTML.glob("book/**/*.html")):
        for href, place in PLACE.findall(file.read_text(encoding="utf-8")):
            target = (file.parent / href).resolve() if href else file
            if place not in ids(target):
                lost.append((file.stem, href, place))
    assert lost == []


@pytest.mark.parametrize("erratum", LEDGER["errata"], ids=lambda one: one["id"])
def test_an_erratum_and_its_rows_lead_to_each_other(erratum):
    one, place = statement(erratum["tag"]), erratum["id"].lower()
    entry = source(paths.document("errata")).partition(f'<span id="{place}">')[2]
    hrefs = set(re.findall(r'href="([^"]+)"', entry.partition("</section>")[0]))
    chapter = one.docname.removeprefix("book/")
    assert f"ledger.html#{parts.address('rows', one.tag)}" in hrefs
    assert f"graph.html#{parts.address('node', one.tag)}" in hrefs
    for name in erratum["evidence"]:
        assert f"{chapter}.html#{anchors.in_chapter(name)}" in hrefs
        first = targets.slips()[one.tag, name]
        own = row(one.docname, anchors.in_chapter(name))
        assert f'href="../errata.html#{first.lower()}"' in own
        assert f"ledger.html#{anchors.in_ledger(one.tag, name)}" in own
        listed = row(paths.document("ledger"), anchors.in_ledger(one.tag, name))
        assert f'href="errata.html#{first.lower()}"' in listed
        assert f'href="{chapter}.html#{anchors.in_chapter(name)}"' in listed


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


def test_each_equation_has_an_address_and_leads_to_its_rows():
    text = source(paths.document("equations"))
    for entry in LEDGER["equations"]:
        own = row(paths.document("equations"), f"eq-{entry['number'].strip('()')}")
        for name in entry["claims"]:
            tag, _, claim = name.partition("#")
            assert f'href="ledger.html#{anchors.in_ledger(tag, claim)}"' in own, name
    assert text.count('id="eq-') == len(LEDGER["equations"])
