"""The book's one door: ``python -m tooling COMMAND``; the Makefile calls nothing else.

The commands are those of ``ledgerbook``, and what only this book has.
"""

import argparse
import sys

from ledgerbook.commands.cli import main


def more(add) -> None:
    """The book's own commands."""
    one = add("sweep", "tooling.sweep_command:main_and_leave", "Run a grid of training runs.")
    one.add_argument("rest", nargs=argparse.REMAINDER)
    words = "Run style, types, unit tests and every chapter; one summary."
    one = add("test", "tooling.testing:main", words)
    one.add_argument("names", nargs="*", help="types, units, package, chapters")
    words = "Say which verdicts moved from one stored ledger to another, and why."
    one = add("changelog", "ledgerbook.pages.changelog:main", words)
    one.add_argument("old", help="_build/ledger.json of an earlier commit")
    one.add_argument("new", help="that of now")
    words = "Build the pages and run the package's tests with the newest versions of the tools."
    add("next", "tooling.newest:main", words)
    add("lock", "tooling.lock:main", "Write the locks from the list of requirements.")


if __name__ == "__main__":
    sys.exit(main(more=more))
