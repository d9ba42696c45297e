"""A process that has imported what chapters import, and forks itself into a kernel on request.

Started by ``provisioner``.  It imports nothing of the project, so that a kernel reads
its code as it is on disk.  For each connection it forks a keeper, which forks the kernel: the
process id goes back, then signals come in and the exit code goes out; when the other side closes,
the kernel is killed.  Standard input ends with whoever started this, and all of it then.
Linux only: process descriptors, ``prctl``.
"""

import atexit
import contextlib
import ctypes
import gc
import json
import os
import pkgutil
import select
import signal
import socket
import sys
from collections.abc import Iterable
from typing import Any

# What every kernel imports; what the chapters import besides comes as arguments.
ALWAYS = (
    *("matplotlib.pyplot", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"),
    *("ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.debugger", "jedi"),
)
LONGEST = 1 << 17  # bytes of a message: the environment is the longest part of a request
PR_SET_PDEATHSIG = 1
LIFELINE = 0  # standard input
STARTED = frozenset(os.environ)
# After so many new objects circles of garbage are looked for, by a walk through all that lives,
# which is a twentieth of a chapter's time where it is done every few hundred.
SELDOM = 100_000, 50, 50


def preload(modules: Iterable[str]) -> None:
    """Import what is installed of ``modules``, and call what is named behind a colon.

    Ends the process where one of them left a thread: a fork would wait for ever for what it holds.
    """
    for name in modules:
        with contextlib.suppress(Exception):  # a chapter that needs it says so itself
            found = pkgutil.resolve_name(name)
            if ":" in name:
                found()
    gc.collect()
    gc.freeze()  # shared pages stay shared: the collector of a kernel does not touch them
    gc.set_threshold(*SELDOM)
    if len(os.listdir("/proc/self/task")) > 1:
        sys.exit("a module of `preload` has started a thread")


def serve(listener: socket.socket) -> socket.socket:
    """Fork for each connection; returns it, in a keeper only."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # of keepers that ended nothing is left
    while True:
        ready, _, _ = select.select([LIFELINE, listener.fileno()], [], [])
        if LIFELINE in ready:
            sys.exit()
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return connection
        connection.close()


def keep(connection: socket.socket) -> dict[str, Any]:
    """Fork the kernel that a connection asks for and stay until it ends; returns the request, in
    the kernel only.
    """
    keeper = os.getpid()
    with contextlib.suppress(OSError):  # the other side went away: so do keeper and kernel
        request = json.loads(connection.recv(LONGEST) or "null")
        if request and (pid := os.fork()) == 0:
            connection.close()
            settle(request, keeper)
            return request
        if request:
            connection.send(str(pid).encode())
            stay(pid, os.pidfd_open(pid), connection)
    os._exit(0)


def stay(pid: int, ended: int, connection: socket.socket) -> None:
    """Pass signals on to a kernel, and its exit code back, negative for a signal."""
    while True:
        ready, _, _ = select.select([LIFELINE, ended, connection.fileno()], [], [])
        if ended in ready:
            code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            connection.send(str(code).encode())
            return
        said = connection.recv(LONGEST) if connection.fileno() in ready else b""
        try:
            os.killpg(pid, int(said or signal.SIGKILL))
        except ProcessLookupError:  # it leads no group yet
            os.kill(pid, int(said or signal.SIGKILL))
        if not said:
            return


def settle(request: dict[str, Any], keeper: int) -> None:
    """Give this forked process what a fresh kernel has: folder, environment, arguments."""
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:  # it died before the line above
        os._exit(1)
    null = os.open(os.devnull, os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    os.chdir(request["cwd"])
    made = {name: os.environ[name] for name in os.environ.keys() - STARTED}  # by imports
    os.environ.clear()
    os.environ.update(made | request["env"])
    sys.argv = ["ipykernel_launcher", *request["argv"]]


if __name__ == "__main__":
    del sys.path[0]  # this folder: a kernel does not have it either
    preload([*sys.argv[2:], *ALWAYS])
    keep(serve(socket.socket(fileno=int(sys.argv[1]))))
    from ipykernel.kernelapp import IPKernelApp  # in a kernel only

    IPKernelApp.launch_instance(parent_handle=os.getppid())
    atexit._run_exitfuncs()  # not the interpreter's own end, which takes modules apart
    os._exit(0)
