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
from ledgerbook.project import settings, tempdirs

NAME, ADDRESS = "forked", "BOOK_FORKSERVER"
ORDINARY = "kernels start in the ordinary way"
running = set["ForkedKernel"]()  # of this process
servers = list[subprocess.Popen]()  # the warmed process, while there is one
stopping = threading.Event()  # set: no kernel starts any more
ended = threading.local()  # of this thread's last kernel: its exit code, and what it said last


class ForkedKernel(LocalProvisioner):
    """Provisioner of kernels with a private folder, forked if possible."""

    process: Any = None  # a Popen or what stands for one
    private: tempfile.TemporaryDirectory[str] | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Sockets in a folder of its own: TCP ports race, files at home stay after a kill."""
        manager: Any = self.parent
        if self.private is None:
            self.private = tempdirs.folder()
            manager.transport, manager.ip = "ipc", f"{self.private.name}/k"
            manager.connection_file = f"{self.private.name}/kernel.json"
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork, or start in the ordinary way and say why if there is a server to ask."""
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
        """What the kernel's process says on its standard error."""
        return Path(self.private.name, "said") if self.private else Path(os.devnull)

    async def poll(self) -> int | None:
        """Exit code, kept for the report: "kernel died" alone does not say of what."""
        code = await super().poll()
        if code is not None:
            ended.code = code
        return code

    async def send_signal(self, signum: int) -> None:
        """No interrupt on the way out: an idle kernel only reports it as an error."""
        manager: Any = self.parent
        if signum != signal.SIGINT or not manager.shutting_down:
            await super().send_signal(signum)

    async def cleanup(self, restart: bool = False) -> None:
        """The folder goes with the kernel."""
        await super().cleanup(restart)
        running.discard(self)
        if not restart and self.private:
            with contextlib.suppress(OSError):
                lines = self._said().read_text(encoding="utf-8", errors="replace").split("\n")
                ended.said = next((line for line in reversed(lines) if line.strip()), "")
            self.private.cleanup()
            self.private = None


class ForkedProcess:
    """What jupyter_client uses of ``subprocess.Popen``, for a kernel that is a keeper's child."""

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
        """The exit code, once there is one."""
        return self.poll(block=True)

    def send_signal(self, signum: int) -> None:
        """Through the keeper: it knows whether the process id is still the kernel's."""
        with contextlib.suppress(OSError):
            self.connection.send(str(int(signum)).encode())

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def fork(cmd: list[str], cwd: object, env: dict[str, str]) -> ForkedProcess:
    """A kernel of the server in place of ``cmd``; raises ``OSError`` or ``ValueError`` for none."""
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
    """Keep a warmed process, its imports made under this environment, while the block runs.

    What goes wrong costs time only: ``say`` gets a line, and kernels start in the ordinary way.
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
    """End every kernel, and the warmed process that others wait for; no further one starts."""
    stopping.set()
    while servers:
        servers.pop().kill()
    for kernel in [*running]:
        if kernel.process:
            kernel.process.kill()


def _start(address: str) -> subprocess.Popen:
    """The server, already listening: the socket is there before the imports are."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(address)
        listener.listen(64)
        listening = str(listener.fileno())
        return subprocess.Popen(
            [sys.executable, forkserver.__file__, listening, *settings.settings().preload],
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )


def died(code: int) -> str:
    """An exit code in words: the signal by its name."""
    if code == -signal.SIGKILL:
        return "killed by SIGKILL, as a system does that is short of memory"
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"


def forget() -> None:
    """Begin anew what ``end`` tells of this thread's last kernel."""
    ended.code = ended.said = None


def end() -> str:
    """How this thread's last kernel ended, as far as is known: its exit code, its last words."""
    code = [] if ended.code is None else [died(ended.code)]
    return "; ".join([*code, *([ended.said] if ended.said else [])])
