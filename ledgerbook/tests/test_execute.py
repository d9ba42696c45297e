"""Which chapters are executed, in which order, and how their ends are told; nothing is run."""

import sys
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from ledgerbook.chapters.statements import Statement
from ledgerbook.execution import execute, provisioner, run_records, worker
from ledgerbook.project import paths

ROWS = {name: Statement(f"a.{name}", name, name) for name in "abcdef"}


def test_what_did_not_run_here_is_stale(monkeypatch):
    monkeypatch.setattr(run_records, "is_fresh", lambda row: row.number in "bd")
    assert [row.number for row in execute.stale([*ROWS.values()])] == ["a", "c", "e", "f"]


def test_where_nobody_knows_an_experiment_takes_longer(monkeypatch):
    known = {"a.a": {"seconds": 3.5}}
    monkeypatch.setattr(run_records, "load", lambda tag: known.get(tag, {}))
    assert execute.expected_seconds(ROWS["a"]) == 3.5
    experiment = Statement("a.x", "Figure 1", "x", kind="experiment")
    assert execute.expected_seconds(experiment) > execute.expected_seconds(ROWS["b"]) > 0


@pytest.mark.parametrize(
    ("cores", "asked", "jobs", "warm"),
    [(3, None, 3, False), (2, None, 2, True), (None, None, 1, True), (8, 1, 1, True)],
)
def test_the_longest_is_first_and_imports_are_shared_where_chapters_wait(
    monkeypatch, cores, asked, jobs, warm
):
    inside = []

    @contextmanager
    def warmed(environment, say):
        inside.append(True)
        yield
        inside.pop()

    def run_all(rows, jobs, meanwhile):
        return [row.number for row in rows], jobs, bool(inside)

    monkeypatch.setattr(execute.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(execute.environment, "quiet", dict)
    monkeypatch.setattr(provisioner, "warmed", warmed)
    monkeypatch.setattr(execute, "expected_seconds", lambda row: "cab".index(row.number))
    monkeypatch.setattr(execute, "_run_all", run_all)
    rows = [ROWS[name] for name in "abc"]
    assert execute.execute_all(rows, asked) == (["b", "a", "c"], jobs, warm)


def nothing():
    """What goes on meanwhile."""


class Bar:
    """What is written beside the bar, and what the bar says."""

    made: list = []

    def __init__(self, **options):
        self.options, self.said, self.written, self.count = options, [], [], 0
        Bar.made.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def update(self):
        self.count += 1

    set_description = property(lambda self: self.said.append)
    write = property(lambda self: self.written.append)


@pytest.fixture
def bar(monkeypatch):
    monkeypatch.setattr(execute, "tqdm", Bar)
    monkeypatch.setattr(Bar, "made", [])
    return Bar.made


@pytest.mark.parametrize("shown", [False, True])
def test_at_a_terminal_a_bar_names_who_runs_and_elsewhere_each_has_a_line(bar, monkeypatch, shown):
    def run_one(row, running, processes):
        running[row.tag] = row
        return "cell 3" if row.number == "b" else None

    monkeypatch.setattr(execute, "_run_one", run_one)
    monkeypatch.setattr(execute.sys, "stderr", SimpleNamespace(isatty=lambda: shown))
    assert execute._run_all([ROWS["a"], ROWS["b"]], 1, nothing) == {"a.b": "cell 3"}
    assert execute._run_all([], 1, nothing) == {}
    first, empty = bar
    assert first.options["disable"] is not shown and first.options["total"] == first.count == 2
    assert empty.options["disable"] and empty.count == 0
    assert first.written == ["executed a.a"] * (not shown) + ["FAILED a.b: cell 3"]
    assert first.said[-1] == "a.a, a.b"


def test_an_interrupted_run_kills_what_runs_and_starts_nothing_more(bar, monkeypatch):
    killed, begun, in_time = threading.Event(), [], []

    def run_one(row, running, processes):
        begun.append(row.number)
        if row.number != "a":
            processes.append(row)
            in_time.append(killed.wait(0.5))

    def note(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(execute, "_run_one", run_one)
    monkeypatch.setattr(execute, "_note", note)
    monkeypatch.setattr(execute, "_kill", lambda process: killed.set())
    with pytest.raises(KeyboardInterrupt):
        execute._run_all([*ROWS.values()], 2, nothing)
    assert all(in_time) and "f" not in begun


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_what_goes_on_meanwhile_takes_the_place_of_one_job(bar, monkeypatch, jobs):
    gate, begun, most = threading.Barrier(jobs, timeout=20), [], []

    def run_one(row, running, processes):
        begun.append(row.number)
        if len(begun) < jobs:
            gate.wait()
        return None

    def meanwhile():
        gate.wait()  # all other places are taken
        most.append(len(begun))

    monkeypatch.setattr(execute, "_run_one", run_one)
    assert execute._run_all([*ROWS.values()], jobs, meanwhile) == {}
    assert most[0] >= jobs - 1 and sorted(begun) == [*"abcdef"]


def test_with_one_job_nothing_is_executed_before_the_other_work_is_done(bar, monkeypatch):
    order = []
    monkeypatch.setattr(execute, "_run_one", lambda row, *given: order.append(row.number))
    execute._run_all([ROWS["a"]], 1, lambda: time.sleep(0.1) or order.append("pages"))
    assert order == ["pages", "a"]


def test_what_fails_meanwhile_ends_the_run(bar, monkeypatch):
    killed, begun = threading.Event(), threading.Event()

    def run_one(row, running, processes):
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


def test_a_bar_without_a_chapter_that_runs_says_that_all_is_done(bar, monkeypatch):
    monkeypatch.setattr(execute, "_run_one", lambda *given: None)
    assert execute._run_all([ROWS["a"]], 1, nothing) == {}
    assert bar[0].said == ["done"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_a_worker_has_a_session_of_its_own_and_its_last_line_says_how_it_died(
    project, tmp_path, monkeypatch
):
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\necho first\nset -- $(cat /proc/$$/stat)\necho words >&2\n"
        '[ "$6" = $$ ] && echo "its own session"\nexit 3\n'
    )
    python.chmod(0o755)
    monkeypatch.setattr(execute.sys, "executable", str(python))
    running, processes = {}, []
    said = execute._run_one(ROWS["a"], running, processes)
    assert said == "the worker died (exit status 3): its own session"
    assert running == {} and processes[0].poll() == 3
    python.write_text("#!/bin/sh\necho words\n")
    assert execute._run_one(ROWS["a"], running, processes) is None


def test_a_record_that_cannot_be_removed_is_named(project):
    run_records.path("a.a").mkdir(parents=True)
    said = execute._run_one(ROWS["a"], {}, [])
    assert said.startswith(f"{paths.relative(run_records.path('a.a'))}: ")


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
