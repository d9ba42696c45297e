"""``make pdf``: the whole book, a file a part, set by Chromium from the built pages, and as one.

A thousand pages in one go are more than Chromium's printing holds: it falls silent.  Outline and
tags come from the headings, page numbers run on from part to part; nothing is fetched.
"""

import re
import shutil
import tempfile
import time
from pathlib import Path

from ledgerbook import (
    browser,
    build,
    doctor,
    joined,
    paths,
    pdf_join,
    project,
    scratch,
    storage,
)

OPTIONS = {
    "preferCSSPageSize": True,
    "printBackground": True,
    "generateTaggedPDF": True,
    "generateDocumentOutline": True,
}
WHOLE = "book"
PAGE = re.compile(rb"/Type\s*/Page\b")


def write(source: Path, target: Path) -> None:
    """Print a page of the disk to ``target``, which is whole or not there.

    Raises ``ValueError`` where there is no Chromium, ``OSError`` where it makes no PDF.
    """
    with tempfile.TemporaryDirectory() as place, browser.page() as page:
        page.open(source.resolve().as_uri())
        page.pdf(Path(place, "made.pdf"), **OPTIONS)
        storage.write_atomically(target, Path(place, "made.pdf").read_bytes())


def main() -> int:
    """Build the pages where they are not up to date, print them, join what was printed."""
    browser.chromium()  # asked first: the rest takes minutes
    with scratch.only_run():
        scratch.sweep()
        build.build()
        parts, pages = _parts()
        whole = paths.PDF / f"{WHOLE}.pdf"
        for old in paths.PDF.glob("*.pdf"):  # of a part that is called otherwise now, or of others
            if old not in parts:
                old.unlink()
        if shutil.which(doctor.QPDF):
            start = time.monotonic()
            pdf_join.join(parts, whole, project.settings().title)
            _say(whole, pages, start)
        else:
            print(f"not joined into one file: {doctor.joining()}")
    return 0


def _parts() -> tuple[list[Path], int]:
    """Print each part, its pages numbered from where the part before ends; how many in all."""
    parts, pages = [], 0
    for number, lines in enumerate(joined.volumes()):
        name = f"{number:02d}-{_name(lines)}"
        source, target = paths.JOINED / f"{name}.html", paths.PDF / f"{name}.pdf"
        paths.write_if_changed(source, joined.document(paths.JOINED, lines, pages))
        start = time.monotonic()
        write(source, target)
        own = len(PAGE.findall(target.read_bytes()))
        _say(target, own, start)
        pages += own
        parts.append(target)
    return parts, pages


def _say(target: Path, pages: int, start: float) -> None:
    size, took = target.stat().st_size / 2**20, time.monotonic() - start
    said = f"{pages} pages, {size:.1f} MiB, {took:.0f} s"
    print(f"wrote {paths.relative(target)}: {said}", flush=True)


def _name(lines: list[joined.Place]) -> str:
    """What a part's file is called."""
    caption = next((line.caption for line in lines if line.caption), WHOLE)
    return re.sub(r"[^a-z0-9]+", "-", caption.lower()).strip("-")
