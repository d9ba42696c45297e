"""A child process that dies with its parent, and takes its own children along.

The parent gives the child a pipe as stdin and never writes: when the parent dies, however it
dies, the pipe ends.  ``python -m`` this ``MODULE ARGUMENTS`` runs a module so.
"""

import contextlib
import os
import runpy
import signal
import subprocess
import sys
import threading


def hold(forks: bool = False) -> None:
    """Die when stdin ends; ``forks``: so do forked children, should this process be killed."""
    line = os.dup(0)  # a copy: multiprocessing closes stdin in its children
    _watch(line)
    if forks:
        os.register_at_fork(after_in_child=lambda: _watch(line))


def _watch(line: int) -> None:
    threading.Thread(target=_die_at_the_end_of, args=(line,), daemon=True).start()


def _die_at_the_end_of(line: int) -> None:
    # os.read, not sys.stdin: a thread inside a buffered reader breaks the interpreter's exit.
    while os.read(line, 1):
        pass
    with contextlib.suppress(ImportError):  # a small environment has no psutil
        import psutil

        for child in psutil.Process().children(recursive=True):
            child.kill()
    os._exit(1)


def run(command: list[str], **options) -> int:
    """Run a command in a session of its own, which ends with this call; its exit status."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **options)
    try:
        return process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):  # what is left of the session
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()  # it has ended: this closes its stdin


if __name__ == "__main__":
    hold(forks=True)
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
