"""Tables that people write, as objects: each value is of the kind that its field declares."""

import unicodedata
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from ledgerbook.project.validation import require

Made = TypeVar("Made")


def made(kind: type[Made], given: Mapping[str, Any], where: str) -> Made:
    """``kind(**given)`` for a dataclass, lists as tuples.

    Fields are ``str``, ``bool``, ``tuple[..., ...]`` and ``Mapping[str, ...]`` of these.  A text
    holds no control character, and is blank only where its default is.  Raises ``ValueError`` that
    begins with ``where``, for a key that the kind does not have or lacks and for another value.
    """
    known, hints = {one.name: one for one in fields(kind)}, get_type_hints(kind)  # type: ignore
    for key in given:
        require(key in known, f"{where}: key", key, f"one of {', '.join(known)}")
    for key, one in known.items():
        if key not in given and one.default is MISSING and one.default_factory is MISSING:
            raise ValueError(f"{where}: it has no {key}")
    for key, value in given.items():
        blank = known[key].default == ""
        if not _fits(value, hints[key], blank):
            require(False, f"{where}: {key}", value, _words(hints[key], blank))
    return kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in given.items()})


def _fits(value: Any, wanted: Any, blank: bool) -> bool:
    inner = get_args(wanted)
    if get_origin(wanted) is tuple:
        return isinstance(value, list) and all(_fits(one, inner[0], False) for one in value)
    if inner:
        return isinstance(value, dict) and all(_fits(v, inner[1], False) for v in value.values())
    if wanted is str and isinstance(value, str):
        kinds = {unicodedata.category(letter) for letter in value}
        return not kinds & {"Cc", "Cs"} and (blank or bool(value.strip()))
    return type(value) is wanted


def _words(wanted: Any, blank: bool) -> str:
    inner = get_args(wanted)
    if get_origin(wanted) is tuple:
        return f"a list, each entry {_words(inner[0], False)}"
    if inner:
        return f"a table, each value {_words(inner[1], False)}"
    if wanted is str:
        return "text without control characters" + (", not blank" if not blank else "")
    return "true or false" if wanted is bool else wanted.__name__
