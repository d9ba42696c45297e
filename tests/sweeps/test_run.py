"""Sweeps resume, refuse bad grids by name, and give the same bytes whoever computes them."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from lib.scan_snap.published import figure_6_sweep
from lib.scan_snap.sparsity import distinct_entropy
from lib.storage import write_atomically
from lib.sweeps.grid import CELLS_PER_BLOCK, Grid, read_grid
from lib.sweeps.run import npz_bytes, run_sweep
from tooling import sweep_command

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
[grid]
queries = [1, 2]
eta_z = [0.5, 2.0]
ratio = [1.0, 10]
seeds = 8
[run]
steps = 80
"""


@pytest.fixture
def grid(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def contents(folder):
    """Every file of a folder as bytes."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_example_is_the_published_sweep():
    example = read_grid(ROOT / "book/grids/figure_06.toml")
    assert example.num_runs == 640
    assert example == Grid(example.queries, example.eta_z, example.ratio, 10), (
        "its options should be the defaults"
    )


def test_a_sweep_is_training(grid, tmp_path):
    table = run_sweep(grid, tmp_path / "out").read_text().splitlines()
    assert len(table) == 1 + read_grid(grid).num_runs
    run = figure_6_sweep(1, (3,), steps=80)
    wanted = distinct_entropy(run.attention[:, :, -1], run.layout.classes).reshape(4, 4)[
        2, 3
    ]  # eta_Z = 2, ratio 10
    (row,) = (line.split(",") for line in table if line.startswith("1,2.0,10.0,3,"))
    assert float(row[4]) == wanted


def test_an_interrupted_sweep_resumes_and_ends_with_the_same_bytes(grid, tmp_path):
    run_sweep(grid, tmp_path / "whole")

    class Stop(Exception):
        pass

    def interrupt(blocks):
        for k, block in enumerate(blocks):
            if k == 6:
                raise Stop
            yield block

    with pytest.raises(Stop):
        run_sweep(grid, tmp_path / "parts", progress=interrupt)
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "parts").glob("*.npz")}
    assert len(kept) == 6 and not (tmp_path / "parts/results.csv").exists()
    asked = []
    run_sweep(grid, tmp_path / "parts", progress=lambda blocks: asked.extend(blocks) or blocks)
    assert len(asked) == 16 - 6
    assert {name: (tmp_path / "parts" / name).stat().st_mtime_ns for name in kept} == kept, (
        "a finished block was computed again"
    )
    assert contents(tmp_path / "parts") == contents(tmp_path / "whole")


@contextmanager
def cluster(folder, workers):
    """A scheduler and workers as processes of their own on loopback: yields (address, worker
    processes).
    """
    quiet = dict(
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    )
    file = folder / "scheduler.json"
    scheduler = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "distributed.cli.dask_scheduler",
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--no-show",
            "--scheduler-file",
            str(file),
        ],
        **quiet,
    )
    started = [scheduler]
    try:
        deadline = time.monotonic() + 30
        while not (file.exists() and file.read_text().strip().endswith("}")):
            assert scheduler.poll() is None and time.monotonic() < deadline, (
                "the scheduler did not start"
            )
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        started += [
            subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "distributed.cli.dask_worker",
                    address,
                    "--host",
                    "127.0.0.1",
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--no-dashboard",
                    "--local-directory",
                    str(folder),
                ],
                **quiet,
            )
            for _ in range(workers)
        ]
        yield address, started[1:]
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()


def test_two_worker_processes_one_killed_in_the_middle_same_bytes(grid, tmp_path, monkeypatch):
    run_sweep(grid, tmp_path / "alone")
    with cluster(tmp_path, workers=2) as (address, workers):
        monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", address)
        from distributed import Client

        with Client(address, timeout=20) as client:
            client.wait_for_workers(2, timeout=30)

        def kill_one(blocks):
            for k, block in enumerate(blocks):
                if k == 6:
                    os.kill(workers[0].pid, signal.SIGKILL)
                yield block

        run_sweep(grid, tmp_path / "cluster", progress=kill_one)
        assert workers[0].wait(timeout=10) == -signal.SIGKILL and workers[1].poll() is None
    assert contents(tmp_path / "cluster") == contents(tmp_path / "alone")


def test_blocks_are_bounded_and_cover_the_grid():
    wide = Grid([1], [0.1 * k for k in range(1, 21)], [1.0, 2.0, 3.0, 4.0, 5.0], 2)
    blocks = list(wide.blocks())
    assert max(len(block.eta_z) for block in blocks) <= CELLS_PER_BLOCK
    assert sum(len(block.eta_z) for block in blocks) == wide.num_runs == 200
    assert len({block.name for block in blocks}) == len(blocks)


@pytest.mark.parametrize(
    "change, names",
    [
        (("seeds = 8", "seeds = 0"), "grid.seeds"),
        (("queries = [1, 2]", "queries = [1, 1]"), "grid.queries"),
        (("queries = [1, 2]", "queries = [1.5]"), "grid.queries"),
        (("eta_z = [0.5, 2.0]", "eta_z = [-1]"), "grid.eta_z"),
        (("ratio = [1.0, 10]", "ratio = []"), "grid.ratio"),
        (("ratio = [1.0, 10]", ""), "ratio"),
        (("steps = 80", "stepz = 150"), "stepz"),
        (("steps = 80", "steps = 1.5"), "run.steps"),
        (("steps = 80", "T = 1"), "T = 1"),
        (("steps = 80", 'init = "ones"'), "run.init"),
        (("steps = 80", "[classes]\nnum_distinct = 0"), "num_distinct"),
        (("[run]", "[runs]"), "runs"),
        (("[grid]", "[grid"), "not TOML"),
        (("queries = [1, 2]", "queries = [[1]]"), "grid.queries"),
        (("[grid]", "classes = 3\n[grid]"), "classes = 3"),
        (("[grid]", "[text\n[grid]"), "not TOML"),
    ],
)
def test_bad_grids_are_refused_by_file_and_name(grid, tmp_path, change, names, capsys):
    grid.write_text(SMALL.replace(*change))
    with pytest.raises(ValueError, match="small.toml") as caught:
        run_sweep(grid, tmp_path / "out")
    assert names in str(caught.value)
    assert not (tmp_path / "out").exists(), "something was written"
    assert sweep_command.main([str(grid), "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().err.count("\n") == 1, "one clear line"


def test_a_folder_with_another_grid_is_left_alone(grid, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/grid.json").write_text("{}")
    with pytest.raises(ValueError, match="no other grid"):
        run_sweep(grid, tmp_path / "out")
    assert contents(tmp_path / "out") == {"grid.json": b"{}"}


def test_a_missing_file_is_one_clear_line(tmp_path, capsys):
    assert sweep_command.main([str(tmp_path / "nowhere.toml")]) == 1
    assert "nowhere.toml" in capsys.readouterr().err


def test_archives_have_no_time_in_them(tmp_path):
    first = npz_bytes({"a": np.arange(3.0)})
    time.sleep(2.1)  # zip stamps have a resolution of two seconds
    assert first == npz_bytes({"a": np.arange(3.0)})
    write_atomically(tmp_path / "x.npz", first)
    assert (
        np.load(tmp_path / "x.npz")["a"].tolist() == [0, 1, 2]
        and len(list(tmp_path.iterdir())) == 1
    )
