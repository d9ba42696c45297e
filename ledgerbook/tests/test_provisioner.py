"""How a kernel is asked for, what becomes of it, and what is done where none can be forked."""

import asyncio
import json
import os
import socket
from types import SimpleNamespace

import pytest
from ledgerbook.execution import provisioner
from ledgerbook.execution.provisioner import ADDRESS, ORDINARY, ForkedKernel

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


def test_a_refusal_is_told_and_the_kernel_started_in_the_ordinary_way(kernel, server, monkeypatch):
    server.replies.append({"refused": "another Python"})
    warned = []
    warn = lambda words, *given: warned.append(words % given)
    monkeypatch.setattr(kernel.log, "warning", warn)
    assert asyncio.run(kernel.launch_kernel(KERNEL)) == "ordinary"
    assert warned == ["no kernel was forked (another Python): started in the ordinary way"]


def test_without_forks_one_line_says_so(monkeypatch):
    lines = []
    monkeypatch.setattr(provisioner, "_can_fork", lambda: False)
    monkeypatch.delenv(ADDRESS, raising=False)
    with provisioner.warmed({}, lines.append):
        assert ADDRESS not in os.environ
    assert lines == [f"{ORDINARY}: this system has no fork of a warmed process"]
