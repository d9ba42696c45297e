"""The campaign of kills sees what is left and what is damaged."""

import os
import signal
import subprocess
import sys
import time

import pytest

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


def test_a_process_that_works_elsewhere_is_known_by_its_environment(tmp_path):
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    marked = {"PATH": os.environ["PATH"], kills.MARK: str(tmp_path)}
    process = subprocess.Popen(sleeper, cwd="/", env=marked)
    time.sleep(0.3)
    try:
        assert [line.split()[0] for line in kills.left_in(tmp_path)] == [str(process.pid)]
        assert kills.left_in(tmp_path / "another") == []
    finally:
        process.kill()
        process.wait()


def test_what_is_no_command_is_refused_before_anything_is_copied(monkeypatch):
    monkeypatch.setattr(kills, "copies", lambda *given: pytest.fail("copied"))
    with pytest.raises(ValueError, match="what = 'sweep', allowed: 'execution', 'collection and"):
        kills.main(1, 0, ["a.tag"], only=["sweep"])


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


def script(monkeypatch, tmp_path, code, number=2):
    """A campaign whose one command is a small script in a copy with one page."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.md").write_text("whole")
    (tmp_path / "_build" / "scratch").mkdir(parents=True)
    (tmp_path / "_build" / "scratch" / "lock").touch()
    monkeypatch.setattr(kills, "copies", lambda *given: [tmp_path])
    monkeypatch.setattr(kills, "commands", lambda *given: {"script": [[]]})
    monkeypatch.setattr(
        kills,
        "start",
        lambda line, root: subprocess.Popen([sys.executable, "-c", code], cwd=root),
    )
    return kills.main(number, 0, [])


def test_a_campaign_without_harm_ends_well(monkeypatch, tmp_path, capsys):
    assert script(monkeypatch, tmp_path, "import time; time.sleep(0.5)") == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert said == (
        "2 kills ({'script': 2}): 0 with harm; afterwards every command ends well, same bytes:"
        " True, left in scratch: 0"
    )


def test_a_campaign_that_finds_a_folder_left_ends_badly(monkeypatch, tmp_path):
    code = "import pathlib; pathlib.Path('_build/scratch/abandoned').mkdir(exist_ok=True)"
    assert script(monkeypatch, tmp_path, f"{code}; import time; time.sleep(0.5)") == 1


@pytest.mark.parametrize(
    "file", [f"{kills.SWEPT}/results.csv", "book/page.md"], ids=["table", "page"]
)
def test_a_campaign_whose_last_run_gives_other_bytes_ends_badly(monkeypatch, tmp_path, file):
    """Each run writes how many there were before it."""
    code = "from pathlib import Path; before = Path('before'); before.touch(); "
    code += "before.write_text(before.read_text() + '.'); file = Path({file!r}); "
    code += "file.parent.mkdir(exist_ok=True); file.write_text(before.read_text())"
    assert script(monkeypatch, tmp_path, code.format(file=file), number=0) == 1


def test_a_command_that_fails_by_itself_is_not_killed(monkeypatch, tmp_path):
    with pytest.raises(RuntimeError, match=r"script fails without any kill: status \[3\]"):
        script(monkeypatch, tmp_path, "raise SystemExit(3)")


def test_a_finished_sweep_is_taken_away_whole_and_one_under_way_is_not(tmp_path):
    runs = tmp_path / kills.SWEPT
    runs.mkdir(parents=True)
    (runs / "run.npz").touch()
    assert kills.results(tmp_path) == b"" and runs.exists()
    (runs / "results.csv").write_text("a,b")
    assert kills.results(tmp_path) == b"a,b" and not runs.exists()


def test_every_build_of_pages_has_something_to_build(tmp_path):
    stamp, chapter = tmp_path / "_build/html.stamp", tmp_path / "book/scan-snap/lemma_06.ipynb"
    for file in (stamp, chapter):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("as it was", encoding="utf-8")
        os.utime(file, (1, 1))
    kills.make_stale(tmp_path, ["scan-snap.lemma-06"])
    assert not stamp.exists()
    assert chapter.stat().st_mtime > 1 and chapter.read_text(encoding="utf-8") == "as it was"
    kills.make_stale(tmp_path, [])  # a stamp that is not there is no error


def test_what_ends_in_time_is_not_left(monkeypatch, tmp_path):
    seen = [["7 ending"], ["7 ending"], []]
    monkeypatch.setattr(kills, "left_in", lambda root: seen.pop(0))
    assert kills.kill_once([], 0, signal.SIGKILL, tmp_path) == []
    assert seen == []
