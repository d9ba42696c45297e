"""Real-text grids: a run is its settings, tables hold what was asked, bad files are refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lib.real_text import experiments, text_grid
from lib.real_text.experiments import EXPERIMENTS, Experiment, token_cell
from lib.real_text.text_grid import TextGrid, is_text_grid, read_text_grid, run_text
from lib.sweeps.run import run_sweep
from lib.sweeps.store import Result
from tooling import sweep_command

ROOT = Path(__file__).resolve().parents[2]
SENTENCES = [
    "the cat sat on the mat .",
    "a dog ran in the park .",
    "the dog saw the cat .",
    "birds sing in the park .",
]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join(SENTENCES * 500))
    return path


@pytest.fixture
def tiny(text, monkeypatch):
    """Two fast cells on a short text: one is drawn, one reads the text shuffled."""
    cell = lambda vocab_size, rate: token_cell(
        vocab_size, rate=rate, iterations=20, every=10, batch_size=4, length=8
    )
    cells = lambda vocab_size, width: {
        "one": cell(vocab_size, 5.0),
        "two": replace(cell(vocab_size, 5.0), shuffled=True),
    }
    monkeypatch.setitem(EXPERIMENTS, "figure_10", Experiment(cells, drawn=("two",)))
    return TextGrid("figure_10", str(text), vocab_size=20, width=4, seeds=(3, 12))


def test_the_grids_of_the_book_are_good():
    grids = [path for path in (ROOT / "book/grids").glob("*.toml") if is_text_grid(path)]
    assert {read_text_grid(path).experiment for path in grids} == set(EXPERIMENTS)


def test_a_table_is_repeated_to_the_byte_and_says_what_was_run(tiny, tmp_path):
    """Maps are those of drawn cells and of the first seed alone."""
    first = run_sweep(tiny, tmp_path / "a", command="make it").read_bytes()
    assert run_sweep(tiny, tmp_path / "b", command="make it").read_bytes() == first
    table = json.loads(first)
    runs = [(run["cell"], run["seed"], run["training"]["seed"]) for run in table["runs"]]
    assert runs == [("one", 3, 3), ("one", 12, 12), ("two", 3, 3), ("two", 12, 12)]
    assert [sorted(run.get("maps", ())) for run in table["runs"]] == [[], [], ["0", "20"], []]
    assert table["runs"][0]["records"] != table["runs"][1]["records"]
    assert table["provenance"]["command"] == "make it"


@pytest.mark.parametrize(
    "change", [{"output": "plain"}, {"vocab_size": 10}, {"seeds": (3, 13)}, {"device": "meta"}]
)
def test_every_choice_of_the_grid_is_in_the_key(tiny, change):
    runs = lambda grid: [run.settings for run in grid.runs()]
    assert runs(replace(tiny, **change)) != runs(tiny)


def test_the_book_s_shuffled_cells_say_so():
    cells = experiments.token_by_token_cells(100, 8)
    assert {name for name, cell in cells.items() if cell.shuffled} == {
        "token (Y, Z), shuffled",
        "plain, shuffled",
    }
    assert not any(cell.shuffled for cell in EXPERIMENTS["figure_07"].cells(100, 8).values())
    cells = EXPERIMENTS["figure_10"].cells(100, 8)
    assert all(cell.shuffled == name.startswith("shuffled") for name, cell in cells.items())


def test_logits_are_kept_where_the_experiment_asks(tiny, monkeypatch):
    asked = replace(EXPERIMENTS["figure_10"], logits_at=(0, 10))
    monkeypatch.setitem(EXPERIMENTS, "figure_10", asked)
    grid = replace(tiny)
    logits = run_text(grid.text, grid.cells, Path("nowhere"), grid.run_of("one", 3)).arrays
    assert list(logits) == ["0", "10", "20"]
    assert not logits["0"].any() and logits["20"].any()


def test_a_table_of_effects_is_made_of_each_run_s_logits(tiny, monkeypatch):
    asked = replace(EXPERIMENTS["figure_10"], logits_at=(0,))
    monkeypatch.setitem(EXPERIMENTS, "figure_10", asked)

    def effects(text, cells, seeds, logits_of):
        return {name: [float(logits_of(name, seed)[0]) for seed in seeds] for name in cells}

    monkeypatch.setattr(text_grid, "grid_effects", effects)
    read = lambda run: Result({}, {"0": np.float64(run.settings["training"]["seed"] / 3)})
    table = json.loads(replace(tiny).table(read, "make it")[1])
    assert table.pop("provenance")["command"] == "make it"
    assert table == {"one": [1.0, 4.0], "two": [1.0, 4.0]}


def test_a_table_goes_into_the_book_s_data_only_when_asked(tiny, text, tmp_path, varied):
    varied(data=tmp_path / "data")
    grid = tmp_path / "mine.toml"
    grid.write_text(
        f'[text]\nexperiment = "figure_10"\ncorpus = "{text}"\nvocab_size = 20\nwidth = 4\n'
    )
    command = [str(grid), "--out", str(tmp_path / "out"), "--seeds", "7"]
    assert sweep_command.main(command) == 0 and not (tmp_path / "data").exists()
    assert sweep_command.main([*command, "--store"]) == 0
    stored = json.loads((tmp_path / "data/mine.json").read_bytes())
    assert stored["provenance"]["command"] == 'make sweep GRID=mine.toml SEEDS="7"'
    assert {run["seed"] for run in stored["runs"]} == {7}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('experiment = "figure_99"', "experiment = 'figure_99', allowed: one of"),
        ('experiment = "figure_10"\nseeds = []', r"seeds = \[\]"),
        ('experiment = "figure_10"\nseeds = 5', "seeds = 5, allowed: a list"),
        (f'experiment = "figure_10"\nseeds = [{2**62}]', "seeds = "),
        ('experiment = "figure_10"\nwidth = 0', "width = 0"),
        ('experiment = "figure_10"\noutput = "float16"', "output = 'float16', allowed: one of"),
        ('experiment = "figure_10"\ndevice = "abacus"', "device = 'abacus'"),
        ('experiment = "figure_10"\nspeed = 1', "allowed: experiment, and of"),
        ('experiment = "figure_10"\nonly = ["nothing"]', r"only = \['nothing'\]"),
        ('experiment = "figure_10"\nonly = "plain"', "only = 'plain', allowed: a list"),
        ('experiment = "figure_10"\nseeds = [0, "a"]', "seeds = 'a'"),
        ('experiment = "figure_10"\nseeds = [0, 0]', "no value twice"),
        ("experiment = [", "not TOML"),
        (
            'experiment = "figure_10"\n[grid]',
            r"tables = \['grid', 'text'\], allowed: \[text\] alone",
        ),
        ("width = 4", r"\[text\] = \['width'\], allowed: experiment, and of corpus, device"),
    ],
)
def test_a_bad_grid_is_refused_by_name(tmp_path, line, message):
    path = tmp_path / "bad.toml"
    path.write_text(f"[text]\n{line}\n")
    with pytest.raises(ValueError, match=message) as refusal:
        read_text_grid(path)
    assert str(path) in str(refusal.value)


def test_only_cells_whose_name_holds_a_word_are_run(tiny):
    assert list(replace(tiny, only=("tw", "zero")).cells) == ["two"]
    assert list(tiny.cells) == ["one", "two"]


def test_the_record_tells_grids_and_texts_apart(tiny, text):
    before = tiny.record()
    assert before["seeds"] == (3, 12) and before["sha256"] == tiny.text.sha256
    text.write_text(text.read_text().replace("cat", "cow"))
    assert replace(tiny).record() | {"sha256": before["sha256"]} == before != replace(tiny).record()
