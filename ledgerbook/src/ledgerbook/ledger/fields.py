"""The parameters of a chapter as fields of its class: default and ranges, said in one place.

A parameter has two ranges, each closed and bounded at both ends.  Between ``at_least`` and
``at_most`` the chapter can be computed, and any other value is refused.  ``holds`` is the narrower
range where its rows are claimed to come out as stored: ``make robust`` goes to its ends, and
``make chapter`` beyond them shows the rows as they come out and says so.  Without ``holds`` the
two are the same.  A bound may be a function of the fields before it.  What must not be changed is
a constant of its module or class and no parameter.
"""

from collections.abc import Callable, Iterator
from dataclasses import Field, field, fields
from types import SimpleNamespace
from typing import Any

from ledgerbook.project.validation import (
    require,
    require_choice,
    require_integer,
    require_real,
)

Bound = Any  # a number, or a function of the object that gives one
Range = tuple[Bound, Bound]


def _field(default: Any, check: Callable, ends: Callable) -> Any:
    """``check(name, value, object)`` refuses a value; ``ends(object)``: where the rows hold."""
    return field(default=default, metadata={"check": check, "ends": ends})


def _at(bound: Bound, there: Any) -> Any:
    return bound(there) if callable(bound) else bound


def _number(
    default: Any, computed: Range, holds: Range | None, why: str, require_: Callable, kind: Callable
) -> Any:
    """A field of ``computed`` that ``require_`` checks; raises ``ValueError`` for a constant."""
    low, high = computed
    differ = callable(low) or callable(high) or low < high
    require(differ, "range", computed, "two ends that differ; else it is a constant")

    def ends(limits: Range, there: Any) -> tuple[Any, Any]:
        low, high = (kind(_at(limit, there)) for limit in limits)
        return low, high

    def check(name: str, value: Any, there: Any) -> Any:
        try:
            return require_(name, value, *ends(computed, there))
        except ValueError as error:
            raise ValueError(f"{error}: {why}" if why else str(error)) from None

    claimed = holds or computed
    return _field(default, check, lambda there: ends(claimed, there))


def whole(
    default: int, at_least: Bound, at_most: Bound, *, holds: Range | None = None, why: str = ""
) -> Any:
    """A whole number from ``at_least`` to ``at_most``.

    holds: where the rows are claimed to hold, if that is narrower.  why: what cannot be computed
    beyond, for the message.  ``whole(2, 2, 8, holds=(2, 4))`` computes 8 and claims nothing there.
    Raises ``ValueError`` for a range of one value.
    """
    return _number(default, (at_least, at_most), holds, why, require_integer, kind=lambda end: end)


def real(
    default: float, at_least: Bound, at_most: Bound, *, holds: Range | None = None, why: str = ""
) -> Any:
    """A finite number from ``at_least`` to ``at_most``; ``holds``, ``why``: as of ``whole``.

    ``real(0.45, 0.05, 0.95, holds=(0.44, 0.46))`` computes 0.9 and claims nothing there.
    """
    return _number(default, (at_least, at_most), holds, why, require_real, kind=float)


def seed(default: int = 0) -> Any:
    """The seed of all draws: every generator takes 0 to 2^32 - 1."""
    return whole(default, 0, 2**32 - 1)


def choice(default: Any, choices: tuple) -> Any:
    """One of some values."""
    check = lambda name, value, it: require_choice(name, value, choices)
    return _field(default, check, lambda there: (choices[0], choices[-1]))


def text(default: str, check: Callable[[str, str], Any], ends: tuple[str, str]) -> Any:
    """A text that ``check(name, value)`` accepts; ``ends``: the least and the most it may ask."""
    return _field(default, lambda name, value, it: check(name, value), lambda there: ends)


def parameters(kind: type) -> Iterator[Field]:
    """The fields of a class that are parameters, in their order."""
    return (one for one in fields(kind) if "check" in one.metadata)


def check(there: Any) -> None:
    """Check and canonize all parameters of an object, one after the other."""
    for one in parameters(type(there)):
        given = getattr(there, one.name)
        try:
            value = one.metadata["check"](one.name, given, there)
        except (ValueError, TypeError, OverflowError) as error:
            if str(error).startswith(f"{one.name} = "):
                raise
            raise ValueError(f"{one.name} = {given!r}: {error}") from None
        if value is not None:
            setattr(there, one.name, value)


def beyond(there: Any) -> list[str]:
    """The parameters of an object with which its rows are not claimed to hold, a line for each."""
    told = []
    for one in parameters(type(there)):
        value = getattr(there, one.name)
        if isinstance(
            value, str
        ):  # a text, or one of some choices, is claimed wherever it is allowed
            continue
        low, high = one.metadata["ends"](there)
        if not low <= value <= high:
            told.append(f"{one.name} = {value:g}: the rows are claimed from {low:g} to {high:g}")
    return told


def defaults(kind: type) -> dict[str, Any]:
    """The parameters with their defaults."""
    return {one.name: one.default for one in parameters(kind)}


def extremes(kind: type, largest: bool) -> dict[str, Any]:
    """All parameters at one end of where the rows are to hold, but the seed at its default."""
    chosen = SimpleNamespace()
    for one in parameters(kind):
        ends = one.metadata["ends"](chosen)
        setattr(chosen, one.name, one.default if one.name == "seed" else ends[largest])
    return vars(chosen)
