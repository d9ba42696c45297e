"""Grids of rates: a sweep is training, blocks cover the grid, bad files are refused by name."""

from pathlib import Path

import numpy as np
import pytest

from lib.scan_snap.engine.train import train
from lib.scan_snap.published import figure_6_sweep
from lib.scan_snap.rate_grid import CELLS_PER_BLOCK, RateGrid, read_rate_grid, run_block
from lib.scan_snap.sequence_classes import syn_medium
from lib.scan_snap.sparsity import distinct_entropy
from lib.sweeps.run import run_sweep
from tooling import sweep_command

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
[grid]
queries = [1, 2]
eta_z = [0.5, 2.0]
ratio = [1.0, 10]
seeds = 4
[run]
steps = 80
"""


@pytest.fixture
def grid(tmp_path):
    path = tmp_path / "small.toml"
    path.write_text(SMALL)
    return path


def test_example_is_the_published_sweep():
    example = read_rate_grid(ROOT / "book/grids/figure_06.toml")
    assert example.num_runs == 640
    assert example == RateGrid(example.queries, example.eta_z, example.ratio, 10), (
        "its options should be the defaults"
    )


def test_a_sweep_is_training(grid, tmp_path):
    rates = read_rate_grid(grid)
    table = run_sweep(rates, tmp_path / "out").read_text().splitlines()
    assert len(table) == 1 + rates.num_runs
    run = figure_6_sweep(1, (3,), steps=80)
    wanted = distinct_entropy(run.attention[:, :, -1], run.layout.classes).reshape(4, 4)
    (row,) = (line.split(",") for line in table if line.startswith("1,2.0,10.0,3,"))
    assert float(row[4]) == wanted[2, 3]  # eta_Z = 2, ratio 10


def test_what_a_block_measures_is_read_off_its_run():
    (block,) = RateGrid([3], [0.5, 2.0], [1.0], 1, run={"steps": 30}).runs()
    columns, s = run_block(block).arrays, block.settings
    classes = syn_medium(3, **s["classes"])
    run = train(classes, s["eta_z"], s["eta_z"], seeds=(s["seed"],), **s["run"])
    for cell in range(2):
        last = run.attention[0, cell, -1]  # (classes, tokens)
        shares = [sum(row[token] for token in classes.common_tokens) for row in last]
        assert columns["common_share"][cell] == pytest.approx(np.mean(shares), rel=1e-6)
        own = [[row[token] for token in classes.distinct_tokens(n)] for n, row in enumerate(last)]
        won = columns["top_is_frequent"][cell]
        assert 0 < won == np.mean([np.argmax(row) == 9 for row in own])
        assert columns["loss"][cell] == pytest.approx(np.mean(run.loss[0, cell, -10:]), rel=1e-6)


def test_blocks_are_bounded_and_cover_the_grid():
    wide = RateGrid([1], [0.1 * k for k in range(1, 21)], [1.0, 2.0, 3.0, 4.0, 5.0], 2)
    blocks = wide.runs()
    assert max(len(block.settings["eta_z"]) for block in blocks) <= CELLS_PER_BLOCK
    assert sum(len(block.settings["eta_z"]) for block in blocks) == wide.num_runs == 200
    assert len({block.name for block in blocks}) == len(blocks)


def test_a_grid_is_its_record(grid):
    rates = read_rate_grid(grid)
    assert RateGrid(**rates.record()) == rates


def test_seeds_of_the_command_line_win(grid):
    assert read_rate_grid(grid, 2).seeds == 2
    assert sweep_command.read(grid, [3]).seeds == 3
    with pytest.raises(ValueError, match="how many"):
        sweep_command.read(grid, [3, 4])


def test_numbers_that_are_not_finite_are_refused():
    (block,) = RateGrid([1], [1e308], [1.0], 1, run={"steps": 20}).runs()
    with pytest.raises(ValueError, match=r"at eta_z = 1e\+308.*allowed: finite numbers"):
        run_block(block)


@pytest.mark.parametrize(
    "change, names",
    [
        (("seeds = 4", "seeds = 0"), "grid.seeds"),
        (("seeds = 4", "seeds = 1000000000"), "runs = 8000000000"),
        (("queries = [1, 2]", "queries = [1, 1]"), "grid.queries"),
        (("queries = [1, 2]", "queries = [1.5]"), "grid.queries"),
        (("eta_z = [0.5, 2.0]", "eta_z = [-1]"), "grid.eta_z"),
        (("ratio = [1.0, 10]", "ratio = []"), "grid.ratio"),
        (("ratio = [1.0, 10]", ""), "ratio"),
        (("ratio = [1.0, 10]", "ratio = [1.7e308]"), "grid.eta_z * grid.ratio"),
        (("steps = 80", "stepz = 150"), "stepz"),
        (("steps = 80", "steps = 1.5"), "[run]: steps = 1.5"),
        (("steps = 80", "T = 1"), "T = 1"),
        (("steps = 80", 'init = "ones"'), "[run]: init = "),
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
        read_rate_grid(grid)
    assert names in str(caught.value)
    assert sweep_command.main([str(grid), "--out", str(tmp_path / "out")]) == 1
    assert not (tmp_path / "out").exists(), "something was written"
    assert capsys.readouterr().err.count("\n") == 1, "one clear line"


def test_a_missing_file_is_one_clear_line(tmp_path, capsys):
    assert sweep_command.main([str(tmp_path / "nowhere.toml")]) == 1
    assert "nowhere.toml" in capsys.readouterr().err
