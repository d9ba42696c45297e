"""Grids of a text's graphs: read, refused, run."""

import json

import pytest

from lib.bridge.graph_grid import GraphGrid, is_graph_grid, read_graph_grid
from lib.sweeps.run import run_sweep

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


def test_a_grid_gives_a_table_of_three_parts(file, tmp_path):
    grid = read_graph_grid(file)
    assert is_graph_grid(file) and len(grid.text.train) == 8000 and len(grid.text.test) == 2000
    table = json.loads(run_sweep(grid, tmp_path / "out", "command").read_text(encoding="utf-8"))
    assert table["presence"]["3"]["window"] > table["presence"]["3"]["elsewhere"]
    assert table["text"][0]["length"] == 4 and "trained layer" in table["text"][0]["laws"]
    assert "trained layer" not in table["shuffled"][0]["laws"]
    assert sum(table["text"][0]["counts"]) > 500
    assert table["provenance"]["command"] == "command"


@pytest.mark.parametrize(
    ("line", "word"),
    [("lengths = [1]", "lengths"), ("lengths = []", "lengths"), ("tokens = -1", "tokens")],
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


def test_the_default_is_the_grid_of_the_book():
    assert GraphGrid(corpus="embedded").lengths == (32,)
