"""What dear functions return, remembered from a run without a change and given again under one.

A search changes one function after the other, and most of a dear row's time goes into functions
that this does not concern.  Remembered are those that ``checks/`` calls itself: what came back for
which arguments, and which functions ran inside.  Under a change of one of these it is computed
anew, and so it is with other arguments.
"""

import contextlib
import hashlib
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

import joblib

from ledgerbook.ledger.checks import Checks, Row
from ledgerbook.project.project import current
from ledgerbook.rows import changes
from ledgerbook.rows.trace import Profile, name_of

LONG = 0.02  # seconds of a call, on average, from which a function is remembered
ALL = 0.2  # and of all its calls together
ROOM = 1_500_000_000  # bytes of what is remembered


class Kept(NamedTuple):
    """A value as bytes, what ran inside, and the states of the generators afterwards."""

    value: bytes
    inside: frozenset[str]
    states: tuple[Any, ...]


class Memory:
    """What the dear functions of a class returned in one run of some of its rows."""

    def __init__(self, kind: type[Checks], wanted: list[Row], profile: Profile, make: Callable):
        own = current().settings.checks
        self.names = [
            name
            for name, seconds in profile.inclusive.items()
            if seconds >= ALL and seconds / profile.times[name] >= LONG
            if not name.startswith(f"{own}.")
        ]
        self.own, self.room = f"{own}.", ROOM
        self.kept = dict[tuple[str, bytes], Kept]()
        self.now: Callable[[Kept], bool] = lambda one: True
        self.inside: list[set[str]] | None = None
        if self.names:
            self._fill(kind, wanted, make)

    def _fill(self, kind: type[Checks], wanted: list[Row], make: Callable) -> None:
        changes.forget()
        with self._watched():
            self.inside = []
            made = make()
            for row in wanted:
                with contextlib.suppress(Exception):
                    made.judge(row)
            self.inside = None
        changes.forget()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        with contextlib.ExitStack() as stack:
            for name in self.names:
                with contextlib.suppress(LookupError, AttributeError, ImportError):
                    stack.enter_context(changes.replaced(name, self._wrapper(name)))
            yield

    @contextmanager
    def around(
        self, changed: str, change: AbstractContextManager, constant: bool = False
    ) -> Iterator[None]:
        """A change, and what is remembered given again but where ``changed`` ran inside.

        ``constant``: no function is changed but what some of ``checks/`` read.
        """
        concerns = lambda one: any(name.startswith(self.own) for name in one.inside)
        self.now = lambda one: not (concerns(one) if constant else changed in one.inside)
        with self._watched(), change:
            yield

    def _wrapper(self, name: str) -> changes.Wrapper:
        def wrap(original: Callable) -> Callable:
            def recalled(*args: Any, **kwargs: Any) -> Any:
                key = _key(name, args, kwargs)
                one = self.kept.get(key) if key else None
                if one and (self.inside is not None or self.now(one)):
                    for generator, state in zip(_generators(args, kwargs), one.states, strict=True):
                        generator.bit_generator.state = state
                    if self.inside:
                        self.inside[-1].update(one.inside, [name])
                    return pickle.loads(one.value)
                if self.inside is None:
                    return original(*args, **kwargs)
                return self._computed(name, key, original, args, kwargs)

            recalled.__wrapped__ = original  # type: ignore[attr-defined]
            return recalled

        return wrap

    def _computed(
        self, name: str, key: tuple[str, bytes] | None, original: Callable, args: Any, kwargs: Any
    ) -> Any:
        assert self.inside is not None
        if not self.inside:
            changes.forget()  # what a cache holds would run nothing
        arrays = [one for one in (*args, *kwargs.values()) if hasattr(one, "dtype")]
        before = joblib.hash(arrays)
        first, inside = [True], set[str]()

        def seen(frame: Any, event: str, _: Any) -> None:
            if event == "call" and (called := _name(frame.f_code)):
                if called == name and first:
                    first.clear()
                else:
                    inside.add(called)

        self.inside.append(inside)
        outer = sys.getprofile()
        sys.setprofile(seen)
        try:
            value = original(*args, **kwargs)
        finally:
            sys.setprofile(outer)
            self.inside.pop()
        if self.inside:
            self.inside[-1].update(inside, [name])
        if key and joblib.hash(arrays) == before:
            states = tuple(one.bit_generator.state for one in _generators(args, kwargs))
            with contextlib.suppress(Exception):  # what cannot be kept is computed again
                data = pickle.dumps(value, protocol=5)
                if len(data) <= self.room:
                    self.room -= len(data)
                    self.kept[key] = Kept(data, frozenset(inside), states)
        return value


_names = dict[Any, str]()


def _name(code: Any) -> str:
    if code not in _names:
        folders = tuple(str(current().imports[one] / one) + "/" for one in current().imports)
        _names[code] = name_of(code) if code.co_filename.startswith(folders) else ""
    return _names[code]


def _key(name: str, args: Any, kwargs: Any) -> tuple[str, bytes] | None:
    """A call as it is looked up; nothing for arguments that cannot be told apart."""
    try:
        told = joblib.hash((args, sorted(kwargs.items())))
    except Exception:
        return None
    return name, hashlib.sha256(told.encode()).digest()


def _generators(args: Any, kwargs: Any) -> list[Any]:
    return [one for one in (*args, *kwargs.values()) if hasattr(one, "bit_generator")]
