"""The cores that are ours: of affinity and of the quotas of control groups."""

import os

import pytest
from ledgerbook.project import machine

V1 = {"cpu,cpuacct/job/cpu.cfs_quota_us": "150000", "cpu,cpuacct/job/cpu.cfs_period_us": "100000"}
# How a machine allots: the list of groups, their settings, the quota in cores.
KINDS = {
    "version 2, its own group": ("0::/job/step\n", {"job/step/cpu.max": "250000 100000"}, 2.5),
    "version 2, a group above": ("0::/job/step\n", {"job/cpu.max": "100000 100000"}, 1.0),
    "version 2, a container": ("0::/\n", {"cpu.max": "300000 100000"}, 3.0),
    "version 2, without limit": ("0::/job\n", {"job/cpu.max": "max 100000"}, None),
    "version 1": ("4:cpu,cpuacct:/job\n0::/\n", V1, 1.5),
    "version 1, without limit": ("4:cpu,cpuacct:/job\n", V1 | {next(iter(V1)): "-1"}, None),
    "no control groups": (None, {}, None),
}


@pytest.mark.parametrize(("groups", "settings", "quota"), KINDS.values(), ids=KINDS)
def test_a_quota_is_found_wherever_it_is_set(groups, settings, quota, tmp_path, monkeypatch):
    if groups is not None:
        (tmp_path / "cgroup").write_text(groups, encoding="utf-8")
    for name, text in settings.items():
        (tmp_path / "top" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "top" / name).write_text(text + "\n", encoding="utf-8")
    places = tmp_path / "cgroup", tmp_path / "top"
    assert min(machine.quotas(*places), default=None) == quota
    monkeypatch.setattr(machine, "GROUPS", places)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(4)), raising=False)
    assert machine.cores() == (4 if quota is None else int(quota))


def test_there_is_always_one(tmp_path, monkeypatch):
    (tmp_path / "cgroup").write_text("0::/\n", encoding="utf-8")
    (tmp_path / "cpu.max").write_text("20000 100000\n", encoding="utf-8")
    monkeypatch.setattr(machine, "GROUPS", (tmp_path / "cgroup", tmp_path))
    assert machine.cores() == 1
