"""The cores that are ours: of affinity and of the quotas of control groups."""

import os

import pytest
from ledgerbook.project import machine

# How a machine allots: the process's group, the settings of groups, the cores.
KINDS = {
    "its own group": ("0::/job/step\n", {"job/step/cpu.max": "250000 100000"}, 2),
    "a group above": ("0::/job/step\n", {"job/cpu.max": "100000 100000"}, 1),
    "a container": ("0::/\n", {"cpu.max": "300000 100000"}, 3),
    "less than one": ("0::/\n", {"cpu.max": "20000 100000"}, 1),
    "without limit": ("0::/job\n", {"job/cpu.max": "max 100000"}, 4),
    "no control groups": (None, {}, 4),
}


@pytest.mark.parametrize(("group", "settings", "cores"), KINDS.values(), ids=KINDS)
def test_a_quota_is_found_wherever_it_is_set(group, settings, cores, tmp_path, monkeypatch):
    if group is not None:
        (tmp_path / "cgroup").write_text(group, encoding="utf-8")
    for name, text in settings.items():
        (tmp_path / "top" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "top" / name).write_text(text + "\n", encoding="utf-8")
    monkeypatch.setattr(machine, "GROUPS", (tmp_path / "cgroup", tmp_path / "top"))
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(4)), raising=False)
    assert machine.cores() == cores
