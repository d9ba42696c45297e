"""Printed text against printed text: words exactly, numbers by their last digit."""

import re

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?(?![\w])")


def texts_agree(one: str, other: str) -> bool:
    """Same words, and numbers that agree."""
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
        return False
    return all(map(numbers_agree, NUMBER.findall(one), NUMBER.findall(other)))


def numbers_agree(one: str, other: str) -> bool:
    """Whether two printed numbers differ by at most a unit of the last printed digit.

    Integers, and numbers of one significant digit, must be the same.
    """
    if one == other:
        return True
    digits = [_digits(text) for text in (one, other)]
    if any(unit is None or significant < 2 for significant, unit in digits):
        return all(unit is not None for _, unit in digits) and float(one) == float(other)
    return abs(float(one) - float(other)) <= 1.01 * min(unit for _, unit in digits if unit)


def _digits(text: str) -> tuple[int, float | None]:
    """Significant digits, and the unit of the last one: ``None`` for an integer."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    if not decimals and not exponent:
        return 0, None
    significant = len((whole.lstrip("+-") + decimals).lstrip("0"))
    return significant, 10.0 ** (int(exponent or 0) - len(decimals))
