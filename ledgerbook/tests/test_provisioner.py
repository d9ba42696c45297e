"""What the processes that a run starts have cost."""

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
