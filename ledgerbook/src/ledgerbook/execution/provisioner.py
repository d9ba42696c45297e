"""How kernels are started: forked from a warmed process where one is running, else in the ordinary
way; on private sockets in a folder of their own either way.

``use()`` makes every kernel manager of this process start its kernels so, ``warmed()`` keeps the
warmed process of a whole run (``forkserver``) and puts its address into the environment.
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from ledgerbook.execution import forkserver
from ledgerbook.project import tempdirs
from ledgerbook.project.project import current

NAME, ADDRESS = "forked", "BOOK_FORKSERVER"
ORDINARY = "kernels start in the ordinary way"
running = set["ForkedKernel"]()  # of this process
servers = list[subprocess.Popen]()  # the warmed process, while there is one
stopping = threading.Event()  # set: no kernel starts any more
ended = threading.local()  # of this thread's last kernel: its exit code, and what it said last


class ForkedKernel(LocalProvisioner):
    """Starts kernels in a private folder, by a fork of the server where there is one."""

    process: Any = None  # a Popen or what stands for one
    private: tempfile.TemporaryDirectory[str] | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Put the kernel's sockets and its connection file into a temporary folder of its own.

        Two kernels that start at once may choose the same TCP port, and connection files in the
        home folder would remain after a kill.
        """
        manager: Any = self.parent
        if self.private is None:
            self.private = tempdirs.folder()
            manager.transport, manager.ip = "ipc", f"{self.private.name}/k"
            manager.connection_file = f"{self.private.name}/kernel.json"
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Start the kernel by a fork of the server, or as a new process where that fails.

        Where a server exists and cannot fork, a message gives the reason.  Raises
        ``asyncio.CancelledError`` if the run has been interrupted.
        """
        running.add(self)
        if stopping.is_set():
            raise asyncio.CancelledError("interrupted")
        if ADDRESS in os.environ:
            try:
                self.process = fork(cmd, kwargs.get("cwd") or os.getcwd(), kwargs["env"])
                return self.connection_info
            except (OSError, ValueError) as error:
                if stopping.is_set():
                    raise asyncio.CancelledError("interrupted") from None
                self.log.warning("no kernel was forked (%s): started in the ordinary way", error)
        with open(self._said(), "wb") as said:  # pages of traceback, where a line is told
            return await super().launch_kernel(cmd, **kwargs | {"stderr": said})

    def _said(self) -> Path:
        """The file to which the kernel's process writes its standard error."""
        return Path(self.private.name, "said") if self.private else Path(os.devnull)

    async def poll(self) -> int | None:
        """The kernel's exit code, or ``None`` while it runs.

        The code is also kept for ``end``, because jupyter_client's message "kernel died" does not
        give it.
        """
        code = await super().poll()
        if code is not None:
            ended.code = code
        return code

    async def send_signal(self, signum: int) -> None:
        """Send a signal to the kernel, except an interrupt while it is being shut down.

        An idle kernel would report that interrupt as an error.
        """
        manager: Any = self.parent
        if signum != signal.SIGINT or not manager.shutting_down:
            await super().send_signal(signum)

    async def cleanup(self, restart: bool = False) -> None:
        """Keep the last line of the kernel's standard error, and remove its private folder.

        ``end`` reports the line.  Before a restart the folder stays.
        """
        await super().cleanup(restart)
        running.discard(self)
        if not restart and self.private:
            with contextlib.suppress(OSError):
                lines = self._said().read_text(encoding="utf-8", errors="replace").split("\n")
                ended.said = next((line for line in reversed(lines) if line.strip()), "")
            self.private.cleanup()
            self.private = None


class ForkedProcess:
    """What jupyter_client uses of ``subprocess.Popen``, for a kernel forked by the server."""

    stdin = stdout = stderr = None

    def __init__(self, connection: socket.socket) -> None:
        self.connection, self.pid = connection, int(connection.recv(forkserver.LONGEST))
        self.returncode: int | None = None

    def poll(self, block: bool = False) -> int | None:
        """Exit code, negative for a signal, ``None`` while the kernel runs."""
        if self.returncode is None:
            self.connection.setblocking(block)
            try:
                message = self.connection.recv(forkserver.LONGEST)
            except BlockingIOError:
                return None
            except OSError:
                message = b""
            self.connection.close()
            # Without a message the keeper died, and its kernel with it.
            self.returncode = int(message or -signal.SIGKILL)
        return self.returncode

    def wait(self) -> int | None:
        """Wait until the kernel ends; returns its exit code as ``poll`` does."""
        return self.poll(block=True)

    def send_signal(self, signum: int) -> None:
        """Ask the keeper to send a signal to the kernel.

        Only the keeper knows whether the process id is still the kernel's.
        """
        with contextlib.suppress(OSError):
            self.connection.send(str(int(signum)).encode())

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def fork(cmd: list[str], cwd: object, env: dict[str, str]) -> ForkedProcess:
    """Ask the server to fork a kernel in place of starting ``cmd``.

    cmd: the command of an IPython kernel of this Python.  cwd: its working folder.  env: its
    environment variables.

    Returns the ``ForkedProcess``.  Raises ``ValueError`` for another command and ``OSError`` if the
    server does not answer.
    """
    if cmd[:3] != [sys.executable, "-m", "ipykernel_launcher"]:
        raise ValueError(f"{' '.join(cmd)} is no IPython kernel of {sys.executable}")
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        connection.connect(os.environ[ADDRESS])
        connection.send(json.dumps({"argv": cmd[3:], "cwd": str(cwd), "env": env}).encode())
        return ForkedProcess(connection)
    except BaseException:
        connection.close()
        raise


def use() -> None:
    """Let this process's kernel managers start their kernels with ``ForkedKernel``."""
    factory = KernelProvisionerFactory.instance()
    where = f"{ForkedKernel.__module__}:{ForkedKernel.__qualname__}"
    factory.provisioners[NAME] = EntryPoint(NAME, where, factory.GROUP_NAME)
    factory.default_provisioner_name = NAME


@contextlib.contextmanager
def warmed(say: Callable[[str], None] = print) -> Iterator[None]:
    """Context in which a server with the chapters' imports runs, and kernels are forked from it.

    Where the server cannot be started ``say`` is called with a line that gives the reason; kernels
    then start as new processes, which takes longer and gives the same results.
    """
    if not hasattr(os, "pidfd_open"):
        say(f"{ORDINARY}: this system has no fork of a warmed process")
        yield
        return
    with tempdirs.folder() as folder:
        process = _start(f"{folder}/server")
        os.environ[ADDRESS] = f"{folder}/server"
        servers.append(process)
        try:
            yield
        finally:
            del os.environ[ADDRESS]
            if process in servers and process.poll() is not None:
                say(f"{ORDINARY}: the warmed process died ({died(process.returncode)})")
            servers.clear()
            process.kill()  # it may be in the middle of its imports
            process.communicate()  # closes its standard input: what it has forked ends with that


def stop() -> None:
    """Kill every kernel and the server; no kernel starts in this process afterwards."""
    stopping.set()
    while servers:
        servers.pop().kill()
    for kernel in [*running]:
        if kernel.process:
            kernel.process.kill()


def _start(address: str) -> subprocess.Popen:
    """Start the server process on the socket ``address``.

    The socket listens before the process imports anything, so that a kernel can connect at once.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(64)
        listening = str(listener.fileno())
        return subprocess.Popen(
            [sys.executable, forkserver.__file__, listening, *current().settings.preload],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )


def died(code: int) -> str:
    """An exit code in words, with a signal by its name: ``-9`` is "killed by SIGKILL, …"."""
    if code == -signal.SIGKILL:
        return "killed by SIGKILL, as a system does that is short of memory"
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def forget() -> None:
    """Clear what ``end`` reports of this thread's last kernel."""
    ended.code = ended.said = None


def end() -> str:
    """How this thread's last kernel ended: its exit code and the last line of its standard error.

    Returns one line of text, empty where nothing is known.
    """
    code = [] if ended.code is None else [died(ended.code)]
    return "; ".join([*code, *([ended.said] if ended.said else [])])
