"""The process that forks kernels, piece by piece: whom it refuses, how its kernels end."""

import gc
import json
import os
import shutil
import signal
import socket
import sys
from types import SimpleNamespace

import pytest
from ledgerbook.execution import forkserver

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only")


@pytest.fixture
def request_here(monkeypatch):
    """A request for a kernel like this process, which has one thread."""
    monkeypatch.setattr(forkserver.os, "listdir", lambda place: ["1"])
    return {"executable": sys.executable, "env": dict(os.environ)}


def test_a_kernel_like_this_process_is_not_refused(request_here, monkeypatch):
    assert forkserver.refusal(request_here) is None
    request_here["env"]["MARK"] = "read by no package"
    assert forkserver.refusal(request_here) is None
    monkeypatch.setattr(forkserver.os, "listdir", lambda place: ["1", "2"])
    assert forkserver.refusal(request_here) == "2 threads run in the server"


def test_another_python_and_what_is_read_at_imports_are_refused_by_name(request_here, monkeypatch):
    said = forkserver.refusal({**request_here, "executable": "python0"})
    assert said == f"kernel of python0, not of {sys.executable}"
    monkeypatch.setenv("OMP_ONLY_HERE", "1")
    monkeypatch.setenv("LC_SAME", "C")
    env = {"TORCH_ONLY_THERE": "1", "LC_SAME": "C"}
    said = forkserver.refusal({**request_here, "env": request_here["env"] | env})
    assert said == "OMP_ONLY_HERE, TORCH_ONLY_THERE changed since the imports"


def test_what_is_not_installed_or_breaks_is_left_to_the_chapter(tmp_path, monkeypatch):
    (tmp_path / "breaks_on_import.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / "comes_after_it.py").write_text(
        "class Table:\n    def fill(self):\n        self.full = True\n\ntable = Table()\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(forkserver.gc, "freeze", lambda: None)
    gc.set_threshold(700, 10, 10)
    forkserver.preload(["no_such_package", "breaks_on_import", "comes_after_it:table.fill"])
    assert sys.modules.pop("comes_after_it").table.full and "breaks_on_import" not in sys.modules
    assert gc.isenabled() and gc.get_threshold() == forkserver.SELDOM


def child(code=None):
    """A forked process that ends with a code, or waits for a signal."""
    pid = os.fork()
    if pid == 0:
        if code is None:
            signal.pause()
        os._exit(code or 0)
    return pid


@pytest.fixture
def kernel():
    """Kernels around such processes, each with the client's end of its connection."""
    made = []

    def start(code=None):
        pid = child(code)  # before there is a connection that it would hold open
        ours, theirs = socket.socketpair()
        made.extend((ours, theirs))
        return forkserver.Kernel(pid, theirs), ours

    yield start
    for one in made:
        one.close()


def test_a_kernel_s_end_has_its_code_its_time_and_its_memory_in_bytes(kernel, monkeypatch):
    usage = SimpleNamespace(ru_utime=1.5, ru_stime=0.25, ru_maxrss=300)
    wait = os.wait4
    monkeypatch.setattr(forkserver.os, "wait4", lambda pid, flags: (*wait(pid, flags)[:2], usage))
    one, _ = kernel(7)
    assert one.reap() == {"code": 7, "cpu": 1.75, "peak": 300 * 1024}
    two, _ = kernel()
    two.kill()
    assert two.reap()["code"] == -signal.SIGKILL
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.close(two.ended)


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server that listens in a folder; its lifeline is a pipe."""
    read, write = os.pipe()
    monkeypatch.setattr(forkserver, "LIFELINE", read)
    folder = tmp_path / "s"
    folder.mkdir()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(os.path.relpath(folder / "server"))
    listener.listen()
    made = forkserver.Server(listener)
    yield made
    made.selector.close()
    listener.close()
    for descriptor in (read, write):
        os.close(descriptor)


def test_a_signal_is_passed_on_and_the_end_is_told(server, kernel):
    one, client = kernel()
    server.keep(one)
    assert json.loads(client.recv(99)) == {"pid": one.pid} and server.kernels == {one}
    client.send(str(int(signal.SIGTERM)).encode())
    server.obey(one)
    server.bury(one)
    assert json.loads(client.recv(999))["code"] == -signal.SIGTERM
    assert server.kernels == set() and client.recv(9) == b""


def test_a_kernel_whose_client_went_away_is_killed_and_buried(server, kernel):
    one, client = kernel()
    server.keep(one)
    client.close()
    server.obey(one)
    (key, _), *_ = server.selector.select()  # the kernel's end: its connection is let go
    assert key.fd == one.ended
    assert key.data() is None and server.kernels == set()


def test_a_server_that_stops_leaves_no_kernel_and_no_folder(server, kernel, tmp_path):
    kernels = [kernel()[0] for _ in range(2)]
    for one in kernels:
        server.keep(one)
    with pytest.raises(SystemExit):
        server.stop()
    for one in kernels:
        with pytest.raises(ProcessLookupError):
            os.kill(one.pid, 0)
    assert not (tmp_path / "s").exists()


def test_in_a_fork_all_that_is_the_server_s_is_closed(server, kernel):
    one, _ = kernel()
    server.keep(one)
    ours, theirs = socket.socketpair()
    server.leave(theirs)
    ended = [one.connection, server.listener, theirs]
    assert [file.fileno() for file in ended] == [-1, -1, -1] and ours.recv(1) == b""
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.close(one.ended)
    os.kill(one.pid, signal.SIGKILL)
    os.waitpid(one.pid, 0)
    ours.close()


def test_a_kernel_whose_end_nobody_would_see_is_ended_and_buried_at_once(monkeypatch):
    def none_left(pid):
        raise OSError("no descriptor left")

    monkeypatch.setattr(forkserver.os, "pidfd_open", none_left)
    pid = child()
    with pytest.raises(OSError, match="no descriptor left"):
        forkserver.Kernel(pid, None)
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def test_a_folder_that_is_gone_already_does_not_keep_a_server(server, tmp_path):
    shutil.rmtree(tmp_path / "s")
    with pytest.raises(SystemExit):
        server.stop()


@pytest.fixture
def asked(server, tmp_path, monkeypatch):
    """A client that has sent a request with two files, which is served unless it says why not."""
    monkeypatch.setattr(forkserver, "refusal", lambda request: request.get("why"))
    clients = []

    def ask(**request):
        client = socket.socket(socket.AF_UNIX)
        client.connect(os.path.relpath(tmp_path / "s/server"))
        socket.send_fds(client, [json.dumps(request).encode()], [1, 2])
        clients.append(client)
        return client

    yield ask
    for client in clients:
        client.close()


def test_a_request_that_is_refused_is_told_why_and_let_go(server, asked):
    client = asked(why="2 threads run in the server")
    assert server.accept() is None and server.kernels == set()
    assert json.loads(client.recv(99)) == {"refused": "2 threads run in the server"}
    assert client.recv(9) == b""


def test_in_the_server_a_request_becomes_a_kernel_and_in_the_child_it_is_returned(
    server, asked, monkeypatch
):
    pid = child()
    monkeypatch.setattr(forkserver.os, "fork", lambda: pid)
    client = asked()
    assert server.accept() is None
    assert json.loads(client.recv(99)) == {"pid": pid}
    (kernel,) = server.kernels
    assert kernel.connection.fileno() >= 0  # its lifeline stays open
    monkeypatch.setattr(forkserver.os, "fork", lambda: 0)
    asked(cwd="here")
    request = server.serve()
    files = request.pop("files")
    assert request == {"cwd": "here"} and len(files) == 2
    for file in files:
        os.close(file)
    kernel.kill()
    os.waitpid(pid, 0)
