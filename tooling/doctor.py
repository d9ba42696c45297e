"""``make doctor``: what is here, what is missing, and what to do about it."""

import importlib.metadata
import os
import re
import shutil
import sys

from tooling import collect, paths, runs
from tooling.statements import statements, written

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


def pins():
    """Name and version of every direct dependency."""
    lines = paths.LOCKS[0].read_text(encoding="utf-8").splitlines()
    return dict(
        re.fullmatch(r"([\w.-]+)(?:\[\w+\])?==([\w.]+)", line).groups()
        for line in lines
        if line and not line.startswith("#")
    )


def packages():
    """Differences between what is pinned and what is installed."""
    for name, wanted in pins().items():
        try:
            found = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            found = "missing"
        if found != wanted:
            yield f"{name}: {found}, wanted {wanted}: run `make clean` and `make book`"


def main():
    """Print one line a finding; returns the number of problems."""
    problems = [*packages()]
    if not (3, 11) <= sys.version_info[:2] <= (3, 13):
        problems.append(f"Python {sys.version.split()[0]}, wanted 3.11 to 3.13")
    free = shutil.disk_usage(paths.ROOT).free / 2**30
    if free < 2:
        problems.append(f"{free:.1f} GiB of disk free, wanted 2")
    browser = next(filter(None, map(shutil.which, CHROMIUM)), None)
    stale = [row.tag for row in written() if not runs.is_fresh(row)]
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {free:.0f} GiB free")
    print(
        f"chapters: {len(written())} of {len(statements())} written, {len(stale)} to execute"
        + (f": {', '.join(stale[:8])}" if stale else "")
    )
    print(f"ledger: {collect.summary(collect.collect())}")
    print(
        "pages:"
        f" {paths.relative(paths.INDEX) if paths.INDEX.exists() else 'not built, run make book'}"
    )
    print(
        "browser tests:"
        f" {'Chromium found' if browser else 'no Chromium, they will be skipped (Debian: apt-get install chromium chromium-driver)'}"
    )
    print("\n".join(f"PROBLEM {line}" for line in problems) or "no problem found")
    return len(problems)
