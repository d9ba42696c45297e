"""``make doctor``: what is here, what is missing, and what to do about it."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import written
from ledgerbook.commands.book import damaged_in
from ledgerbook.coq import coq
from ledgerbook.execution import environment, execute
from ledgerbook.project import machine, paths

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def problems() -> Iterator[str]:
    """Packages of another version than the one that is pinned, chapters that are no notebooks, rows
    that do not come out and that nobody announced.
    """
    yield from damaged_in(written()).values()
    yield from collect.all_surprises(collect.collect())
    pinned = paths.LOCKS[0].read_text(encoding="utf-8") if paths.LOCKS[0].exists() else ""
    for name, equals, wanted in (line.partition("==") for line in pinned.splitlines()):
        if equals and not name.startswith("#"):
            try:
                found = importlib.metadata.version(name).partition("+")[0]
            except importlib.metadata.PackageNotFoundError:
                found = "missing"
            if found != wanted:
                yield f"{name}: {found}, wanted {wanted}: run `make clean` and `make book`"


def other_program() -> str | None:
    """A Jupyter Book of another kind that a shell finds first, or ``None``."""
    first = shutil.which("jupyter-book")
    if first is None or Path(first).parent == Path(sys.executable).parent:
        return None
    try:
        done = subprocess.run([first, "--version"], capture_output=True, text=True, timeout=30)
        version = re.search(r"\d+", done.stdout)
    except (OSError, subprocess.SubprocessError):
        version = None
    if version and int(version[0]) == 1:
        return None
    found = f"Jupyter Book {version[0]}" if version else "not Jupyter Book 1"
    return (
        f"{first} stands first on PATH and is {found}, which ends well and makes no site of this"
        f" book: use {Path(sys.executable).with_name('jupyter-book')}"
    )


def main() -> int:
    """Print one line a finding; 1 if something is wrong, else 0."""
    free = shutil.disk_usage(paths.ROOT).free / 2**30
    cores = f"{machine.cores()} of {os.cpu_count()} cores"
    print(f"{environment.described()}, {cores}, {free:.0f} GiB of disk free")
    print(f"chapters: {len(written())}, {len(execute.stale(written()))} to execute here")
    missing = " and ".join(coq.missing_tools())
    print(f"proofs: {f'no {missing}, the record is shown' if missing else 'Coq found'}")
    browser = "Chromium found" if any(map(shutil.which, CHROMIUM)) else "no Chromium, skipped"
    print(f"tests of pages: {browser}")
    if other := other_program():
        print(f"pages: {other}")
    found = list(problems())
    print("\n".join(f"PROBLEM {line}" for line in found) or "no problem found")
    return 1 if found else 0
