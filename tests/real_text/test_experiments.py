"""The cells of the experiments are those that the stored tables were made of."""

from dataclasses import asdict

import numpy as np
import pytest

from lib.real_text.corpus import Corpus
from lib.real_text.experiments import EXPERIMENTS
from lib.real_text.models import Architecture
from lib.real_text.tables import stored
from lib.real_text.text_grid import TextGrid
from lib.real_text.token_effects import READ, queries_of

STORED = {
    "figure_07": ["figure_07.json", "figure_07_unclipped.json"],
    "figure_10": ["figure_10.json", "figure_10_token.json", "figure_10_shuffled.json"],
}


def listed(value):
    """As JSON gives it back: tuples are lists."""
    if isinstance(value, dict):
        return {name: listed(item) for name, item in value.items()}
    return [*map(listed, value)] if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("experiment", STORED)
def test_every_stored_run_is_of_its_experiment_s_cell(experiment):
    seen = set()
    for file in STORED[experiment]:
        table = stored(file)
        size = table["provenance"]["vocab_size"], table["provenance"]["width"]
        cells = EXPERIMENTS[experiment].cells(*size)
        for run in table["runs"]:
            cell = cells[run["cell"]]
            seen.add(run["cell"])
            # these tables name the seed beside the training; inside they have the default
            wanted = asdict(cell.training) | {"seed": run["training"]["seed"]}
            assert run["training"] == listed(wanted)
            own = isinstance(cell.model, Architecture)
            assert run["architecture"] == (listed(asdict(cell.model)) if own else None)
    assert seen == cells.keys()


def test_what_is_not_said_is_as_in_figure_7_and_10():
    (one, *_) = (run for run in stored("figure_07.json")["runs"] if run["cell"] == "one layer")
    assert asdict(Architecture(8000)) == one["architecture"]
    table, grid = stored("figure_10.json"), TextGrid("figure_10")
    origin = table["provenance"]
    assert (grid.vocab_size, grid.width) == (origin["vocab_size"], origin["width"])
    assert set(grid.seeds) == {run["seed"] for run in table["runs"]}


def test_the_stored_effects_are_of_the_cells_and_times_of_their_experiment():
    table, experiment = stored("token_by_token.json"), EXPERIMENTS["token_by_token"]
    cells = experiment.cells(8000, 200)
    assert {row["cell"] for row in table["cells"]} == cells.keys()
    for name, cell in cells.items():
        times = {row["iteration"] for row in table["cells"] if row["cell"] == name}
        assert times == {*experiment.logits_at, cell.training.iterations}
    assert {len(words) for words in table["examples"].values()} == {READ}
    slow, fast = (cells[f"token (Y, Z){more}"].training for more in (", slow attention", ""))
    assert fast.rate == 4 * slow.rate and slow.rates == (("Z", 0.1),)


def test_the_two_hundred_commonest_words_are_the_queries():
    words = ("<unk>", *(f"w{i}" for i in range(299)))
    ids = np.arange(300)
    corpus = Corpus("text", ids, ids, ids, words, 300, "0" * 64)
    assert queries_of(corpus) == list(range(1, 200))
