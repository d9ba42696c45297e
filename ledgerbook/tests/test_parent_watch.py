"""No child outlives its parent, however either of them is killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

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
from ledgerbook.project import parent_watch
parent_watch.run([sys.executable, "-m", "ledgerbook.project.parent_watch", "sleepers", sys.argv[1]])
time.sleep(600)  # alive, so that only ``run`` itself can have ended what is left
"""


@pytest.fixture
def family(tmp_path):
    """A parent, its child and the child's workers, by process id."""
    (tmp_path / "sleepers.py").write_text(SLEEPERS, encoding="utf-8")
    pids = tmp_path / "pids"
    source = Path(parent_watch.__file__).parents[2]
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


def test_nothing_that_a_command_leaves_outlives_it(tmp_path):
    command = f"sleep 60 & echo $! > {tmp_path / 'pid'}; exit 7"
    assert parent_watch.run(["sh", "-c", command]) == 7
    pid = int((tmp_path / "pid").read_text())
    left = [psutil.Process(pid)] if psutil.pid_exists(pid) else []
    end = time.monotonic() + 5  # a killed process needs a moment to die
    while running(left) and time.monotonic() < end:
        time.sleep(0.01)
    assert running(left) == []


MAKEFILE = """go:
\t@exec {python} -c "from ledgerbook.commands import cli; import sys; sys.exit(cli.main(\\
\t['own'], more=lambda add: add('own', 'own:main', 'Wait.')))" $${{PIDS:-}}
"""
OWN = """
import os, time
def main():
    open("pid", "w").write(str(os.getpid()))
    time.sleep(600)
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="no make here")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_a_command_ends_with_the_make_that_started_it(tmp_path, number):
    """Killed alone, as a service manager or ``kill`` does it: no terminal tells the others."""
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "Makefile").write_text(MAKEFILE.format(python=sys.executable), encoding="utf-8")
    source = Path(parent_watch.__file__).parents[2]
    env = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{source}"}
    make = subprocess.Popen(
        ["make", "go"], cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    pid = tmp_path / "pid"
    while not (pid.exists() and pid.read_text()):
        time.sleep(0.05)
    command = psutil.Process(int(pid.read_text()))
    make.send_signal(number)
    if number == signal.SIGINT:  # make itself waits for the command, which a terminal tells too
        command.send_signal(number)
    assert psutil.wait_procs([command], timeout=20)[1] == []
    assert "interrupted: " in make.communicate()[1]
