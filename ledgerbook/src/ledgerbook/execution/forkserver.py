"""A process that has imported what chapters import, and forks itself into a kernel on request.

Started by ``provisioner``.  It imports nothing of the project, so that a kernel reads
its code as it is on disk.  A connection is one kernel's lifeline: a request comes in, the process
id goes back, then signals come in and the exit goes out; when the other side closes, the kernel is
killed.  Standard input is the server's own lifeline.  Linux only: process descriptors, ``prctl``.
"""

import atexit
import contextlib
import ctypes
import functools
import gc
import importlib.util
import json
import os
import pkgutil
import select
import selectors
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any

# What every kernel imports; what the chapters import besides comes as arguments.
ALWAYS = (
    *("matplotlib.pyplot", "matplotlib.backends.backend_agg", "matplotlib.backends.backend_svg"),
    *("ipykernel.kernelapp", "ipykernel.ipkernel", "ipykernel.debugger", "jedi"),
)
# Read by the interpreter, the C library or a package while it is imported: a kernel whose
# environment differs in one of these is not forked.
READ_AT_IMPORT = (
    *("PYTHON", "OMP_", "MKL_", "OPENBLAS_", "NUMBA_", "KMP_", "TORCH", "MPL", "LD_"),
    *("LANG", "LC_", "HOME", "XDG_"),
)
LONGEST = 1 << 17  # bytes of a message: the environment is the longest part of a request
PR_SET_PDEATHSIG = 1
LIFELINE = 0  # standard input
# After so many new objects circles of garbage are looked for, by a walk through all that lives,
# which is a twentieth of a chapter's time where it is done every few hundred.
SELDOM = 100_000, 50, 50


def preload(modules: Iterable[str]) -> None:
    """Import what is installed of ``modules``, and call what is named behind a colon."""
    for name in modules:
        with contextlib.suppress(Exception):  # a chapter that needs it says so itself
            found = pkgutil.resolve_name(name)
            if ":" in name:
                found()
    gc.collect()
    gc.freeze()  # shared pages stay shared: the collector of a kernel does not touch them
    gc.set_threshold(*SELDOM)


def while_wanted(modules: Iterable[str], listener: socket.socket) -> Iterable[str]:
    """The modules, as long as whoever started this process lives: imports take seconds."""
    for name in modules:
        if select.select([LIFELINE], [], [], 0)[0]:
            Server(listener).stop()
        yield name


def refusal(request: dict[str, Any]) -> str | None:
    """Why this process must not become the kernel that is asked for, or ``None``."""
    if request["executable"] != sys.executable:
        return f"kernel of {request['executable']}, not of {sys.executable}"
    here, there = (
        {name: value for name, value in env.items() if name.startswith(READ_AT_IMPORT)}
        for env in (os.environ, request["env"])
    )
    if here != there:
        changed = sorted(name for name in here | there if here.get(name) != there.get(name))
        return f"{', '.join(changed)} changed since the imports"
    threads = len(os.listdir("/proc/self/task"))
    return f"{threads} threads run in the server" if threads > 1 else None


class Kernel:
    """A forked kernel: process id, descriptor that is readable once it has ended, connection."""

    def __init__(self, pid: int, connection: socket.socket) -> None:
        self.pid, self.connection = pid, connection
        try:
            self.ended = os.pidfd_open(pid)
        except OSError:  # no descriptor left: nobody would see it end
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise

    def kill(self, signum: int = signal.SIGKILL) -> None:
        """Signal the kernel's group, or the kernel alone as long as it has none."""
        try:
            os.killpg(self.pid, signum)
        except ProcessLookupError:
            os.kill(self.pid, signum)  # ours until ``reap``: the number is not used again

    def reap(self) -> int:
        """The exit code, negative for a signal."""
        _, status = os.waitpid(self.pid, 0)
        os.close(self.ended)
        return os.waitstatus_to_exitcode(status)


class Server:
    """Answers on ``listener`` until standard input closes."""

    def __init__(self, listener: socket.socket) -> None:
        self.listener = listener
        self.kernels: set[Kernel] = set()
        self.selector = selectors.DefaultSelector()
        self.watch(listener, self.accept)
        self.watch(LIFELINE, self.stop)

    def watch(self, file: Any, action: Callable[[], dict[str, Any] | None]) -> None:
        self.selector.register(file, selectors.EVENT_READ, action)

    def serve(self) -> dict[str, Any]:
        """Returns in a forked kernel only, with its request."""
        request = None
        while request is None:
            (key, _), *_ = self.selector.select()
            request = key.data()
        self.leave(request.pop("connection"))
        return request

    def accept(self) -> dict[str, Any] | None:
        """Fork for one request; returns it in the child, nothing in the server."""
        connection, _ = self.listener.accept()
        connection.settimeout(5)
        files: list[int] = []
        kernel = None
        with contextlib.suppress(OSError, ValueError, KeyError):  # a client that went away
            data, files, *_ = socket.recv_fds(connection, LONGEST, 2)
            request = json.loads(data)
            if problem := refusal(request):
                connection.send(json.dumps({"refused": problem}).encode())
            elif (pid := os.fork()) == 0:
                return request | {"files": files, "connection": connection}
            else:
                kernel = Kernel(pid, connection)
                self.keep(kernel)
        for file in files:
            os.close(file)
        if kernel is None:
            connection.close()
        return None

    def keep(self, kernel: Kernel) -> None:
        self.kernels.add(kernel)
        self.watch(kernel.connection, functools.partial(self.obey, kernel))
        self.watch(kernel.ended, functools.partial(self.bury, kernel))
        kernel.connection.send(json.dumps({"pid": kernel.pid}).encode())

    def leave(self, connection: socket.socket) -> None:
        """In a child: let go of everything that is the server's."""
        for kernel in self.kernels:
            kernel.connection.close()
            os.close(kernel.ended)
        for file in (self.selector, self.listener, connection):
            file.close()

    def obey(self, kernel: Kernel) -> None:
        """Pass a signal on; without the client there is no kernel."""
        try:
            message = kernel.connection.recv(LONGEST)
        except OSError:
            message = b""
        kernel.kill(int(message) if message else signal.SIGKILL)
        if not message:
            self.selector.unregister(kernel.connection)

    def bury(self, kernel: Kernel) -> None:
        """Tell the client how the kernel ended."""
        self.kernels.remove(kernel)
        self.selector.unregister(kernel.ended)
        with contextlib.suppress(KeyError):
            self.selector.unregister(kernel.connection)
        with contextlib.suppress(OSError):
            kernel.connection.send(json.dumps({"code": kernel.reap()}).encode())
        kernel.connection.close()

    def stop(self) -> None:
        """End all kernels, leave no folder."""
        for kernel in self.kernels:
            kernel.kill()
        for kernel in self.kernels:
            kernel.reap()
        shutil.rmtree(os.path.dirname(self.listener.getsockname()), ignore_errors=True)
        sys.exit()


def give_way(more: int) -> None:
    """Be ``more`` nice, as a session too, which Linux weighs first; to go first is not ours."""
    if more > 0:
        os.nice(more)
        with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as group:
            group.write(str(more))


def settle(request: dict[str, Any], server: int) -> None:
    """Give this forked process what a fresh kernel has: folder, files, environment, priority."""
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != server:  # it died before the line above
        os._exit(1)
    out, err = request["files"]
    for file, standard in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
        os.dup2(file, standard)
        os.close(file)
    give_way(request["nice"] - os.nice(0))
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"], JPY_PARENT_PID=str(server))
    time.tzset()
    launcher = importlib.util.find_spec("ipykernel_launcher")
    sys.argv = [str(launcher and launcher.origin), *request["argv"]]
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed()  # the legacy global generator: each kernel its own, as when fresh


def main(descriptor: int, modules: Iterable[str] = ()) -> None:
    """Import, serve; a forked child comes out of ``serve`` and runs as a kernel."""
    listener = socket.socket(fileno=descriptor)
    preload(while_wanted([*modules, *ALWAYS], listener))
    server = os.getpid()
    settle(Server(listener).serve(), server)
    run_kernel(server)


def run_kernel(server: int) -> None:
    """Be a kernel to the end; without the interpreter's own end, which takes modules apart."""
    from ipykernel.kernelapp import IPKernelApp

    code = 0
    try:
        IPKernelApp.launch_instance(parent_handle=server)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:  # as multiprocessing ends: no daemons left
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    del sys.path[0]  # this folder: a kernel does not have it either
    main(int(sys.argv[1]), sys.argv[2:])
