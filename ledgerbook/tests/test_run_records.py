"""What a run leaves: its record, its copy, and what a stored chapter carries."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.execution import environment, run_records, snapshot
from ledgerbook.project.project import current
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output


@pytest.fixture
def row(project, monkeypatch):
    """A chapter that this machine has executed for its present inputs."""
    row = SimpleNamespace(tag="a.lemma-01", chapter=current().book / "a" / "lemma_01.ipynb")
    for file in (row.chapter, run_records.executed(row)):
        file.parent.mkdir(parents=True)
        file.touch()
    monkeypatch.setattr(notebooks, "read", lambda file: file.read_bytes())
    monkeypatch.setattr(fingerprint, "fingerprint", lambda notebook: "now")
    run_records.save(row.tag, record())
    return row


def record(**other):
    return {"error": None, "inputs": "now", "environment": environment.described()} | other


@pytest.mark.parametrize("other", [{}, {"error": "x"}, {"inputs": "before"}, {"environment": "3"}])
def test_a_chapter_is_fresh_after_its_run_on_the_same_inputs_and_python(row, other):
    run_records.save(row.tag, record(**other))
    assert run_records.is_fresh(row) is (other == {})


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_record_that_is_damaged_counts_as_none(row, text):
    run_records.path(row.tag).write_text(text, encoding="utf-8")
    assert run_records.load(row.tag) == {} and run_records.is_fresh(row) is False


@pytest.mark.parametrize("lost", ["the record", "the copy", "the notebook"])
def test_without_its_record_its_copy_or_a_sound_notebook_it_is_not(row, lost):
    copy = run_records.executed(row)
    {"the copy": copy, "the record": run_records.path(row.tag)}.get(lost, row.chapter).unlink()
    assert run_records.is_fresh(row) is False


def test_a_copy_that_is_damaged_is_said_and_made_again(row, monkeypatch):
    def read(file):
        raise ValueError(f"{file.name} is no notebook")

    assert run_records.last(row).notebook == b"" and run_records.is_fresh(row)
    monkeypatch.setattr(notebooks, "read", read)
    assert run_records.last(row).error == "lemma_01.ipynb is no notebook; run `make book` again"
    assert run_records.is_fresh(row) is False


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
    ("counts", "words"),
    [
        ([1, 2, None, None], "code cell 2 ended the run, as sys.exit() does: none below it"),
        ([None, None], "no code cell is executed, or the outputs were stripped"),
        ([2, 1], "code cells are not executed 1..2 in order: [2, 1]"),
        ([1, None, 2], "code cells are not executed 1..3 in order: [1, None, 2]"),
    ],
)
def test_where_a_run_ended_is_told(counts, words):
    notebook = executed(*([] for _ in counts))
    for cell, count in zip(notebook.cells[1:], counts):
        cell.execution_count = count
    assert snapshot.execution_problem(notebook).startswith(words)


def test_outputs_without_end_are_refused():
    notebook = executed([new_output("stream", text="x" * 3_000_000)])
    assert snapshot.execution_problem(notebook) == (
        "code cell 1: its outputs take 3.0 MB, allowed: 2 MB"
    )


def test_outputs_are_put_into_the_same_code_and_locked():
    done, notebook = executed([new_output("stream", text="1")]), executed([stderr("old")])
    notebook.cells[0].source = "other words"
    new = snapshot.with_outputs(notebook, done, "inputs")
    assert new is notebook and new.cells[0].source == "other words"
    assert [output.text for cell in new.cells[1:] for output in cell.outputs] == ["1"]
    assert snapshot.record_problem(new) is None and snapshot.record(new)["inputs"] == "inputs"
    done.cells.append(new_code_cell("f(2)"))
    with pytest.raises(ValueError, match="longer"):
        snapshot.with_outputs(notebook, done, "inputs")
