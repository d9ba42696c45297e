"""What counts as a difference of outputs: exactly what a reader would see, and no rounding."""

import copy

import pytest
from ledgerbook.chapters.notebooks import code_cells, ledger_outputs
from ledgerbook.printed import numbers_agree, texts_agree
from ledgerbook.regression.compare import (
    notebook_differences,
    output_differences,
    row_differences,
    values_agree,
)


def test_an_execution_agrees_with_itself(executed):
    assert notebook_differences(executed, copy.deepcopy(executed)) == []


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
    assert notebook_differences(stored, executed, exact=True) != []


def test_a_row_that_is_missing_or_new_is_named(executed):
    stored = copy.deepcopy(executed)
    gone = ledger_outputs(stored)[0]["rows"].pop(1)
    for one, other in ((stored, executed), (executed, stored)):
        lines = [str(difference) for difference in notebook_differences(one, other)]
        assert len(lines) == 1 and f"row {gone['id']}" in lines[0] and "nothing" in lines[0]


def test_the_order_of_rows_counts(executed):
    stored = copy.deepcopy(executed)
    ledger_outputs(stored)[0]["rows"].reverse()
    assert [d.place for d in notebook_differences(stored, executed)] == ["order of the rows"]


def test_the_bytes_of_a_picture_are_free_and_its_words_are_not(executed):
    stored = copy.deepcopy(executed)
    output = code_cells(stored)[3].outputs[0]
    output["data"]["image/png"] = "AAAA"
    assert notebook_differences(stored, executed) == []
    assert len(notebook_differences(stored, executed, exact=True)) == 1
    output["data"]["text/plain"] = "[another figure]"
    assert len(notebook_differences(stored, executed)) == 1


def test_stderr_and_outputs_of_another_kind_are_differences(executed):
    stored, computed = (copy.deepcopy(code_cells(executed)[1].outputs) for _ in range(2))
    computed.append({"output_type": "stream", "name": "stderr", "text": "a warning\n"})
    found = output_differences("cell", stored, [type(stored[0])(output) for output in computed])
    assert {difference.place for difference in found} == {"cell: an output", "cell: stderr"}
    assert output_differences("cell", stored, []) != []


def test_an_output_of_another_kind_is_named_by_both_kinds(executed):
    picture, printed = code_cells(executed)[3].outputs[:1], code_cells(executed)[1].outputs
    (found,) = output_differences("cell", picture, printed)
    assert found.place == "cell: kind of output"
    assert found.stored.endswith(" of image/png, text/plain")
    assert found.computed == "stream of stdout"


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


def test_a_bound_that_becomes_an_interval_is_a_difference():
    assert not values_agree(0.1, [0.1, 0.2], 1e-6, 0)
    assert not values_agree([0.1, 0.2], 0.1, 1e-6, 0)
    assert values_agree([0.1, 0.2], [0.1, 0.2 * (1 + 1e-9)], 1e-6, 0)


def test_numbers_of_an_erratum_are_compared_by_their_size_alone():
    numbers = [2.0, 0.5, 1e-9]
    for factor, same in ((1 + 1e-8, True), (1 + 1e-5, False)):
        for place in range(3):
            moved = [x * (factor if k == place else 1) for k, x in enumerate(numbers)]
            found = row_differences("E1", {"numbers": numbers}, {"numbers": moved})
            assert (found == []) is same
