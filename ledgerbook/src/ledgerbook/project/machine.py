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
    affinity = getattr(os, "sched_getaffinity", None)
    allotted = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min([allotted, *map(int, quotas(*GROUPS))]))


def quotas(groups: Path, top: Path) -> Iterator[float]:
    """Quotas, in cores, of this process's control group (version 2) and of all above it."""
    lines = groups.read_text(encoding="utf-8").splitlines() if groups.exists() else []
    for path in (line[len("0::/") :] for line in lines if line.startswith("0::/")):
        for level in (PurePosixPath(path), *PurePosixPath(path).parents):
            limit = top / level / "cpu.max"
            share, period = limit.read_text().split() if limit.is_file() else ("max", "1")
            if share != "max":
                yield int(share) / int(period)
