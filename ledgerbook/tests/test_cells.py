"""What is wrong with a chapter's code is said, by cell, before a kernel starts."""

import gc
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from ledgerbook.chapters import cells, registry
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

CLASS = 'class One:\n    tag = "p.one"\n    size: int = 3\n'


def notebook(*sources, tagged=(1,)):
    """A notebook of code cells; ``tagged``: the numbers of those tagged ``parameters``."""
    made = [new_code_cell(source) for source in sources]
    for number in tagged:
        made[number - 1].metadata["tags"] = ["parameters"]
    return new_notebook(cells=[new_markdown_cell("# One"), *made])


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x = 1\ny = = 2", "code cell 2, line 2: invalid syntax: 'y = = 2'"),
        (
            "%pip install x",
            "code cell 2, line 1: invalid syntax: '%pip install x'; a chapter holds",
        ),
        ("!ls", "code cell 2, line 1: invalid syntax: '!ls'; a chapter holds plain Python"),
        ("x = '\0'", "code cell 2: source code string cannot contain null bytes"),
        ("import time\nprint(time.time_ns())", "code cell 2: time.time_ns: what it gives differs"),
        ("from time import perf_counter as now", "code cell 2: time.perf_counter: what it gives"),
        ("import time as t\nt.time()", "code cell 2: time.time: what it gives differs"),
        ("import datetime as d\nd.datetime.now()", "code cell 2: now(): what it gives differs"),
        ("from uuid import uuid4", "code cell 2: uuid.uuid4: what it gives differs"),
    ],
)
def test_a_cell_that_cannot_be_is_told_by_its_number(source, words):
    (said,) = cells.problems(notebook("n = 3", source))
    assert said.startswith(words) and "\n" not in said


def test_plain_code_is_fine():
    assert cells.problem(notebook("n = 3", "import time\ntime.sleep(n)")) is None
    assert cells.problem(notebook("n = 3", "timed = {'now': n}\nprint(timed['now'])")) is None


@pytest.mark.parametrize(
    ("sources", "tagged", "words"),
    [
        (("n = 3", "m = 3"), (1, 2), "code cells 1, 2 are tagged parameters, allowed: one"),
        (("n = 3", "m = 3"), (2,), "code cell 2 is tagged parameters, allowed: the first"),
        (("# none",), (1,), "code cell 1 is tagged parameters and gives none, allowed: lines"),
        (("n = f(3)",), (1,), "code cell 1: cell tagged parameters = 'n = f(3)', allowed: lines"),
        ((CLASS,), (), "no cell is tagged parameters, and p.one has size"),
    ],
)
def test_the_cell_of_parameters_is_the_first_and_gives_some(
    sources, tagged, words, monkeypatch, tmp_path
):
    (tmp_path / "one.py").write_text(CLASS, encoding="utf-8")
    monkeypatch.setattr(registry, "declared", lambda: {"p.one": tmp_path / "one.py"})
    (said,) = cells.problems(notebook(*sources, tagged=tagged))
    assert said.startswith(words)


def test_a_chapter_without_parameters_has_no_such_cell():
    assert cells.problem(notebook("print(3)", tagged=())) is None


class Closed:
    """Garbage that lets another thread run while it is collected, as a file or a socket does."""

    def __init__(self):
        self.own = self

    def __del__(self):
        time.sleep(0)


@pytest.fixture
def busy_collector():
    """Garbage is collected all the time, and threads take turns as often as they can."""
    often, turn = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(50, 2, 2)
    sys.setswitchinterval(1e-6)
    yield
    gc.set_threshold(*often)
    sys.setswitchinterval(turn)


def test_threads_that_read_chapters_at_once_do_not_meet_in_the_parser(busy_collector):
    notebook = new_notebook(cells=[new_code_cell(Path(cells.__file__).read_text("utf-8"))])

    def read(_):
        for _ in range(20):
            Closed()
            assert not list(cells.syntax(notebook))

    with ThreadPoolExecutor(8) as pool:
        assert not any(pool.map(read, range(8)))
