"""The main path on paper: its pages as one page of HTML, which Chromium prints as a PDF.

What a reader of the site opens by a click, the evidence, stays there; so do the controls.  The PDF
has an outline and page numbers, and a link leads to where its target stands in it.
"""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

from ledgerbook.chapters import toc
from ledgerbook.chapters.statements import parts
from ledgerbook.project import markup, storage
from ledgerbook.project.project import current
from ledgerbook.site import configuration, reading_path

NAMES = "chromium", "chromium-browser", "google-chrome"
SECONDS = 600  # of Chromium's: the pages of the path are laid out at once
# What is of no use on paper: folds of evidence and of code, signs to be clicked, the dark pictures.
# The controls of a figure that moves stay, unseen: its script puts them there.
LEFT_OUT = (
    "details.evidence, details.hide, details.method, .headerlink, .by-night, noscript, .standing a,"
    " .behind, .doors, .row-tools, button, details.cite, .panels-below"
)
FIGURES = "link[rel=stylesheet], script[src]"  # of the figures that move: once is enough
NAMED = "id", "name"
NAMING = "aria-labelledby", "aria-describedby", "for"


def folder() -> Path:
    """Where the paper is made."""
    return current().build / "paper"


def printed() -> Path:
    """The PDF."""
    return folder() / "book.pdf"


def chromium() -> str | None:
    """Where Chromium is, by whichever of its names."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def documents() -> list[str]:
    """The documents of the path, or of the whole book where it has none, in the reader's order."""
    every = (document for part in parts() for document in toc.documents(part))
    return reading_path.documents() or [current().start(), *every]


def write_html() -> Path:
    """One page of all pages of the path; the site is built."""
    pages = {document: _article(document) for document in documents()}
    there = {str(one["id"]) for page in pages.values() for one in page.select("[id]")}
    for document, page in pages.items():
        for link in page.select("a[href]"):
            _lead(link, document, there)
    about = configuration.described()
    whole = markup.render(
        "paper.html.jinja",
        title=current().settings.title,
        below=[about[name] for name in ("author", "copyright") if about.get(name)],
        up=os.path.relpath(current().html, folder()),
        contents=[*_contents(pages)],
        more=[*_once(pages.values())],
        pages=[str(page) for page in pages.values()],
    )
    file = folder() / "book.html"
    storage.write_if_changed(file, whole)
    return file


def _article(document: str) -> Tag:
    """What a page says, with names that no other page has and files as seen from the paper."""
    whole = (current().html / f"{document}.html").read_text(encoding="utf-8")
    page = BeautifulSoup(whole, "html.parser").select_one("article.bd-article")
    if page is None:
        raise ValueError(f"{document}: its page has no article")
    for one in page.select(LEFT_OUT):
        if not one.decomposed:
            one.decompose()
    for one in page.select("details"):
        one["open"] = ""
    away = os.path.relpath((current().html / document).parent, folder())
    for one in page.find_all(True):
        for name in NAMED:
            if name in one.attrs and one.name != "meta":
                one[name] = named(document, str(one[name]))
        for name in NAMING:
            if name in one.attrs:
                one[name] = " ".join(named(document, each) for each in str(one[name]).split())
        for name in ("src", "href") if one.name != "a" else ():
            if name in one.attrs and not re.match(r"[a-z]+:|#", str(one[name])):
                one[name] = os.path.normpath(os.path.join(away, str(one[name])))
    page["id"] = named(document, "")
    return page


def named(document: str, name: str) -> str:
    """A name of a page as the name of a place in the whole."""
    return f"{document}--{name}".replace("/", "-")


def _lead(link: Tag, document: str, there: set[str]) -> None:
    """Let a link lead to where its target stands on paper; else its words stand alone."""
    address = urlsplit(str(link["href"]))
    if address.scheme:
        return
    target = PurePosixPath(os.path.normpath(PurePosixPath(document).parent / address.path))
    other = str(target.with_suffix("")) if address.path else document
    place = named(other, unquote(address.fragment))
    if place in there:
        link["href"] = f"#{place}"
    elif address.path and other in documents() and not address.fragment:
        link["href"] = f"#{named(other, '')}"
    else:
        del link["href"]


def _once(pages: Iterable[Tag]) -> Iterator[str]:
    """The styles and scripts that figures bring along, each once, taken out of the pages."""
    found = {}
    for page in pages:
        for one in page.select(FIGURES):
            found[str(one.extract())] = None
    yield from found


def _contents(pages: dict[str, Tag]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each heading of the contents with the places and the titles of its pages."""
    first, *_ = pages
    listed = {current().settings.title: [first]}
    for part in parts():
        listed.setdefault(part.heading, []).extend(toc.documents(part))
    for heading, names in listed.items():
        shown = [name for name in names if name in pages]
        if shown:
            yield heading, [(named(name, ""), _title(name, pages[name])) for name in shown]


def _title(document: str, page: Tag) -> str:
    heading = page.select_one("h1")
    words = heading.decode_contents() if heading else document
    return f"{reading_path.count(document)}{words}"


def print_pdf(program: str, file: Path) -> None:
    """Print a page as the PDF.  ``ValueError`` where Chromium writes none."""
    with tempfile.TemporaryDirectory() as home:
        made = Path(home) / "book.pdf"
        command = [program, "--headless", "--disable-gpu", "--no-first-run", "--disable-sync"]
        command += ["--no-sandbox"] if os.geteuid() == 0 else []
        command += ["--disable-background-networking", "--disable-component-update"]
        command += [f"--user-data-dir={home}/profile", "--virtual-time-budget=20000"]
        command += ["--force-prefers-reduced-motion"]
        command += ["--no-pdf-header-footer", "--generate-pdf-document-outline"]
        command += ["--allow-file-access-from-files", "--window-size=900,1200"]
        command += [f"--print-to-pdf={made}", file.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise ValueError(f"Chromium did not print the book in {SECONDS} s") from None
        if not made.exists():
            raise ValueError(f"Chromium printed no PDF: {done.stderr.strip()[-300:]}")
        storage.write_atomically(printed(), made.read_bytes())


def sheets(pdf: bytes) -> int:
    """How many pages a PDF of Chromium's has."""
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))


def told() -> str:
    """Where the PDF is, its pages and its size."""
    pdf = printed().read_bytes()
    return f"{current().relative(printed())}: {sheets(pdf)} pages, {len(pdf) / 1e6:.1f} MB"
