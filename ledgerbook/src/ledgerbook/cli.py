"""The commands: ``python -m ledgerbook COMMAND``; a companion may add its own (``main``).

Each imports what it needs inside the ``try`` of ``main``: an interruption is always one line.
"""

import argparse
import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

More = Callable[[Callable[..., argparse.ArgumentParser]], None] | None
REFUSALS = (ValueError, OSError, OverflowError, MemoryError, LookupError, TypeError)


def book(arguments: argparse.Namespace) -> int:
    """Render what is stored, execute what is new to this machine, compare the two."""
    from ledgerbook import book

    return book.book(arguments)


def pages(arguments: argparse.Namespace) -> int:
    """Render the pages from what is stored; execute nothing."""
    from ledgerbook import book

    return book.pages(arguments)


def chapter(arguments: argparse.Namespace) -> int:
    """Execute one chapter with parameters, apart from the stored book: its rows and its page."""
    from ledgerbook import chapter as alone

    return alone.main(arguments.tag, arguments.parameters)


def new(arguments: argparse.Namespace) -> int:
    """Write the skeleton of a listed chapter."""
    from ledgerbook import paths, skeleton

    print("wrote", paths.relative(skeleton.new(arguments.tag)))
    return 0


def resolution(arguments: argparse.Namespace) -> int:
    """Measure how small a change of a function each row sees."""
    from ledgerbook import resolution as measuring

    return measuring.main(arguments.only, arguments.jobs, arguments.limit)


def robust(arguments: argparse.Namespace) -> int:
    """Measure every row under other seeds, threads, and at both ends of its parameters."""
    from ledgerbook import robust as asking

    return asking.main(arguments.only, arguments.conditions, arguments.jobs)


def hunt(arguments: argparse.Namespace) -> int:
    """Write statements with one formula changed, or score somebody's answers."""
    from ledgerbook import hunt as exercises

    return exercises.main(arguments.answers, arguments.seed)


def recheck(arguments: argparse.Namespace) -> int:
    """Measure chosen claims again and compare with a ledger."""
    from ledgerbook import recheck as checking

    return checking.main(arguments.claims, arguments.ledger)


def simple(module: str, description: str) -> Callable[[argparse.Namespace], int]:
    """A command without options: the ``main`` of a module, imported when it is asked for."""

    def run(arguments: argparse.Namespace) -> int:
        import importlib

        return importlib.import_module(module).main()

    run.__doc__ = description
    return run


TAGS: dict[str, Any] = dict(nargs="+", default=[], metavar="TAG", help="these chapters alone")
SIMPLE = {
    "pdf": "Print the whole book, a file a part, by Chromium.",
    "epub": "Write the whole book for e-readers, EPUB 3.",
    "toc": "Write the table of contents from the list of statements.",
    "prove": "Check every proof with Coq and write the record.",
    "doctor": "Say what is here, what is missing.",
}


def parser(more: More = None) -> argparse.ArgumentParser:
    """Commands and their options; ``more`` adds those of the companion."""
    door = (__doc__ or "").splitlines()[0]
    top = argparse.ArgumentParser(prog="python -m ledgerbook", description=door)
    top.add_argument("--traceback", action="store_true", help="show where an error came from")
    commands = top.add_subparsers(required=True)
    add = functools.partial(_add, commands)
    one = add("book", book)
    one.add_argument("--only", **TAGS)
    one.add_argument("--force", action="store_true", help="execute all, and store what differs")
    one.add_argument("--jobs", type=int, help="chapters at a time (default: one a core)")
    one.add_argument("--no-pages", action="store_true", help="execute and collect, build no HTML")
    add("pages", pages)
    one = add("chapter", chapter)
    one.add_argument("tag")
    one.add_argument("parameters", nargs="?", default="", help='as in "M=200 eta_y=0.5"')
    add("new", new).add_argument("tag")
    _campaigns(add)
    _evidence(add)
    for name, description in SIMPLE.items():
        add(name, simple(f"ledgerbook.{name}", description))
    if more:
        more(add)
    return top


def _campaigns(add: Callable[..., argparse.ArgumentParser]) -> None:
    """What asks what rows are worth: other conditions, small changes of a function."""
    one = add("resolution", resolution)
    one.add_argument("--only", **TAGS)
    one.add_argument("--jobs", type=int, help="statements at a time (default: one a core)")
    one.add_argument("--limit", type=float, default=600, help="seconds for one statement")
    one = add("robust", robust)
    one.add_argument("--only", **TAGS)
    one.add_argument("--conditions", nargs="+", default=[], metavar="NAME", help="these alone")
    one.add_argument("--jobs", type=int, help="statements at a time (default: one a core)")


def _evidence(add: Callable[..., argparse.ArgumentParser]) -> None:
    """What hands the evidence to somebody else."""
    one = add("hunt", hunt)
    one.add_argument("--answers", type=Path, help="a file of answers to score")
    one.add_argument("--seed", type=int, default=0, help="which exercises")
    one = add("recheck", recheck)
    one.add_argument("claims", nargs="+", metavar="CLAIM", help="as in C12")
    one.add_argument("--ledger", type=Path, help="a ledger.json (default: what is stored here)")


def _add(commands: Any, name: str, function: Callable) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=(function.__doc__ or name).splitlines()[0])
    command.set_defaults(function=function)
    return command


def refused(error: BaseException) -> str:
    """An error in one line; its kind where the words alone may not tell."""
    words = " ".join(str(error).split()) or "no more is known"
    return words if type(error) is ValueError else f"{type(error).__name__}: {words}"


def main(argv: list[str] | None = None, more: More = None) -> int:
    """Run a command; a bad request is one line and status 2, an interruption is status 130.

    more: is given the function ``add(name, function)`` that makes a command.
    """
    arguments = parser(more).parse_args(argv)
    try:
        return arguments.function(arguments) or 0
    except REFUSALS as error:
        if arguments.traceback:
            raise
        print(f"error: {refused(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: what is finished is kept, the next run goes on", file=sys.stderr)
        return 130
