"""Which chapters are executed, in which order, and how their ends are told; nothing is run."""

import threading

import pytest
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import execute

ROWS = {name: Statement(f"a.{name}", name, name) for name in "abcdef"}


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
