"""``make resolution``: how small a change of one function each row sees.

A row is measured alone, on an object of its own, with one function that it calls changed: all the
numbers that it returns times 1 + eps, then times 1 - eps.  The smallest eps of a ladder that turns
the row red, over the functions that the row calls, is what the row *sees*, and it is told with the
function.  Rows that a proof decides are not asked, nor are rows that are red already.  A row that
no size turns red sees none of its functions: it may be about a ranking, a direction, an exponent.
"""

import contextlib
import dataclasses
import functools
import importlib
import inspect
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import joblib

from ledgerbook.chapters import registry
from ledgerbook.ledger.checks import KERNEL, SHOWN, Checks, Row, rows
from ledgerbook.project import paths, settings

LADDER = (1e-9, 1e-6, 1e-3, 1e-2, 0.05, 0.2, 1.0)
PROVED = ("symbolic", "decided")  # what no function of the companion computes
Wrapper = Callable[[Callable], Callable]


def formulas(module: types.ModuleType) -> Iterator[str]:
    """Dotted names of the companion's functions that a module imports by name.

    Of a class, the public methods and properties.  What holds no formula (``ground``) is left out,
    and so are the other modules of rows.
    """
    others = (__name__.partition(".")[0], settings.settings().checks)
    for thing in vars(module).values():
        home = getattr(thing, "__module__", "")
        ours = "." in home and home.partition(".")[0] in paths.IMPORTS.keys() - others
        if not ours or home in (module.__name__, *settings.settings().ground):
            continue
        if isinstance(thing, types.FunctionType) and "<" not in thing.__qualname__:
            yield f"{home}:{inspect.unwrap(thing).__qualname__}"
        elif isinstance(thing, type):
            kinds = (types.FunctionType, functools.cached_property, property)
            public = ((n, one) for n, one in vars(thing).items() if not n.startswith("_"))
            yield from (
                f"{home}:{thing.__qualname__}.{n}" for n, o in public if isinstance(o, kinds)
            )


@contextmanager
def replaced(name: str, wrap: Wrapper) -> Iterator[None]:
    """``wrap(function)`` wherever the companion has bound the function; as before in the end."""
    module_name, _, path = name.partition(":")
    module = importlib.import_module(module_name)
    owner, _, part = path.rpartition(".")
    if owner:
        kind = getattr(module, owner)
        changed, places = _wrapped_part(vars(kind)[part], part, wrap), [(kind, part)]
    else:
        before = getattr(module, part)
        changed = wrap(before)
        ours = [m for n, m in sys.modules.items() if n.partition(".")[0] in paths.IMPORTS]
        places = [(m, key) for m in ours for key, value in vars(m).items() if value is before]
    with contextlib.ExitStack() as stack:
        for place, key in places:
            stack.enter_context(mock.patch.object(place, key, changed))
        yield


def _wrapped_part(value: Any, part: str, wrap: Wrapper) -> Any:
    if isinstance(value, functools.cached_property):
        done = functools.cached_property(wrap(value.func))
        done.__set_name__(object, part)
        return done
    get = value.fget if isinstance(value, property) else None
    return property(wrap(get)) if get else wrap(value)


def altered(value: Any, factor: float) -> Any:
    """Every floating number in a value times ``factor``: numbers, arrays, tensors, records."""
    array = hasattr(value, "dtype") and "float" in str(value.dtype)
    if array or isinstance(value, float) or type(value).__module__.startswith("mpmath"):
        return value * factor
    if isinstance(value, tuple | list):
        items = [altered(item, factor) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {key: altered(item, factor) for key, item in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = {f.name: altered(getattr(value, f.name), factor) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **own)
    return value


def times(factor: float) -> Wrapper:
    """What returns every number of a function's value times ``factor``."""
    return lambda original: functools.wraps(original)(
        lambda *args, **kwargs: altered(original(*args, **kwargs), factor)
    )


def called(kind: type[Checks], row: Row) -> list[str]:
    """The companion's functions that the module of a class imports and the row calls."""
    found: dict[str, None] = {}

    def watching(name: str, original: Callable) -> Callable:
        @functools.wraps(original)
        def watched(*args, **kwargs):
            found[name] = None
            return original(*args, **kwargs)

        return watched

    with contextlib.ExitStack() as stack:
        for name in sorted(set(formulas(sys.modules[kind.__module__]))):
            stack.enter_context(replaced(name, functools.partial(watching, name)))
        kind().judge(row)
    return list(found)


def red(kind: type[Checks], row: Row, name: str, size: float) -> bool:
    """Whether a size up or down of the function turns the row red; one that stops does not."""
    for factor in (1 + size, 1 - size):
        with replaced(name, times(factor)), contextlib.suppress(Exception):
            if not kind().judge(row).passed:
                return True
    return False


def smallest(kind: type[Checks], row: Row) -> tuple[float, str] | None:
    """Size and function of the smallest change that turns a row red, or ``None``."""
    names = called(kind, row)
    pairs = ((size, name) for size in LADDER for name in names)
    return next((pair for pair in pairs if red(kind, row, pair[1], pair[0])), None)


def asked(kind: type[Checks]) -> list[Row]:
    """The rows that a change of a function can turn: measured, and not red as they are."""
    there = kind()
    shown = [row for row in rows(kind) if row.role in SHOWN and row.role != KERNEL]
    return [r for r in shown if r.details["kind"] not in PROVED and there.judge(r).passed]


def measure(tag: str) -> None:
    """Print what each row of a tag sees."""
    kind = registry.classes([tag])[tag]
    for row in asked(kind):
        found = smallest(kind, row)
        said = f"{found[0]:g} of {found[1].partition(':')[2]}" if found else "none of its functions"
        print(f"{tag} {row.id}: {said}", flush=True)


def main(only: Iterable[str]) -> None:
    """Measure some statements, or all."""
    tags = registry.classes(list(only))  # imported before the processes are forked
    joblib.Parallel(-1, backend="multiprocessing")(joblib.delayed(measure)(tag) for tag in tags)
