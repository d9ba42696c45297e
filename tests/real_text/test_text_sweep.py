"""Real-text grids: runs depend on their seed alone, and what is finished is not run again."""

import json

import pytest

from lib.real_text import cells
from lib.real_text.cells import in_turn, sweep
from lib.real_text.text_sweep import is_text_grid, read_text_grid, run_text_sweep


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """A short text, one fast cell, and a grid file."""
    words = [
        "the cat sat on the mat .",
        "a dog ran in the park .",
        "the dog saw the cat .",
        "birds sing in the park .",
    ]
    (tmp_path / "text.txt").write_text("\n".join(words * 500))
    two_cells = lambda vocab_size, width: {
        name: (None, cells.Training(rate=5.0, iterations=20, every=10, batch_size=4, length=8))
        for name in ("one", "two")
    }
    monkeypatch.setitem(cells.GRIDS, "figure_10", two_cells)
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f'[text]\nexperiment = "figure_10"\ncorpus = "{tmp_path / "text.txt"}"\nvocab_size ='
        " 20\nwidth = 4\nseeds = [0, 1]\n"
    )
    return grid


def test_the_grids_of_the_book_are_good():
    grids = [
        path
        for path in (cells.corpora.PROJECT_ROOT / "book/grids").glob("*.toml")
        if is_text_grid(path)
    ]
    assert {read_text_grid(path).experiment for path in grids} >= {"figure_10"}


def test_dask_gives_what_one_process_gives_and_resumes(tiny, tmp_path):
    done = []
    table = run_text_sweep(tiny, tmp_path / "out", progress=lambda runs: done.extend(runs) or runs)
    assert len(done) == 4
    first = table.read_text()
    runs = json.loads(first)["runs"]
    assert [(run["cell"], run["seed"]) for run in runs] == [
        ("one", 0),
        ("one", 1),
        ("two", 0),
        ("two", 1),
    ]
    assert runs[0]["records"] != runs[1]["records"]  # the seed matters
    grid = read_text_grid(tiny)
    corpus = cells.corpora.load(grid.corpus, grid.vocab_size)
    folder = sweep(
        "figure_10", corpus, grid.width, grid.seeds, folder=tmp_path / "alone", finished=in_turn
    )
    for path in folder.glob("*.json"):
        alone, shared = (
            json.loads((root / folder.name / path.name).read_text())
            for root in (tmp_path / "alone", tmp_path / "out")
        )
        assert {**alone, "seconds": 0} == {**shared, "seconds": 0}
    next((tmp_path / "out" / folder.name).glob("one-1.json")).unlink()
    done.clear()
    again = run_text_sweep(tiny, tmp_path / "out", progress=lambda runs: done.extend(runs) or runs)
    assert done == [("one", 1)] and again.read_text() == first


def test_a_run_that_was_interrupted_goes_on_inside(tiny, tmp_path, monkeypatch):
    """Killed between two states, a run ends as if it had not been, maps, gaps and logits included,
    and leaves no state behind.
    """
    monkeypatch.setattr(cells, "LONG_GAP", 20)
    corpus = cells.corpora.load(read_text_grid(tiny).corpus, 20)
    settings = cells.Training(rate=5.0, iterations=100, every=10, batch_size=4, length=8)
    run = lambda **resume: cells.run_cell(
        corpus, None, settings, windows=4, keep=(0, 20, 100), **resume
    )
    whole, state = run(), tmp_path / "state"
    measure, calls = cells.attention_statistics, []

    def killed(*maps):
        calls.append(1)
        if len(calls) == 4:  # at iteration 80; the last state on disk is that of 50
            raise KeyboardInterrupt
        return measure(*maps)

    monkeypatch.setattr(cells, "attention_statistics", killed)
    with pytest.raises(KeyboardInterrupt):
        run(resume=state)
    assert state.exists()
    monkeypatch.setattr(cells, "attention_statistics", measure)
    steps, train = [], cells.train
    monkeypatch.setattr(
        cells,
        "train",
        lambda model, *rest, observe, **named: train(
            model, *rest, observe=lambda i, *seen: steps.append(i) or observe(i, *seen), **named
        ),
    )
    again = run(resume=state)
    assert steps == [60, 70, 80, 90, 100] and not state.exists()
    assert (
        again["records"] == whole["records"]
        and again["gaps"] == whole["gaps"]
        and len(whole["gaps"]) == 5
    )
    for name in ("maps", "logits"):
        assert again[name].keys() == whole[name].keys()
        assert all((again[name][i] == whole[name][i]).all() for i in whole[name])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('experiment = "figure_99"', "experiment = 'figure_99', allowed: one of"),
        ('experiment = "figure_10"\nseeds = []', r"seeds = \[\]"),
        ('experiment = "figure_10"\nwidth = 0', "width = 0"),
        ('experiment = "figure_10"\noutput = "float16"', "output = 'float16', allowed: one of"),
        ('experiment = "figure_10"\nspeed = 1', "allowed: experiment, and of"),
        ('experiment = "figure_10"\nonly = ["nothing"]', r"only = \['nothing'\]"),
        ('experiment = "figure_10"\nonly = "plain"', "only = 'plain', allowed: a list"),
        ('experiment = "figure_10"\nseeds = [0, "a"]', "seeds = 'a'"),
        ('experiment = "figure_10"\nseeds = [0, 0]', "no value twice"),
        ("experiment = [", "not TOML"),
    ],
)
def test_a_bad_grid_is_refused_by_name(tmp_path, line, message):
    path = tmp_path / "bad.toml"
    path.write_text(f"[text]\n{line}\n")
    with pytest.raises(ValueError, match=message) as refusal:
        read_text_grid(path)
    assert str(path) in str(refusal.value)
