"""``make pdf``: the whole book, a file a part, set by Chromium from the built pages.

A thousand pages in one go are more than Chromium's printing holds: it falls silent.  Outline and
tags come from the headings, page numbers from the style; nothing is fetched.
"""

import re
import tempfile
import time
from pathlib import Path

from ledgerbook import browser, build, joined, paths, scratch, storage

OPTIONS = {
    "preferCSSPageSize": True,
    "printBackground": True,
    "generateTaggedPDF": True,
    "generateDocumentOutline": True,
}


def write(source: Path, target: Path) -> None:
    """Print a page of the disk to ``target``, which is whole or not there.

    Raises ``ValueError`` where there is no Chromium, ``OSError`` where it makes no PDF.
    """
    with tempfile.TemporaryDirectory() as place, browser.page() as page:
        page.open(source.resolve().as_uri())
        page.pdf(Path(place, "made.pdf"), **OPTIONS)
        storage.write_atomically(target, Path(place, "made.pdf").read_bytes())


def main() -> int:
    """Build the pages where they are not up to date, join them, print them."""
    browser.chromium()  # asked first: the rest takes minutes
    with scratch.only_run():
        scratch.sweep()
        build.build()
        volumes = joined.volumes()
        names = [f"{k:02d}-{_name(lines)}" for k, lines in enumerate(volumes)]
        for name, lines in zip(names, volumes, strict=True):
            source = paths.JOINED / f"{name}.html"
            paths.write_if_changed(source, joined.document(paths.JOINED, lines))
            start, target = time.monotonic(), paths.PDF / f"{name}.pdf"
            write(source, target)
            size, took = target.stat().st_size / 2**20, time.monotonic() - start
            print(f"wrote {paths.relative(target)}: {size:.1f} MiB, {took:.0f} s", flush=True)
    for old in paths.PDF.glob("*.pdf"):  # of a part that is called otherwise now
        if old.stem not in names:
            old.unlink()
    return 0


def _name(lines: list[joined.Place]) -> str:
    """What a part's file is called."""
    caption = next((line.caption for line in lines if line.caption), "book")
    return re.sub(r"[^a-z0-9]+", "-", caption.lower()).strip("-")
