"""Grids of a text's graphs: read, refused, run."""

import json
from dataclasses import replace

import pytest
from ledgerbook.project.project import current

from lib.bridge.graph_grid import GraphGrid, is_graph_grid, read_graph_grid, run_graph
from lib.sweeps.run import run_sweep
from lib.sweeps.store import Result

SMALL = """[graph]
corpus = "embedded"
vocab_size = 30
tokens = 8000
lengths = [4]
seen = [3]
steps = 3
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("lengths = [1]", "lengths"),
        ("lengths = []", "lengths"),
        ("lengths = 4", "lengths"),
        ("seen = [2, 1]", "seen"),
        ("tokens = -1", "tokens"),
        ("vocab_size = 9", "vocab_size"),
        ("steps = 0", "steps"),
    ],
)
def test_nonsense_is_refused_by_name(file, line, word):
    kept = [row for row in SMALL.splitlines() if not row.startswith(word)]
    file.write_text("\n".join([*kept, line]), encoding="utf-8")
    with pytest.raises(ValueError, match=f"{file.name}: {word}"):
        read_graph_grid(file)


def test_unknown_settings_are_refused(file):
    file.write_text(SMALL + "width = 3\n", encoding="utf-8")
    with pytest.raises(ValueError, match="graph"):
        read_graph_grid(file)


def test_the_default_is_the_grid_of_the_book_on_all_tokens():
    known = read_graph_grid(current().root / "book/grids/text_graph.toml")
    used = {name: list(getattr(known, name)) for name in ("lengths", "seen")}
    usual = GraphGrid()
    assert {name: list(getattr(usual, name)) for name in used} == used
    assert (usual.corpus, usual.vocab_size) == (known.corpus, known.vocab_size)
    assert (usual.tokens, usual.steps, usual.seed) == (0, known.steps, known.seed)


def test_rows_of_the_table_stand_by_order_then_by_length(file):
    grid = replace(read_graph_grid(file), lengths=(4, 5))
    name, stored = grid.table(lambda run: Result({"name": run.name}, {}), "command")
    table = json.loads(stored)
    assert name == "results.json" and table["presence"] == {"name": "presence"}
    for order in ("text", "shuffled"):
        assert table[order] == [{"name": f"length {length}, {order}"} for length in (4, 5)]


def test_the_record_says_the_settings_and_the_text(file):
    grid = read_graph_grid(file)
    given = {"corpus": "embedded", "vocab_size": 30, "tokens": 8000, "lengths": [4], "seen": [3]}
    assert grid.record() == given | {"steps": 3, "seed": 0, "sha256": grid.text.sha256}


def test_a_grid_gives_a_table_of_three_parts(file, tmp_path):
    grid = read_graph_grid(file)
    assert is_graph_grid(file) and len(grid.text.train) == 8000
    table = json.loads(run_sweep(grid, tmp_path / "out", "command").read_text(encoding="utf-8"))
    assert table["presence"]["3"]["window"] > table["presence"]["3"]["elsewhere"]
    assert table["text"][0]["length"] == 4 and "trained layer" in table["text"][0]["laws"]
    assert "trained layer" not in table["shuffled"][0]["laws"]
    assert sum(table["text"][0]["counts"]) > 500
    assert table["provenance"]["command"] == "command"


def test_the_seed_of_the_grid_shuffles_the_text(file):
    grid = read_graph_grid(file)
    first, again, other = (
        run_graph(grid.text, replace(grid, seed=seed).runs()[-1]).record for seed in (1, 1, 2)
    )
    assert first == again and first["counts"] != other["counts"]
