"""Parameters of one chapter as a reader types them: ``"M=200 eta_y=0.5 corpus='my text'"``."""

import math
import shlex
from typing import Any

from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import Statement
from ledgerbook.project.project import current
from ledgerbook.project.validation import require


def parse_parameters(row: Statement, text: str) -> dict[str, Any]:
    """The values of ``text`` as a dict, read and checked by the chapter's own defaults.

    A value with spaces stands in quotes.  Raises ``ValueError`` for quotes that do not close, a
    name that the chapter does not have or that came before, and a value of another kind than the
    default.
    """
    known = notebooks.parameters(notebooks.read(row.chapter))
    usage = f"name=value with name one of {', '.join(known)} (defaults: {shown(known)})"
    found: dict[str, str] = {}
    try:
        words = shlex.split(text)
    except ValueError:
        raise ValueError(f"P = {text!r}, allowed: quotes that close") from None
    for word in words:
        name, equals, value = word.partition("=")
        require(bool(equals) and name in known, "P", word, usage)
        require(name not in found, "P", word, f"each name once; {name} = {found.get(name)!r} came")
        found[name] = value
    return {name: parse_value(name, value, known[name]) for name, value in found.items()}


def parse_value(name: str, text: str, default: Any) -> Any:
    """``text`` as a value of the default's kind: a text, a number, a whole number where it is one.

    For a whole default ``1e3`` is 1000 and ``010`` is 10; a broken number stays one, and the
    chapter says whether it can do with it.  Raises ``ValueError``.
    """
    if isinstance(default, str):
        return text
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    kind = "whole" if isinstance(default, int) else "finite"
    allowed = f"a {kind} number, as the default {default!r}"
    require(math.isfinite(number), name, text, allowed)
    return int(number) if isinstance(default, int) and number.is_integer() else number


def shown(values: dict[str, Any]) -> str:
    """Values as ``parse_parameters`` reads them back."""
    return " ".join(
        f"{name}={shlex.quote(value) if isinstance(value, str) else repr(value)}"
        for name, value in values.items()
    )


def command(row: Statement, values: dict[str, Any] | None = None) -> str:
    """The command that runs the chapter, with these values if any, to be pasted into a shell."""
    makes = (current().root / "Makefile").exists()  # a book that was there before may have none
    start = f"make chapter CH={row.tag}" if makes else f"ledgerbook chapter {row.tag}"
    if values is None:
        return start
    text = shown(values)  # of what a shell reads inside double quotes it mostly has nothing
    quoted = shlex.quote(text) if {*text} & {*'"$`\\'} else f'"{text}"'
    return f"{start} {'P=' if makes else ''}{quoted}"
