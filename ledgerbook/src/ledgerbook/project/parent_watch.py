"""A child process that dies with its parent, and takes its own children along.

The parent gives the child a pipe as stdin and never writes: when the parent dies, however it
dies, the pipe ends.  ``python -m`` this ``MODULE ARGUMENTS`` runs a module so.  A command that
``make`` started has no such pipe: ``interruptible`` looks whether make is still there.
"""

import contextlib
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

SECONDS = 1.0  # between two looks at who the parent is


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


@contextlib.contextmanager
def interruptible() -> Iterator[None]:
    """A block in which the end of the ``make`` that started this process, and SIGTERM, which a
    ``make`` that is told to end passes on, interrupt as Ctrl-C does.
    """
    if threading.current_thread() is not threading.main_thread():  # no place for signals
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    done = threading.Event()
    if _is_make(os.getppid()):
        threading.Thread(target=_look, args=(os.getppid(), done), daemon=True).start()
    try:
        yield
    finally:
        done.set()
        signal.signal(signal.SIGTERM, before)


def _interrupt(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _is_make(pid: int) -> bool:
    if "MAKELEVEL" not in os.environ:
        return False
    try:
        import psutil

        return psutil.Process(pid).name() in ("make", "gmake")
    except Exception:  # not installed; gone already; another system's ways
        return False


def _look(make: int, done: threading.Event) -> None:
    while not done.wait(SECONDS):
        if os.getppid() != make:
            os.kill(os.getpid(), signal.SIGTERM)
            return


if __name__ == "__main__":
    # A copy: multiprocessing closes stdin in its children.
    threading.Thread(target=_hold, args=(os.dup(0),), daemon=True).start()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
