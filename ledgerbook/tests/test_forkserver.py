"""Kernels forked from a warmed process: what is refused, how they end, that none is left."""

import os
import signal
import socket
import sys

import pytest
from ledgerbook.execution import forkserver

pytestmark = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="Linux only")


@pytest.fixture
def request_here(monkeypatch):
    """A request for a kernel like this process, which has one thread."""
    monkeypatch.setattr(forkserver.os, "listdir", lambda place: ["1"])
    return {"executable": sys.executable, "env": dict(os.environ)}


def test_another_python_and_what_is_read_at_imports_are_refused_by_name(request_here, monkeypatch):
    said = forkserver.refusal({**request_here, "executable": "python0"})
    assert said == f"kernel of python0, not of {sys.executable}"
    monkeypatch.setenv("OMP_ONLY_HERE", "1")
    monkeypatch.setenv("LC_SAME", "C")
    env = {"TORCH_ONLY_THERE": "1", "LC_SAME": "C"}
    said = forkserver.refusal({**request_here, "env": request_here["env"] | env})
    assert said == "OMP_ONLY_HERE, TORCH_ONLY_THERE changed since the imports"


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
