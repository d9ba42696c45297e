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


def run(command: list[str], **options) -> int:
    """Run a command in a session of its own, which ends with this call; its exit status."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **options)
    try:
        return process.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):  # what is left of the session
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()  # it has ended: this closes its stdin


def _hold(line: int) -> None:
    # os.read, not sys.stdin: a thread inside a buffered reader breaks the interpreter's exit.
    while os.read(line, 1):
        pass
    os.killpg(0, signal.SIGKILL)  # the session that ``run`` made: this process and its own


if __name__ == "__main__":
    # A copy: multiprocessing closes stdin in its children.
    threading.Thread(target=_hold, args=(os.dup(0),), daemon=True).start()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
