"""The command line, ``python -m ledgerbook COMMAND``, to which a companion may add commands.

A command's module is imported inside the ``try`` of ``main``, so that an interruption during the
import is reported in one line, too.
"""

import argparse
import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ledgerbook.project import parent_watch

More = Callable[[Callable[..., argparse.ArgumentParser]], None] | None
REFUSALS = (ValueError, OSError, OverflowError, MemoryError, LookupError, TypeError, SyntaxError)

DOOR = "Executes, compares, collects, judges and renders a companion's chapters."
TAGS: dict[str, Any] = dict(nargs="+", default=[], metavar="TAG", help="these chapters alone")


FLAG = "store_true"
STDLIB = sys.stdlib_module_names
MISSING = "what the commands need comes with pip install 'ledgerbook[book]'"


def parser(more: More = None) -> argparse.ArgumentParser:
    """Commands and their options; ``more`` adds those of the companion."""
    script = Path(sys.argv[0]).stem == "ledgerbook"
    name = "ledgerbook" if script else "python -m ledgerbook"
    top = argparse.ArgumentParser(prog=name, description=DOOR)
    top.add_argument("--traceback", action=FLAG, help="show where an error came from")
    commands = top.add_subparsers(required=True)

    def add(name: str, place: str, words: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=words)
        command.set_defaults(place=place)
        return command

    words = "Execute what is new to this machine, compare it with what is stored, render."
    book = add("book", ".book:book", words)
    book.add_argument("--only", **TAGS)
    book.add_argument("--force", action=FLAG, help="execute all, and store what differs")
    book.add_argument("--no-pages", action=FLAG, help="execute and collect, build no HTML")
    add("pages", ".book:pages", "Render the pages from what is stored; execute nothing.")
    add("pdf", ".book:pdf", "Print the pages of the main path as one PDF, by Chromium.")
    words = "Execute one chapter with parameters, apart from the stored book: rows and page."
    chapter = add("chapter", ".chapter:main", words)
    chapter.add_argument("tag")
    chapter.add_argument("parameters", nargs="?", default="", help='as in "M=200 eta_y=0.5"')
    _beginnings(add)
    words = "Write the skeleton of a listed chapter."
    add("new", "..chapters.skeleton:main", words).add_argument("tag")
    words = "Find a small change that turns each edited row red, and keep it beside the row."
    witness = add("witness", "..rows.witness:main", words)
    witness.add_argument("--only", **TAGS)
    witness.add_argument(
        "--every", action=FLAG, help="ask the rows again that were not edited, too"
    )
    words = "Put small slips into copies of the code, and say which no test sees."
    mutants = add("mutants", "..rows.mutants:main", words)
    mutants.add_argument("--number", type=int, default=20, help="how many")
    mutants.add_argument("--seed", type=int, default=0, help="of the draw")
    add("stale", "..chapters.fingerprint:main", "List the chapters whose code is not as stored.")
    add("toc", "..chapters.toc:main", "Write the table of contents from the list of statements.")
    add("prove", "..coq.prove:main", "Check every proof with Coq and write the record.")
    if more:
        more(add)
    return top


def _beginnings(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the commands ``start`` (a new companion) and ``init`` (a ledger in an existing book)."""
    words = "Write a new companion with one small chapter into a folder."
    start = add("start", ".start:main", words)
    start.add_argument("folder")
    start.add_argument("--title", default="A companion", help="of the book")
    start.add_argument("--paper", default="the-paper", help="with which every tag begins")
    start.add_argument("--paper-title", default="The paper", help="as pages show it")
    start.add_argument("--author", default="its authors", help="for the foot of each page")
    start.add_argument("--year", default="", help="for the foot of each page")
    start.add_argument("--install", default="", help="what pip installs this package from")
    words = "Begin a ledger in the folder of a Jupyter Book: one statement, one row, its page."
    init = add("init", ".init:main", words)
    init.add_argument("tag", nargs="?", default="the-paper.lemma-01", help="PAPER.STATEMENT")
    init.add_argument("--paper", default="", help="the paper's title")
    init.add_argument("--number", default="", help='as in "Lemma 1"')
    init.add_argument("--title", default="", help="of the statement, in plain words")


def refused(error: BaseException) -> str:
    """The message of an error as one line, preceded by its class unless it is a ``ValueError``."""
    words = " ".join(str(error).split()) or "no more is known"
    return words if type(error) is ValueError else f"{type(error).__name__}: {words}"


def _remedy(error: ModuleNotFoundError) -> str:
    """A hint on a missing module, to be appended to the message; empty where none is known."""
    hidden = sorted(file.name for file in Path.cwd().glob("*.py") if file.stem in STDLIB)
    if hidden:
        return f": {', '.join(hidden)} in this folder hides a module of Python's own"
    top = (error.name or "").partition(".")[0]
    return f": {MISSING}" if top and importlib.util.find_spec(top) is None else ""


def _open_standard() -> None:
    """Open standard input, output and error on the null device where the caller has closed them.

    After a redirection such as ``>&-`` a file that is opened later would get descriptor 0, 1 or 2,
    and messages would be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            free = os.open(os.devnull, os.O_RDWR)  # the lowest number, so it is this one
            os.set_inheritable(free, True)


def main(argv: list[str] | None = None, more: More = None) -> int:
    """Run a command; returns its exit status.

    more: is called with the function ``add(name, "module:function", words)`` that adds a command.
    A refused request is one line on standard error and status 2, an interruption is status 130.
    """
    typed = vars(parser(more).parse_args(argv))
    traceback, (module, _, name) = typed.pop("traceback"), typed.pop("place").partition(":")
    _open_standard()
    try:
        with parent_watch.interruptible():
            return getattr(importlib.import_module(module, __package__), name)(**typed) or 0
    except ModuleNotFoundError as error:
        if traceback:
            raise
        print(f"error: {error}{_remedy(error)}", file=sys.stderr)
        return 2
    except REFUSALS as error:
        if traceback:
            raise
        print(f"error: {refused(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: what is finished is kept, the next run goes on", file=sys.stderr)
        return 130
