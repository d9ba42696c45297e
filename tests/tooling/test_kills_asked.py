"""The campaign of kills, asked function by function: what is started, named, counted."""

import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from ledgerbook import kills

SAYS = """
import os, pathlib, signal, sys
interrupted = signal.getsignal(signal.SIGINT) is signal.default_int_handler
said = [os.getcwd(), os.environ[sys.argv[1]], os.environ["PYTHONPATH"], str(interrupted)]
pathlib.Path("said").write_text(chr(10).join(said))
"""


def test_a_command_is_the_book_s_in_the_copy_and_can_be_interrupted(tmp_path, monkeypatch):
    settings = SimpleNamespace(command="python -c")
    monkeypatch.setattr(kills.project, "settings", lambda: settings)
    monkeypatch.setattr(kills.paths, "python_path", lambda root: f"{root}/path")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as for a job in the background
    try:
        process = kills.start([SAYS, kills.MARK], tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.wait() == 0
    wanted = [str(tmp_path), str(tmp_path), f"{tmp_path}/path", "True"]
    assert (tmp_path / "said").read_text().splitlines() == wanted


@pytest.mark.parametrize("grid", ["", "a.toml"])
def test_a_grid_is_swept_where_one_is_named_and_two_run_at_once(grid):
    found = kills.commands(["a.b", "a.c"], grid)
    swept = ["sweep", grid, "--out", kills.SWEPT, "--seeds", "2"]
    assert found.get("sweep") == ([swept] if grid else None)
    execution, pages = found["execution"] + found["collection and pages"]
    assert found["two at once"] == [execution, pages]
    assert execution[-2:] == ["a.b", "a.c"] and "--no-pages" in execution


def test_only_the_commands_that_are_named_are_asked_or_all():
    for only in ([], ["execution"], ["two at once", "sweep"]):
        found = kills.wanted(["a.b"], "a.toml", only)
        assert set(found) == set(only or kills.commands(["a.b"], "a.toml"))


def test_a_process_is_named_by_its_number_and_the_end_of_its_words(tmp_path, monkeypatch):
    def process(pid, cwd=None, cmdline=None, environ=None, status="running"):
        info = {"pid": pid, "cwd": cwd, "cmdline": cmdline, "environ": environ, "status": status}
        return SimpleNamespace(info=info)

    here = str(tmp_path)
    there = [
        process(1, here, ["python", "-m", "it"]),
        process(2, "/", ["python", *["word"] * 99, f"{here}/x", "last"]),
        process(3, "/", ["python"], {kills.MARK: here}),
        process(4, "/", ["python"], {kills.MARK: "/elsewhere"}),
        process(5, here, ["ended"], status=kills.psutil.STATUS_ZOMBIE),
        process(6),  # of somebody else: it tells nothing
    ]
    monkeypatch.setattr(kills.psutil, "process_iter", lambda names: there)
    one, two, three = kills.left_in(tmp_path)
    assert one.startswith("1 ") and one.endswith(" python -m it") and three == "3 / python"
    assert two.startswith("2 ") and two.endswith(f" {here}/x last") and len(two) < 200


def test_what_a_signal_does_not_end_is_said_and_ended(tmp_path, monkeypatch):
    code = "import signal, time, pathlib; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    code += "pathlib.Path('ready').touch(); time.sleep(60)"
    started = []

    def start(line, root):
        started.append(subprocess.Popen([sys.executable, "-c", code], cwd=root))
        while not (root / "ready").exists():
            assert started[-1].poll() is None
            time.sleep(0.01)
        return started[-1]

    monkeypatch.setattr(kills, "PATIENCE", 0.1)
    monkeypatch.setattr(kills, "start", start)
    assert kills.kill_once([[]], 0, signal.SIGTERM, tmp_path) == ["SIGTERM did not end it"]
    assert started[0].wait(10) == -signal.SIGKILL


@pytest.fixture
def campaign(monkeypatch, tmp_path):
    """The function that runs a campaign of which only the counting is real: its status, and when
    it killed.
    """

    def run(left=(), harm=(), tables=(b"t", b"t"), stored=("s", "s"), scratch=()):
        moments, stale = [], []
        of_run, seen = iter((b"first", *tables)), iter(stored)

        def kill_once(lines, moment, how, root):
            moments.append(moment)
            return list(left)

        fakes = {
            "copies": lambda number, name: [tmp_path] * number,
            "commands": lambda tags, grid: {"one": [["a"]], "two": [["b"]]},
            "whole": lambda what, root, tags: ({"one": 0.5, "two": 0.25}, next(of_run)),
            "stored_bytes": lambda root: next(seen),
            "make_stale": lambda root, tags: stale.append(tags),
            "kill_once": kill_once,
            "damage": lambda root, before: list(harm),
            "results": lambda root: b"",
            "left_in_scratch": lambda root: list(scratch),
        }
        for name, fake in fakes.items():
            monkeypatch.setattr(kills, name, fake)
        status = kills.main(20, 0, ["a.b"])
        assert stale == [["a.b"]] * 20  # each build has something to build
        return status, moments

    return run


@pytest.mark.parametrize(
    ("found", "status", "words"),
    [
        ({}, 0, "nothing left, all whole"),
        ({"left": ["7 sleep"]}, 1, "left: 7 sleep"),
        ({"harm": ["a changed"]}, 1, "a changed"),
        ({"left": ["7 sleep"], "harm": ["a changed"]}, 1, "left: 7 sleep; a changed"),
    ],
)
def test_each_kill_is_told_and_one_that_harms_is_counted(campaign, capsys, found, status, words):
    assert campaign(**found)[0] == status
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [str(k) for k in range(1, 21)]
    assert all(line.endswith(f" s: {words}") for line in lines)
    assert f"): {20 * status} with harm; " in last and last.startswith("20 kills ({'")


@pytest.mark.parametrize(
    "found",
    [{"tables": (b"t", b"u")}, {"stored": ("s", "r")}, {"scratch": ["folder"]}],
    ids=["table", "file", "folder"],
)
def test_what_a_campaign_leaves_is_its_status(campaign, found):
    assert campaign(**found)[0] == 1


def test_a_command_is_killed_while_it_runs(campaign):
    _, moments = campaign()
    assert len({*moments}) == 20 and all(0 < moment < 0.5 for moment in moments)
