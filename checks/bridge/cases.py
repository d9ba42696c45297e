"""Rows of several cases: a case by its value, and by its name."""

from collections.abc import Mapping


def name_of(value: object, cases: Mapping[str, object]) -> str:
    """The end of an id, by what the row gets as its case."""
    return next(name for name, one in cases.items() if one == value)
