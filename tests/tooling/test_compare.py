"""What counts as a difference of outputs: exactly what a reader would see, and no rounding."""

import copy

import pytest
from ledgerbook.chapters.notebooks import code_cells, ledger_outputs
from ledgerbook.regression.compare import (
    notebook_differences,
    numbers_agree,
    texts_agree,
)


def test_a_change_by_hand_is_named_once(executed, change):
    make, words = change
    stored = copy.deepcopy(executed)
    make(stored)
    lines = [str(difference) for difference in notebook_differences(stored, executed)]
    assert len(lines) == 1 and words in lines[0]
    assert [words in str(d) or "stored" in str(d) for d in notebook_differences(executed, stored)]


@pytest.mark.parametrize(
    ("id", "factor", "same"),
    [
        ("first", 1 + 1e-9, True),
        ("first", 1 + 1e-5, False),
        ("zero", 3.0, True),
        ("zero", 1e5, False),
    ],
)
def test_rows_are_compared_by_their_own_tolerance(executed, id, factor, same):
    stored = copy.deepcopy(executed)
    for output in ledger_outputs(stored):
        for row in output.get("rows", ()) or output["closed"]["claims"]:
            row["observed"] *= factor if row["id"] == id else 1
    assert (notebook_differences(stored, executed) == []) == same


def test_a_picture_s_words_are_compared_and_itself(executed):
    for kind, other in (("image/png", "AAAA"), ("text/plain", "[another figure]")):
        stored = copy.deepcopy(executed)
        code_cells(stored)[3].outputs[0]["data"][kind] = other
        assert len(notebook_differences(stored, executed)) == 1


@pytest.mark.parametrize(
    ("stored", "computed", "same"),
    [
        ("x = 0.29999", "x = 0.30000", True),
        ("x = 0.29999", "x = 0.30001", False),
        ("x = 0.29999", "x = 0.3001", False),
        ("n = 7", "n = 8", False),
        ("a 1.5e-3", "a 1.6e-3", True),
        ("a 1.5e-3", "a 1.8e-3", False),
        ("up 1.0", "down 1.0", False),
        ("[ 1.   0.25]", "[1. 0.25]", False),
        ("[ 1.   0.25]", "[ 2.   0.25]", False),
        ("1e5", "2e5", False),
        ("0.3", "0.35", False),
        ("0.30", "0.3", True),
        ("1.5", "1.549", False),
        ("0.00", "-0.00", True),
        ("0.01", "0.02", False),
        ("7", "7.0", False),
        ("version 1.5x", "version 1.6x", False),
    ],
)
def test_printed_numbers_are_free_by_their_last_digit(stored, computed, same):
    assert texts_agree(stored, computed) == texts_agree(computed, stored) == same


def test_a_number_agrees_with_itself_however_long():
    assert all(numbers_agree(text, text) for text in ("1e5", "0.3", "7", "-1.25e-300"))
