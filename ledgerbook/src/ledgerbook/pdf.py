"""``make pdf``: the whole book as one file, set by Chromium from the built pages.

Outline and tags come from the headings, page numbers from the style; nothing is fetched.
"""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from ledgerbook import build, doctor, joined, lifeline, paths, scratch, storage
from ledgerbook.validation import require

QUIET = (
    "--headless",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--allow-file-access-from-files",
)
PRINT = ("--generate-pdf-document-outline", "--no-pdf-header-footer")
HOW = "Chromium on the PATH (Debian: apt-get install chromium)"


def chromium() -> str:
    """The browser that prints.  Raises ``ValueError`` where there is none."""
    found = next(filter(None, map(shutil.which, doctor.CHROMIUM)), "")
    require(found, "browser", "none", HOW)
    return found


def write(source: Path, target: Path) -> None:
    """Print a page of the disk to ``target``, which is whole or not there.

    Raises ``ValueError`` where there is no Chromium, ``OSError`` where it makes no PDF.
    """
    with tempfile.TemporaryDirectory() as place:
        made, said = Path(place, "made.pdf"), Path(place, "said")
        command = [chromium(), *QUIET, *PRINT, f"--user-data-dir={place}/profile"]
        if hasattr(os, "geteuid") and os.geteuid() == 0:  # it refuses to serve root otherwise
            command.append("--no-sandbox")
        with open(said, "wb") as log:
            command += [f"--print-to-pdf={made}", source.resolve().as_uri()]
            code = lifeline.run(command, stdout=log, stderr=subprocess.STDOUT)
        if code or not made.is_file() or not made.read_bytes().startswith(b"%PDF"):
            last = (said.read_text(errors="replace").strip().splitlines() or ["no word"])[-1]
            raise OSError(f"Chromium made no PDF (status {code}): {last}")
        storage.write_atomically(target, made.read_bytes())


def main() -> int:
    """Build the pages where they are not up to date, join them, print them."""
    chromium()  # asked first: the rest takes minutes
    with scratch.only_run():
        scratch.sweep()
        build.build()
        source = paths.JOINED
        paths.write_if_changed(source, joined.document(source.parent))
    print(f"joined: {paths.relative(source)}; Chromium prints it, which takes minutes", flush=True)
    start = time.monotonic()
    write(source, paths.PDF)
    size = paths.PDF.stat().st_size / 2**20
    print(f"wrote {paths.relative(paths.PDF)}: {size:.1f} MiB, {time.monotonic() - start:.0f} s")
    return 0
