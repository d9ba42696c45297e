"""Which cell of a stored notebook is wrong, and what its record is."""

import pytest
from ledgerbook.execution import snapshot
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output


def executed(*cells):
    """A notebook of some code cells that were executed in order, with their outputs."""
    made = [new_markdown_cell("words")]
    for number, outputs in enumerate(cells, 1):
        made.append(new_code_cell(f"f({number})", outputs=outputs, execution_count=number))
    return new_notebook(cells=made)


def stderr(text):
    return new_output("stream", name="stderr", text=text)


def test_a_cell_is_told_by_its_number_among_those_with_code():
    error = new_output("error", ename="E", evalue="v", traceback=[])
    notebook = executed([], [stderr("one\ntwo\nthree\n"), error], [stderr(" \n")])
    assert list(snapshot.problems(notebook)) == [
        "code cell 2: something on stderr: three",
        "code cell 2: a stored error: E: v",
        "code cell 3: something on stderr: ",
        "no ledger row: the last cell must be ledger.close()",
    ]
    assert snapshot.execution_problem(notebook) == "code cell 2: something on stderr: three"


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ("# why", False),
        ("name = 'NBVAL_SKIP'", False),
        ("    # nbval_skip", True),
        ("#NBVAL_RAISES_EXCEPTION", True),
    ],
)
def test_a_comment_is_refused_where_it_tells_nbval_to_look_away(line, refused):
    notebook = executed([])
    notebook.cells[1].source = f"x = 1\n{line}"
    assert any("look away" in said for said in snapshot.problems(notebook)) is refused


@pytest.mark.parametrize("counts", [[None, None], [2, 1], [1, 3], [0, 1], [2, 3]])
def test_of_cells_that_were_not_executed_in_order_nothing_else_is_said(counts):
    notebook = executed([stderr("a")], [])
    for cell, count in zip(notebook.cells[1:], counts, strict=True):
        cell.execution_count = count
    (said,) = snapshot.problems(notebook)
    assert said == f"code cells are not executed 1..2 in order: {counts}"


def test_outputs_are_put_into_the_same_code_and_locked():
    done, notebook = executed([new_output("stream", text="1")]), executed([stderr("old")])
    notebook.cells[0].source = "other words"
    notebook.cells.append(new_code_cell("", outputs=[stderr("old")]))
    new = snapshot.with_outputs(notebook, done, "inputs")
    assert new is notebook and new.cells[0].source == "other words"
    assert [output.text for cell in new.cells[1:] for output in cell.outputs] == ["1"]
    assert snapshot.record_problem(new) is None and snapshot.record(new)["inputs"] == "inputs"
    done.cells.append(new_code_cell("f(2)"))
    with pytest.raises(ValueError, match="longer"):
        snapshot.with_outputs(notebook, done, "inputs")
