"""Which functions a row calls, how often, and what kind of thing each returns: seen once, running.

Counted are the companion's functions that ``checks/`` calls, by the quantity (a ``once``) or the
row that asked: a quantity is computed once for all rows of an object.
"""

import importlib
import inspect
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ledgerbook.ledger.checks import Checks, Row, once
from ledgerbook.project.project import current
from ledgerbook.rows import changes
from ledgerbook.rows.reach import Reach

GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR | inspect.CO_COROUTINE
FLAT = 40  # calls of one function of which the value is looked at


class Profile(NamedTuple):
    """What was seen: by owner (a row's id, a quantity's or a cached helper's name) calls of each
    function, and seconds; by function the kinds of its values, and whether ``checks/`` calls it,
    how often, and seconds of all these calls.
    """

    calls: dict[str, Counter[str]]
    seconds: dict[str, float]
    kinds: dict[str, set[str]]
    direct: set[str]
    times: Counter[str]
    inclusive: dict[str, float]

    def owners(self, row: Row, reach: Reach) -> list[str]:
        """The owners that a row is made of."""
        names = [row.id, *(one.name.rpartition(".")[2] for one in reach.places)]
        return [name for name in dict.fromkeys(names) if name in self.calls]

    def of(self, row: Row, reach: Reach) -> Counter[str]:
        """The calls of each function that a row is made of."""
        return sum((self.calls[name] for name in self.owners(row, reach)), Counter())

    def cost(self, row: Row, reach: Reach) -> float:
        """Seconds of a row alone."""
        return sum(self.seconds[name] for name in self.owners(row, reach))


class Watch:
    """``sys.setprofile`` with the owner of what is called."""

    def __init__(self, kind: type[Checks]):
        folders = [str(current().imports[name] / name) + "/" for name in _ours()]
        self.folders, self.checks = tuple(folders), str(Path(_file(kind)).parents[1]) + "/"
        seconds = defaultdict[str, float](float), defaultdict[str, float](float)
        self.profile = Profile(
            defaultdict(Counter), seconds[0], defaultdict(set), set(), Counter(), seconds[1]
        )
        self.running = list[tuple[Any, float]]()
        self.owner, self.stack = "", list[tuple[Any, str, float]]()
        self.inside = dict[Any, str]()  # names of functions by their code
        self.owning = _owning(kind)
        self.since = time.process_time()
        self.looked = Counter[str]()

    def switch(self, owner: str) -> None:
        """From now on all is another owner's."""
        now = time.process_time()
        self.profile.seconds[self.owner] += now - self.since
        self.profile.calls[owner]  # so that one without calls is known
        self.owner, self.since = owner, now

    def __call__(self, frame: Any, event: str, value: Any) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(self.folders):
            return
        if code in self.owning:
            if event == "call":
                self.stack.append((frame, self.owner, 0.0))
                self.switch(self.owning[code])
            elif self.stack and self.stack[-1][0] is frame:
                self.switch(self.stack.pop()[1])
        if code not in self.inside:
            self.inside[code] = name_of(code)
        name = self.inside[code]
        if not name:
            return
        if event == "call":
            back = frame.f_back
            if back and back.f_code.co_filename.startswith(self.checks):
                self.profile.calls[self.owner][name] += 1
                self.profile.direct.add(name)
                self.running.append((frame, time.process_time()))
            elif name not in self.profile.calls[self.owner]:
                self.profile.calls[self.owner][name] = 0
            return
        if self.running and self.running[-1][0] is frame:
            self.profile.inclusive[name] += time.process_time() - self.running.pop()[1]
            self.profile.times[name] += 1
        if self.looked[name] < FLAT:
            self.looked[name] += 1
            self.profile.kinds[name] |= changes.kinds_of(value)


def _ours() -> list[str]:
    return [name for name in current().imports if name != __name__.partition(".")[0]]


def _file(kind: type[Checks]) -> str:
    return str(sys.modules[kind.__module__].__file__)


def name_of(code: Any) -> str:
    """ "module:function" of a piece of code; nothing for what cannot be replaced by name."""
    name = code.co_qualname
    hidden = "<" in name or name.rpartition(".")[2].startswith("__")
    if hidden or code.co_flags & GENERATOR:
        return ""
    for top in _ours():
        folder = current().imports[top]
        if code.co_filename.startswith(str(folder / top) + "/"):
            inner = Path(code.co_filename).relative_to(folder).with_suffix("").parts
            module = ".".join(inner)
            home = sys.modules.get(module)
            first = name.partition(".")[0]
            return f"{module}:{name}" if home and hasattr(home, first) else ""
    return ""


def _owning(kind: type[Checks]) -> dict[Any, str]:
    """The code of what is computed once: quantities of the class, cached helpers of its modules."""
    found = {}
    for base in kind.__mro__:
        for name, value in vars(base).items():
            if isinstance(value, once):
                found[inspect.unwrap(value.func).__code__] = name
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == kind.__module__.partition(".")[0]:
            for thing in vars(module).values():
                if hasattr(thing, "cache_clear") and hasattr(thing, "__wrapped__"):
                    found[inspect.unwrap(thing).__code__] = thing.__name__
    return found


def profile(
    kind: type[Checks], wanted: list[Row], given: Mapping[str, Any] | None = None
) -> tuple[Profile, dict[str, Any]]:
    """Measure some rows of a class, watched; what was seen, and each row's claim by its id.

    given: parameters that are not the defaults.
    """
    importlib.import_module(kind.__module__)
    changes.forget()
    watch, found = Watch(kind), {}
    made = kind(**given or {})
    for row in wanted:
        watch.switch(row.id)
        sys.setprofile(watch)
        try:
            found[row.id] = made.judge(row)
        finally:
            sys.setprofile(None)
            watch.switch("")
            watch.stack.clear()
            watch.running.clear()
    return watch.profile, found
