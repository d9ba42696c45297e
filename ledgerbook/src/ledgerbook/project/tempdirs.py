"""Folders that live as long as the process that asked for them; a killed one's are swept up.

Sockets and connection files of kernels, and notebooks under execution, lie in them.
"""

import contextlib
import functools
import os
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import filelock
import psutil

from ledgerbook.project import paths

LONGEST = 78  # bytes of the root: a socket's path may have 103 on macOS, 107 on Linux
PARTIAL = re.compile(r"\..+\.(\d+)\.partial")


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """A folder of this process alone, removed at the end; its path is short enough for sockets."""
    top = root()
    with filelock.FileLock(top / "lock"):  # nobody sweeps between the making and the locking
        place = Path(tempfile.mkdtemp(dir=top, prefix=""))
        held = filelock.FileLock(place / "lock")
        held.acquire()
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        held.release()


@functools.cache
def root() -> Path:
    """Where the folders lie: in ``_build``, or in a folder of ours where that can hold no socket
    (a long path, a mounted volume).
    """
    top = paths.SCRATCH
    top.mkdir(parents=True, exist_ok=True)
    if len(os.fsencode(top)) > LONGEST or not _holds_sockets(top):
        top = _elsewhere()
        top.mkdir(mode=0o700, exist_ok=True)
        if hasattr(os, "getuid") and top.stat().st_uid != os.getuid():
            raise ValueError(f"{top}: this folder belongs to somebody else; set TMPDIR to another")
    return top


def _elsewhere() -> Path:
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"ledgerbook-{user}"


def _holds_sockets(top: Path) -> bool:
    if not hasattr(socket, "AF_UNIX"):
        return True
    trial = top / f"trial-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as one:
        try:
            one.bind(str(trial))
        except OSError:
            return False
        finally:
            trial.unlink(missing_ok=True)
    return True


def sweep() -> None:
    """Remove what killed runs left: folders that nobody holds, half-written files of the dead."""
    top = root()
    with filelock.FileLock(top / "lock"):
        for place in top.iterdir():
            if place.is_dir() and _abandoned(place):
                shutil.rmtree(place, ignore_errors=True)
    for where in (paths.BOOK.rglob, paths.BUILD.glob, paths.RUNS.glob, paths.EXECUTED.rglob):
        for file in where(".*.partial"):
            writer = PARTIAL.fullmatch(file.name)
            if writer and not psutil.pid_exists(int(writer.group(1))):
                file.unlink(missing_ok=True)


def _abandoned(place: Path) -> bool:
    try:
        with filelock.FileLock(place / "lock", timeout=0):
            return True
    except filelock.Timeout:
        return False


@contextlib.contextmanager
def only_run() -> Iterator[None]:
    """Hold the lock of this project; waits, and says so, while another run holds it."""
    paths.BUILD.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(paths.LOCK)
    try:
        lock.acquire(timeout=1)
    except filelock.Timeout:
        print("waiting: another run of the book is under way in this folder", file=sys.stderr)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()
