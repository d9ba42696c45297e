"""The one door to the tooling: ``python -m tooling COMMAND``; the Makefile calls nothing else."""

import argparse
import functools
import http.server
import sys

from tooling import build, collect, doctor, execute, paths, skeleton
from tooling.statements import statement, written


def book(arguments):
    """Execute what is stale, collect the ledger, build the pages, and say where they are."""
    rows = [statement(tag) for tag in arguments.only] if arguments.only else written()
    executed, errors = execute.execute_stale(rows, arguments.jobs, arguments.force)
    ledger = collect.collect()
    collect.write(ledger)
    built = False if arguments.no_pages or arguments.only else build.build()
    surprises = collect.all_surprises(ledger)
    for line in [*(f"{tag}: {error}" for tag, error in errors.items()), *surprises]:
        print(f"FAILED {line}")
    print(f"executed {len(executed)} of {len(rows)} chapters; {collect.summary(ledger)}")
    if not arguments.no_pages and not arguments.only:
        print(f"{'built' if built else 'up to date'}: {paths.relative(paths.INDEX)}")
    return 1 if errors or surprises else 0


def chapter(arguments):
    """Execute one chapter with parameters, apart from the stored book, and show its rows."""
    from lib.judgement import surprises
    from lib.ledger_table import verdict
    from tooling import notebooks

    target, error = execute.run_chapter(arguments.tag, arguments.parameters)
    if error:
        print(f"FAILED {arguments.tag}: {error}")
        return 1
    records = notebooks.closing_records(notebooks.read(target))
    for row in (row for record in records.values() for row in record["claims"]):
        print(f"[{'ok' if row['passed'] else 'FAILS'}] {verdict(row)}")
    found = [line for record in records.values() for line in surprises(record)]
    found = found if records else [f"{arguments.tag}: no ledger row"]
    print("\n".join(f"SURPRISE {line}" for line in found) or "no surprise")
    print(f"executed: {paths.relative(target)} (the stored chapter is untouched)")
    return 1 if found else 0


def serve(arguments):
    """Serve the built pages on this machine only."""
    if not paths.INDEX.exists():
        raise ValueError(f"no {paths.relative(paths.INDEX)}: run make book first")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=paths.HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", arguments.port), handler) as server:
        print(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C stops it)")
        server.serve_forever()


def sweep(arguments):
    """Run a grid of training runs."""
    from tooling import sweep_command

    return sweep_command.main(arguments.rest)


def parser():
    """Commands and their options."""
    top = argparse.ArgumentParser(prog="python -m tooling", description=__doc__)
    commands = top.add_subparsers(required=True)
    add = functools.partial(_add, commands)
    one = add("book", book)
    one.add_argument(
        "--only", nargs="+", default=[], metavar="TAG", help="these chapters alone, without pages"
    )
    one.add_argument("--force", action="store_true", help="execute also what is up to date")
    one.add_argument("--jobs", type=int, help="chapters at a time (default: one a core)")
    one.add_argument("--no-pages", action="store_true", help="execute and collect, build no HTML")
    one = add("chapter", chapter)
    one.add_argument("tag")
    one.add_argument("parameters", nargs="?", default="", help='as in "M=200 eta_y=0.5"')
    one = add("serve", serve)
    one.add_argument("--port", type=int, default=8000)
    add("doctor", lambda arguments: doctor.main())
    add(
        "new", lambda arguments: print("wrote", paths.relative(skeleton.new(arguments.tag)))
    ).add_argument("tag")
    add("sweep", sweep).add_argument("rest", nargs=argparse.REMAINDER)
    return top


def _add(commands, name, function):
    command = commands.add_parser(name, help=(function.__doc__ or name).splitlines()[0])
    command.set_defaults(function=function)
    return command


def main():
    """Run a command; a bad request is one line, an interruption is status 130."""
    arguments = parser().parse_args()
    try:
        return arguments.function(arguments) or 0
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(
            "interrupted: finished chapters are kept, the next run goes on from here",
            file=sys.stderr,
        )
        return 130


if __name__ == "__main__":
    sys.exit(main())
