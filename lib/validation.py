"""Argument checks that name the argument, what came in, and what is allowed."""

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np

from lib.arrays import Array, ArrayLike

LARGEST = 2**63 - 1  # what 64 bits hold
LONGEST = 300  # characters of a value that a message repeats


def require(condition: Any, argument: str, got: Any, allowed: object) -> None:
    """Check an argument: raise ``ValueError`` unless ``condition`` holds.

    condition: whether the argument is usable.  argument: its name.  got: the value that came in,
    of which the message repeats the first 300 characters.  allowed: what may come in, in words.

    Raises ``ValueError`` with a message of one form: ``argument = got, allowed: …``.

    >>> require(0 <= 0.5 <= 1, "rho", 0.5, "0 <= rho <= 1")
    >>> require(0 <= 2 <= 1, "rho", 2, "0 <= rho <= 1")
    Traceback (most recent call last):
        ...
    ValueError: rho = 2, allowed: 0 <= rho <= 1
    """
    if not condition:
        said = repr(got)
        said = said if len(said) <= LONGEST else f"{said[:LONGEST]} … ({len(said)} characters)"
        raise ValueError(f"{argument} = {said}, allowed: {allowed}")


def require_integer(argument: str, value: Any, minimum: int, maximum: int | None = None) -> int:
    """Return ``value`` as ``int`` if it is a whole number in ``[minimum, maximum]``.

    Without ``maximum`` it must still fit into 64 bits, the integers of numpy and PyTorch.
    """
    highest = LARGEST if maximum is None else maximum
    top = f"to {highest}" if highest < LARGEST else "up"
    top += ", below 2^63" if isinstance(value, Integral) and int(value) > LARGEST else ""
    allowed = f"a whole number from {minimum} {top}"
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    require(whole and minimum <= value <= highest, argument, value, allowed)
    return int(value)


def require_real(
    argument: str,
    value: Any,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    at_least: float = -math.inf,
    at_most: float = math.inf,
) -> float:
    """Return ``value`` as ``float`` if it is finite and inside the stated open or closed limits."""
    limits = [
        f"{sign} {limit:g}"
        for sign, limit in ((">", above), (">=", at_least), ("<", below), ("<=", at_most))
        if math.isfinite(limit)
    ]
    allowed = "a finite number" + (" " + " and ".join(limits) if limits else "")
    number = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    inside = number and above < value < below and at_least <= value <= at_most
    require(inside, argument, value, allowed)
    return float(value)


def require_seed(argument: str, value: Any) -> int:
    """Return the seed of a random generator as ``int``: every generator takes 0 to 2^32 - 1."""
    return require_integer(argument, value, 0, 2**32 - 1)


def require_choice(argument: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return ``value`` if it is one of ``choices``."""
    require(value in choices, argument, value, "one of " + ", ".join(map(repr, choices)))
    return value


def require_rate(argument: str, value: Any) -> float:
    """Return a learning rate as ``float``: finite and positive."""
    return require_real(argument, value, above=0)


def require_momentum(argument: str, value: Any) -> float:
    """Return the factor of heavy-ball momentum as ``float``: from 0 to below 1."""
    return require_real(argument, value, at_least=0, below=1)


def require_probability_table(argument: str, table: ArrayLike) -> Array:
    """Return ``table`` as float64 if each row is a probability vector.

    Shape ``(K, M)``.  Raises ``ValueError`` for a wrong shape, a non-finite or
    negative entry, or a row whose sum differs from 1 by more than 1e-9.
    """
    array = np.asarray(table, dtype=np.float64)
    require(
        array.ndim == 2 and array.size > 0,
        f"{argument}.shape",
        array.shape,
        "(K, M) with K, M >= 1",
    )
    require(np.isfinite(array).all(), argument, "a table with non-finite entries", "finite entries")
    require(
        (array >= 0).all(), argument, f"a table with smallest entry {array.min():g}", "entries >= 0"
    )
    worst = int(np.abs(array.sum(axis=1) - 1).argmax())
    require(
        abs(array[worst].sum() - 1) <= 1e-9,
        f"{argument}[{worst}].sum()",
        float(array[worst].sum()),
        "1 (each row sums to one)",
    )
    return array
