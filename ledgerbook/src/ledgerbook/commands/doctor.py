"""``make doctor``: what is here, what is missing, and what to do about it."""

import importlib.metadata
import shutil
from collections.abc import Iterator

from ledgerbook.chapters.statements import written
from ledgerbook.coq import coq
from ledgerbook.execution import environment, execute
from ledgerbook.project import machine, paths

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def problems() -> Iterator[str]:
    """Packages of another version than the one that is pinned."""
    pinned = paths.LOCKS[0].read_text(encoding="utf-8") if paths.LOCKS[0].exists() else ""
    for name, equals, wanted in (line.partition("==") for line in pinned.splitlines()):
        if equals and not name.startswith("#"):
            try:
                found = importlib.metadata.version(name).partition("+")[0]
            except importlib.metadata.PackageNotFoundError:
                found = "missing"
            if found != wanted:
                yield f"{name}: {found}, wanted {wanted}: run `make clean` and `make book`"


def main() -> int:
    """Print one line a finding; 1 if something is wrong, else 0."""
    free = shutil.disk_usage(paths.ROOT).free / 2**30
    print(f"{environment.described()}, {machine.described()}, {free:.0f} GiB of disk free")
    print(f"chapters: {len(written())}, {len(execute.stale(written()))} to execute here")
    missing = " and ".join(coq.missing_tools())
    print(f"proofs: {f'no {missing}, the record is shown' if missing else 'Coq found'}")
    browser = "Chromium found" if any(map(shutil.which, CHROMIUM)) else "no Chromium, skipped"
    print(f"tests of pages: {browser}")
    found = list(problems())
    print("\n".join(f"PROBLEM {line}" for line in found) or "no problem found")
    return 1 if found else 0
