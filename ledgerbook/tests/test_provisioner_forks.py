"""How a kernel is asked for, what becomes of it, and what is done where none can be forked."""

import asyncio
import contextlib
import json
import os
import runpy
import signal
import socket
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from ledgerbook.execution import provisioner
from ledgerbook.execution.provisioner import ADDRESS, ORDINARY, ForkedKernel, ForkedProcess
from ledgerbook.project import tempdirs

KERNEL = ["python3", "-m", "ipykernel_launcher", "-f", "kernel.json"]


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server that answers with the next of `replies` and keeps what it was asked."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    told = SimpleNamespace(replies=[], asked=[], peers=[])

    def send(connection, messages, files):
        peer, _ = listener.accept()
        told.peers.append(peer)
        told.asked.append(json.loads(messages[0]))
        reply = told.replies.pop(0)
        peer.send(json.dumps(reply).encode()) if reply else peer.close()

    with listener:
        listener.bind(str(tmp_path / "s"))
        listener.listen()
        monkeypatch.setenv(ADDRESS, str(tmp_path / "s"))
        monkeypatch.setattr(provisioner.socket, "send_fds", send)
        yield told
    for peer in told.peers:
        peer.close()


def test_a_kernel_is_asked_for_by_its_arguments_folder_and_environment(server):
    server.replies += [{"pid": 42}, {"pid": 43}]
    with contextlib.closing(provisioner.fork(KERNEL).connection) as connection:
        assert connection.gettimeout() == provisioner.PATIENCE
    asked = {"executable": "python3", "argv": ["-f", "kernel.json"], "nice": os.nice(0)}
    assert server.asked[0] == asked | {"cwd": os.getcwd(), "env": dict(os.environ)}
    process = provisioner.fork(KERNEL, cwd="/", env={}, other="ignored")
    process.connection.close()
    assert (process.pid, process.returncode) == (43, None)
    assert server.asked[1] == asked | {"cwd": "/", "env": {}}


def test_what_cannot_be_forked_is_refused(server):
    server.replies += [{"refused": "another Python"}, None]
    for why in ("another Python", "no answer"):
        with pytest.raises(ValueError, match=why):
            provisioner.fork(KERNEL)
    with pytest.raises(ValueError, match="sleep 1 is no IPython kernel"):
        provisioner.fork(["sleep", "1"])
    with pytest.raises(ValueError, match="pipe"):
        provisioner.fork(KERNEL, stdout=provisioner.subprocess.PIPE)
    assert len(server.asked) == 2


def test_an_output_is_a_number_or_an_open_file(tmp_path):
    with open(tmp_path / "file", "w") as file:
        assert provisioner._descriptor(file, 1) == file.fileno()
    assert [provisioner._descriptor(number, 1) for number in (0, 3, None)] == [0, 3, 1]


class Connection:
    """A kernel that ends as soon as somebody waits for it."""

    def __init__(self, code, cpu, peak):
        self.report, self.sent, self.block = {"code": code, "cpu": cpu, "peak": peak}, [], None

    def setblocking(self, block):
        self.block = block

    def recv(self, size):
        if not self.block:
            raise BlockingIOError
        return json.dumps(self.report).encode()

    def send(self, data):
        self.sent.append(data)

    def close(self):
        pass


def test_the_cost_of_ended_kernels_adds_up_and_their_highest_peak_counts(monkeypatch):
    start = runpy.run_path(provisioner.__file__)["forked_cost"]
    assert start == {"cpu": 0.0, "peak": 0}
    monkeypatch.setattr(provisioner, "forked_cost", start)
    first, second = (ForkedProcess(Connection(*one), 1) for one in ((0, 2.0, 9), (3, 1.5, 7)))
    assert (first.poll(), first.wait(), first.poll()) == (None, 0, 0)
    assert second.wait() == second.returncode == 3
    assert start == {"cpu": 3.5, "peak": 9}


def test_of_a_kernel_whose_server_is_gone_no_cost_is_known(monkeypatch):
    monkeypatch.setattr(provisioner, "forked_cost", {"cpu": 0.0, "peak": 0})
    gone = Connection(0, 1.0, 1)
    gone.recv = Mock(side_effect=ConnectionResetError)
    assert ForkedProcess(gone, 1).wait() == -signal.SIGKILL
    assert provisioner.forked_cost == {"cpu": 0.0, "peak": 0}


def test_signals_go_through_the_server():
    connection = Connection(0, 0.0, 0)
    process = ForkedProcess(connection, 1)
    process.send_signal(signal.SIGINT)
    process.terminate()
    process.kill()
    assert connection.sent == [b"2", b"15", b"9"]


@pytest.fixture
def kernel(monkeypatch):
    """A provisioner whose ordinary ways are noted, not gone."""
    kernel, manager = ForkedKernel(), SimpleNamespace(connection_file="")
    kernel.connection_info = {"key": "of the kernel"}
    monkeypatch.setattr(ForkedKernel, "parent", manager)

    def ordinary(name, answer=None):
        async def done(self, *given, **named):
            kernel.did.append(name)
            return answer

        monkeypatch.setattr(provisioner.LocalProvisioner, name, done)

    object.__setattr__(kernel, "did", [])
    ordinary("pre_launch", {"ready": True})
    ordinary("launch_kernel", "ordinary")
    ordinary("cleanup")
    return kernel


def test_a_kernel_keeps_its_private_folder_until_it_is_gone_for_good(kernel):
    manager = kernel.parent
    assert asyncio.run(kernel.pre_launch()) == {"ready": True}
    folder = os.path.dirname(manager.connection_file)
    assert (manager.transport, manager.ip) == ("ipc", f"{folder}/k") and os.path.isdir(folder)
    asyncio.run(kernel.cleanup(restart=True))
    asyncio.run(kernel.pre_launch())
    assert manager.connection_file == f"{folder}/kernel.json" and os.path.isdir(folder)
    for _ in range(2):
        asyncio.run(kernel.cleanup())
        assert not os.path.exists(folder) and kernel.private is None


def test_a_kernel_is_forked_where_there_is_a_server_and_else_started(kernel, monkeypatch):
    monkeypatch.delenv(ADDRESS, raising=False)
    assert asyncio.run(kernel.launch_kernel(KERNEL)) == "ordinary"
    monkeypatch.setenv(ADDRESS, "somewhere")
    forked = SimpleNamespace(pid=42)
    monkeypatch.setattr(provisioner, "fork", lambda cmd, **kwargs: forked)
    found = asyncio.run(kernel.launch_kernel(KERNEL, cwd="/"))
    assert found == kernel.connection_info and kernel.process is forked
    assert (kernel.pid, kernel.pgid, kernel.cwd) == (42, None, "/")
    assert kernel.did == ["launch_kernel"]


def test_a_refusal_is_told_and_the_kernel_started_in_the_ordinary_way(kernel, server, monkeypatch):
    server.replies.append({"refused": "another Python"})
    warned = []
    warn = lambda words, *given: warned.append(words % given)
    monkeypatch.setattr(kernel.log, "warning", warn)
    assert asyncio.run(kernel.launch_kernel(KERNEL)) == "ordinary"
    assert warned == ["no kernel was forked (another Python): started in the ordinary way"]


def test_how_a_kernel_ended_is_kept_where_it_was_an_error(kernel, monkeypatch):
    monkeypatch.setattr(provisioner, "ends", [])
    for code in (None, 0, 3, -signal.SIGKILL):
        kernel.process = SimpleNamespace(poll=lambda code=code: code)
        assert asyncio.run(kernel.poll()) == code
    assert provisioner.ends == ["exit status 3", "killed by SIGKILL"]
    assert provisioner.died(-signal.SIGTERM) == "killed by SIGTERM"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (None, []),
        (0, [f"{ORDINARY}: the warmed process died (exit status 0)"]),
        (-9, [f"{ORDINARY}: the warmed process died (killed by SIGKILL)"]),
    ],
)
@pytest.mark.parametrize("outer", [None, "an outer one"])
def test_a_warmed_process_is_there_while_its_block_runs(monkeypatch, code, said, outer):
    lines, ended = [], []
    process = SimpleNamespace(
        poll=lambda: code, returncode=code, communicate=lambda: ended.append(1)
    )
    monkeypatch.setattr(provisioner, "_can_fork", lambda: True)
    monkeypatch.setattr(provisioner, "_start", lambda folder, environment: process)
    monkeypatch.delenv(ADDRESS, raising=False)
    if outer:
        monkeypatch.setenv(ADDRESS, outer)
    with provisioner.warmed({}, lines.append):
        assert os.environ[ADDRESS].endswith("/server") and not ended
    assert (lines, ended, os.environ.get(ADDRESS)) == (said, [1], outer)


def test_without_forks_one_line_says_so(monkeypatch):
    lines = []
    monkeypatch.setattr(provisioner, "_can_fork", lambda: False)
    monkeypatch.delenv(ADDRESS, raising=False)
    with provisioner.warmed({}, lines.append):
        assert ADDRESS not in os.environ
    assert lines == [f"{ORDINARY}: this system has no fork of a warmed process"]


def test_a_system_can_fork_that_has_both_calls(monkeypatch):
    closed = []
    with monkeypatch.context() as patched:
        patched.setattr(os, "pidfd_open", lambda pid: "descriptor", raising=False)
        patched.setattr(provisioner.os, "close", closed.append)
        assert provisioner._can_fork() is True and closed == ["descriptor"]
        patched.delattr(os, "fork")
        assert provisioner._can_fork() is False
    for error in (AttributeError, OSError):
        with monkeypatch.context() as patched:
            refuses = Mock(side_effect=error)
            patched.setattr(os, "pidfd_open", refuses, raising=False)
            assert provisioner._can_fork() is False


def test_the_server_listens_before_its_imports_apart_from_the_terminal(monkeypatch):
    started = []

    def popen(command, **named):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
            client.connect(f"{folder}/server")
        started.append((command, named))
        return "the process"

    monkeypatch.setattr(provisioner.subprocess, "Popen", popen)
    with tempdirs.folder() as folder:
        assert provisioner._start(folder, {"HERE": "set"}) == "the process"
    (((_, server, descriptor, *imports), named),) = started
    assert server.endswith("forkserver.py") and imports == [*provisioner.project.settings().preload]
    assert named["pass_fds"] == [int(descriptor)] and named["env"]["HERE"] == "set"
    assert named["start_new_session"] is True
