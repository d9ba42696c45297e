"""How chapters are executed, and how their ends are told."""

import threading
from types import SimpleNamespace

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import execute, provisioner
from nbformat.v4 import new_code_cell, new_notebook

ROWS = {name: Statement(f"a.{name}", name, name) for name in "abcdef"}


def test_an_interrupted_run_kills_what_runs_and_starts_nothing_more(monkeypatch):
    begun, in_time, killed = [], [], threading.Event()
    process = SimpleNamespace(kill=killed.set)
    monkeypatch.setattr(provisioner, "running", [SimpleNamespace(process=process)])

    def run(row):
        begun.append(row.number)
        if row.number == "a":
            raise KeyboardInterrupt
        in_time.append(killed.wait(20))

    monkeypatch.setattr(execute, "run", run)
    with pytest.raises(KeyboardInterrupt):
        execute._run_all([*ROWS.values()], 2)
    assert all(in_time) and "f" not in begun


def test_parameters_are_put_below_those_of_the_chapter_and_a_failing_cell_is_named(tmp_path):
    cells = [new_code_cell(text) for text in ("n = 3", "m = 2 * n\nm", "1 / (n - 7)", "n")]
    cells[0].metadata["tags"] = ["parameters"]
    done = execute.execute(new_notebook(cells=cells[:2]), tmp_path, {"n": 5})
    assert notebooks.parameters(done) == {"n": 5}
    assert done.cells[-1].outputs[0]["data"]["text/plain"] == "10"
    with pytest.raises(RuntimeError, match="^code cell 4: ZeroDivisionError: division by zero$"):
        execute.execute(new_notebook(cells=cells), tmp_path, {"n": 7})
