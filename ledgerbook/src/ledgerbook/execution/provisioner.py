"""How kernels are started: forked from a warmed process where one is running, else in the ordinary
way; on private sockets in a folder of their own either way.

``use()`` makes every kernel manager of this process start its kernels so, ``warmed()`` keeps the
warmed process of a whole run (``forkserver``) and puts its address into the environment.
"""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from ledgerbook.execution import forkserver
from ledgerbook.project import settings, tempdirs

NAME, ADDRESS = "forked", "BOOK_FORKSERVER"
PATIENCE = 120  # seconds: the first request waits for the server's imports
ORDINARY = "kernels start in the ordinary way"
ends: list[str] = []  # of the kernels of this process that ended with an error


class ForkedKernel(LocalProvisioner):
    """Provisioner of kernels with a private folder, forked if possible."""

    process: Any = None  # a Popen or what stands for one
    private: contextlib.ExitStack | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        """Sockets in a folder of its own: TCP ports race, files at home stay after a kill."""
        manager: Any = self.parent
        if self.private is None:
            self.private = contextlib.ExitStack()
            folder = self.private.enter_context(tempdirs.folder())
            manager.transport, manager.ip = "ipc", f"{folder}/k"
            manager.connection_file = f"{folder}/kernel.json"
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork, or start in the ordinary way and say why if there is a server to ask."""
        if ADDRESS in os.environ:
            try:
                self.process = fork(cmd, **kwargs)
                self.pid, self.pgid, self.cwd = self.process.pid, None, kwargs.get("cwd")
                return self.connection_info
            except (OSError, ValueError) as error:
                self.log.warning("no kernel was forked (%s): started in the ordinary way", error)
        return await super().launch_kernel(cmd, **kwargs)

    async def poll(self) -> int | None:
        """Exit code, noted for the report: "kernel died" alone does not say of what."""
        code = await super().poll()
        if code:
            ends.append(died(code))
        return code

    async def send_signal(self, signum: int) -> None:
        """No interrupt on the way out: an idle kernel only reports it as an error."""
        manager: Any = self.parent
        if signum != signal.SIGINT or not manager.shutting_down:
            await super().send_signal(signum)

    async def cleanup(self, restart: bool = False) -> None:
        """The folder goes with the kernel."""
        await super().cleanup(restart)
        if not restart and self.private:
            self.private.close()
            self.private = None


class ForkedProcess:
    """What jupyter_client uses of ``subprocess.Popen``, for a kernel that is the server's child."""

    stdin = stdout = stderr = None

    def __init__(self, connection: socket.socket, pid: int) -> None:
        self.connection, self.pid = connection, pid
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
            # Without a message the server died, and its kernels with it.
            self.returncode = json.loads(message)["code"] if message else -signal.SIGKILL
        return self.returncode

    def wait(self) -> int | None:
        """The exit code, once there is one."""
        return self.poll(block=True)

    def send_signal(self, signum: int) -> None:
        """Through the server: it knows whether the process id is still the kernel's."""
        with contextlib.suppress(OSError):
            self.connection.send(str(int(signum)).encode())

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def fork(
    cmd: list[str],
    cwd: str | None = None,
    env: dict[str, str] | None = None,
    stdout: Any = None,
    stderr: Any = None,
    **_: Any,
) -> ForkedProcess:
    """A kernel of the server in place of ``cmd``; raises ``OSError`` or ``ValueError`` for none."""
    if "ipykernel_launcher" not in cmd:
        raise ValueError(f"{' '.join(cmd)} is no IPython kernel")
    request = {
        "executable": cmd[0],
        "argv": cmd[cmd.index("ipykernel_launcher") + 1 :],
        "cwd": str(cwd or os.getcwd()),
        "env": dict(os.environ if env is None else env),
        "nice": os.nice(0),
    }
    files = [_descriptor(file, default) for file, default in ((stdout, 1), (stderr, 2))]
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        connection.settimeout(PATIENCE)
        connection.connect(os.environ[ADDRESS])
        socket.send_fds(connection, [json.dumps(request).encode()], files)
        reply = json.loads(connection.recv(forkserver.LONGEST) or '{"refused": "no answer"}')
        if "refused" in reply:
            raise ValueError(reply["refused"])
    except BaseException:
        connection.close()
        raise
    return ForkedProcess(connection, reply["pid"])


def _descriptor(file: Any, default: int) -> int:
    number = default if file is None else file if isinstance(file, int) else file.fileno()
    if number < 0:
        raise ValueError("a pipe of subprocess for its output")
    return number


def use() -> None:
    """Let this process's kernel managers start their kernels with ``ForkedKernel``."""
    factory = KernelProvisionerFactory.instance()
    where = f"{ForkedKernel.__module__}:{ForkedKernel.__qualname__}"
    factory.provisioners[NAME] = EntryPoint(NAME, where, factory.GROUP_NAME)
    factory.default_provisioner_name = NAME


@contextlib.contextmanager
def warmed(environment: dict[str, str], say: Callable[[str], None] = print) -> Iterator[None]:
    """Keep a warmed process while the block runs, its imports made under ``environment``.

    What goes wrong costs time only: ``say`` gets a line, and kernels start in the ordinary way.
    """
    if not _can_fork():
        say(f"{ORDINARY}: this system has no fork of a warmed process")
        yield
        return
    with tempdirs.folder() as folder:
        process, outer = _start(folder, environment), os.environ.get(ADDRESS)
        os.environ[ADDRESS] = f"{folder}/server"
        try:
            yield
        finally:
            os.environ.pop(ADDRESS)
            if outer:
                os.environ[ADDRESS] = outer
            if process.poll() is not None:
                say(f"{ORDINARY}: the warmed process died ({died(process.returncode)})")
            process.communicate()  # closes its standard input: it ends its kernels and itself


def _can_fork() -> bool:
    """Whether processes fork and can be waited for by descriptor (Linux 5.3)."""
    try:
        os.close(os.pidfd_open(os.getpid()))
    except (AttributeError, OSError):
        return False
    return hasattr(os, "fork")


def _start(folder: Path, environment: dict[str, str]) -> subprocess.Popen:
    """The server, already listening: the socket is there before the imports are."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(f"{folder}/server")
        listener.listen(64)
        return subprocess.Popen(
            [
                *(sys.executable, forkserver.__file__, str(listener.fileno())),
                *settings.settings().preload,
            ],
            cwd="/",
            env=os.environ | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        )


def died(code: int) -> str:
    """An exit code in words: the signal by its name."""
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
