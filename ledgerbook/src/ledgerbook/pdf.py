"""``make pdf``: the whole book as one file, set by Chromium from the built pages.

A thousand pages in one go are more than Chromium's printing holds: it falls silent.  So it prints
part by part.  Outline and tags come from the headings, page numbers run on; nothing is fetched.
"""

import re
import time
from pathlib import Path

from pypdf import PdfReader

from ledgerbook import browser, build, joined, paths, pdf_join, project, scratch

OPTIONS = {
    "preferCSSPageSize": True,
    "printBackground": True,
    "generateTaggedPDF": True,
    "generateDocumentOutline": True,
}


def write(source: Path, target: Path) -> None:
    """Print a page of the disk.

    Raises ``ValueError`` where there is no Chromium, ``OSError`` where it makes no PDF.
    """
    with browser.page() as page:
        page.open(source.resolve().as_uri())
        page.pdf(target, **OPTIONS)


def main() -> int:
    """Build the pages that are not up to date, print each part, join them; the exit status."""
    browser.chromium()  # asked first: the rest takes minutes
    with scratch.only_run(), scratch.folder() as place:
        scratch.sweep()
        build.build()
        parts = _parts(place)
        start, whole = time.monotonic(), paths.PDF
        lost = pdf_join.join(parts, whole, project.settings().title)
        _say(paths.relative(whole), whole, start)
        print(
            f"{lost} links lead to what is not on paper" if lost else "every link leads somewhere"
        )
    return 0


def _parts(place: Path) -> list[Path]:
    """Print each part, its pages numbered from where the part before ends."""
    parts, before = [], 0
    for number, lines in enumerate(joined.volumes()):
        source, target = (place / f"{number:02d}-{_name(lines)}{end}" for end in (".html", ".pdf"))
        source.write_text(joined.document(place, lines, before), encoding="utf-8")
        start = time.monotonic()
        write(source, target)
        before += _say(target.stem, target, start)
        parts.append(target)
    return parts


def _say(what: str, file: Path, start: float) -> int:
    """Tell of a file that was written; its number of pages."""
    pages, size = len(PdfReader(file).pages), file.stat().st_size / 2**20
    took = time.monotonic() - start
    print(f"wrote {what}: {pages} pages, {size:.1f} MiB, {took:.0f} s", flush=True)
    return pages


def _name(lines: list[joined.Place]) -> str:
    """What a part's file is called."""
    caption = next((line.caption for line in lines if line.caption), "book")
    return re.sub(r"[^a-z0-9]+", "-", caption.lower()).strip("-")
