"""Real-text grids: a run is its settings, tables hold what was asked, bad files are refused."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lib.real_text import experiments, text_grid
from lib.real_text.experiments import EXPERIMENTS, Experiment, token_cell
from lib.real_text.text_grid import TextGrid, is_text_grid, read_text_grid, run_text
from lib.sweeps import workers
from lib.sweeps.run import run_sweep
from lib.sweeps.store import Result
from tests.sweeps.cluster import cluster
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


def table_of(grid, folder, **options):
    return json.loads(run_sweep(grid, folder, **options).read_bytes())


def test_the_grids_of_the_book_are_good():
    grids = [path for path in (ROOT / "book/grids").glob("*.toml") if is_text_grid(path)]
    assert {read_text_grid(path).experiment for path in grids} == set(EXPERIMENTS)


def test_seeds_stand_in_the_records_whatever_they_are(tiny, tmp_path):
    runs = table_of(tiny, tmp_path / "out")["runs"]
    assert [(run["cell"], run["seed"]) for run in runs] == [
        ("one", 3),
        ("one", 12),
        ("two", 3),
        ("two", 12),
    ]
    assert [run["training"]["seed"] for run in runs] == [3, 12, 3, 12]
    assert runs[0]["records"] != runs[1]["records"]


def test_maps_are_kept_of_drawn_cells_and_of_the_first_seed_alone(tiny, tmp_path):
    runs = table_of(tiny, tmp_path / "out")["runs"]
    assert [(run["cell"], run["seed"]) for run in runs if "maps" in run] == [("two", 3)]
    assert sorted(runs[2]["maps"]) == ["0", "20"]


def test_a_table_is_repeated_to_the_byte_and_says_its_command(tiny, tmp_path):
    first = run_sweep(tiny, tmp_path / "a", command="make it").read_bytes()
    assert run_sweep(tiny, tmp_path / "b", command="make it").read_bytes() == first
    assert json.loads(first)["provenance"]["command"] == "make it"


def test_other_settings_are_other_runs(tiny, tmp_path, monkeypatch):
    """Cells whose rate was changed in between are run again; nothing mixes."""
    slow = table_of(tiny, tmp_path / "out")["runs"]
    fast = Experiment(
        lambda *size: {name: cell.trained(rate=50.0) for name, cell in old.cells(*size).items()}
    )
    old = EXPERIMENTS["figure_10"]
    monkeypatch.setitem(EXPERIMENTS, "figure_10", fast)
    again = replace(tiny)
    (tmp_path / "out/grid.json").unlink()
    done = []
    runs = table_of(again, tmp_path / "out", progress=lambda names: done.extend(names) or names)[
        "runs"
    ]
    assert len(done) == 4 and {run["training"]["rate"] for run in runs} == {50.0}
    assert all(a["records"] != b["records"] for a, b in zip(slow, runs))


@pytest.mark.parametrize(
    "change", [{"output": "plain"}, {"vocab_size": 10}, {"seeds": (3, 13)}, {"device": "meta"}]
)
def test_every_choice_of_the_grid_is_in_the_key(tiny, change):
    runs = lambda grid: [run.settings for run in grid.runs()]
    assert runs(replace(tiny, **change)) != runs(tiny)


def test_another_text_is_another_run(tiny, text, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text(text.read_text().replace("cat", "cow"))
    assert all(
        a.settings != b.settings
        for a, b in zip(tiny.runs(), replace(tiny, corpus=str(other)).runs())
    )


def test_shuffled_cells_train_on_the_shuffled_text_and_the_others_do_not(tiny, monkeypatch):
    read, train = [], text_grid.run_cell.__globals__["train"]
    monkeypatch.setitem(
        text_grid.run_cell.__globals__,
        "train",
        lambda model, ids, *rest, **named: read.append(ids) or train(model, ids, *rest, **named),
    )
    for name in ("one", "two"):
        run_text(tiny.text, tiny.cells, Path("nowhere"), tiny.run_of(name, 12))
    straight, mixed = read
    assert (straight == tiny.text.train).all()
    assert (mixed == np.random.default_rng(12).permutation(tiny.text.train)).all()
    assert (mixed != straight).any()


def test_the_book_s_shuffled_cells_say_so():
    cells = experiments.token_by_token_cells(100, 8)
    assert {name for name, cell in cells.items() if cell.shuffled} == {
        "token (Y, Z), shuffled",
        "plain, shuffled",
    }
    for name in ("figure_07", "figure_10"):
        assert not any(cell.shuffled for cell in EXPERIMENTS[name].cells(100, 8).values())


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


def test_a_cluster_gives_what_this_process_gives(text, tmp_path, monkeypatch):
    small = Experiment(
        lambda vocab_size, width: {
            "token (Y, Z)": token_cell(vocab_size, iterations=20, every=10, batch_size=4, length=8)
        }
    )
    monkeypatch.setitem(EXPERIMENTS, "figure_07", small)
    grid = TextGrid("figure_07", str(text), 20, 4, seeds=(0, 5))
    alone = table_of(grid, tmp_path / "alone")
    with cluster(workers=1) as own:
        monkeypatch.setenv(workers.ADDRESS, own.scheduler_address)
        assert table_of(grid, tmp_path / "cluster") == alone


def test_a_table_goes_into_the_book_s_data_only_when_asked(tiny, text, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_command.paths, "DATA", tmp_path / "data")
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


def test_the_smallest_grid_has_two_coordinates_and_ten_types():
    assert TextGrid("figure_10", vocab_size=10, width=2).width == 2
    for wrong in ({"width": 1}, {"vocab_size": 9}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            TextGrid("figure_10", **wrong)
