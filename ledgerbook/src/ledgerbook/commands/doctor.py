"""``make doctor``: what is here, what is missing, and what to do about it."""

import importlib.metadata
import os
import re
import shutil
import sys
from collections.abc import Iterator

from packaging.specifiers import SpecifierSet

from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import statements, written
from ledgerbook.execution import execute
from ledgerbook.project import paths, settings

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
NEEDED_GIB = 2


def pins() -> dict[str, str]:
    """Name and version of every direct dependency."""
    if not (paths.LOCKS and paths.LOCKS[0].exists()):
        return {}
    lines = paths.LOCKS[0].read_text(encoding="utf-8").splitlines()
    found = (re.fullmatch(r"([\w.-]+)==([\w.]+)", line) for line in lines if line[:1].isalpha())
    return {match[1]: match[2] for match in found if match}


def packages() -> Iterator[str]:
    """Differences between what is pinned and what is installed."""
    for name, wanted in pins().items():
        try:
            found = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            found = "missing"
        if found != wanted:
            yield f"{name}: {found}, wanted {wanted}: run `make clean` and `make book`"


def requires_python() -> str:
    """The versions of Python that the companion says it runs on; empty for any."""
    return settings.described().get("requires-python", "")


def problems() -> Iterator[str]:
    """What keeps the commands from working."""
    yield from packages()
    wanted, version = requires_python(), ".".join(map(str, sys.version_info[:3]))
    if version not in SpecifierSet(wanted):
        yield f"Python {version}, wanted {wanted}"
    free = shutil.disk_usage(paths.ROOT).free / 2**30
    if free < NEEDED_GIB:
        yield f"{free:.1f} GiB of disk free, wanted {NEEDED_GIB}"


def chapters() -> str:
    """How many chapters there are, and which this machine would execute."""
    stale = [row.tag for row in execute.stale(written())]
    names = f": {', '.join(stale[:8])}{', …' if len(stale) > 8 else ''}" if stale else ""
    listed = [row for row in statements().values() if not row.home]
    return f"{len(written())} of {len(listed)} written, {len(stale)} to execute{names}"


def proved() -> str:
    """What the stored record of the proofs speaks of, and whether they could be checked here."""
    from ledgerbook.coq import coq, proofs

    known = proofs.record().get("statements", {})
    current = [tag for tag in known if proofs.is_current(tag)]
    theorems = sum(len(proofs.theorems(tag)) for tag in current)
    missing = coq.missing_tools()
    here = f"{' and '.join(missing)} missing, the record is shown" if missing else "Coq found"
    return f"{theorems} theorems of {len(current)} of {len(known)} statements recorded; {here}"


def browser() -> str:
    """Whether the page tests can run."""
    if any(map(shutil.which, CHROMIUM)):
        return "Chromium found"
    return "no Chromium, they will be skipped (Debian: apt-get install chromium chromium-driver)"


def main() -> int:
    """Print one line a finding; 1 if something is wrong, else 0."""
    free = shutil.disk_usage(paths.ROOT).free / 2**30
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, {free:.0f} GiB free")
    print(f"chapters: {chapters()}")
    print(f"ledger: {collect.summary(collect.collect())}")
    built = paths.relative(paths.INDEX) if paths.INDEX.exists() else "not built, run make pages"
    print(f"pages: {built}")
    print(f"proofs: {proved()}")
    print(f"browser tests: {browser()}")
    found = list(problems())
    print("\n".join(f"PROBLEM {line}" for line in found) or "no problem found")
    return 1 if found else 0
