"""The commands: ``python -m ledgerbook COMMAND``; a companion may add its own (``main``).

Each imports what it needs inside the ``try`` of ``main``: an interruption is always one line.
"""

import argparse
import importlib
import sys
from collections.abc import Callable
from typing import Any

More = Callable[[Callable[..., argparse.ArgumentParser]], None] | None
REFUSALS = (ValueError, OSError, OverflowError, MemoryError, LookupError, TypeError)

DOOR = "Executes, compares, collects, judges and renders a companion's chapters."
TAGS: dict[str, Any] = dict(nargs="+", default=[], metavar="TAG", help="these chapters alone")


def count(text: str) -> int:
    """A whole number from 1 up."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number}, allowed: a whole number from 1 up")
    return number


FLAG = "store_true"
# Name: the function behind it, what it does, what it takes.
COMMANDS: dict[str, tuple[str, str, dict[str, dict[str, Any]]]] = {
    "book": (
        "commands.book:book",
        "Render what is stored, execute what is new to this machine, compare the two.",
        {
            "--only": TAGS,
            "--force": dict(action=FLAG, help="execute all, and store what differs"),
            "--no-pages": dict(action=FLAG, help="execute and collect, build no HTML"),
        },
    ),
    "pages": ("commands.book:pages", "Render the pages from what is stored; execute nothing.", {}),
    "chapter": (
        "commands.chapter:main",
        "Execute one chapter with parameters, apart from the stored book: its rows and its page.",
        {"tag": {}, "parameters": dict(nargs="?", default="", help='as in "M=200 eta_y=0.5"')},
    ),
    "new": ("chapters.skeleton:main", "Write the skeleton of a listed chapter.", {"tag": {}}),
    "resolution": (
        "rows.resolution:main",
        "Measure how small a change of a function each row sees.",
        {
            "--only": TAGS,
        },
    ),
    "mutants": (
        "rows.mutants:main",
        "Put small slips into copies of the code, and say which no test sees.",
        {
            "--number": dict(type=count, default=20, help="how many"),
            "--seed": dict(type=int, default=0, help="of the draw"),
        },
    ),
    "toc": ("chapters.toc:main", "Write the table of contents from the list of statements.", {}),
    "prove": ("coq.prove:main", "Check every proof with Coq and write the record.", {}),
}


def parser(more: More = None) -> argparse.ArgumentParser:
    """Commands and their options; ``more`` adds those of the companion."""
    top = argparse.ArgumentParser(prog="python -m ledgerbook", description=DOOR)
    top.add_argument("--traceback", action=FLAG, help="show where an error came from")
    commands = top.add_subparsers(required=True)

    def add(name: str, place: str, words: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=words)
        command.set_defaults(place=place)
        return command

    for name, (place, words, options) in COMMANDS.items():
        command = add(name, f"ledgerbook.{place}", words)
        for option, how in options.items():
            command.add_argument(option, **how)
    if more:
        more(add)
    return top


def refused(error: BaseException) -> str:
    """An error in one line; its kind where the words alone may not tell."""
    words = " ".join(str(error).split()) or "no more is known"
    return words if type(error) is ValueError else f"{type(error).__name__}: {words}"


def main(argv: list[str] | None = None, more: More = None) -> int:
    """Run a command; a bad request is one line and status 2, an interruption is status 130.

    more: is given the function ``add(name, "module:function", words)`` that makes a command.
    """
    typed = vars(parser(more).parse_args(argv))
    traceback, (module, _, name) = typed.pop("traceback"), typed.pop("place").partition(":")
    try:
        return getattr(importlib.import_module(module), name)(**typed) or 0
    except REFUSALS as error:
        if traceback:
            raise
        print(f"error: {refused(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: what is finished is kept, the next run goes on", file=sys.stderr)
        return 130
