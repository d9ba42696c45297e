"""``make resolution``: how small a change of one function each row sees.

A row is measured alone, on an object of its own, with one function that it calls changed: all the
numbers that it returns times 1 + eps, then times 1 - eps.  The smallest eps of a ladder that turns
the row red, over the functions that the row calls, is what the row *sees*, and it is told with the
function.  Rows that a proof decides are not asked, nor are rows that are red already.  A row that
no size turns red sees none of its functions: it may be about a ranking, a direction, an exponent.
"""

import contextlib
import functools
import multiprocessing
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from ledgerbook.chapters import registry, sensitivity
from ledgerbook.ledger.checks import KERNEL, SHOWN, Checks, Row, rows
from ledgerbook.project import machine, paths, seals
from ledgerbook.rows import perturb

LADDER = (1e-9, 1e-6, 1e-3, 1e-2, 0.05, 0.2, 1.0)
PATIENCE = 4  # a change may send a solver astray: what takes so many times as long has not ended
Seen = dict[str, list[Any]]  # id to [size, function]


def called(kind: type[Checks], row: Row) -> list[str]:
    """The companion's functions that the module of a class imports and the row calls."""
    names = perturb.formulas(sys.modules[kind.__module__])
    found: list[str] = []

    def watching(name: str) -> perturb.Wrapper:
        def wrap(original: Callable) -> Callable:
            @functools.wraps(original)
            def watched(*args, **kwargs):
                found.append(name)
                return original(*args, **kwargs)

            return watched

        return wrap

    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(perturb.replaced(name, watching(name)))
        kind().judge(row)
    return list(dict.fromkeys(found))


def red(kind: type[Checks], row: Row, name: str, size: float) -> bool:
    """Whether a size up or down of the function turns the row red; one that stops does not."""
    for factor in (1 + size, 1 - size):
        with perturb.replaced(name, perturb.times(factor)):
            try:
                if not kind().judge(row).passed:
                    return True
            except Exception:
                continue
    return False


def smallest(kind: type[Checks], row: Row) -> list[Any] | None:
    """``[size, function]`` of the smallest change that turns a row red, or ``None``."""
    names, best = called(kind, row), None
    for name in names:
        sizes = LADDER if best is None else LADDER[: LADDER.index(best[0])]
        for size in sizes:
            if red(kind, row, name, size):
                best = [size, name]
                break
    return best


def asked(kind: type[Checks]) -> list[Row]:
    """The rows that a change of a function can turn: measured, and not red as they are."""
    there = kind()
    shown = [row for row in rows(kind) if row.role in SHOWN and row.role != KERNEL]
    return [
        row
        for row in shown
        if row.details["kind"] not in sensitivity.PROVED and there.judge(row).passed
    ]


def measure(tag: str, limit: float) -> tuple[Seen, list[str]]:
    """What the rows of a tag see, and the ids of those that there was no time to ask."""
    kind, seen, late = registry.classes([tag])[tag], Seen(), list[str]()
    until = time.monotonic() + limit
    for row in asked(kind):
        if time.monotonic() > until:
            late.append(row.id)
            continue
        found = smallest(kind, row)
        if found:
            seen[row.id] = found
    return seen, late


def main(only: Iterable[str], jobs: int | None = None, limit: float = 600) -> int:
    """Measure what is out of date and store it; returns the exit status."""
    kinds = registry.classes(list(only))
    now = {tag: sensitivity.inputs(tag) for tag in kinds}
    stored = sensitivity.load()
    broken = seals.broken(paths.RESOLUTION)  # what was changed by hand is measured again
    todo = [
        tag
        for tag in kinds
        if stored["inputs"].get(tag) != now[tag] or {"inputs", f"sees[{tag}]"} & {*broken}
    ]
    fork = multiprocessing.get_context("fork")
    with ProcessPoolExecutor(
        jobs or machine.cores(), mp_context=fork, max_tasks_per_child=None
    ) as pool:
        waiting = {pool.submit(measure, tag, limit): tag for tag in todo}
        for answer in as_completed(waiting):  # an interruption loses what is under way alone
            tag, (seen, late) = waiting[answer], answer.result()
            if late:  # what is stored is whole
                words = f"not stored, {len(late)} rows were not asked within {limit:g} s"
                print(f"{tag}: {words}: {', '.join(late)}", flush=True)
                continue
            sensitivity.store(tag, seen, now[tag])
            print(f"{tag}: {len(seen)} rows see a size", flush=True)
    return 0
