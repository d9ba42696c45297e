"""How a forked process becomes a kernel, and with which code it ends."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from ledgerbook.execution import forkserver


class Ended(Exception):
    """What stands for the end of the process."""


@pytest.fixture
def ends(monkeypatch):
    """The exit codes with which the process would have ended."""
    codes = []

    def leave(code):
        codes.append(code)
        raise Ended

    monkeypatch.setattr(forkserver.os, "_exit", leave)
    return codes


def test_a_child_gets_the_files_the_folder_and_the_arguments_of_a_kernel(ends, monkeypatch):
    given, limits = [], []
    library = SimpleNamespace(prctl=lambda *words: limits.append(words))
    monkeypatch.setattr(forkserver.ctypes, "CDLL", lambda name: library)
    for name in ("setsid", "close", "chdir"):
        monkeypatch.setattr(forkserver.os, name, lambda *words: None)
    monkeypatch.setattr(forkserver.os, "open", lambda place, mode: place)
    monkeypatch.setattr(forkserver.os, "dup2", lambda *pair: given.append(pair))
    monkeypatch.setattr(forkserver.os, "environ", {"OLD": "1"})
    monkeypatch.setattr(forkserver.os, "getppid", lambda: 99)
    monkeypatch.setattr(forkserver.sys, "argv", [])
    monkeypatch.setitem(sys.modules, "numpy", None)  # its generator is left alone
    nice: list = []
    monkeypatch.setattr(forkserver, "give_way", nice.append)
    request = {"files": [7, 8], "cwd": "here", "env": {"NEW": "2"}, "argv": ["-f", "file"]}
    forkserver.settle(request | {"nice": os.nice(0) + 4}, 99)
    assert nice == [4]
    assert given == [(os.devnull, 0), (7, 1), (8, 2)] and len(limits) == 1
    assert forkserver.os.environ == {"NEW": "2", "JPY_PARENT_PID": "99"}
    assert forkserver.sys.argv[0].endswith("ipykernel_launcher.py")
    assert forkserver.sys.argv[1:] == ["-f", "file"] and ends == []
    with pytest.raises(Ended):
        forkserver.settle(request, 98)  # the server died meanwhile


@pytest.mark.skipif(not os.path.exists("/proc/self/autogroup"), reason="no weighed sessions")
def test_who_gives_way_does_so_as_a_session_too_and_nobody_comes_to_the_fore():
    lines = [
        "import os",
        "from ledgerbook.execution.forkserver import give_way",
        "os.setsid()",
        "before = os.nice(0)",
        "give_way(-3), give_way(0), give_way(3), give_way(-2)",
        "print(os.nice(0) - before, open('/proc/self/autogroup').read())",
    ]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    own, session = done.stdout.split(maxsplit=1)
    assert own == "3" and (not session.strip() or session.split()[-1] == "3")


@pytest.mark.parametrize(
    ("end", "code"), [(None, 0), (SystemExit(), 0), (SystemExit(3), 3), (SystemExit("words"), 1)]
)
def test_a_kernel_ends_with_the_code_of_its_application(ends, monkeypatch, end, code):
    def launch(parent_handle):
        if end is not None:
            raise end

    application = SimpleNamespace(IPKernelApp=SimpleNamespace(launch_instance=launch))
    for name in ("ipykernel", "ipykernel.kernelapp"):
        monkeypatch.setitem(sys.modules, name, application)
    monkeypatch.setattr(forkserver.threading, "_shutdown", lambda: None)
    monkeypatch.setattr(forkserver.atexit, "_run_exitfuncs", lambda: None)
    with pytest.raises(Ended):
        forkserver.run_kernel(99)
    assert ends == [code]
