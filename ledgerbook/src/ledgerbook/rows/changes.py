"""Small changes of a function: what it returns is a little larger, negative, out of order.

A change is known by its words (``CHANGES``) and made of a value of any kind that rows meet: numbers
of Python, NumPy, PyTorch, SymPy and flint, arrays, truth values, records and what holds these.  A
value of which a change alters nothing comes back as it is.
"""

import contextlib
import copy
import dataclasses
import functools
import importlib
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from unittest import mock

from ledgerbook.project.project import current

Wrapper = Callable[[Callable], Callable]
DEPTH = 4  # of records in records
SHUFFLED = "shuffled"
LOOKED = 50  # items of a list that say what it holds


def times(factor: str) -> Callable:
    """What multiplies a number that is not whole; exactly, where it is exact."""
    exact = Fraction(factor)

    def change(value: Any) -> Any:
        home, name = type(value).__module__.partition(".")[0], type(value).__name__
        if home == "sympy":
            return value * importlib.import_module("sympy").Rational(factor)
        if home == "flint" and name.startswith("fmpq"):
            return value * importlib.import_module("flint").fmpq(exact.numerator, exact.denominator)
        return value * exact if isinstance(value, Fraction) else value * float(factor)

    return change


def _later(items: Any) -> Any:
    if hasattr(items, "roll"):
        return items.roll(1, 0)
    if hasattr(items, "dtype"):
        return importlib.import_module("numpy").roll(items, 1, axis=0)
    return [items[-1], *items[:-1]]


def _turned_round(value: Any) -> Any:
    return ~value if hasattr(value, "dtype") else not value


def _diagonal(matrix: Any) -> Any:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        return matrix
    if hasattr(matrix, "diag"):
        return matrix.diag().diag()
    numpy = importlib.import_module("numpy")
    return numpy.diag(numpy.diag(matrix))


def _as_first(items: Any) -> Any:
    if hasattr(items, "dtype"):
        return 0 * items + items[:1]
    return [items[0]] * len(items)


def _shuffled(items: Any) -> Any:
    """All entries in an order drawn once for each size, so that the same value is told the same."""
    drawn = importlib.import_module("numpy").random.default_rng(0).permutation
    if not hasattr(items, "dtype"):
        return [items[k] for k in drawn(len(items))]
    order = drawn(math.prod(items.shape))
    return items.reshape(-1)[order].reshape(items.shape)


def _without_edge(graph: Any) -> Any:
    done = graph.copy()
    done.remove_edge(*list(done.edges())[-1][:2])
    return done


# Words of a change: which values it alters (``kinds_of``), how, and the change the other way.
CHANGES: dict[str, tuple[str, Callable, str]] = {
    "times 1.001": ("real", times("1.001"), "times 0.999"),
    "times 0.999": ("real", times("0.999"), "times 1.001"),
    "times 1.1": ("real", times("1.1"), "times 0.9"),
    "times 0.9": ("real", times("0.9"), "times 1.1"),
    "times 2": ("real", times("2"), "times 0.5"),
    "times 0.5": ("real", times("0.5"), "times 2"),
    "plus 1": ("number", lambda value: value + 1, "minus 1"),
    "minus 1": ("number", lambda value: value - 1, "plus 1"),
    "turned round": ("truth", _turned_round, ""),
    "one place later": ("order", _later, ""),
    "backwards": ("order", lambda one: one.flip(0) if hasattr(one, "flip") else one[::-1], ""),
    "without its last": ("order", lambda items: items[:-1], ""),
    "without an edge": ("graph", _without_edge, ""),
    SHUFFLED: ("order", _shuffled, ""),
    "with its diagonal alone": ("matrix", _diagonal, ""),
    "all as its first": ("order", _as_first, ""),
    "with the other sign": ("number", lambda value: -value, ""),
    "times 0": ("number", lambda value: value * 0, ""),
}


def kinds_of(value: Any, depth: int = 0) -> set[str]:
    """What a value holds: "real", "whole", "truth", "order", "matrix" and "graph"."""
    if isinstance(value, bool | int):
        return {"truth" if isinstance(value, bool) else "whole"}
    if hasattr(value, "dtype"):
        return _kinds_of_array(value)
    if _is_real(value):
        return {"real"}
    if hasattr(value, "edges") and hasattr(value, "remove_edge"):
        return {"graph"} if value.number_of_edges() else set()
    plain = isinstance(value, list | tuple) and not hasattr(value, "_fields")
    long = {"order"} if plain and len(value) > 1 else set()
    held = _held(value)[:LOOKED] if depth < DEPTH else []
    return long.union(*(kinds_of(one, depth + 1) for one in held))


def _kinds_of_array(array: Any) -> set[str]:
    name = str(array.dtype)
    kind = "truth" if "bool" in name else "whole" if "int" in name else "real"
    known = {kind} if "float" in name or "complex" in name or kind != "real" else set()
    axes = getattr(array, "ndim", 0)
    square = axes == 2 and array.shape[0] == array.shape[1] > 1
    known |= {"order"} if axes and len(array) > 1 else set()
    return known | ({"matrix"} if square else set())


def _is_real(value: Any) -> bool:
    if isinstance(value, float | complex | Fraction):
        return True
    home, name = type(value).__module__.partition(".")[0], type(value).__name__
    if home == "sympy":
        return hasattr(value, "free_symbols") and not getattr(value, "is_Boolean", False)
    return home == "mpmath" or home == "flint" and name in ("arb", "fmpq", "fmpq_mat", "arb_mat")


def _held(value: Any) -> list:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, dict):
        return list(value.values())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, one.name, None) for one in dataclasses.fields(value)]
    return []


def applies(change: str, kinds: set[str]) -> bool:
    """Whether a change alters anything in a value of these kinds."""
    wanted = CHANGES[change][0]
    return bool(kinds & {"real", "whole"}) if wanted == "number" else wanted in kinds


def altered(value: Any, change: str, depth: int = 0) -> Any:
    """The value with a change made to all of it that the change is for."""
    wanted, how, _ = CHANGES[change]
    if not _held(value):
        return how(value) if applies(change, kinds_of(value)) else value
    if depth > DEPTH:
        return value
    inside = lambda items: [altered(one, change, depth + 1) for one in items]
    if isinstance(value, list | tuple):
        if hasattr(value, "_fields"):
            return type(value)(*inside(value))
        ordered = wanted == "order" and len(value) > 1
        return type(value)(how(value) if ordered else inside(value))
    if isinstance(value, dict):
        return dict(zip(value, inside(value.values()), strict=True))
    done = copy.copy(value)
    for field in dataclasses.fields(value):
        own = altered(getattr(value, field.name, None), change, depth + 1)
        object.__setattr__(done, field.name, own)
    return done


def wrapper(change: str) -> Wrapper:
    """What makes a change of everything that a function returns."""
    return lambda original: functools.wraps(original)(
        lambda *args, **kwargs: altered(original(*args, **kwargs), change)
    )


@contextmanager
def replaced(name: str, wrap: Wrapper) -> Iterator[None]:
    """``wrap(function)`` wherever the companion has bound the function; as before in the end.

    name: "module:function" or "module:Class.method"; ``LookupError``, ``AttributeError`` or
    ``ImportError`` for none.
    """
    module_name, _, path = name.partition(":")
    module = importlib.import_module(module_name)
    owner, _, part = path.rpartition(".")
    if owner:
        kind = functools.reduce(getattr, owner.split("."), module)
        changed, places = _wrapped_part(vars(kind)[part], part, wrap), [(kind, part)]
    else:
        before = getattr(module, part)
        changed = wrap(before)
        ours = [m for n, m in sys.modules.items() if n.partition(".")[0] in current().imports]
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
    if isinstance(value, property) and value.fget:
        return property(wrap(value.fget))
    if isinstance(value, staticmethod | classmethod):
        return type(value)(wrap(value.__func__))
    return wrap(value)


def forget() -> None:
    """Empty every cache of the companion's functions: it may hold what a change has altered."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in current().imports and not name.startswith("ledgerbook"):
            for thing in list(vars(module).values()):
                if callable(clear := getattr(thing, "cache_clear", None)):
                    clear()
