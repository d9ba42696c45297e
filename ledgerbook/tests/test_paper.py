"""The whole book as one PDF and as one EPUB, from a foreign companion."""

import os
import re
import shutil
import zipfile
from xml.etree import ElementTree

import pytest

from ledgerbook import doctor, epub

CHROMIUM = any(map(shutil.which, doctor.CHROMIUM))
XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture
def book(built_once):
    """A companion with its pages."""
    return built_once("power_iteration")


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium (Debian: apt-get install chromium)")
def test_the_pdf_has_outline_tags_and_page_numbers_and_names_no_folder(book):
    code, said = book.run("pdf")
    assert code == 0 and "wrote _build/pdf/" in said, said
    (source,) = (book.root / "_build/joined").glob("*-a-textbook-theorem.html")
    pdf = (book.root / "_build/pdf" / f"{source.stem}.pdf").read_bytes()
    titles = re.findall(rb"/Title \(([^)]*)\)\n/Dest", pdf)
    pages = source.read_text(encoding="utf-8")
    headings = re.findall(r"<h[1-6][^>]*>([\w ]+)</h", pages)
    assert {title.decode() for title in titles} >= set(headings) and len(headings) > 5
    assert b"/StructTreeRoot" in pdf
    assert len(re.findall(rb"/Type /Page\n", pdf)) >= len(headings) // 8
    assert b"file:" not in pdf and os.fsencode(book.root) not in pdf


def test_without_chromium_one_line_says_so_and_nothing_is_written(book, tmp_path, monkeypatch):
    before = sorted((book.root / "_build").glob("pdf/*"))
    monkeypatch.setenv("PATH", str(tmp_path))
    code, said = book.run("pdf")
    assert code == 2 and said.startswith("error: browser = 'none', allowed: Chromium"), said
    assert len(said.splitlines()) == 1
    assert sorted((book.root / "_build").glob("pdf/*")) == before


def test_the_epub_is_xml_whose_links_and_package_are_right(book):
    code, said = book.run("epub")
    assert code == 0 and "wrote _build/book.epub" in said, said
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


def test_a_page_for_browsers_becomes_xml():
    known = {"book/a.xhtml": set(), "book/b.xhtml": {"x"}}
    text = (
        '<html><body><p hidden>1 &nbsp; & 2<br><img src="i.png" alt="i"></p>'
        '<a href="b.html#x">b</a><a href="b.html#y">b</a><a download href="../data.csv">d</a>'
        "<math><mi>x</mi></math></body></html>"
    )
    assert epub.page(text, "book/a.xhtml", known) == (
        '<html><body id="top"><p hidden="hidden">1 \u00a0 &amp; 2<br/>'
        '<img src="i.png" alt="i"/></p>'
        '<a href="b.xhtml#x">b</a><a href="b.xhtml">b</a><a>d</a>'
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math></body></html>'
    )


def test_a_page_that_is_no_xml_is_named():
    with pytest.raises(ValueError, match=r"a\.xhtml: mismatched tag"):
        epub.page("<html><body><p></body></html>", "a.xhtml", {})
