"""Sweeps resume, believe no file by its name, and leave nothing behind that stands in the way."""

import json
import os
from pathlib import Path

import numpy as np
import psutil
import pytest

from lib.sweeps import run as machine
from lib.sweeps.run import run_sweep
from lib.sweeps.store import Result, Run, path_of


class Squares:
    """A grid whose runs square numbers; ``bad`` fails, ``seen`` collects what was computed."""

    def __init__(self, numbers, bad=None):
        self.numbers, self.bad, self.seen = list(numbers), bad, []

    def record(self):
        return {"numbers": self.numbers}

    def runs(self):
        return [Run(f"number {n}", {"n": n}) for n in self.numbers]

    def work(self, folder):
        def square(run):
            n = run.settings["n"]
            if n == self.bad:
                raise ValueError(f"n = {n}, allowed: better numbers")
            self.seen.append(n)
            return Result({"n": n}, {"square": np.array(n * n)})

        return square

    def table(self, read, command):
        lines = [int(read(run).arrays["square"]) for run in self.runs()]
        return "results.json", json.dumps({"squares": lines, "command": command}).encode()


def contents(folder):
    """Every file of a folder as bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def squares(table):
    return json.loads(table.read_bytes())["squares"]


def test_the_table_is_in_the_grid_s_order_and_says_its_command(tmp_path):
    table = run_sweep(Squares([3, 1, 2]), tmp_path / "new" / "out", command="make it")
    assert json.loads(table.read_bytes()) == {"squares": [9, 1, 4], "command": "make it"}


def test_an_interrupted_sweep_resumes_and_ends_with_the_same_bytes(tmp_path):
    run_sweep(Squares(range(9)), tmp_path / "whole")

    def interrupt(names):
        for k, name in enumerate(names):
            if k == 4:
                raise KeyboardInterrupt
            yield name

    parts = tmp_path / "parts"
    with pytest.raises(KeyboardInterrupt):
        run_sweep(Squares(range(9)), parts, progress=interrupt)
    kept = {path: path.stat().st_mtime_ns for path in parts.glob("*.npz")}
    assert len(kept) == 4 and not (parts / "results.json").exists()
    again = Squares(range(9))
    run_sweep(again, parts)
    assert len(again.seen) == 5
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "computed again"
    assert contents(parts) == contents(tmp_path / "whole")


def flipped(data):
    middle = data.index(b'"n"') + 1  # inside the member with the settings
    return data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data[:40],
        lambda data: b"",
        lambda data: bytes(len(data)),
        lambda data: b"\x80\x04garbage",
        lambda data: b"{}",
        flipped,
    ],
)
def test_a_damaged_run_is_named_and_computed_again(damage, tmp_path):
    grid = Squares([1, 2, 3])
    good = squares(run_sweep(grid, tmp_path))
    path = path_of(tmp_path, grid.runs()[1])
    path.write_bytes(damage(path.read_bytes()))
    (tmp_path / "results.json").unlink()
    again, notes = Squares([1, 2, 3]), []
    assert squares(run_sweep(again, tmp_path, note=notes.append)) == good
    assert again.seen == [2] and notes == [f"{path}: damaged, computed again"]


def test_a_run_under_another_s_name_is_named_and_computed_again(tmp_path):
    grid = Squares([1, 2])
    run_sweep(grid, tmp_path)
    one, two = (path_of(tmp_path, run) for run in grid.runs())
    two.write_bytes(one.read_bytes())
    again, notes = Squares([1, 2]), []
    assert squares(run_sweep(again, tmp_path, note=notes.append)) == [1, 4]
    assert again.seen == [2] and notes == [f"{two}: holds another run, computed again"]


def test_runs_of_other_code_are_named_and_computed_again(tmp_path, monkeypatch):
    run_sweep(Squares([1, 2]), tmp_path)
    monkeypatch.setattr(machine, "fingerprint", lambda module: "other")
    again, notes = Squares([1, 2]), []
    run_sweep(again, tmp_path, note=notes.append)
    assert sorted(again.seen) == [1, 2]
    assert len(notes) == 2 and all("made by other code" in note for note in notes)


def test_only_what_the_grid_names_is_read(tmp_path):
    wide = Squares([1, 2, 3])
    run_sweep(wide, tmp_path)
    (tmp_path / "copied.npz").write_bytes(path_of(tmp_path, wide.runs()[0]).read_bytes())
    (tmp_path / "grid.json").unlink()
    narrow = Squares([3])
    assert squares(run_sweep(narrow, tmp_path)) == [9]
    assert narrow.seen == [], "an equal run is kept"


def test_a_folder_with_another_grid_s_table_is_left_alone(tmp_path):
    run_sweep(Squares([1, 2]), tmp_path)
    before = contents(tmp_path)
    with pytest.raises(ValueError, match=r"no other grid's results.*differs in numbers"):
        run_sweep(Squares([1, 2, 3]), tmp_path)
    assert contents(tmp_path) == before
    (tmp_path / "grid.json").write_text("[]")
    with pytest.raises(ValueError, match="no other grid"):
        run_sweep(Squares([1, 2]), tmp_path)


def test_a_claim_that_cannot_be_read_claims_nothing(tmp_path):
    run_sweep(Squares([1, 2]), tmp_path)
    claim = (tmp_path / "grid.json").read_bytes()
    (tmp_path / "grid.json").write_bytes(claim[:5])
    run_sweep(Squares([1, 2]), tmp_path)
    assert (tmp_path / "grid.json").read_bytes() == claim


def test_a_first_sweep_that_fails_leaves_nothing_that_refuses_the_corrected_one(tmp_path):
    with pytest.raises(ValueError, match="better numbers"):
        run_sweep(Squares([1], bad=1), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    with pytest.raises(ValueError, match="better numbers"):
        run_sweep(Squares([1, 2, 3, 4, 5, 6, 7, 8], bad=8), tmp_path / "out")
    assert squares(run_sweep(Squares([1, 5]), tmp_path / "out")) == [1, 25]


def test_one_sweep_at_a_time_works_in_a_folder(tmp_path):
    def second(names):
        with pytest.raises(ValueError, match="no other sweep is at work"):
            run_sweep(Squares([1]), tmp_path / "out")
        return names

    run_sweep(Squares([1]), tmp_path / "out", progress=second)


def test_half_written_files_of_a_killed_sweep_are_swept_up(tmp_path):
    (tmp_path / ".results.json.1.partial").write_bytes(b"half")
    run_sweep(Squares([1]), tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_files_that_others_take_away_meanwhile_stop_no_sweep(tmp_path, monkeypatch):
    """A worker that outlived its sweep finishes a half-written file; somebody removes the lock."""
    monkeypatch.setattr(Path, "glob", lambda folder, pattern: [folder / ".gone.1.partial"])

    def unlock(names):
        (tmp_path / ".lock").unlink()
        return names

    assert squares(run_sweep(Squares([2]), tmp_path, progress=unlock)) == [4]


def test_a_sweep_in_this_process_listens_nowhere(tmp_path):
    own, ports = psutil.Process(os.getpid()), []

    def look(names):
        for name in names:
            ports.extend(c for c in own.net_connections() if c.status == psutil.CONN_LISTEN)
            yield name

    run_sweep(Squares([1, 2]), tmp_path, progress=look)
    assert ports == []
