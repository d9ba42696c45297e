"""Folders of processes: alone, short enough for sockets, gone with those that are killed."""

import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from ledgerbook.project import paths, tempdirs

HOLD = """
from ledgerbook.project import tempdirs
with tempdirs.folder() as place:
    print(place, flush=True)
    input()
"""


@pytest.mark.parametrize("depth", [0, 60, 120])
def test_a_folder_is_private_holds_sockets_and_goes_with_its_block(depth, tmp_path, monkeypatch):
    if depth:
        (tmp_path / ("d" * depth)).mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("d" * depth)))
    with tempdirs.folder() as place, socket.socket(socket.AF_UNIX) as one:
        assert place.stat().st_mode & 0o777 == 0o700
        one.bind(str(place / "kernel-ipc-5"))
    assert not place.exists()


def test_the_folder_of_a_killed_child_goes_with_its_parents_block():
    with tempdirs.of_children():
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        with subprocess.Popen([sys.executable, "-c", HOLD], cwd=paths.ROOT, **pipes) as child:
            place = Path(child.stdout.readline().strip())
            assert place.is_dir() and place.parent.parent == Path(tempfile.gettempdir())
            child.kill()
    assert not place.parent.exists()


def test_the_folder_of_a_killed_process_is_swept_up_and_one_in_use_is_not(
    project, tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(tempdirs, "YOUNG", -1)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    env = os.environ | {"TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", HOLD], cwd=paths.ROOT, env=env, **pipes) as child:
        place = Path(child.stdout.readline().strip())
        tempdirs.sweep()
        assert place.is_dir()
        child.kill()
    half = tmp_path / f"{tempdirs.PREFIX}half_gon"  # killed while it was taken away
    half.mkdir()
    tempdirs.sweep()
    assert half.exists() and not place.exists()
    os.utime(half, (0, 0))
    tempdirs.sweep()
    assert not (place.exists() or half.exists())


def test_half_written_files_of_the_dead_are_swept_up(project):
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    gone = paths.BOOK / f".a.ipynb.{process.pid}.partial"
    kept = paths.BOOK / ".a.ipynb.1.partial"
    for file in (gone, kept):
        file.touch()
    tempdirs.sweep()
    assert not gone.exists() and kept.exists()


def test_two_runs_of_one_thing_come_one_after_the_other(project):
    code = "from ledgerbook.project import paths, tempdirs\nfrom pathlib import Path\n"
    code += f"paths.BUILD = Path({str(paths.BUILD)!r})\nwith tempdirs.only_run('a.b'): input()"
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with tempdirs.only_run("a.b"):
        second = subprocess.Popen([sys.executable, "-c", code], cwd=paths.ROOT, **pipes)
        said = second.stderr.readline()
        assert said == "waiting: another run of a.b is under way in this folder\n"
        assert second.poll() is None
    _, said = second.communicate("\n", timeout=60)
    assert second.returncode == 0 and said == ""
