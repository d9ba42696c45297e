"""``make robust``: every row under other seeds and threads, and at both ends of its parameters.

Under another seed nothing may surprise, and each statement's status is the stored one.  At the
smallest and at the largest parameters that a class allows its rows can be computed, and the status
stands; a control that does not come out there is told.
"""

import os
import subprocess
import sys
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from ledgerbook.chapters import collect, registry
from ledgerbook.chapters.statements import statement
from ledgerbook.execution import environment
from ledgerbook.ledger import fields
from ledgerbook.ledger.checks import Checks, showable
from ledgerbook.ledger.judgement import controls, status, surprises
from ledgerbook.ledger.ledger_table import verdict
from ledgerbook.project import machine, paths
from ledgerbook.project.validation import require

SEEDS = (10007, 20014, 30021)
LIMIT = 600  # seconds for one class under one condition


class Condition(NamedTuple):
    """What is different: a name, the seed or the end of the ranges, threads."""

    name: str
    seed: int | None = None
    largest: bool | None = None
    threads: int = 1

    def parameters(self, kind: type[Checks]) -> dict[str, Any] | None:
        """What the class is made with; ``None`` where there is nothing to change."""
        own = fields.defaults(kind)
        if self.largest is not None:
            return fields.extremes(kind, self.largest) if own.keys() - {"seed"} else None
        if "seed" not in own:
            return None if self.threads == 1 else own
        return own | {"seed": self.seed}


CONDITIONS = {
    one.name: one
    for one in (
        *(Condition(f"seed-{seed}", seed=seed) for seed in SEEDS[:2]),
        Condition(f"seed-{SEEDS[2]}-two-threads", seed=SEEDS[2], threads=2),
        Condition("smallest", largest=False),
        Condition("largest", largest=True),
    )
}


def recorded(there: Checks) -> dict[str, Any]:
    """The closing record of an object's rows, all shown."""
    there.show(*showable(type(there)))
    return there.close().record


def complaints(kind: type[Checks], condition: Condition) -> Iterator[str]:
    """What is wrong under a condition, as lines; what is only to be told begins with ``note:``."""
    given = condition.parameters(kind)
    if given is None:
        return
    row = statement(kind.tag)
    record = recorded(kind(**given))
    stored = collect.record_of(row)
    wanted = status(stored if stored["claims"] else recorded(kind()), row.kind)
    found = status(record, row.kind)
    red = surprises(record)
    if condition.largest is not None:
        lost = [verdict(one) for one in controls(record) if not one["passed"]]
        yield from (f"note: control {line}" for line in lost)
        red = [line for line in red if ": control " not in line]
    yield from red
    if found != wanted:
        yield f"{kind.tag}: {found}, stored: {wanted}"


def one(tag: str, names: list[str]) -> int:
    """One class under some conditions, in this process; prints its complaints, counts the red."""
    kind = registry.classes([tag])[tag]
    return sum(_asked(kind, CONDITIONS[name]) for name in names)


def _asked(kind: type[Checks], condition: Condition) -> bool:
    begun = time.monotonic()
    try:
        lines = list(complaints(kind, condition))
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [f for f in frames if os.sep + "checks" + os.sep in f.filename] or frames
        where = f"{paths.relative(ours[-1].filename)}:{ours[-1].lineno}"
        lines = [f"{type(error).__name__} at {where}: {error}"]
    red = any(not line.startswith("note:") for line in lines)
    spent = time.monotonic() - begun
    told = [f"{'RED' if red else 'ok':4}{kind.tag} {condition.name} ({spent:.0f} s)"]
    print("\n      ".join([*told, *lines]), flush=True)
    return red


def main(only: list[str], conditions: list[str], jobs: int | None = None) -> int:
    """All classes, or those of some tags, under all conditions, or some; 1 if anything is red."""
    for name in conditions:
        require(name in CONDITIONS, "conditions", name, ", ".join(CONDITIONS))
    known = list(registry.declared())
    for tag in only:
        require(tag in known, "only", tag, "a tag that a class of checks/ judges")
    by_threads: dict[int, list[str]] = {}
    for name in conditions or CONDITIONS:
        by_threads.setdefault(CONDITIONS[name].threads, []).append(name)
    asked = [(tag, group) for tag in only or known for group in by_threads.values()]
    with ThreadPoolExecutor(jobs or machine.cores()) as pool:
        red = sum(pool.map(lambda each: _told(*each), asked))
    total = sum(len(group) for _, group in asked)
    print(f"{total - red} passed, {red} failed")
    return int(red > 0)


def _told(tag: str, names: list[str]) -> int:
    """What a process of its own says of a class; how many conditions are red."""
    print(f"asking {tag}: {', '.join(names)}", flush=True)
    threads = str(CONDITIONS[names[0]].threads)
    quiet = environment.quiet()
    more = {key: threads for key in quiet if key.endswith("_NUM_THREADS")}
    code = f"from ledgerbook.rows.robust import one; raise SystemExit(one({tag!r}, {names!r}))"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=paths.ROOT,
            env=os.environ | quiet | more,
            capture_output=True,
            text=True,
            timeout=LIMIT * len(names),
        )
    except subprocess.TimeoutExpired as late:
        said = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        print(f"{said}RED {tag}: not done after {LIMIT * len(names)} s", flush=True)
        return len(names)
    crashed = done.returncode < 0 or "Traceback" in done.stderr
    print((done.stdout + (done.stderr[-500:] if crashed else "")).rstrip(), flush=True)
    return len(names) if crashed else done.returncode
