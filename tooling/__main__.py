"""The book's one door: ``python -m tooling COMMAND``; the Makefile calls nothing else.

The commands are those of ``ledgerbook``, and what only this book has.
"""

import argparse
import sys

from ledgerbook.commands.cli import main, simple


def sweep(arguments: argparse.Namespace) -> int:
    """Run a grid of training runs."""
    from tooling import sweep_command

    return sweep_command.main_and_leave(arguments.rest)


def test(arguments: argparse.Namespace) -> int:
    """Run style, types, unit tests and every chapter; one summary."""
    from tooling import testing

    return testing.main(arguments.names)


def mutants(arguments: argparse.Namespace) -> int:
    """Put small slips into copies of the code, and say which no test sees."""
    from tooling import mutants

    return mutants.main(arguments)


def more(add) -> None:
    """The book's own commands."""
    add("sweep", sweep).add_argument("rest", nargs=argparse.REMAINDER)
    add("test", test).add_argument("names", nargs="*", help="types, units, package, chapters")
    one = add("mutants", mutants)
    one.add_argument("--number", type=int, default=20, help="how many")
    one.add_argument("--seed", type=int, default=0, help="of the draw")
    add("lock", simple("tooling.lock", "Write the locks from the list of requirements."))


if __name__ == "__main__":
    sys.exit(main(more=more))
