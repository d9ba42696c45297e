"""How kernels are told to stop, and what the processes that a run starts have cost."""

import asyncio
import signal
import socket
import sys
from types import SimpleNamespace

import pytest

from ledgerbook import provisioner


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
