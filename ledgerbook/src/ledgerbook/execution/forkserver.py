"""A server process that has imported what chapters import, and forks into a kernel on request.

``provisioner`` starts it.  It imports nothing of the project itself, so that a kernel reads the
project's code as it is on disk.  For each connection it forks a *keeper* process, and the keeper
forks the kernel.  The keeper sends the kernel's process id, then receives signal numbers, which it
passes on to the kernel, and in the end sends the exit code.  It kills the kernel when the client
closes the connection.  All of these processes end when standard input closes, that is, when the
process that started the server ends.

Linux only, because it uses process descriptors and ``prctl``.
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
# Thresholds of Python's cyclic garbage collector.  A collection walks through all objects; at the
# default thresholds it took a twentieth of a chapter's time.
SELDOM = 100_000, 50, 50


def preload(modules: Iterable[str]) -> None:
    """Import the ``modules`` that are installed.

    A name ``module:attribute`` is called after the import.  Exits the process with a message if an
    import has started a thread, because a forked child could wait without end for a lock that the
    thread held.
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
    """Fork a keeper for each connection to ``listener``.

    Returns the connection, in the keeper only.  In the server itself it does not return: the
    process exits when standard input closes.
    """
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
    """Fork the kernel that a connection asks for, and wait until it ends.

    Returns the request (``argv``, ``cwd``, ``env``), in the kernel only.  The keeper exits here.
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
    """Pass signals from ``connection`` to the kernel, and send its exit code when it ends.

    pid, ended: process id and process descriptor of the kernel.  The exit code is negative for a
    signal.  The kernel is killed when the connection or standard input closes.
    """
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
    """Turn this forked process into a fresh kernel process.

    It gets a session of its own, is killed when its keeper ends, has standard streams on the null
    device, and the working folder, environment variables and arguments of ``request``.
    """
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
