"""Which chapters are executed, in which order, and how their ends are told; nothing is run."""

import threading
from types import SimpleNamespace

import pytest
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import execute, run_records, worker
from ledgerbook.project import paths

ROWS = {name: Statement(f"a.{name}", name, name) for name in "abcdef"}


def test_what_did_not_run_here_is_stale(monkeypatch):
    monkeypatch.setattr(run_records, "is_fresh", lambda row: row.number in "bd")
    assert [row.number for row in execute.stale([*ROWS.values()])] == ["a", "c", "e", "f"]


def nothing():
    """What goes on meanwhile."""


def test_an_interrupted_run_kills_what_runs_and_starts_nothing_more(monkeypatch):
    killed, begun, in_time = threading.Event(), [], []

    def run_one(row, processes):
        begun.append(row.number)
        if row.number == "a":
            raise KeyboardInterrupt
        processes.append(row)
        in_time.append(killed.wait(0.5))

    monkeypatch.setattr(execute, "_run_one", run_one)
    monkeypatch.setattr(execute, "_kill", lambda process: killed.set())
    with pytest.raises(KeyboardInterrupt):
        execute._run_all([*ROWS.values()], 2, nothing)
    assert all(in_time) and "f" not in begun


def test_what_fails_meanwhile_ends_the_run(monkeypatch):
    killed, begun = threading.Event(), threading.Event()

    def run_one(row, processes):
        processes.append(row)
        begun.set()
        assert killed.wait(20)

    def meanwhile():
        begun.wait(20)
        raise ValueError("no list of statements")

    monkeypatch.setattr(execute, "_run_one", run_one)
    monkeypatch.setattr(execute, "_kill", lambda process: killed.set())
    with pytest.raises(ValueError, match="no list"):
        execute._run_all([ROWS["a"], ROWS["b"]], 2, meanwhile)


def test_a_worker_without_a_word_was_killed_by_a_signal_with_a_name():
    assert execute._last_words(-9, " \n") == "the worker died (killed by SIGKILL): no output"
    assert execute._last_words(1, "a\nb\nc\n").endswith(": c")


def test_all_that_a_worker_started_is_killed_with_it(monkeypatch):
    killed = []

    class Process:
        def __init__(self, pid):
            self.pid = pid

        def children(self, recursive=False):
            return [Process(self.pid + 1), *([Process(self.pid + 2)] if recursive else [])]

        def kill(self):
            killed.append(self.pid)
            if self.pid == 11:
                raise execute.psutil.NoSuchProcess(self.pid)

    monkeypatch.setattr(execute.psutil, "Process", Process)
    execute._kill(SimpleNamespace(pid=10))
    assert killed == [11, 12, 10]


def test_a_chapter_with_parameters_goes_into_a_file_of_its_own(project, monkeypatch):
    given = []

    def run(source, target, values, folder):
        if values:
            raise ValueError("size = 9")
        given.append((source, folder))
        target.write_text("executed", encoding="utf-8")

    tag, row = "textbook.theorem-01", execute.statement("textbook.theorem-01")
    monkeypatch.setattr(paths, "CHAPTERS", project / "chapters")
    monkeypatch.setattr(execute.environment, "quiet", dict)
    monkeypatch.setattr(execute, "parse_parameters", lambda row, text: text)
    monkeypatch.setattr(worker, "execute", run)
    monkeypatch.setattr(execute.notebooks, "read", lambda path: path.read_text(encoding="utf-8"))
    monkeypatch.setattr(execute.notebooks, "strip", str.upper)
    monkeypatch.setattr(execute.notebooks, "store", lambda text, path: given.append((text, path)))
    with pytest.raises(ValueError, match=f"CH = '{tag}': this chapter is not written yet"):
        execute.run_chapter(tag)
    row.chapter.parent.mkdir(parents=True)
    row.chapter.touch()
    target = project / "chapters" / tag / row.chapter.name
    assert execute.run_chapter(tag) == (target, None)
    assert given == [(row.chapter, row.chapter.parent), ("EXECUTED", target)]
    assert execute.run_chapter(tag, "size=9") == (target, "ValueError: size = 9")
