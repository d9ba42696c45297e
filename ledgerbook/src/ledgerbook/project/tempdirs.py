"""Folders for the sockets of kernels, and the lock of a project."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import filelock

from ledgerbook.project.project import current


def folder() -> tempfile.TemporaryDirectory[str]:
    """A folder of this process alone, removed at the end of its block; the path of a socket in it
    is short enough wherever TMPDIR leads.
    """
    return tempfile.TemporaryDirectory(prefix="ledgerbook-", dir="/tmp", ignore_cleanup_errors=True)


def sweep() -> None:
    """Remove half-written files of killed runs: whoever writes holds the lock, as the caller."""
    here = current()
    for where in (here.book.rglob, here.build.glob, here.runs.glob, here.executed.rglob):
        for file in where(".*.partial"):
            file.unlink(missing_ok=True)


@contextmanager
def only_run(name: str = "book") -> Iterator[None]:
    """Hold the lock of the book, or of a chapter; waits for another run, and says so."""
    current().build.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(current().build / f"{name}.lock")
    try:
        held = lock.acquire(timeout=1)
    except filelock.Timeout:
        print(f"waiting: another run of {name} is under way in this folder", file=sys.stderr)
        held = lock.acquire()
    with held:
        yield
