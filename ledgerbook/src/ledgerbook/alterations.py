"""What functions return, changed: every number by a factor or with an exponent of its own.

Where the sign is flipped every edge of a directed graph is turned round.
"""

import dataclasses
import functools
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from ledgerbook import perturb

SIGN = 2.0  # stands for a flipped sign, a relative change of 2


def altered(value: Any, how: Callable) -> Any:
    """``how`` applied to every floating number in a value: numbers, arrays, tensors, records.

    A directed graph is turned round where ``how`` turns the sign of 1.
    """
    if isinstance(value, float):
        return how(value)
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return how(value) if "float" in str(value.dtype) else value
    if isinstance(value, tuple) and hasattr(value, "_replace"):
        return type(value)(*(altered(item, how) for item in value))
    if isinstance(value, tuple | list):
        return type(value)(altered(item, how) for item in value)
    if isinstance(value, dict):
        return {key: altered(item, how) for key, item in value.items()}
    if hasattr(value, "is_directed"):
        return value.reverse() if value.is_directed() and how(1.0) < 0 else value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: altered(getattr(value, f.name), how) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **fields)
    if type(value).__module__.startswith("mpmath"):
        return how(value)
    return value


def change(name: str, how: Callable) -> None:
    """Alter what a function returns, wherever the companion has bound it, in this process."""

    def wrap(original):
        @functools.wraps(original)
        def changed(*args, **kwargs):
            return altered(original(*args, **kwargs), how)

        return changed

    perturb.replace(name, wrap)


class Size(NamedTuple):
    """One change of all functions: by a factor or an exponent, how far from 1, and which draw."""

    size: float
    exponent: bool = False
    seed: int = 0


def changes(names: list[str], by: Size) -> dict[str, Callable]:
    """For each function a change of its own, at most ``by.size`` from 1: none cancels another.

    A factor goes up or down, an exponent up (zero stays zero); at the size ``SIGN`` half of the
    factors, drawn at random, are -1 and the others 1.
    """
    draw = random.Random(by.seed)
    if by.size == SIGN:
        found = {name: draw.choice((-1.0, 1.0)) for name in names}
    else:
        found = {name: draw.choice((-by.size, by.size)) * draw.uniform(0.5, 1) for name in names}
    if by.exponent:
        return {name: functools.partial(_powered, more=abs(far)) for name, far in found.items()}
    shift = 0 if by.size == SIGN else 1
    return {name: functools.partial(_times, factor=shift + far) for name, far in found.items()}


def _times(number: Any, factor: float) -> Any:
    return number * factor


def _powered(number: Any, more: float) -> Any:
    """The exponent 1 + ``more`` on the size, the sign kept."""
    return number * abs(number) ** more
