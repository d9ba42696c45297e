"""No child outlives its parent, however either of them is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from ledgerbook.project import parent_watch

# Sphinx in small: a main process with forked workers, none of which ends by itself.
SLEEPERS = """
import multiprocessing, os, sys, time
if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=time.sleep, args=(600,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    open(sys.argv[1], "w").write(" ".join(str(p) for p in [os.getpid(), *(w.pid for w in workers)]))
    time.sleep(600)
"""
PARENT = """
import sys, time
from ledgerbook import lifeline
lifeline.run([sys.executable, "-m", "ledgerbook.project.parent_watch", "sleepers", sys.argv[1]])
time.sleep(600)  # alive, so that only ``run`` itself can have ended what is left
"""


@pytest.fixture
def family(tmp_path):
    """A parent, its child and the child's workers, by process id."""
    (tmp_path / "sleepers.py").write_text(SLEEPERS, encoding="utf-8")
    pids = tmp_path / "pids"
    source = Path(parent_watch.__file__).parents[1]
    env = {"PYTHONPATH": f"{tmp_path}:{source}", "PATH": ""}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(pids)], env=env, cwd=tmp_path)
    while not (pids.exists() and len(pids.read_text().split()) == 3):
        assert parent.poll() is None
        time.sleep(0.05)
    family = [psutil.Process(int(pid)) for pid in pids.read_text().split()]
    yield parent, family
    parent.kill()
    parent.wait()
    for process in family:
        if process.is_running():
            process.kill()


def running(processes):
    """Those that have not ended."""
    return [p for p in processes if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]


def test_children_live_while_the_parent_does(family):
    _, processes = family
    gone, _ = psutil.wait_procs(processes, timeout=1)
    assert gone == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_children_die_with_the_parent(family, number):
    parent, processes = family
    parent.send_signal(number)
    parent.wait()
    _, alive = psutil.wait_procs(processes, timeout=10)
    assert running(alive) == []


def test_workers_of_a_killed_child_are_ended(family):
    parent, processes = family
    processes[0].kill()
    _, alive = psutil.wait_procs(processes, timeout=10)
    assert parent.poll() is None and running(alive) == []


def test_both_killed_at_once(family):
    parent, processes = family
    parent.kill()
    processes[0].kill()
    parent.wait()
    _, alive = psutil.wait_procs(processes, timeout=10)
    assert running(alive) == []


def test_the_exit_status_comes_through():
    assert parent_watch.run([sys.executable, "-c", "raise SystemExit(3)"]) == 3


def test_nothing_that_a_command_leaves_outlives_it(tmp_path):
    command = f"sleep 60 & echo $! > {tmp_path / 'pid'}; exit 7"
    assert parent_watch.run(["sh", "-c", command]) == 7
    pid = int((tmp_path / "pid").read_text())
    left = [psutil.Process(pid)] if psutil.pid_exists(pid) else []
    end = time.monotonic() + 5  # a killed process needs a moment to die
    while running(left) and time.monotonic() < end:
        time.sleep(0.01)
    assert running(left) == []


@pytest.mark.parametrize("forks", [False, True])
def test_forked_children_hold_the_line_where_that_is_asked_for(monkeypatch, forks):
    watched, registered = [], []
    monkeypatch.setattr(parent_watch, "_watch", watched.append)
    monkeypatch.setattr(os, "register_at_fork", lambda **given: registered.append(given))
    parent_watch.hold(**{"forks": True} if forks else {})
    assert len(watched) == 1 and len(registered) == forks
    for given in registered:
        given["after_in_child"]()
    assert watched == watched[:1] * (1 + forks)
    os.close(watched[0])


def test_who_holds_a_line_lives_until_it_ends():
    code = "import time; from ledgerbook import lifeline; lifeline.hold(); time.sleep(600)"
    source = Path(parent_watch.__file__).parents[1]
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": str(source), "PATH": ""},
    )
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(1)
    child.stdin.close()
    try:
        assert child.wait(10) == 1
    finally:
        child.kill()
        child.stdout.close()


ENDS = """
import sys, __main__
MINE = 1
assert __main__.MINE == 1 and sys.argv[1:] == ["a", "b"] and sys.argv[0] == __file__
sys.exit(7)
"""


def test_a_module_is_the_program_itself_and_ends_though_the_line_is_held(tmp_path):
    (tmp_path / "ends.py").write_text(ENDS, encoding="utf-8")
    env = {"PYTHONPATH": f"{tmp_path}:{Path(parent_watch.__file__).parents[1]}", "PATH": ""}
    command = [sys.executable, "-m", "ledgerbook.project.parent_watch", "ends", "a", "b"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, env=env)
    try:
        assert child.wait(20) == 7
    finally:
        child.kill()
        child.stdin.close()


def test_at_the_end_of_the_line_children_and_theirs_are_killed_first(monkeypatch):
    did = []

    def family(recursive=False):
        names = ["child", "grandchild"] if recursive else ["child"]
        return [SimpleNamespace(kill=lambda name=name: did.append(name)) for name in names]

    monkeypatch.setattr(psutil, "Process", lambda: SimpleNamespace(children=family))
    monkeypatch.setattr(parent_watch.os, "_exit", did.append)
    read, write = os.pipe()
    os.write(write, b"no end yet")
    os.close(write)
    parent_watch._die_at_the_end_of(read)
    os.close(read)
    assert did == ["child", "grandchild", 1]
