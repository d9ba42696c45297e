"""Folders of processes: alone, short enough for sockets, swept up after the dead only."""

import functools
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

import pytest
from ledgerbook.project import paths, tempdirs

HOLD = """
import sys
from pathlib import Path
from ledgerbook import paths, scratch
paths.SCRATCH = Path(sys.argv[1])
with scratch.folder() as place:
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


@pytest.mark.parametrize("longer, ours", [(0, True), (1, False)])
def test_a_path_of_the_longest_length_is_kept_and_one_byte_more_is_not(
    monkeypatch, short, longer, ours
):
    top = pathlib.Path(short) / "s"
    monkeypatch.setattr(paths, "SCRATCH", top)
    monkeypatch.setattr(tempdirs, "LONGEST", len(str(top)) - longer)
    monkeypatch.setattr(tempfile, "tempdir", short)
    assert (tempdirs.root() == top) is ours


def test_a_volume_that_holds_no_sockets_is_left_and_nothing_stays_on_it(monkeypatch, short):
    top = pathlib.Path(short)
    assert tempdirs._holds_sockets(top) is True and list(top.iterdir()) == []
    assert tempdirs._holds_sockets(top / "missing") is False
    monkeypatch.delattr(tempdirs.socket, "AF_UNIX")  # a system that has none asks for none
    assert tempdirs._holds_sockets(top / "missing") is True


@pytest.mark.parametrize("holds", [True, False])
def test_a_root_that_is_there_is_used_again(monkeypatch, short, holds):
    monkeypatch.setattr(tempdirs, "_holds_sockets", lambda top: holds)
    monkeypatch.setattr(tempfile, "tempdir", short)
    monkeypatch.setattr(paths, "SCRATCH", pathlib.Path(short) / "scratch")
    first = tempdirs.root()
    tempdirs.root.cache_clear()
    assert tempdirs.root() == first and (first == paths.SCRATCH) is holds


def test_what_somebody_has_removed_meanwhile_is_gone_and_no_error(monkeypatch, short):
    monkeypatch.setattr(paths, "SCRATCH", pathlib.Path(short) / "scratch")  # nobody else's
    with tempdirs.folder() as place:
        shutil.rmtree(place)
    (tempdirs.root() / "left").mkdir()
    file = paths.BOOK / ".a.ipynb.7.partial"
    file.touch()
    monkeypatch.setattr(tempdirs, "_abandoned", lambda place: place.rmdir() or True)
    monkeypatch.setattr(tempdirs.psutil, "pid_exists", lambda pid: file.unlink() or False)
    tempdirs.sweep()
    assert not file.exists() and not (tempdirs.root() / "left").exists()


def test_the_lock_of_a_run_is_made_with_its_folder_and_is_free_behind_it(monkeypatch, project):
    monkeypatch.setattr(paths, "BUILD", project / "deep" / "_build")
    monkeypatch.setattr(paths, "LOCK", paths.BUILD / "lock")
    for _ in range(2):
        with tempdirs.only_run():
            assert paths.LOCK.exists()


def test_a_folder_of_somebody_else_is_refused(monkeypatch, short):
    monkeypatch.setattr(tempdirs, "_holds_sockets", lambda top: False)
    monkeypatch.setattr(tempfile, "tempdir", short)
    taken = tempdirs._elsewhere()
    monkeypatch.setattr(tempdirs, "_elsewhere", lambda: taken)
    monkeypatch.setattr(tempdirs.os, "getuid", lambda: -1)
    with pytest.raises(ValueError, match="belongs to somebody else"):
        tempdirs.root()


def test_a_run_that_waits_says_so_and_then_goes_on(monkeypatch, project, capsys):
    class Held:
        tries: list[float | None] = []
        released = 0

        def __init__(self, place):
            pass

        def acquire(self, timeout=None):
            self.tries.append(timeout)
            if timeout is not None:
                raise tempdirs.filelock.Timeout("lock")

        def release(self):
            Held.released += 1

    monkeypatch.setattr(tempdirs.filelock, "FileLock", Held)
    with tempdirs.only_run():
        assert "another run of the book is under way" in capsys.readouterr().err
        assert Held.released == 0
    assert len(Held.tries) == 2 and Held.released == 1
