"""What a stored notebook must be: whole, closed, its tables those of its rows, hashed."""

import copy

import nbformat
import pytest
from ledgerbook.chapters.notebooks import code_cells, ledger_outputs
from ledgerbook.execution import snapshot


def problems(notebook):
    """All problems in one text."""
    return "\n".join(snapshot.problems(notebook))


def test_an_execution_is_sound(executed):
    assert problems(executed) == ""
    assert snapshot.execution_problem(executed) is snapshot.record_problem(executed) is None


def test_cells_must_be_executed_in_order(executed):
    code_cells(executed)[0].execution_count = None
    assert "not executed" in problems(executed)
    code_cells(executed)[0].execution_count = 3
    assert "in order" in problems(executed)


def test_the_ledger_must_be_closed_and_hold_what_was_shown(executed):
    dropped = ledger_outputs(executed)[0]["rows"].pop()
    assert f"differ: {dropped['id']}" in problems(executed)
    code_cells(executed)[-1].outputs = []
    assert "no ledger row" in problems(executed)


def test_a_shown_table_is_the_one_of_its_rows(executed):
    output = code_cells(executed)[2].outputs[0]
    table = output["data"]["text/markdown"]
    assert "✓ holds" in table
    output["data"]["text/markdown"] = table.replace("✓ holds", "✗ fails", 1)
    assert "(text/markdown) is not the one of its rows" in problems(executed)
    output["data"]["text/markdown"] = table
    output["data"]["text/html"] = table
    assert "(text/html) is not the one" in problems(executed)


@pytest.mark.parametrize("tag", ["hide-cell", "hide-output"])
def test_rows_are_not_hidden(executed, tag):
    code_cells(executed)[2].metadata["tags"] = ["hide-input"]
    assert problems(executed) == ""
    code_cells(executed)[2].metadata["tags"] = [tag]
    assert "hide rows" in problems(executed)


def test_a_summary_is_the_one_of_its_record(executed):
    output = code_cells(executed)[-1].outputs[0]
    output["data"]["text/plain"] = output["data"]["text/plain"].replace("3 of 4", "4 of 4")
    assert "(text/plain) is not the one of its rows: closing record" in problems(executed)


@pytest.mark.parametrize(("key", "value"), [("margin", 9.99), ("passed", False)])
def test_what_follows_from_a_row_is_computed_again(executed, key, value):
    shown, closed = ledger_outputs(executed)
    shown["rows"][0][key] = closed["closed"]["claims"][0][key] = value
    assert f"row first: {key} is {value!r}, but follows to be" in problems(executed)


def test_stderr_errors_and_outputs_in_empty_cells_are_refused(executed):
    for output, words in (
        (nbformat.v4.new_output("stream", name="stderr", text="a\na cache at x\n"), "a cache at x"),
        (nbformat.v4.new_output("error", ename="E", evalue="v", traceback=[]), "error: E: v"),
    ):
        notebook = copy.deepcopy(executed)
        code_cells(notebook)[0].outputs.append(output)
        assert words in problems(notebook)
    empty = nbformat.v4.new_code_cell("", outputs=[nbformat.v4.new_output("stream", text="x")])
    executed.cells.append(empty)
    assert "not executed 1..6 in order" in problems(executed)
    assert "altered by hand" in snapshot.record_problem(executed)


@pytest.mark.parametrize("tag", ["remove-cell", "nbval-skip", "raises-exception"])
def test_tags_that_hide_or_excuse_are_refused(executed, tag):
    code_cells(executed)[2].metadata["tags"] = [tag]
    assert f"tags ['{tag}'], allowed: parameters" in problems(executed)


def test_outputs_are_those_of_their_record(executed, change):
    make, _ = change
    make(executed)
    assert "altered by hand" in snapshot.record_problem(executed)
    del executed.metadata["book"]
    assert "no record" in snapshot.record_problem(executed)
