"""Folders that live as long as the block that asked for them, and the lock of a project.

Sockets and connection files of kernels, and notebooks under execution, lie in such folders: below
the system's own, where a path is short enough for a socket.
"""

import contextlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import filelock
import psutil

from ledgerbook.project import paths

PREFIX, HELD = "ledgerbook-", ".held"
SHORT, SOCKET = "/tmp", 103  # bytes of a path, on every system
OWN = len(f"/{PREFIX}12345678")
YOUNG, DAY = 5, 86_400  # seconds: a folder without a lock is one that was half taken away
PARTIAL = re.compile(r"\..+\.(\d+)\.partial")


@contextmanager
def folder(below: int = len("/k-ipc-5")) -> Iterator[Path]:
    """A folder of this process alone, removed at the end; what a kill leaves, ``sweep`` removes.

    below: bytes that paths in it take; the folder is in the shortest place where the system's own
    would make them too long for a socket.
    A lock that ends with the process tells whose owner lives: a process id may be another's.
    """
    long = len(os.fsencode(tempfile.gettempdir())) + OWN + below > SOCKET
    made = tempfile.TemporaryDirectory(
        prefix=PREFIX, dir=SHORT if long else None, ignore_cleanup_errors=True
    )
    with made as place, filelock.FileLock(Path(place) / HELD):
        yield Path(place)


@contextmanager
def of_children() -> Iterator[None]:
    """Folders of processes started in the block lie in one of ours, which goes with it."""
    before = os.environ.get("TMPDIR")
    with folder(OWN + len("/k-ipc-5")) as place:
        os.environ["TMPDIR"] = str(place)
        try:
            yield
        finally:
            os.environ.pop("TMPDIR")
            os.environ |= {"TMPDIR": before} if before else {}


def sweep() -> None:
    """Remove folders and half-written files of killed runs."""
    tops = {Path(tempfile.gettempdir()), Path(SHORT)}
    for place in (one for top in tops for one in top.glob(f"{PREFIX}????????") if one.is_dir()):
        with contextlib.suppress(OSError, filelock.Timeout):  # not ours, gone, or in use
            about, least = place.stat(), YOUNG if (place / HELD).exists() else DAY
            if about.st_uid == os.getuid() and time.time() - about.st_mtime > least:
                with filelock.FileLock(place / HELD, timeout=0):
                    shutil.rmtree(place)
    for where in (paths.BOOK.rglob, paths.BUILD.glob, paths.RUNS.glob, paths.EXECUTED.rglob):
        for file in where(".*.partial"):
            writer = PARTIAL.fullmatch(file.name)
            if writer and not psutil.pid_exists(int(writer.group(1))):
                file.unlink(missing_ok=True)


@contextmanager
def only_run(name: str = "book") -> Iterator[None]:
    """Hold the lock of the book, or of a chapter; waits for another run, and says so."""
    lock = filelock.FileLock(paths.BUILD / f"{name}.lock")
    try:
        paths.BUILD.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=1)
    except filelock.Timeout:
        print(f"waiting: another run of {name} is under way in this folder", file=sys.stderr)
        lock.acquire()
    except OSError as error:
        raise ValueError(
            f"{paths.relative(paths.BUILD)}: {error.strerror}: all that is made goes there; work in"
            " a copy of this folder that you may write to"
        ) from None
    try:
        yield
    finally:
        lock.release()
