"""How chapters are executed, and how their ends are told."""

import threading
from types import SimpleNamespace

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import execute, provisioner, snapshot
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


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import os; os._exit(3)", r"the kernel died \(exit status 3\)$"),
        (
            "import os; os.kill(os.getpid(), 9)",
            r"the kernel died \(killed by SIGKILL, as a system does that is short of memory\)$",
        ),
        ("import sys; sys.stdout.flush(); raise OSError(' \\n\\n late')", "OSError: late$"),
        ("raise OSError()", "OSError: no reason given$"),
    ],
)
def test_how_a_run_ended_is_one_line(tmp_path, source, words):
    with pytest.raises(RuntimeError, match=words) as error:
        execute.execute(new_notebook(cells=[new_code_cell(source)]), tmp_path)
    assert "\n" not in str(error.value)


def test_a_kernel_that_never_answers_is_told_with_its_last_words(tmp_path, monkeypatch):
    (tmp_path / "ipykernel_launcher.py").write_text("raise MemoryError('too small')\n", "utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=r"no kernel started \(.*MemoryError: too small; "):
        execute.execute(new_notebook(cells=[new_code_cell("1")]), tmp_path)


def test_what_no_output_can_hold_is_a_line_and_no_page_of_traceback(tmp_path, capfd):
    """A lone surrogate, which nothing can encode."""
    cell = new_code_cell(r"print('\ud800')")
    done = execute.execute(new_notebook(cells=[cell]), tmp_path)
    assert next(snapshot.problems(done)).startswith("code cell 1: something on stderr: Unicode")
    assert "Traceback" not in "".join(capfd.readouterr())


def test_no_kernel_reads_code_that_cannot_be(monkeypatch, project):
    monkeypatch.setattr(notebooks, "read", lambda file: new_notebook(cells=[new_code_cell("1 +")]))
    monkeypatch.setattr(execute, "execute", lambda *rest: 1 / 0)
    assert execute.run(ROWS["a"]) == "code cell 1, line 1: invalid syntax: '1 +'"
    with pytest.raises(RuntimeError, match="^code cell 1, line 1: invalid syntax"):
        execute.run_chapter(ROWS["a"], {})
