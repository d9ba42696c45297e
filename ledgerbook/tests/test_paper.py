"""The whole book as one PDF and as one EPUB, from a foreign companion."""

import os
import re
import shutil
import zipfile
from xml.etree import ElementTree

import pytest

from ledgerbook import doctor, epub, joined, markup, paths, pdf, pdf_join

CHROMIUM = any(map(shutil.which, doctor.CHROMIUM))
QPDF = shutil.which(doctor.QPDF)
XHTML = "{http://www.w3.org/1999/xhtml}"


@pytest.fixture
def book(built_once):
    """A companion with its pages."""
    return built_once("power_iteration")


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium (Debian: apt-get install chromium)")
def test_the_pdf_has_outline_tags_and_page_numbers_and_names_no_folder(book):
    code, said = book.run("pdf")
    assert code == 0 and "wrote _build/pdf/" in said, said
    assert ("wrote _build/pdf/book.pdf" in said) == bool(QPDF)
    (source,) = (book.root / "_build/joined").glob("*-a-textbook-theorem.html")
    pdf = (book.root / "_build/pdf" / f"{source.stem}.pdf").read_bytes()
    titles = re.findall(rb"/Title \(([^)]*)\)\n/Dest", pdf)
    pages = source.read_text(encoding="utf-8")
    headings = re.findall(r"<h[1-6][^>]*>([\w ]+)</h", pages)
    assert {title.decode() for title in titles} >= set(headings) and len(headings) > 5
    assert b"/StructTreeRoot" in pdf
    assert len(re.findall(rb"/Type /Page\n", pdf)) >= len(headings) // 8
    assert b"file:" not in pdf and os.fsencode(book.root) not in pdf


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium (Debian: apt-get install chromium)")
@pytest.mark.skipif(not QPDF, reason="no qpdf (Debian: apt-get install qpdf)")
def test_the_whole_has_the_parts_outlines_and_places_and_pages_numbered_through(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(paths, "PDF", tmp_path)
    monkeypatch.setattr(paths, "JOINED", tmp_path)
    monkeypatch.setattr(joined, "volumes", lambda: ["ab", "cde"])
    monkeypatch.setattr(pdf, "_name", str)
    monkeypatch.setattr(joined, "document", _document)
    parts, pages = pdf._parts()
    assert pages == 7
    for number, letters in enumerate(["ab", "cde"]):
        text = (tmp_path / f"{number:02d}-{letters}.html").read_text("utf-8")
        assert f"counter-reset: page {3 * number};" in text  # the contents have a page too
    pdf_join.join(parts, tmp_path / "book.pdf", "All η")
    whole = pdf_join.File(tmp_path / "book.pdf")
    page = {reference: number for number, reference in enumerate(whole.pages, 1)}
    assert len(page) == 7 and whole.value(whole.trailer["/Info"])["/Title"] == "u:All η"
    outline = [(line["title"], page[line["dest"][0]]) for line in _flat(whole.outline)]
    assert outline == [
        *(("Page a η", 1), ("Contents", 2), ("Page b η", 3)),
        *(("Page c η", 4), ("Contents", 5), ("Page d η", 6), ("Page e η", 7)),
    ]
    places = {name: page[place[0]] for name, place in whole.places().items()}
    assert places == {"/a": 1, "/b": 3, "/c": 4, "/d": 6, "/e": 7}


def _flat(lines):
    for line in lines:
        yield line
        yield from _flat(line["kids"])


def _document(folder, letters, before):
    """A part with a page a letter."""
    pages = [f'<article id="{one}"><h1>Page {one} η</h1></article>' for one in letters]
    lines = [
        {"depth": 0, "name": one, "title": one, "article": page}
        for one, page in zip(letters, pages, strict=True)
    ]
    return markup.render(
        "joined.html.jinja", title="T", before=before, styles=[], script="", lines=lines
    )


@pytest.mark.skipif(not CHROMIUM, reason="no Chromium (Debian: apt-get install chromium)")
def test_without_qpdf_the_parts_are_printed_and_a_line_says_so(book, tmp_path, monkeypatch):
    whole = book.root / "_build/pdf/book.pdf"
    whole.parent.mkdir(exist_ok=True)
    whole.write_bytes(b"of another day")
    name = next(filter(shutil.which, doctor.CHROMIUM))
    (tmp_path / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path))
    code, said = book.run("pdf")
    assert code == 0 and "not joined into one file: no qpdf" in said, said
    assert not whole.exists() and [*whole.parent.glob("0*.pdf")]


def test_what_qpdf_cannot_read_is_no_book(tmp_path):
    if not QPDF:
        pytest.skip("no qpdf (Debian: apt-get install qpdf)")
    (tmp_path / "part.pdf").write_bytes(b"no PDF")
    with pytest.raises(OSError, match="qpdf: "):
        pdf_join.join([tmp_path / "part.pdf"], tmp_path / "book.pdf", "All")
    assert not (tmp_path / "book.pdf").exists()


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
