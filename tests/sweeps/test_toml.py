"""TOML files of grids: tables by name, and lists of seeds that are none are refused in words."""

import pytest

from lib.sweeps.toml import read_tables, require_run_count, require_seeds


def test_tables_are_read_by_their_names(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text("[text]\nwidth = 4\n[run]\nsteps = 80\n")
    assert read_tables(path) == {"text": {"width": 4}, "run": {"steps": 80}}


@pytest.mark.parametrize("seeds", [[3], (3, 0, 2**31)])
def test_seeds_are_kept_in_their_order(seeds):
    assert require_seeds("seeds", seeds) == tuple(seeds)


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        ([], r"seeds = \[\], allowed: a list of seeds"),
        (5, "seeds = 5, allowed: a list of seeds"),
        ("12", "seeds = '12', allowed: a list of seeds"),
        ([1, -1], "seeds = -1"),
        ([4, 5, 4], r"seeds = \[4, 5, 4\], allowed: no value twice"),
    ],
)
def test_what_is_no_list_of_different_seeds_is_refused(seeds, words):
    with pytest.raises(ValueError, match=words):
        require_seeds("seeds", seeds)


def test_a_million_runs_are_the_most():
    require_run_count(1_000_000)
    with pytest.raises(ValueError, match="runs = 1000001, allowed: at most 1000000 in one grid"):
        require_run_count(1_000_001)
