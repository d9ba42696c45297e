"""``make book``: plan, run, compare, store, render, report, each given what those before found;
``make pages`` and ``make pdf``, which run nothing.
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from ledgerbook.chapters import collect, notebooks, registry
from ledgerbook.chapters.statements import Statement, statement, statements, written
from ledgerbook.execution import execute, run_records
from ledgerbook.execution.run_records import Run
from ledgerbook.project import tempdirs
from ledgerbook.project.project import current
from ledgerbook.regression import reproduce
from ledgerbook.regression.reproduce import BAD, ORDER, TOLD, Verdict
from ledgerbook.site import paper, sphinx_build


class Plan(NamedTuple):
    """What a run is to do: a line for each chapter that is no notebook, the others, those of them
    to execute.
    """

    damaged: dict[str, str]
    sound: list[Statement]
    todo: list[Statement]
    force: bool
    pages: bool

    def executed(self) -> str:
        """How many of how many chapters are executed."""
        return f"{len(self.todo)} of {len(self.damaged) + len(self.sound)} chapters"


def book(only: list[str], force: bool, no_pages: bool) -> int:
    """Execute what this machine has not yet executed, compare it with what is stored, render."""
    with tempdirs.only_run():
        tempdirs.sweep()
        plan = planned(only, force, not (no_pages or only))
        runs = run(plan)
        verdicts = store(plan, compare(plan, runs))
        ledger = collect.renewed()
        trouble = render(plan.damaged) if plan.pages else [*plan.damaged.values()]
    return report(plan, verdicts, ledger, trouble)


def pages(program: str = "") -> int:
    """Render the pages from what is stored, execute nothing; a Chromium prints the main path."""
    with tempdirs.only_run():
        tempdirs.sweep()
        trouble = render(damaged_in(written()))
        if program and not trouble:
            paper.print_pdf(program, paper.write_html())
            print(paper.told())
    for line in trouble:
        print(f"FAILED {line}")
    return 1 if trouble else 0


def pdf() -> int:
    """The pages, and those of the main path as one PDF; a line says where there is no Chromium."""
    if program := paper.chromium():
        return pages(program)
    print("no PDF: it needs Chromium (Debian: apt-get install chromium)")
    return 0


def planned(only: list[str], force: bool, pages: bool) -> Plan:
    """The chapters that are asked for, and which of them this machine has to execute."""
    rows = [statement(tag) for tag in dict.fromkeys(only)] or written()
    damaged = damaged_in(rows)
    sound = [row for row in rows if row.tag not in damaged]
    todo = [row for row in sound if force or not run_records.is_fresh(row)]
    return Plan(damaged, sound, todo, force, pages)


def run(plan: Plan) -> dict[str, Run]:
    """Execute what is to be executed; this machine's last run of each chapter."""
    if plan.todo and plan.pages:
        print(f"executing {plan.executed()} for comparison", flush=True)
    execute.execute_all(plan.todo)
    return {row.tag: run_records.last(row) for row in plan.sound}


def compare(plan: Plan, runs: dict[str, Run]) -> dict[str, Verdict]:
    """What each run says about what is stored; nothing is written."""
    return {row.tag: reproduce.verdict(row, runs[row.tag], plan.force) for row in plan.sound}


def store(plan: Plan, found: dict[str, Verdict]) -> dict[str, Verdict]:
    """Write the chapters that are to be stored; what became of each."""
    return {row.tag: reproduce.store(row, found[row.tag]) for row in plan.sound}


def render(damaged: dict[str, str]) -> list[str]:
    """Build the pages if something they show changed; what went wrong."""
    if damaged:
        return [f"no pages: {line}" for line in damaged.values()]
    try:
        done = sphinx_build.build()
    except (ValueError, sphinx_build.BuildError) as error:
        return [str(error)]
    print(f"{'built' if done else 'up to date'}: {current().relative(current().index)}", flush=True)
    return []


def report(plan: Plan, verdicts: dict[str, Verdict], ledger: dict, trouble: list[str]) -> int:
    """Say all that is not simply the same; the status with which the command ends."""
    gone = [row for row in statements().values() if not row.written]
    told = [*trouble, *reproduce.stored(), *collect.all_surprises(ledger), *lost(gone)]
    for tag, found in verdicts.items():
        for line in (found.lines or ("nothing moved",)) if found.outcome in TOLD else ():
            print(f"{TOLD[found.outcome]} {tag}: {line}")
    for row in gone:
        print(f"NOT WRITTEN {row.tag}: {current().relative(row.chapter)} is not there")
    for line in told:
        print(f"FAILED {line}")
    counts = Counter(found.outcome for found in verdicts.values())
    counted = ", ".join(f"{counts[one]} {one}" for one in ORDER if counts[one])
    print(f"executed {plan.executed()}: {counted or 'none written'}")
    print(collect.summary(ledger))
    return 1 if told or any(v.outcome in BAD for v in verdicts.values()) else 0


def damaged_in(rows: Iterable[Statement]) -> dict[str, str]:
    """Chapters that are no notebooks, by tag, with a line each."""
    found = {}
    for row in rows:
        try:
            notebooks.read(row.chapter)
        except (OSError, ValueError) as error:
            found[row.tag] = str(error)
    return found


def lost(gone: list[Statement]) -> list[str]:
    """A line for each chapter that is gone and whose rows are there."""
    judged = registry.declared() if gone else {}
    return [
        f"{row.tag}: {current().relative(judged[row.tag])} has its rows, its notebook"
        f" {current().relative(row.chapter)} is not there"
        for row in gone
        if row.tag in judged
    ]
