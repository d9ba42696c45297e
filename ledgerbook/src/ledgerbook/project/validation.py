"""Argument checks that name the argument, what came in, and what is allowed."""

import math
from numbers import Integral, Real

LARGEST = 2**63 - 1  # what 64 bits hold
LONGEST = 300  # characters of a value that a message repeats


def require(condition, argument, got, allowed):
    """Raise ``ValueError``, as ``argument = got, allowed: …``, unless ``condition`` holds."""
    if not condition:
        said = repr(got)
        said = said if len(said) <= LONGEST else f"{said[:LONGEST]} … ({len(said)} characters)"
        raise ValueError(f"{argument} = {said}, allowed: {allowed}")


def require_integer(argument, value, minimum, maximum=None):
    """Return a whole number in ``[minimum, maximum]``, or of 64 bits, as ``int``."""
    highest = LARGEST if maximum is None else maximum
    top = f"to {highest}" if highest < LARGEST else "up"
    top += ", below 2^63" if isinstance(value, Integral) and value > LARGEST else ""
    allowed = f"a whole number from {minimum} {top}"
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    require(whole and minimum <= value <= highest, argument, value, allowed)
    return int(value)


def require_real(
    argument, value, *, above=-math.inf, below=math.inf, at_least=-math.inf, at_most=math.inf
):
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


def require_seed(argument, value):
    """Return the seed of a random generator as ``int``: every generator takes 0 to 2^32 - 1."""
    return require_integer(argument, value, 0, 2**32 - 1)


def require_choice(argument, value, choices):
    """Return ``value`` if it is one of ``choices``."""
    require(value in choices, argument, value, "one of " + ", ".join(map(repr, choices)))
    return value
