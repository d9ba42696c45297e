"""One run: it goes on after a kill as if there had been none, and refuses what does not fit."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from lib.real_text import cells
from lib.real_text.corpus import load
from lib.real_text.experiments import token_cell
from lib.real_text.tables import stored
from tests.real_text.test_text_grid import SENTENCES

CELL = token_cell(20, rate=5.0, iterations=100, every=10, batch_size=4, length=8)


@pytest.fixture
def corpus(tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(SENTENCES * 500))
    return load(str(tmp_path / "text.txt"), 20)


def same(one, other):
    """Whether two runs agree in every number."""
    return (one["records"], one["gaps"]) == (other["records"], other["gaps"]) and all(
        one[name].keys() == other[name].keys()
        and all((one[name][i] == other[name][i]).all() for i in one[name])
        for name in ("maps", "logits")
    )


def test_a_run_that_was_interrupted_goes_on_inside(corpus, tmp_path, monkeypatch):
    """Killed between two states, a run ends as if it had not been, maps, gaps and logits included,
    and leaves no state behind.
    """
    monkeypatch.setattr(cells, "LONG_GAP", 20)
    run = lambda **resume: cells.run_cell(corpus, CELL, windows=4, keep=(0, 20, 100), **resume)
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
    assert same(again, whole) and len(whole["gaps"]) == 5


def test_a_cell_s_order_is_its_seed_s_and_keeps_every_token():
    ids = np.arange(50)
    mixed = replace(CELL, shuffled=True)
    assert CELL.order(ids) is ids
    one, two = (mixed.trained(seed=seed).order(ids) for seed in (1, 2))
    assert sorted(one) == sorted(two) == ids.tolist() and (one != two).any() and (one != ids).any()
    assert (mixed.trained(seed=1).order(ids) == one).all()


def test_twins_drift_apart_and_without_a_nudge_they_do_not(corpus):
    short = CELL.trained(iterations=20)
    for nudge, moved in ((0.0, False), (0.1, True)):
        _, apart = cells.twins(corpus, short, nudge=nudge, windows=4)
        assert [one["iteration"] for one in apart] == [0, 10, 20]
        assert (apart[-1]["change"] > 0) == moved


def test_of_twins_one_is_the_run_itself_and_the_other_may_stop_before_it(corpus):
    short = CELL.trained(iterations=20)
    records, apart = cells.twins(corpus, short, stop=10, windows=4)
    assert records == cells.run_cell(corpus, short, windows=4)["records"]
    both = cells.twins(corpus, short, windows=4)[1]
    assert apart == both[:2]


@pytest.mark.parametrize(("nudge", "apart"), [({"nudge": 0.5}, 0.05), ({}, 1e-7)])
def test_twins_begin_a_tenth_of_the_nudge_apart(corpus, monkeypatch, nudge, apart):
    starts = []

    def keep(model, *_, **__):
        starts.append(torch.cat([p.detach().flatten() for p in model.parameters.values()]))

    monkeypatch.setattr(cells, "train", keep)
    cells.twins(corpus, CELL.trained(iterations=20), windows=4, **nudge)
    assert (starts[1] - starts[0]).std().item() == pytest.approx(apart, rel=0.05)


def test_a_model_with_too_few_tokens_is_refused(corpus):
    with pytest.raises(ValueError, match="model.vocab_size = 5"):
        cells.run_cell(corpus, token_cell(5))


def test_maps_are_kept_every_long_gap_and_at_the_end(corpus, monkeypatch):
    monkeypatch.setattr(cells, "LONG_GAP", 20)
    run = cells.run_cell(corpus, CELL.trained(iterations=50), windows=4, keep=(10,))
    assert list(run["maps"]) == [0, 20, 40, 50] and list(run["logits"]) == [10]
    assert [gap["iteration"] for gap in run["gaps"]] == [20, 40]


def test_the_stored_maps_are_of_this_size_and_this_far_apart():
    kept = [run["maps"] for run in stored("figure_07.json")["runs"] if "maps" in run]
    for maps in kept:
        assert sorted(map(int, maps)) == [k * cells.LONG_GAP for k in range(4)]
        assert {np.shape(one) for one in maps.values()} == {(cells.MAP_SIZE, cells.MAP_SIZE)}
    assert len(kept) == 3
