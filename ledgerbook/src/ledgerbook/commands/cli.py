"""The commands: ``python -m ledgerbook COMMAND``; a companion may add its own (``main``).

Each imports what it needs inside the ``try`` of ``main``: an interruption is always one line.
"""

import argparse
import functools
import sys
from collections.abc import Callable
from typing import Any

More = Callable[[Callable[..., argparse.ArgumentParser]], None] | None
REFUSALS = (ValueError, OSError, OverflowError, MemoryError, LookupError, TypeError)


def book(arguments: argparse.Namespace) -> int:
    """Render what is stored, execute what is new to this machine, compare the two."""
    from ledgerbook.commands import book

    return book.book(arguments)


def pages(arguments: argparse.Namespace) -> int:
    """Render the pages from what is stored; execute nothing."""
    from ledgerbook.commands import book

    return book.pages(arguments)


def chapter(arguments: argparse.Namespace) -> int:
    """Execute one chapter with parameters, apart from the stored book: its rows and its page."""
    from ledgerbook.commands import chapter as alone

    return alone.main(arguments.tag, arguments.parameters)


def new(arguments: argparse.Namespace) -> int:
    """Write the skeleton of a listed chapter."""
    from ledgerbook.chapters import skeleton
    from ledgerbook.project import paths

    print("wrote", paths.relative(skeleton.new(arguments.tag)))
    return 0


def resolution(arguments: argparse.Namespace) -> int:
    """Measure how small a change of a function each row sees."""
    from ledgerbook.rows import resolution as measuring

    return measuring.main(arguments.only, arguments.jobs, arguments.limit)


def robust(arguments: argparse.Namespace) -> int:
    """Measure every row under other seeds, threads, and at both ends of its parameters."""
    from ledgerbook.rows import robust as asking

    return asking.main(arguments.only, arguments.conditions, arguments.jobs)


def simple(module: str, description: str) -> Callable[[argparse.Namespace], int]:
    """A command without options: the ``main`` of a module, imported when it is asked for."""

    def run(arguments: argparse.Namespace) -> int:
        import importlib

        return importlib.import_module(module).main()

    run.__doc__ = description
    return run


TAGS: dict[str, Any] = dict(nargs="+", default=[], metavar="TAG", help="these chapters alone")
SIMPLE = {
    "chapters.toc": "Write the table of contents from the list of statements.",
    "coq.prove": "Check every proof with Coq and write the record.",
    "commands.doctor": "Say what is here, what is missing.",
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
    for module, description in SIMPLE.items():
        add(module.split(".")[-1], simple(f"ledgerbook.{module}", description))
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
