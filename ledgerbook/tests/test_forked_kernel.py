"""How a forked process becomes a kernel, and with which code it ends."""

import os
import subprocess
import sys

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
