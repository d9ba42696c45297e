"""Folders that live as long as the block that asked for them, and the lock of a project.

Sockets and connection files of kernels lie in such folders: below the system's own, where a path
is short enough for a socket.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock

from ledgerbook.project import paths

LONGEST = 75  # bytes, so that those of a socket below a folder of ours are at most 103


@contextmanager
def folder() -> Iterator[Path]:
    """A folder of this process alone, removed at the end, in the shortest place where the system's
    own would make paths in it too long for a socket.
    """
    long = len(tempfile.gettempdir().encode()) > LONGEST
    with tempfile.TemporaryDirectory(
        prefix="ledgerbook-", dir="/tmp" if long else None, ignore_cleanup_errors=True
    ) as place:
        yield Path(place)


def sweep() -> None:
    """Remove half-written files of killed runs: whoever writes holds the lock, as the caller."""
    for where in (paths.BOOK.rglob, paths.BUILD.glob, paths.RUNS.glob, paths.EXECUTED.rglob):
        for file in where(".*.partial"):
            file.unlink(missing_ok=True)


@contextmanager
def only_run(name: str = "book") -> Iterator[None]:
    """Hold the lock of the book, or of a chapter; waits for another run, and says so."""
    paths.BUILD.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(paths.BUILD / f"{name}.lock")
    try:
        lock.acquire(timeout=1)
    except filelock.Timeout:
        print(f"waiting: another run of {name} is under way in this folder", file=sys.stderr)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
