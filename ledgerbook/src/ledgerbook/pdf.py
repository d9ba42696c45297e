"""``make pdf``: the whole book as one file, set by Chromium from the built pages.

Outline and tags come from the headings, page numbers from the style; nothing is fetched.
"""

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
        paths.write_if_changed(paths.JOINED, joined.document(paths.JOINED.parent))
    print(f"joined: {paths.relative(paths.JOINED)}; printing it takes minutes", flush=True)
    start = time.monotonic()
    write(paths.JOINED, paths.PDF)
    size = paths.PDF.stat().st_size / 2**20
    print(f"wrote {paths.relative(paths.PDF)}: {size:.1f} MiB, {time.monotonic() - start:.0f} s")
    return 0
