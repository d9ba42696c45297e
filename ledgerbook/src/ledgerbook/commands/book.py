"""``make book``, ``make pages`` and ``make pdf``: render what is stored, execute, compare, say what
differs, print.
"""

from collections import Counter
from collections.abc import Iterable

from ledgerbook.chapters import collect, notebooks, registry
from ledgerbook.chapters.statements import (
    Statement,
    require_pages,
    statement,
    statements,
    written,
)
from ledgerbook.execution import execute, run_records
from ledgerbook.project import paths, tempdirs
from ledgerbook.regression import reproduce
from ledgerbook.regression.reproduce import (
    BAD,
    DRIFT,
    ELSEWHERE,
    FROM_HERE,
    REPRODUCED,
    STORED,
    Verdict,
)
from ledgerbook.site import paper, sphinx_build


def pages() -> int:
    """Render the pages from what is stored; execute nothing."""
    with tempdirs.only_run():
        tempdirs.sweep()
        trouble = _render()
    for line in trouble:
        print(f"FAILED {line}")
    return 1 if trouble else 0


def pdf() -> int:
    """Render the pages, and print those of the main path as one PDF; a line says where there is no
    Chromium to print it.
    """
    program = paper.chromium()
    if program is None:
        print("no PDF: it needs Chromium (Debian: apt-get install chromium)")
        return 0
    with tempdirs.only_run():
        tempdirs.sweep()
        trouble = _render()
        if not trouble:
            paper.print_pdf(program, paper.write_html())
            print(paper.told())
    for line in trouble:
        print(f"FAILED {line}")
    return 1 if trouble else 0


def book(only: list[str], force: bool, no_pages: bool) -> int:
    """Render what is stored, execute what this machine has not yet executed, compare."""
    rows = [statement(tag) for tag in dict.fromkeys(only)] or written()
    whole = not (no_pages or only)
    with tempdirs.only_run():
        tempdirs.sweep()
        damaged = damaged_in(rows)
        sound = [row for row in rows if row.tag not in damaged]
        todo = [row for row in sound if force or not run_records.is_fresh(row)]
        trouble = _render() if whole else []
        if todo and whole:
            print(f"executing {len(todo)} of {len(rows)} chapters for comparison", flush=True)
        execute.execute_all(todo)
        verdicts = {row.tag: reproduce.verdict(row, force) for row in sound}
        ledger = collect.collect()
        moved = any(v.outcome not in (REPRODUCED, FROM_HERE) for v in verdicts.values())
        if todo or moved or trouble or not whole:
            collect.write(ledger)
            trouble = _render(quiet=not trouble) if whole else []
    told = [line for line in damaged.values() if f"no pages: {line}" not in trouble]
    told += [*reproduce.stored(), *collect.all_surprises(ledger), *trouble, *lost()]
    _report(verdicts)
    for row in unwritten():
        print(f"NOT WRITTEN {row.tag}: {paths.relative(row.chapter)} is not there")
    for line in told:
        print(f"FAILED {line}")
    print(f"executed {len(todo)} of {len(rows)} chapters: {_summary(verdicts)}")
    print(collect.summary(ledger))
    return 1 if told or any(v.outcome in BAD for v in verdicts.values()) else 0


def _render(quiet: bool = False) -> list[str]:
    """Build the pages if something they show changed; what went wrong."""
    damaged = damaged_in(written())
    if damaged:
        return [f"no pages: {line}" for line in damaged.values()]
    try:
        require_pages()
        done = sphinx_build.build()
    except (ValueError, sphinx_build.BuildError) as error:
        return [str(error)]
    if done or not quiet:
        print(f"{'built' if done else 'up to date'}: {paths.relative(paths.INDEX)}", flush=True)
    return []


def damaged_in(rows: Iterable[Statement]) -> dict[str, str]:
    """Chapters that are no notebooks, by tag, with a line each."""
    found = {}
    for row in rows:
        try:
            notebooks.read(row.chapter)
        except (OSError, ValueError) as error:
            found[row.tag] = str(error)
    return found


def unwritten() -> list[Statement]:
    """The statements that are listed and have no chapter."""
    return [row for row in statements().values() if not row.written]


def lost() -> list[str]:
    """A line for each chapter that is gone and whose rows are there."""
    judged = registry.declared() if unwritten() else {}
    return [
        f"{row.tag}: {paths.relative(judged[row.tag])} has its rows, its notebook"
        f" {paths.relative(row.chapter)} is not there"
        for row in unwritten()
        if row.tag in judged
    ]


def _report(verdicts: dict[str, Verdict]) -> None:
    """A line for everything that is not simply the same."""
    words = {one: one.upper() for one in (STORED, *BAD)} | {ELSEWHERE: "NOT COMPARED"}
    for tag, found in verdicts.items():
        for line in (found.lines or ("nothing moved",)) if found.outcome in words else ():
            print(f"{words[found.outcome]} {tag}: {line}")


def _summary(verdicts: dict[str, Verdict]) -> str:
    """How many chapters have which outcome."""
    counts = Counter(found.outcome for found in verdicts.values())
    order = dict.fromkeys((REPRODUCED, FROM_HERE, STORED, ELSEWHERE, DRIFT, *counts))
    return ", ".join(f"{counts[one]} {one}" for one in order if counts[one]) or "none written"
