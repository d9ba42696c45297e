"""One chapter's process: what it records and returns, and what its parent makes of its end."""

import io
import runpy
import shutil
import sys
from types import SimpleNamespace

import nbformat
import pytest
from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import written
from ledgerbook.execution import execute, forkserver, provisioner, run_records, snapshot, worker
from ledgerbook.project import parent_watch

ROW = written()[0]


def test_an_exception_is_recorded_in_one_line(project, monkeypatch):
    monkeypatch.setattr(worker, "_execute", lambda row: 1 / 0)
    assert (
        worker.run(ROW.tag)
        == run_records.load(ROW.tag)["error"]
        == "ZeroDivisionError: division by zero"
    )


@pytest.mark.parametrize(
    "code, record, says",
    [
        (0, {"error": None}, None),
        (1, {"error": "cell 3: ValueError: no"}, "cell 3: ValueError: no"),
        (3, None, "the worker died (exit status 3): last words"),
    ],
)
def test_a_worker_that_ends_well_has_no_error_and_another_says_its_own(
    project, monkeypatch, code, record, says
):
    def start(command, **options):
        if record is not None:
            run_records.save(ROW.tag, record)
        streams = {"stdin": io.StringIO(), "stdout": io.StringIO("first words\nlast words\n")}
        return SimpleNamespace(wait=lambda: code, **streams)

    run_records.save(ROW.tag, {"error": "of an earlier run"})
    monkeypatch.setattr(execute.subprocess, "Popen", start)
    assert execute._run_one(ROW, {}, []) == says


@pytest.fixture
def chapter(project, monkeypatch):
    """A chapter whose execution is a copy of it, what is asked of it and found of it."""
    made = SimpleNamespace(asked=[], inputs=iter(["one", "one"]), problem=None, ended=[], nice=[])

    def executed(source, target, **how):
        made.asked.append(how)
        shutil.copy(source, target)

    def ended(code):
        made.ended.append(code)
        raise SystemExit

    cells = [nbformat.v4.new_code_cell("size = 7")]
    notebooks.store(notebooks.strip(nbformat.v4.new_notebook(cells=cells)), ROW.chapter)
    monkeypatch.setitem(sys.modules, "papermill", SimpleNamespace(execute_notebook=executed))
    monkeypatch.setattr(provisioner, "use", lambda: None)
    monkeypatch.setattr(provisioner, "children_cost", lambda: (1.23456, 7))
    monkeypatch.setattr(fingerprint, "fingerprint", lambda notebook: next(made.inputs))
    monkeypatch.setattr(snapshot, "execution_problem", lambda notebook: made.problem)
    monkeypatch.setattr(parent_watch, "hold", lambda: None)
    monkeypatch.setattr(worker.os, "_exit", ended)
    monkeypatch.setattr(forkserver, "give_way", made.nice.append)
    monkeypatch.setattr(worker.time, "monotonic", iter([10.0, 12.34567]).__next__)
    monkeypatch.setattr(sys, "argv", ["worker", ROW.tag])
    made.process = lambda: pytest.raises(
        SystemExit, runpy.run_path, worker.__file__, {}, "__main__"
    )
    return made


def test_a_chapter_that_ran_is_kept_with_its_cost_and_ends_well(chapter):
    chapter.process()
    record = run_records.load(ROW.tag)
    assert chapter.ended == [0] and record["error"] is None
    assert chapter.nice[0] > 0  # other work goes first
    assert (record["inputs"], record["python"]) == ("one", run_records.python_version())
    cost = {key: record[key] for key in ("seconds", "cpu_seconds", "peak_bytes")}
    assert cost == {"seconds": 2.35, "cpu_seconds": 1.23, "peak_bytes": 7}
    assert notebooks.read(run_records.executed(ROW)).cells[0].source == "size = 7"
    (how,) = chapter.asked
    assert how["progress_bar"] is False and how["cwd"] == str(ROW.chapter.parent)


@pytest.mark.parametrize(
    ("inputs", "problem", "words"),
    [
        (["one", "one"], "no ledger row", "no ledger row"),
        (["one", "two"], "no ledger row", "no ledger row"),
        (["one", "two"], None, "its inputs were edited while it ran: run `make book` again"),
    ],
)
def test_a_run_that_cannot_be_trusted_is_not_kept(chapter, inputs, problem, words):
    chapter.inputs, chapter.problem = iter(inputs), problem
    chapter.process()
    assert chapter.ended == [1] and run_records.load(ROW.tag)["error"] == words
    assert not run_records.executed(ROW).exists()


def test_a_run_that_breaks_off_has_its_inputs_and_its_error(chapter, monkeypatch):
    monkeypatch.setattr(sys.modules["papermill"], "execute_notebook", lambda *_, **__: 1 / 0)
    chapter.process()
    record = run_records.load(ROW.tag)
    assert chapter.ended == [1] and record["inputs"] == "one"
    assert record["error"] == "ZeroDivisionError: division by zero"
