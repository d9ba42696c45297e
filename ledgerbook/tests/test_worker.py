"""One chapter's process: what it records and returns, and what its parent makes of its end."""

import io
from types import SimpleNamespace

import pytest
from ledgerbook.statements import written

from ledgerbook import execute, runs, worker

ROW = written()[0]


@pytest.mark.parametrize("error", [None, "its inputs were edited while it ran"])
def test_what_went_wrong_is_recorded_and_returned(project, monkeypatch, error):
    monkeypatch.setattr(worker, "_execute", lambda row: {"error": error})
    assert worker.run(ROW.tag) == runs.load(ROW.tag)["error"] == error


def test_an_exception_is_recorded_in_one_line(project, monkeypatch):
    monkeypatch.setattr(worker, "_execute", lambda row: 1 / 0)
    assert (
        worker.run(ROW.tag) == runs.load(ROW.tag)["error"] == "ZeroDivisionError: division by zero"
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
            runs.save(ROW.tag, record)
        streams = {"stdin": io.StringIO(), "stdout": io.StringIO("first words\nlast words\n")}
        return SimpleNamespace(wait=lambda: code, **streams)

    runs.save(ROW.tag, {"error": "of an earlier run"})
    monkeypatch.setattr(execute.subprocess, "Popen", start)
    assert execute._run_one(ROW, {}, []) == says
