"""Kernels forked from a warmed process: how they end, and what is done where there is none."""

import asyncio
import dataclasses
import sys
import threading
import time
from types import SimpleNamespace

import psutil
import pytest
from ledgerbook.execution import execute, provisioner
from ledgerbook.execution.provisioner import ADDRESS, ORDINARY, ForkedKernel
from ledgerbook.project.project import current
from nbformat.v4 import new_code_cell, new_notebook

KERNEL = [sys.executable, "-m", "ipykernel_launcher", "-f", "kernel.json"]
linux = pytest.mark.skipif(not hasattr(provisioner.os, "pidfd_open"), reason="Linux only")


@linux
def test_no_kernel_outlives_its_client_or_the_server(tmp_path):
    lines = []
    with provisioner.warmed(lines.append):
        one, two, three = (  # each with a file of its own: the ports are in it
            provisioner.fork([*KERNEL[:-1], name], tmp_path, dict(provisioner.os.environ))
            for name in ("one.json", "two.json", "three.json")
        )
        processes = [psutil.Process(kernel.pid) for kernel in (one, two, three)]
        keeper = processes[2].parent()
        one.connection.close()
        two.kill()
        assert two.wait() == -9 and three.poll() is None
        assert psutil.wait_procs(processes[:2], timeout=10)[1] == []
    assert three.wait() == -9
    assert psutil.wait_procs([processes[2], keeper], timeout=10)[1] == [] and lines == []


@linux
def test_with_its_keeper_a_kernel_is_killed(tmp_path):
    with provisioner.warmed():
        kernel = provisioner.fork(KERNEL, tmp_path, dict(provisioner.os.environ))
        process = psutil.Process(kernel.pid)
        process.parent().kill()
        assert kernel.wait() == -9 and psutil.wait_procs([process], timeout=10)[1] == []


@linux
def test_an_interruption_waits_neither_for_the_warmed_process_nor_for_who_waits_for_it(
    tmp_path, monkeypatch, capfd, varied
):
    """A busy machine: the warmed process is in the middle of its imports, for minutes."""
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(300)\n", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    slow = dataclasses.replace(current().settings, preload=("slow",))
    varied(settings=slow)
    asked, lines = threading.Event(), []

    def run(row):
        if row == "interrupts":
            asked.wait(20)
            time.sleep(0.5)  # the other is behind its question by then
            raise KeyboardInterrupt
        asked.set()
        with pytest.raises(asyncio.CancelledError, match="interrupted"):
            execute.execute(new_notebook(cells=[new_code_cell("1")]), tmp_path)

    rows = [SimpleNamespace(tag=row) for row in ("interrupts", "waits")]
    monkeypatch.setattr(execute, "run", lambda row: run(row.tag))
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt), provisioner.warmed(lines.append):
        execute._run_all(rows, 2)
    assert time.monotonic() - begun < 20 and lines == []
    assert "Traceback" not in "".join(capfd.readouterr())


@pytest.mark.parametrize("command", [KERNEL, ["R", "kernel.json"], ["python0", *KERNEL[1:]]])
def test_without_an_answer_a_kernel_is_started_in_the_ordinary_way_and_that_is_told(
    tmp_path, monkeypatch, command
):
    async def ordinary(self, cmd, **named):
        return cmd

    kernel, warned = ForkedKernel(), []
    monkeypatch.setattr(provisioner.LocalProvisioner, "launch_kernel", ordinary)
    monkeypatch.setattr(kernel.log, "warning", lambda words, why: warned.append(words % why))
    monkeypatch.setenv(ADDRESS, str(tmp_path / "nobody"))
    assert asyncio.run(kernel.launch_kernel(command, cwd=None, env={})) == command
    (line,) = warned
    assert line.startswith("no kernel was forked (") and line.endswith("in the ordinary way")
    provisioner.running.discard(kernel)


def test_without_forks_one_line_says_so(monkeypatch):
    lines = []
    monkeypatch.delattr(provisioner.os, "pidfd_open", raising=False)
    with provisioner.warmed(lines.append):
        assert ADDRESS not in provisioner.os.environ
    assert lines == [f"{ORDINARY}: this system has no fork of a warmed process"]
