"""Argument checks that name the argument, what came in, and what is allowed."""

from numbers import Integral, Real

LONGEST = 300  # characters of a value that a message repeats


def require(condition, argument, got, allowed):
    """Raise ``ValueError``, as ``argument = got, allowed: …``, unless ``condition`` holds."""
    if not condition:
        said = repr(got)
        said = said if len(said) <= LONGEST else f"{said[:LONGEST]} …"
        raise ValueError(f"{argument} = {said}, allowed: {allowed}")


def require_integer(argument, value, minimum, maximum):
    """Return a whole number in ``[minimum, maximum]`` as ``int``."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    allowed = f"a whole number from {minimum} to {maximum}"
    require(whole and minimum <= value <= maximum, argument, value, allowed)
    return int(value)


def require_real(argument, value, minimum, maximum):
    """Return a finite number in ``[minimum, maximum]`` as ``float``."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    allowed = f"a finite number >= {minimum:g} and <= {maximum:g}"
    allowed += ", no text" * isinstance(value, str)  # as 1e-1 is to YAML
    require(number and minimum <= value <= maximum, argument, value, allowed)
    return float(value)


def require_choice(argument, value, choices):
    """Return ``value`` if it is one of ``choices``."""
    require(value in choices, argument, value, "one of " + ", ".join(map(repr, choices)))
    return value
