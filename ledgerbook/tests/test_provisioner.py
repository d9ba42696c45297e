"""How kernels are told to stop, and what the processes that a run starts have cost."""

import asyncio
import signal
import socket
import sys
from types import SimpleNamespace

import pytest
from ledgerbook.execution import provisioner


@pytest.mark.parametrize("platform, unit", [("linux", 1024), ("darwin", 1)])
def test_the_peak_of_memory_is_in_bytes_on_every_system(monkeypatch, platform, unit):
    usage = SimpleNamespace(ru_utime=1.0, ru_stime=0.5, ru_maxrss=300)
    monkeypatch.setattr(provisioner.resource, "getrusage", lambda who: usage)
    monkeypatch.setattr(provisioner, "forked_cost", {"cpu": 2.0, "peak": 7})
    monkeypatch.setattr(sys, "platform", platform)
    assert provisioner.children_cost() == (3.5, 300 * unit)


@pytest.mark.parametrize(
    "number, shutting_down, sent",
    [
        (signal.SIGINT, False, True),
        (signal.SIGINT, True, False),
        (signal.SIGTERM, False, True),
        (signal.SIGTERM, True, True),
    ],
)
def test_a_kernel_on_its_way_out_is_not_interrupted(monkeypatch, number, shutting_down, sent):
    given = []

    async def send(kernel, signum):
        given.append(signum)

    monkeypatch.setattr(provisioner.LocalProvisioner, "send_signal", send)
    manager = SimpleNamespace(shutting_down=shutting_down)
    kernel = provisioner.ForkedKernel()
    monkeypatch.setattr(provisioner.ForkedKernel, "parent", manager)
    asyncio.run(kernel.send_signal(number))
    assert given == [number] * sent


def test_kernels_whose_server_died_were_killed_and_cost_what_is_known_of_them(monkeypatch):
    monkeypatch.setattr(provisioner, "forked_cost", {"cpu": 2.0, "peak": 7})
    ours, servers = socket.socketpair()
    kernel = provisioner.ForkedProcess(ours, 1)
    assert kernel.poll() is None
    servers.close()
    assert kernel.wait() == kernel.poll() == -signal.SIGKILL
    assert provisioner.forked_cost == {"cpu": 2.0, "peak": 7}


def test_a_kernel_s_outputs_are_its_parent_s_unless_others_are_named(tmp_path, monkeypatch):
    address, given = str(tmp_path / "s"), []
    monkeypatch.setenv(provisioner.ADDRESS, address)

    def send(connection, messages, files):
        given.append(files)
        connection.send(b"")

    monkeypatch.setattr(provisioner.socket, "send_fds", send)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.bind(address)
        server.listen()
        for named in ({}, {"stdout": 7}, {"stderr": 8}):
            with pytest.raises((ValueError, OSError)):
                monkeypatch.setattr(provisioner, "PATIENCE", 0.01)
                provisioner.fork(["python", "-m", "ipykernel_launcher"], **named)
    assert given == [[1, 2], [7, 2], [1, 8]]
