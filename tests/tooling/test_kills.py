"""The campaign of kills sees what is left and what is damaged."""

import signal
import subprocess
import sys
import time

from ledgerbook import kills


def test_a_process_that_is_left_is_named(tmp_path, monkeypatch):
    child = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; "
    child += "time.sleep(60)']); time.sleep(60)"
    monkeypatch.setattr(kills, "PATIENCE", 1)
    monkeypatch.setattr(
        kills, "start", lambda line, root: subprocess.Popen([sys.executable, "-c", child], cwd=root)
    )
    left = kills.kill_once([[]], 1.5, signal.SIGKILL, tmp_path)
    assert len(left) == 1
    subprocess.run(["kill", left[0].split()[0]], check=True)
    time.sleep(0.3)
    assert kills.left_in(tmp_path) == []


def test_damage_is_named(tmp_path):
    (tmp_path / "book").mkdir()
    (tmp_path / "_build").mkdir()
    page = tmp_path / "book" / "page.md"
    page.write_text("whole")
    before = kills.stored_bytes(tmp_path)
    assert kills.damage(tmp_path, before) == []
    page.write_text("half")
    (tmp_path / "book" / "stray.txt").write_text("")
    (tmp_path / "_build" / "ledger.json").write_text('{"statements": [')
    assert kills.damage(tmp_path, before) == [
        "book/page.md changed",
        "book/stray.txt changed",
        "ledger.json is not whole",
    ]
