"""The parameters of a chapter as fields of its class: default and range, said in one place.

Each range is closed and bounded at both ends, so that ``make robust`` can run a chapter at its
smallest and at its largest parameters.  A bound may be a function of the fields before it.
"""

from collections.abc import Callable, Iterator
from dataclasses import Field, field, fields
from types import SimpleNamespace
from typing import Any

from ledgerbook.project.validation import require_choice, require_integer, require_real

Bound = Any  # a number, or a function of the object that gives one


def _field(default: Any, check: Callable, ends: Callable) -> Any:
    """``check(name, value, object)`` refuses a value; ``ends(object)``: smallest and largest."""
    return field(default=default, metadata={"check": check, "ends": ends})


def _at(bound: Bound, there: Any) -> Any:
    return bound(there) if callable(bound) else bound


def whole(default: int, at_least: Bound, at_most: Bound) -> Any:
    """A whole number of a closed range."""
    ends = lambda there: (_at(at_least, there), _at(at_most, there))
    return _field(default, lambda name, value, it: require_integer(name, value, *ends(it)), ends)


def real(default: float, at_least: Bound, at_most: Bound) -> Any:
    """A finite number of a closed range."""
    ends = lambda there: (float(_at(at_least, there)), float(_at(at_most, there)))
    return _field(default, lambda name, value, it: require_real(name, value, *ends(it)), ends)


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


def defaults(kind: type) -> dict[str, Any]:
    """The parameters with their defaults."""
    return {one.name: one.default for one in parameters(kind)}


def extremes(kind: type, largest: bool) -> dict[str, Any]:
    """All parameters at one end of their ranges, but the seed at its default."""
    chosen = SimpleNamespace()
    for one in parameters(kind):
        ends = one.metadata["ends"](chosen)
        setattr(chosen, one.name, one.default if one.name == "seed" else ends[largest])
    return vars(chosen)
