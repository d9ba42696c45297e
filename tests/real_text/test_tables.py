"""Facts about reading the stored tables: trends, levels, intervals, and that the tables hold no
text.
"""

import platform
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from scipy import stats

from lib.real_text.tables import (
    at,
    entropy_at_loss,
    falling_trend,
    json_bytes,
    made_with,
    mean_limits,
    provenance,
    rounded,
    series,
    stored,
)

RUNS = [
    {
        "cell": "a",
        "seed": seed,
        "records": [
            {"iteration": t, "loss": 3.0 - t / 100 + seed, "entropy": 2.0 - t / 200}
            for t in (0, 100, 200)
        ],
        "gaps": [],
    }
    for seed in (0, 1)
]


def test_a_perfect_fall_is_seen_and_a_perfect_rise_is_not():
    fall = np.tile([5.0, 4, 3, 2, 1], (3, 1))
    assert falling_trend(fall) < 1e-3 < 0.99 < falling_trend(-fall)


def test_entropy_at_a_level_is_read_between_checkpoints():
    loss, entropy = [4.0, 3.0, 3.5, 2.0], [2.0, 1.0, 0.9, 0.5]
    assert entropy_at_loss(loss, entropy, 3.5) == pytest.approx(1.5)
    assert entropy_at_loss(loss, entropy, 2.5) == pytest.approx(
        0.7
    )  # the bump at the third checkpoint does not count
    assert entropy_at_loss(loss, entropy, 4.0) == 2.0
    assert entropy_at_loss([4.0, 2.0], [2.0, 1.0], 2.5) == 1.25
    with pytest.raises(ValueError, match="level = 1.0, allowed: at least 2, the lowest loss"):
        entropy_at_loss(loss, entropy, 1.0)


def test_limits_are_students():
    values = np.array([1.0, 2.0, 4.0])
    mean, low, high = mean_limits(values)
    assert (low, high) == pytest.approx(
        stats.t.interval(0.95, 2, values.mean(), stats.sem(values))
    ) and mean == pytest.approx(7 / 3)
    with pytest.raises(ValueError, match="runs"):
        mean_limits([1.0])


def test_series_and_single_numbers():
    assert series(RUNS, "a", "loss").shape == (2, 3) and at(RUNS, "a", 200, "loss").tolist() == [
        1.0,
        2.0,
    ]
    for nothing in (("a", 200, "loss", "gaps"), ("b", 200, "loss"), ("a", 0, "change")):
        assert len(at(RUNS, *nothing)) == 0
    assert len(series(RUNS, "b", "loss")) == 0


def test_a_run_that_diverged_at_its_end_is_left_out():
    *records, last = RUNS[1]["records"]
    diverged = RUNS[1] | {"records": [*records, last | {"diverged": True}]}
    assert series([RUNS[0], diverged], "a", "loss").tolist() == [[3.0, 2.0, 1.0]]


def test_numbers_are_rounded_and_equal_tables_are_equal_bytes():
    table = rounded({"b": np.eye(2) / 3, "a": [1.23456789]})
    assert json_bytes(table) == b'{"a":[1.23457],"b":[[0.333,0.0],[0.0,0.333]]}'
    assert json_bytes(dict(reversed(table.items()))) == json_bytes(table)


def test_a_stored_table_that_is_missing_is_an_error():
    with pytest.raises(ValueError, match="table = 'figure_99.json'"):
        stored("figure_99.json")


@pytest.mark.parametrize("file", ["figure_07", "figure_10", "figure_10_token", "token_by_token"])
def test_stored_tables_say_where_they_come_from_and_hold_no_running_text(file):
    table = stored(f"{file}.json")
    assert {"corpus", "command", "made", "python", "torch"} <= table["provenance"].keys()

    def longest(value):
        parts = (
            value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        )
        words = [item for item in parts if isinstance(item, str)]
        return max([len(words) if isinstance(value, list) else 0, *map(longest, parts)])

    assert longest({key: value for key, value in table.items() if key != "provenance"}) <= 6


def test_a_sentence_says_what_a_table_was_made_with():
    corpus = SimpleNamespace(summary=lambda: "text")
    said = made_with({"provenance": provenance(corpus, "make it", width=8)})
    versions = f"Python {platform.python_version()}, torch {torch.__version__}"
    assert said == f"text; width 8; {versions}; make it"
