"""Records of rows, stored and computed: which rows, and in which order."""

import pytest

from ledgerbook import compare


def record(ids):
    """What a chapter with these rows closes with."""
    return {"closed": {"tag": "a.b", "claims": [{"id": id} for id in ids]}}


@pytest.mark.parametrize(
    "stored, computed, places",
    [
        ("xy", "xy", []),
        ("xy", "yx", ["a.b: order of claims"]),
        ("xy", "y", ["a.b row x"]),
        ("y", "xy", ["a.b row x"]),
    ],
)
def test_a_row_that_moves_is_another_order_and_one_that_is_missing_is_not(stored, computed, places):
    found = compare.ledger_differences([record(stored)], [record(computed)])
    assert [difference.place for difference in found] == places
