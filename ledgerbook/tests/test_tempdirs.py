"""Folders of processes: alone, short enough for sockets; one run after the other."""

import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from ledgerbook.project import tempdirs
from ledgerbook.project.project import current


def test_a_folder_is_private_holds_sockets_and_goes_with_its_block(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("d" * 120)))
    with tempdirs.folder() as place, socket.socket(socket.AF_UNIX) as one:
        assert Path(place).stat().st_mode & 0o777 == 0o700
        one.bind(f"{place}/k-ipc-5")
    assert not Path(place).exists()


def test_half_written_files_are_swept_up(project):
    half, whole = current().book / ".a.ipynb.7.partial", current().book / "a.ipynb"
    for file in (half, whole):
        file.touch()
    tempdirs.sweep()
    assert whole.exists() and not half.exists()


def test_two_runs_of_one_thing_come_one_after_the_other(project, varied):
    code = "from ledgerbook.project import tempdirs\n"
    code += "from ledgerbook.project.project import current, use\nfrom pathlib import Path\n"
    code += f"with use(current().varied(build=Path({str(current().build)!r}))):\n"
    code += "    with tempdirs.only_run('a.b'): input()"
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with tempdirs.only_run("a.b"):
        second = subprocess.Popen([sys.executable, "-c", code], cwd=current().root, **pipes)
        said = second.stderr.readline()
        assert said == "waiting: another run of a.b is under way in this folder\n"
        assert second.poll() is None
    _, said = second.communicate("\n", timeout=60)
    assert second.returncode == 0 and said == ""
