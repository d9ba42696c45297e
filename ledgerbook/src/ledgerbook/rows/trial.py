"""Evaluating rows while some code is changed, within a time limit, and comparing the results."""

import contextlib
import importlib
import math
import signal
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from ledgerbook.ledger.checks import Checks, Row
from ledgerbook.ledger.ledger import Claim
from ledgerbook.project.project import current
from ledgerbook.rows import changes, kept, own_code, trace
from ledgerbook.rows.reach import Place

MOVED = 1e-3  # by how much what a red row observes has to move
COMPILERS = ("numba.core", "llvmlite")
SOON = 0.05  # seconds until what is let finish is looked at again


class TookTooLong(BaseException):
    """Raised by ``within``; no ``Exception``, so that a row's code does not catch it."""


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame, then the frame that called it, and so on."""
    while frame is not None:
        yield frame
        frame = frame.f_back


def _unbroken(frame: FrameType) -> bool:
    """Whether a frame runs code that ``within`` does not interrupt."""
    module = str(frame.f_globals.get("__name__", ""))
    return module.startswith(COMPILERS) or frame.f_code is trace.Watch.__call__.__code__


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Context that raises ``TookTooLong`` after so many seconds of processor time.

    Time in which other processes run does not count.  A compiler is not interrupted, because numba
    cannot resume a compilation, and neither is the profiler, whose errors Python would replace.
    """

    def stop(_: int, frame: FrameType | None) -> None:
        if any(map(_unbroken, _callers(frame))):
            signal.setitimer(signal.ITIMER_PROF, SOON)
        else:
            raise TookTooLong

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def trial(
    kind: type[Checks],
    wanted: list[Row],
    change: AbstractContextManager,
    seconds: float,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Claim]:
    """The rows' claims under a change, on a new object; one that stops has none."""
    changes.forget()
    found: dict[str, Claim] = {}
    with change, contextlib.suppress(TookTooLong), within(seconds), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = None
        for row in wanted:
            with contextlib.suppress(Exception):  # whatever a changed function leads to
                made = made or kind(**given or {})
                found[row.id] = made.judge(row)
    changes.forget()
    return found


def turned(before: Claim, now: Claim | None) -> bool:
    """Whether a change made a row fail, or changed what a row that fails anyway observes.

    A result that is infinite or missing does not count, because it says nothing on what is
    compared.
    """
    if now is None or now.observed is None or now.observed in (math.inf, -math.inf):
        return False
    if before.passed != now.passed:
        return True
    return moved(before, now) and not before.passed and not before.subject


def moved(before: Claim, now: Claim | None) -> bool:
    """Whether a row observes another, finite value under a change."""
    if now is None or now.observed is None or now.observed in (math.inf, -math.inf):
        return False
    return not kept.alike(before.observed, now.observed, MOVED)


def handed_on(name: str, change: str, before: Any, now: Any) -> bool:
    """Whether the row only returns the value of the changed function of ``checks/``.

    Such a change would alter the observed value itself, and make even a row fail that compares a
    thing with itself; it is no witness.
    """
    wanted = changes.CHANGES[change][0]
    if not name.startswith(f"{current().settings.checks}.") or wanted not in ("real", "number"):
        return False
    if isinstance(before, bool | str) or before is None or now is None:
        return False
    return kept.alike(changes.altered(before, change), now, 1e-9)


def change_of(of: str, words: str) -> AbstractContextManager:
    """The context manager that puts the change ``words`` of a function or of some code in force.

    Raises ``LookupError``, ``AttributeError`` or ``ImportError`` if the code no longer exists.
    """
    if words in changes.CHANGES:
        return changes.replaced(of, changes.wrapper(words))
    module, _, name = of.partition(":")
    place = Place(Path(str(importlib.import_module(module).__file__)), name)
    for slip, one, other in (*own_code.found(place), *own_code.further(place)):
        if str(slip) == words:
            return own_code.put(place, one, other)
    raise LookupError(f"it has no {words.partition(' -> ')[0]}")
