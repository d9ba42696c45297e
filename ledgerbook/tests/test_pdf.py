"""The book on paper, without a browser: part after part, numbered through, and what is said."""

import contextlib

import pytest
from ledgerbook.joined import Place
from pypdf import PdfReader, PdfWriter

from ledgerbook import paths, pdf


def place(caption=""):
    """A line of the contents."""
    return Place(0, "name", caption)


@pytest.fixture
def printed(project, monkeypatch):
    """A book of three parts; a page opened in the browser prints two sheets.  Returns what the
    browser was told, and how many sheets stand before each part.
    """
    told, before = [], []
    parts = [[place()], [place(), place("Über A & B!"), place("other")], [place("C")]]

    class Page:
        def open(self, address):
            told.append(address)

        def pdf(self, target, **options):
            told.append(options)
            made = PdfWriter()
            for _ in range(2):
                made.add_blank_page(100, 100)
            made.write(target)

    def document(folder, lines, sheets):
        before.append(sheets)
        return f"sheet {sheets} η"

    monkeypatch.setattr(paths, "PDF", project / "book.pdf")
    monkeypatch.setattr(pdf.browser, "page", lambda: contextlib.nullcontext(Page()))
    monkeypatch.setattr(pdf.browser, "chromium", lambda: "chromium")
    monkeypatch.setattr(pdf.build, "build", lambda: True)
    monkeypatch.setattr(pdf.joined, "volumes", lambda: iter(parts))
    monkeypatch.setattr(pdf.joined, "document", document)
    monkeypatch.setattr(pdf.time, "monotonic", iter(range(0, 100, 7)).__next__)
    return told, before


def test_every_part_is_printed_and_its_sheets_are_numbered_on(printed, tmp_path, capsys):
    told, before = printed
    files = pdf._parts(tmp_path)
    names = ["00-book", "01-ber-a-b", "02-c"]
    assert [file.name for file in files] == [f"{name}.pdf" for name in names]
    assert before == [0, 2, 4]
    texts = [(tmp_path / f"{name}.html").read_text(encoding="utf-8") for name in names]
    assert texts == [f"sheet {count} η" for count in before]
    assert told[::2] == [(tmp_path / f"{name}.html").as_uri() for name in names]
    for options in told[1::2]:  # a browser leaves out all of this by itself
        assert all(options[name] is True for name in ("preferCSSPageSize", "printBackground"))
        assert options["generateTaggedPDF"] and options["generateDocumentOutline"]
    said = capsys.readouterr().out.splitlines()
    assert said == [f"wrote {name}: 2 pages, 0.0 MiB, 7 s" for name in names]


def test_the_size_of_a_file_is_told_in_mebibytes(printed, tmp_path, capsys):
    made = PdfWriter()
    made.add_blank_page(100, 100)
    made.add_attachment("large", bytes(3 * 2**19))
    made.write(tmp_path / "a.pdf")
    assert pdf._say("it", tmp_path / "a.pdf", 0) == 1
    assert capsys.readouterr().out == "wrote it: 1 pages, 1.5 MiB, 0 s\n"


@pytest.mark.parametrize(
    ("lost", "words"),
    [(0, "every link leads somewhere"), (3, "3 links lead to what is not on paper")],
)
def test_the_whole_is_told_with_the_links_that_lead_nowhere(
    printed, monkeypatch, capsys, lost, words
):
    join = pdf.pdf_join.join
    monkeypatch.setattr(pdf.pdf_join, "join", lambda *given: join(*given) + lost)
    assert pdf.main() == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-2].startswith(f"wrote {paths.relative(paths.PDF)}: 6 pages, ")
    assert said[-1] == words and len(PdfReader(paths.PDF).pages) == 6


def test_without_a_browser_nothing_is_built(printed, monkeypatch):
    def none():
        raise ValueError("no browser")

    monkeypatch.setattr(pdf.browser, "chromium", none)
    monkeypatch.setattr(pdf.build, "build", lambda: pytest.fail("built"))
    with pytest.raises(ValueError, match="no browser"):
        pdf.main()
