"""How many processor cores are ours: those of the machine, less what is allotted to others.

A scheduler allots cores by affinity, a container by a quota of its control group; a machine counts
neither.
"""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def cores() -> int:
    """The cores that this process may use: what everything asks that starts processes."""
    allotted = _allotted()
    return max(1, min([allotted, *(int(quota) for quota in quotas(*GROUPS))]))


def _allotted() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def quotas(groups: Path, top: Path) -> Iterator[float]:
    """Quotas, in cores, of this process's control groups and of all above, of both versions."""
    try:
        lines = groups.read_text(encoding="utf-8").splitlines()
    except OSError:  # no Linux, or nothing that this process may see
        return
    for _, kinds, path in (line.split(":", 2) for line in lines if line.count(":") >= 2):
        if kinds and "cpu" not in kinds.split(","):
            continue
        for name in [kinds, "cpu"] if kinds else [".", "unified"]:
            group = PurePosixPath(path.lstrip("/"))
            for level in (group, *group.parents):
                yield from _quota(top / name / level)


def _quota(group: Path) -> Iterator[float]:
    """The quota of one group, where it has one: ``max`` and -1 are none."""
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            words = " ".join((group / name).read_text(encoding="utf-8") for name in names).split()
            share, period = map(int, words)
        except (OSError, ValueError):
            continue
        if share > 0 and period > 0:
            yield share / period
