"""The whole book as one PDF and as one EPUB, from a foreign companion."""

import os
import re
import shutil
import zipfile
from xml.etree import ElementTree

import pytest
from ledgerbook.joined import ELSEWHERE
from pypdf import PdfReader

from ledgerbook import doctor, epub, joined, markup, pdf, pdf_join, scratch

CHROMIUM = any(map(shutil.which, doctor.CHROMIUM))
XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture
def book(built_once):
    """A companion with its pages."""
    return built_once("power_iteration")


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium (Debian: apt-get install chromium)")
def test_the_pdf_has_outline_and_tags_its_links_lead_and_it_names_no_folder(book):
    code, said = book.run("pdf")
    assert code == 0 and "wrote _build/book.pdf" in said, said
    file = book.root / "_build/book.pdf"
    whole, pages = PdfReader(file), (book.root / "_build/html").rglob("*.html")
    titles = {line.title for line in _flat(whole.outline)}
    texts = [page.read_text(encoding="utf-8") for page in pages]
    headings = {one for text in texts for one in re.findall(r"<h[1-6][^>]*>([\w ]+)<", text)}
    assert len(headings) > 5 and headings - {"Search", "Index"} <= titles
    assert _tagged(whole) > 100 and whole.root_object["/Lang"] == "en"
    named = [
        link["/Dest"] for page in whole.pages for link in pdf_join.links(page) if "/Dest" in link
    ]
    assert len(named) > 10 and not [one for one in named if isinstance(one, str)]
    assert not [one for one in _addresses(whole) if one.startswith(("file:", ELSEWHERE))]
    assert os.fsencode(book.root) not in file.read_bytes()


def _addresses(whole):
    """What its links outward lead to."""
    links = [link for page in whole.pages for link in pdf_join.links(page)]
    return [link["/A"]["/URI"] for link in links if "/A" in link]


def _tagged(whole):
    """How many elements the tree of tags has; each is found again below its parent."""
    seen, waiting = 0, [whole.root_object["/StructTreeRoot"]]
    while waiting:
        parent = waiting.pop()
        kids = parent.get("/K", ())
        kids = kids if isinstance(kids, list) else [kids]
        below = [kid.get_object() for kid in kids]
        elements = [kid for kid in below if isinstance(kid, dict) and "/S" in kid]
        assert all(kid["/P"] == parent for kid in elements)
        waiting += elements
        seen += len(elements)
    return seen


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium (Debian: apt-get install chromium)")
def test_the_whole_has_the_parts_outlines_places_and_tags_and_links_between_them(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(joined, "volumes", lambda: ["ab", "cde"])
    monkeypatch.setattr(pdf, "_name", str)
    monkeypatch.setattr(joined, "document", _document)
    parts = pdf._parts(tmp_path)
    for number, letters in enumerate(["ab", "cde"]):
        text = (tmp_path / f"{number:02d}-{letters}.html").read_text("utf-8")
        assert f"counter-reset: page {3 * number};" in text  # the contents have a page too
    assert pdf_join.join(parts, tmp_path / "book.pdf", "All η") == 1  # the link to no page
    whole = PdfReader(tmp_path / "book.pdf")
    assert len(whole.pages) == 7 and whole.metadata.title == "All η"
    at = whole.get_destination_page_number
    assert [(line.title, at(line)) for line in _flat(whole.outline)] == [
        *(("Page a η", 0), ("Contents", 1), ("Page b η", 2)),
        *(("Page c η", 3), ("Contents", 4), ("Page d η", 5), ("Page e η", 6)),
    ]
    places = {name: at(place) for name, place in whole.named_destinations.items()}
    assert places == {"/a": 0, "/b": 2, "/c": 3, "/d": 5, "/e": 6}
    by_reference = {page.indirect_reference: number for number, page in enumerate(whole.pages)}
    led = [
        [by_reference[link.get("/Dest")[0]] for link in pdf_join.links(page) if "/Dest" in link]
        for page in whole.pages
    ]
    assert led == [[6], [0, 2], [6], [6], [3, 5, 6], [6], [6]]  # every page names the last one
    assert _addresses(whole) == []
    _tagged(whole)
    for number, page in enumerate(whole.pages):  # what stands on a page is tagged as of it
        parents = dict(pdf_join.numbered(whole.root_object["/StructTreeRoot"]["/ParentTree"]))
        owners = parents[page["/StructParents"]].get_object()
        assert {by_reference[one.get_object().raw_get("/Pg")] for one in owners} == {number}
        for link in pdf_join.links(page):
            assert parents[link["/StructParent"]].get_object()["/S"] == "/Link"


def _flat(lines):
    for line in lines:
        if isinstance(line, list):
            yield from _flat(line)
        else:
            yield line


def _document(folder, letters, before):
    """A part with a page a letter, each with a link to the last page of all and one to none."""
    beyond = [f'<a href="{ELSEWHERE}e">e</a>'] * len(letters)
    beyond[0] += f'<a href="{ELSEWHERE}none">none</a>' if letters == "ab" else ""
    pages = [
        f'<article id="{one}"><h1>Page {one} η</h1>{link}</article>'
        for one, link in zip(letters, beyond, strict=True)
    ]
    lines = [
        {"depth": 0, "name": one, "title": one, "article": page}
        for one, page in zip(letters, pages, strict=True)
    ]
    return markup.render(
        "joined.html.jinja",
        title="T",
        before=before,
        styles=[],
        script="",
        lines=lines,
        wanted=[letters[-1]],
    )


def test_without_chromium_one_line_says_so_and_nothing_is_written(book, tmp_path, monkeypatch):
    before = sorted((book.root / "_build").glob("*.pdf"))
    monkeypatch.setenv("PATH", str(tmp_path))
    code, said = book.run("pdf")
    assert code == 2 and said.startswith("error: browser = 'none', allowed: Chromium"), said
    assert len(said.splitlines()) == 1
    assert sorted((book.root / "_build").glob("*.pdf")) == before


def test_the_epub_is_xml_whose_links_and_package_are_right(book):
    shared = [scratch._elsewhere(), book.root / "_build/scratch"]  # swept by whatever runs beside
    for folder in shared:
        shutil.rmtree(folder / "jupyter_execute", ignore_errors=True)
    code, said = book.run("epub")
    assert code == 0 and "wrote _build/book.epub" in said, said
    assert not any((folder / "jupyter_execute").exists() for folder in shared)
    with zipfile.ZipFile(book.root / "_build/book.epub") as whole:
        names = whole.namelist()
        texts = {name: whole.read(name).decode() for name in names if name.endswith(".xhtml")}
        package = whole.read("content.opf").decode()
    assert names[0] == "mimetype" and "_fonts/stix-two-math.woff2" in names
    assert {"book/intro.xhtml", "book/textbook/theorem_01.xhtml", "nav.xhtml"} <= set(texts)
    trees = {name: ElementTree.fromstring(text) for name, text in texts.items()}
    known = {name: {e.get("id") for e in tree.iter()} for name, tree in trees.items()}
    for name, tree in trees.items():
        for link in tree.iter(f"{XHTML}a"):
            target = link.get("href")
            assert not target or epub.target(target, name, known) == target, (name, target)
        assert f"{XHTML}script" not in {element.tag for element in tree.iter()}
        held = re.search(rf'href="{name}"[^>]* properties="([^"]*)"', package)
        words = held[1].split() if held else []
        assert ("mathml" in words) == ("<math" in texts[name]), name
