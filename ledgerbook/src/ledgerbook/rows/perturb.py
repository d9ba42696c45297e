"""Functions of the companion, changed in this process: found, replaced wherever they are bound.

A change multiplies every number that a function returns; a directed graph is turned round where the
sign of 1 is.
"""

import dataclasses
import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ledgerbook.project import paths, settings

Wrapper = Callable[[Callable], Callable]


def formulas(module: types.ModuleType) -> dict[str, str]:
    """Dotted names of the companion's functions that a module imports by name, and its name there.

    Of a class, the public methods and properties that compute something.  What holds no formula
    (``ground``) is left out, and so are the other modules of rows.
    """
    found: dict[str, str] = {}
    for bound, thing in vars(module).items():
        home = getattr(thing, "__module__", "")
        if isinstance(thing, types.FunctionType | type) and _is_ours(home):
            if home != module.__name__ and home not in settings.settings().ground:
                found |= {f"{home}:{path}": bound for path in _computing(thing)}
    return dict(sorted(found.items()))


def _is_ours(name: str) -> bool:
    """Whether a module is the companion's own, neither this package's nor one of rows."""
    top = name.partition(".")[0]
    others = (__name__.partition(".")[0], settings.settings().checks)
    return "." in name and top in paths.IMPORTS and top not in others


def _computing(thing: Any) -> list[str]:
    if isinstance(thing, types.FunctionType):
        return [inspect.unwrap(thing).__qualname__] if "<" not in thing.__qualname__ else []
    kinds = (types.FunctionType, functools.cached_property, property)
    return [
        f"{thing.__qualname__}.{part}"
        for part, value in vars(thing).items()
        if isinstance(value, kinds) and not part.startswith("_")
    ]


@contextmanager
def replaced(name: str, wrap: Wrapper) -> Iterator[None]:
    """``wrap(function)`` wherever the companion has bound the function; as before in the end."""
    module_name, _, path = name.partition(":")
    module = importlib.import_module(module_name)
    owner, _, part = path.rpartition(".")
    if owner:
        kind = getattr(module, owner)
        before = vars(kind)[part]
        setattr(kind, part, _wrapped_part(before, part, wrap))
        places: list[tuple[Any, str, Any]] = [(kind, part, before)]
    else:
        original = getattr(module, part)
        changed = wrap(original)
        ours = [m for n, m in sys.modules.items() if n.partition(".")[0] in paths.IMPORTS]
        places = [
            (other, key, value)
            for other in ours
            for key, value in list(vars(other).items())
            if value is original
        ]
        for other, key, _ in places:
            setattr(other, key, changed)
    try:
        yield
    finally:
        for place, key, value in places:
            setattr(place, key, value)


def _wrapped_part(value: Any, part: str, wrap: Wrapper) -> Any:
    if isinstance(value, functools.cached_property):
        done = functools.cached_property(wrap(value.func))
        done.__set_name__(object, part)
        return done
    get = value.fget if isinstance(value, property) else None
    return property(wrap(get)) if get else wrap(value)


def times(factor: float) -> Wrapper:
    """What returns every number of a function's value times ``factor``."""

    def wrap(original: Callable) -> Callable:
        @functools.wraps(original)
        def changed(*args, **kwargs):
            return altered(original(*args, **kwargs), factor)

        return changed

    return wrap


def altered(value: Any, factor: float) -> Any:
    """Every floating number in a value times ``factor``: numbers, arrays, tensors, records."""
    if isinstance(value, float):
        return value * factor
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return value * factor if "float" in str(value.dtype) else value
    if isinstance(value, tuple) and hasattr(value, "_replace"):
        return type(value)(*(altered(item, factor) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(altered(item, factor) for item in value)
    if isinstance(value, dict):
        return {key: altered(item, factor) for key, item in value.items()}
    if hasattr(value, "is_directed"):
        return value.reverse() if value.is_directed() and factor < 0 else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = {f.name: altered(getattr(value, f.name), factor) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **own)
    if type(value).__module__.startswith("mpmath"):
        return value * factor
    return value
