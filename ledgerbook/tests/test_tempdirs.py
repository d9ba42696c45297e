"""Folders of processes: alone, short enough for sockets, swept up after the dead only."""

import functools
import socket
import subprocess
import sys
import tempfile

import pytest
from ledgerbook.project import paths, tempdirs

HOLD = """
import sys
from pathlib import Path
from ledgerbook.project import paths, tempdirs
paths.SCRATCH = Path(sys.argv[1])
with tempdirs.folder() as place:
    print(place, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def fresh(project):
    """A root of its own for each test."""
    tempdirs.root.cache_clear()
    yield
    tempdirs.root.cache_clear()


def test_a_folder_is_private_and_goes_with_its_block():
    with tempdirs.folder() as place:
        assert place.stat().st_mode & 0o777 == 0o700
        assert place.parent == tempdirs.root()
        tempdirs.sweep()
        assert place.is_dir()
    assert not place.exists()


def test_the_folder_of_a_killed_process_is_swept_up_and_of_a_living_one_not():
    command = [sys.executable, "-c", HOLD, str(paths.SCRATCH)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    start = functools.partial(subprocess.Popen, command, cwd=paths.ROOT, **pipes)
    with start() as dead, start() as other:
        places = [process.stdout.readline().strip() for process in (dead, other)]
        dead.kill()
        dead.wait()
        tempdirs.sweep()
        left = {str(path) for path in tempdirs.root().iterdir() if path.is_dir()}
        assert places[1] in left and places[0] not in left
        other.communicate()


def test_half_written_files_of_the_dead_are_swept_up():
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    gone = paths.BOOK / f".a.ipynb.{process.pid}.partial"
    kept = paths.BOOK / ".a.ipynb.1.partial"
    for file in (gone, kept):
        file.touch()
    tempdirs.sweep()
    assert not gone.exists() and kept.exists()


@pytest.fixture
def short():
    """A folder with a short path, in which there is nothing yet."""
    with tempfile.TemporaryDirectory() as place:
        yield place


def test_a_long_path_gets_a_short_folder(project, monkeypatch, short):
    monkeypatch.setattr(paths, "SCRATCH", project / ("long" * 20) / "scratch")
    monkeypatch.setattr(tempfile, "tempdir", short)
    with tempdirs.folder() as place, socket.socket(socket.AF_UNIX) as one:
        one.bind(str(place / "kernel-ipc-5"))
        assert paths.SCRATCH not in place.parents
        assert place.parent.stat().st_mode & 0o777 == 0o700
