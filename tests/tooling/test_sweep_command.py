"""The command that runs a grid: which kind it reads, where its table goes, how it ends."""

import json
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from ledgerbook.project.project import current

from lib.bridge.graph_grid import GraphGrid
from lib.real_text.text_grid import TextGrid
from lib.scan_snap.rate_grid import RateGrid
from tooling import sweep_command

GRIDS = Path(__file__).resolve().parents[2] / "book/grids"


def test_each_of_the_three_kinds_is_read():
    kinds = {"figure_06": RateGrid, "figure_10": TextGrid, "text_graph": GraphGrid}
    for name, kind in kinds.items():
        assert type(sweep_command.read(GRIDS / f"{name}.toml")) is kind


def test_a_grid_of_rates_is_told_how_many_seeds_by_one_number():
    assert sweep_command.read(GRIDS / "figure_06.toml", [7]).seeds == 7
    with pytest.raises(ValueError, match=r"SEEDS = \[7, 8\], allowed: one number"):
        sweep_command.read(GRIDS / "figure_06.toml", [7, 8])


@pytest.fixture
def asked(monkeypatch):
    """Stands for the sweep: a list of the folders that it was asked to fill."""
    folders = []

    def run_sweep(grid, folder, *rest, **named):
        folders.append(folder)
        table = folder / "results.json"
        folder.mkdir(parents=True)
        table.write_bytes(b"{}")
        return table

    monkeypatch.setattr(sweep_command, "run_sweep", run_sweep)
    monkeypatch.setattr(sweep_command, "read", lambda *_: SimpleNamespace(runs=list))
    return folders


def test_results_go_where_they_are_told_or_under_the_grid_s_name(
    asked, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    grid, usual = str(GRIDS / "text_graph.toml"), Path("_build/sweeps/text_graph")
    assert sweep_command.main([grid]) == 0
    assert f"results: {usual / 'results.json'}\n" in capsys.readouterr().out
    assert sweep_command.main([grid, "--out", "mine"]) == 0
    assert asked == [usual, Path("mine")]


def test_a_table_on_a_text_can_be_stored_and_one_of_rates_cannot(
    asked, tmp_path, monkeypatch, capsys, varied
):
    monkeypatch.chdir(tmp_path)
    varied(data=tmp_path / "data")
    for name, status in {"figure_10": 0, "text_graph": 0, "figure_06": 1}.items():
        assert sweep_command.main([str(GRIDS / f"{name}.toml"), "--store"]) == status
        assert (tmp_path / f"data/{name}.json").exists() == (status == 0)
    assert capsys.readouterr().err.startswith("error: --store = ")
    assert sweep_command.main([str(GRIDS / "figure_06.toml")]) == 0


@pytest.mark.parametrize("name", ["figure_07", "figure_10", "figure_10_token"])
def test_each_cell_of_a_stored_table_can_be_run_again_on_the_embedded_text(name):
    runs = json.loads((current().data / f"{name}.json").read_text(encoding="utf-8"))["runs"]
    whole = sweep_command.read(GRIDS / f"{name}.toml")
    for run in {run["cell"]: run for run in runs}.values():
        grid = sweep_command.narrowed(whole, "embedded", run["cell"])
        one = asdict(grid.cells[run["cell"]].training)
        settings = json.loads(json.dumps(one)) | {"seed": run["training"]["seed"]}
        assert settings == run["training"], run["cell"]


def test_another_text_or_a_cell_is_for_grids_on_a_text_and_never_stored(asked, capsys):
    rates = SimpleNamespace(runs=list)
    with pytest.raises(ValueError, match="CORPUS = 'embedded', allowed: none for such a grid"):
        sweep_command.narrowed(rates, "embedded")
    for more in (["--corpus", "embedded"], ["--cell", "full, eta 1"]):
        assert sweep_command.main([str(GRIDS / "figure_10.toml"), *more, "--store"]) == 1
    assert asked == []


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            ["--cell", "zzz"],
            "CELL = 'zzz', allowed: words of the name of a cell: full, eta 1; plain, ",
        ),
        (["--seeds", "1", "1"], "SEEDS = [1, 1], allowed: no value twice"),
        (["--out", "file/deep"], "OUT = 'file/deep', allowed: a folder that is there or can be"),
        (["--out", "file"], "OUT = 'file', allowed: a folder that is there or can be made (File "),
    ],
)
def test_what_is_wrong_is_called_as_it_was_typed(more, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    grid = tmp_path / "grid.toml"
    text = (GRIDS / "figure_10.toml").read_text(encoding="utf-8")
    grid.write_text("\ufeff" + text.replace('"wikitext"', '"embedded"'), encoding="utf-8")
    assert sweep_command.main([str(grid), *more]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"error: {words}") and said.count("\n") == 1


def test_a_grid_that_is_not_named_is_said_to_be_nothing(capsys):
    assert sweep_command.main([""]) == 1
    assert capsys.readouterr().err.startswith("error: GRID = '', allowed: an existing TOML file")
