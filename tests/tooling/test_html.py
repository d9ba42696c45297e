"""The HTML of the built pages: links, names, spelling, lines of previews, what a browser loads."""

import html
import json
import os.path
import re
from functools import cache

import pytest
from ledgerbook.chapters import collect, data_scripts
from ledgerbook.chapters.statements import statement, statements, written
from ledgerbook.project.project import current
from ledgerbook.references import targets

from tooling import moving

pytestmark = pytest.mark.skipif(
    not current().index.exists(), reason="no pages: run make book first"
)
BAR = 30_000_000  # bytes of the site
BUDGET = 900_000  # bytes of the lines of previews, fetched when first asked for
PAGES = sorted(current().html.glob("book/**/*.html"))
LINK = re.compile(r'href="([^"#:?]*)(?:#([\w.-]+))?"')
AMERICAN = r"colors?\b|favor|neighbor|behavior|centers?\b|centered|gray|labeled|modeling"
# With -ize, as at Oxford and in the papers: what -ise would make of it is the other spelling.
NOT_OXFORD = "maximis|optimis|normalis|regularis|generalis|initialis|recognis|summaris"


@cache
def text_of(file):
    """The text of a file."""
    return file.read_text(encoding="utf-8")


def source(docname):
    """The text of a built page."""
    return text_of(current().html / f"{docname}.html")


def article(file):
    """The page itself, without what stands around it."""
    text = text_of(file)
    return text[text.index("<article") : text.index("</article>")]


@cache
def ids(file):
    """The addresses that a built page has."""
    return set(re.findall(r'\sid="([^"]+)"', text_of(file)))


def test_every_link_finds_its_page_and_its_place():
    lost = []
    for file in PAGES:
        for href, place in LINK.findall(text_of(file)):
            target = (file.parent / html.unescape(href)).resolve() if href else file
            there = target.exists() and (not place or place in ids(target))
            lost += [] if there else [(file.stem, href, place)]
    assert lost == []


def test_every_link_and_picture_has_words_every_place_one_name():
    """What a writer in plain HTML and one that links names by themselves make together."""
    hollow = re.compile(r'<a [^>]*href="[^"]*">\s*</a>|<a [^>]*>\s*<a ')
    assert [
        str(file) for file in current().html.glob("**/*.html") if hollow.search(text_of(file))
    ] == []
    for file in PAGES:
        found = re.findall(r'\sid="([^"]+)"', article(file))
        assert sorted(found) == sorted(set(found)), file
        images = re.findall(r"<img [^>]*>", article(file))
        assert [one for one in images if not re.search(r'\salt="[^"]{20,}', one)] == [], file


def test_one_spelling():
    no_words = re.compile(r"<(pre|script|style|code|math)\b.*?</\1>|<[^>]+>", re.DOTALL)
    other = re.compile(rf"\b[^\W_]*(?:{AMERICAN}|{NOT_OXFORD})[^\W_]*\b(?!_)", re.IGNORECASE)
    found = {file.stem: other.findall(no_words.sub(" ", article(file))) for file in PAGES}
    assert {stem: words for stem, words in found.items() if words} == {}


def test_a_chapter_its_rows_and_its_node_lead_to_each_other():
    ledger, graph = source(current().document("ledger")), source(current().document("graph"))
    for one in written():
        rows, node = targets.address("rows", one.tag), targets.address("node", one.tag)
        assert f'href="../ledger.html#{rows}"' in source(one.docname)
        assert f'href="../graph.html#{node}"' in source(one.docname)
        head = ledger[ledger.index(f'id="{rows}"') :].partition("</p>")[0]
        chapter = one.docname.removeprefix("book/")
        assert f'href="graph.html#{node}"' in head and f'href="{chapter}.html"' in head
        assert f'href="ledger.html#{rows}"' in graph and f'<rect id="{node}"' in graph
    titles = re.findall(r"<title>", " ".join(re.findall(r"(?s)<svg class=.*?</svg>", graph)))
    assert len(titles) == len(statements())


def test_the_rows_behind_an_erratum_name_it():
    for erratum in collect.load()["errata"]:
        page = source(statement(erratum["tag"]).docname)
        for name in erratum["evidence"]:
            place = targets.address("claim", name)
            row = page.partition(f'id="{place}"')[2].partition("</tr>")[0]
            slip = targets.slips()[erratum["tag"], name]
            assert f'href="../errata.html#{slip.lower()}"' in row, erratum["id"]


def previewed():
    """What the script of previews loads."""
    text = text_of(current().html / data_scripts.place("previewed"))
    return json.loads(text.removeprefix("window.previewed = ").rstrip(";\n"))


def test_what_is_named_has_its_line_in_its_preview():
    lines, silent = previewed()["pages"], []
    for file in PAGES:
        for link in set(re.findall(r'<a class="mention[^"]*" href="([^"]+)"', text_of(file))):
            page, _, place = html.unescape(link).partition("#")
            page = os.path.normpath(file.parent / page) if page else file
            target = os.path.relpath(page, current().html).removesuffix(".html")
            silent += [] if place in lines[target] else [(file.stem, link)]
    assert silent == []
    for line in (line for page in lines.values() for line in page.values()):
        opened, closed = re.findall(r"<([a-z]+)[^>]*>", line), re.findall(r"</([a-z]+)>", line)
        assert sorted(opened) == sorted(closed) and "$" not in line, line
    assert set(previewed()["symbols"]) <= lines[previewed()["notation"]].keys()


def test_the_columns_of_every_table_of_rows_are_explained():
    for row in written():
        heads = re.findall(r"(?s)<thead>.*?</thead>", source(row.docname))
        heads = [head for head in heads if "margin" in head]
        assert heads, row.tag
        for word in ("observed", "bound", "margin", "evidence", "verdict"):
            linked = re.compile(rf'<a class="mention[^>]*#word-column-{word}">{word}</a>')
            assert all(map(linked.search, heads)), (row.tag, word)


@pytest.mark.parametrize("name", moving.figures())
def test_a_figure_that_moves_is_in_its_place_with_what_it_reads(name):
    about = moving.figures()[name]
    docname = statement(about["tag"]).docname if "tag" in about else about["page"]
    text, page = source(docname), current().html / f"{docname}.html"
    assert text.count('<figure class="moving"') == 1
    if "tag" in about:
        here = f"moving-{name.replace('_', '-')}"
        places = [text.index(f'id="{each}"') for each in ("the-idea", here, "predict")]
        assert places == sorted(places)
    sources = re.findall(r'(?:src|href)="([^"]*/lab/[^"]*)"', text)
    assert len(sources) == 4 and all((page.parent / one).exists() for one in sources)


def test_the_site_is_below_its_bar():
    """How much a reader, or who publishes the pages, has to load."""
    sizes = {file: file.stat().st_size for file in current().html.rglob("*") if file.is_file()}
    heaviest = sorted(sizes, key=sizes.__getitem__, reverse=True)[:5]
    assert sum(sizes.values()) < BAR, [(current().relative(file), sizes[file]) for file in heaviest]
    assert sizes[current().html / data_scripts.place("previewed")] <= BUDGET
