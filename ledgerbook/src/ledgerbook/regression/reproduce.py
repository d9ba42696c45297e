"""What this machine's own run of a chapter says about the stored one: the same, drift, altered."""

import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from typing import NamedTuple

from nbformat import NotebookNode

from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.chapters.statements import Statement
from ledgerbook.coq import proofs
from ledgerbook.execution import run_records, snapshot
from ledgerbook.execution.run_records import Run
from ledgerbook.ledger import coq_record
from ledgerbook.project import seals
from ledgerbook.project.project import current
from ledgerbook.regression import compare

REPRODUCED = "reproduced here"
STORED = "stored anew"
FROM_HERE = "stored from this machine's run"  # what "stored anew" is in later runs
ELSEWHERE = "not comparable here"
DRIFT = "drift"
ALTERED = "altered by hand"
FAILED = "failed"
TURNED = "a verdict turned"  # by an edit; nothing is stored before somebody has looked
MEANWHILE = "edited while it ran"
BAD = (DRIFT, ALTERED, FAILED, TURNED, MEANWHILE)
ORDER = (REPRODUCED, FROM_HERE, STORED, ELSEWHERE, *BAD)  # in which they are counted
TOLD = {one: one.upper() for one in (STORED, *BAD)} | {ELSEWHERE: "NOT COMPARED"}
OTHER_VERDICTS = (": passed: True -> False", ": passed: False -> True")  # ends of lines
KEPT = {"kernelspec", "language_info", "book"}  # of a notebook's metadata
AGAIN = ("it is left as it is; run `make book` again",)
FORM = ("nothing moved but its form: line ends, ids, what an editor adds",)


class Verdict(NamedTuple):
    """How a chapter stands on this machine, and the lines that say why.

    new: the notebook that is to be stored instead of the bytes ``was``.  kept: the outcome that the
    status page shows and later runs know, where it is another one.
    """

    outcome: str
    lines: tuple[str, ...] = ()
    new: NotebookNode | None = None
    was: bytes = b""
    kept: str = ""


def verdict(row: Statement, run: Run, force: bool = False) -> Verdict:
    """Compare a stored chapter with this machine's run of it; nothing is written.

    A row whose verdict is another one now is never to be stored by an edit alone.

    force: this machine's outputs are to be stored also where they differ, or where the stored ones
    were altered.
    """
    if run.notebook is None:
        return Verdict(FAILED, (run.error,))
    data = row.chapter.read_bytes()
    notebook = notebooks.parse(data, row.chapter)
    inputs, reads = fingerprint.fingerprint(notebook), fingerprint.reads(notebook)
    if wrong := altered_inputs(notebook):
        return Verdict(ALTERED, wrong)
    if inputs != run.inputs:
        return Verdict(MEANWHILE, AGAIN)
    known = snapshot.record(notebook)
    moved = compare.notebook_differences(notebook, run.notebook)
    found = tuple(line.removeprefix(f"{row.tag} ") for line in moved)  # said before each line
    found += tuple(other_tables(known.get("reads", {}), reads))
    edited = known.get("inputs") != inputs or known.get("reads", {}) != reads
    altered = snapshot.record_problem(notebook) or snapshot.execution_problem(notebook)
    if not (edited or altered or found):
        return _same(notebook, data, FROM_HERE if run.outcome == FROM_HERE else REPRODUCED)
    if (found or edited) and (why := not_comparable(notebook)):
        return Verdict(ELSEWHERE, (why,))
    turned = not force and any(line.endswith(OTHER_VERDICTS) for line in found)
    if (edited or force) and not turned:
        new = snapshot.with_outputs(notebook, run.notebook, inputs, reads)
        problem = snapshot.execution_problem(new)
        return Verdict(FAILED, (problem,)) if problem else Verdict(STORED, found, new, data)
    told = (altered, *found) if altered and not turned else found
    outcome = TURNED if turned else ALTERED if altered else DRIFT
    return Verdict(outcome, (*told, restore(row)))


def _same(notebook: NotebookNode, data: bytes, outcome: str) -> Verdict:
    """The outputs are this machine's: only the form of the file may be another one."""
    more = ", ".join(sorted(notebook.metadata.keys() - KEPT))
    if notebooks.canonical(notebook) == data:
        return Verdict(outcome)
    taken = (f"taken out of its metadata: {more}",) if more else ()
    return Verdict(STORED, FORM + taken, notebook, data, kept=outcome)


def store(row: Statement, found: Verdict) -> Verdict:
    """Write the chapter, unless somebody has saved it since it was read, and the outcome."""
    if found.new is not None:
        if row.chapter.read_bytes() != found.was:
            return Verdict(MEANWHILE, AGAIN)
        notebooks.store(found.new, row.chapter)
    if found.outcome not in (FAILED, MEANWHILE):
        later = FROM_HERE if found.outcome == STORED else found.outcome
        run_records.keep(row.tag, found.kept or later)
    return found


def altered_inputs(notebook: NotebookNode) -> tuple[str, ...]:
    """What a chapter reads that is not as it was stored: tables, and the record of its proofs."""
    sources = [*map(proofs.read, fingerprint.proofs(notebooks.code(notebook)))]
    files = [*fingerprint.tables(notebook), *([coq_record.file()] if sources else [])]
    said = (line for source in sources for line in proofs.contradictions(source))
    return (*seals.problems(files), *said)


def other_tables(then: dict[str, str], now: dict[str, str]) -> Iterator[str]:
    """A line for each table that a chapter was stored with and that is another one now."""
    for name in sorted({*then, *now}):
        if then.get(name) != now.get(name):
            told = (some.get(name, compare.MISSING) for some in (then, now))
            yield compare.difference(f"reads {name}", *told)


def stored() -> Iterator[str]:
    """What is stored and dear to make again, and is not as it was stored."""
    known = [coq_record.file(), *current().data.glob("*.json")]
    yield from seals.problems(sorted(file for file in known if file.name != seals.NAME))
    yield from (line for one in proofs.find() for line in proofs.contradictions(one))


def restore(row: Statement) -> str:
    """The ways out, in words that can be pasted."""
    command = current().settings.command.replace("python", current().relative(sys.executable), 1)
    file = current().relative(row.chapter)
    back = f"to go back: git checkout {file}"
    if problem := committed_problem(row):
        back = f"the last commit has no better ({problem}): git log -- {file} lists those before it"
    return (
        f"nothing was written; {back}; to store"
        f" what was computed here: {command} book --only {row.tag} --force"
    )


def committed_problem(row: Statement) -> str | None:
    """What is wrong with a chapter's outputs as they were last committed, as far as git says."""
    command = ["git", "show", f"HEAD:./{row.chapter.name}"]
    try:
        found = subprocess.run(command, cwd=row.chapter.parent, capture_output=True)
        notebook = notebooks.parse(found.stdout, row.chapter) if not found.returncode else None
    except (OSError, ValueError):  # no git; no notebook
        return None
    if notebook is None:
        return None
    return snapshot.record_problem(notebook) or snapshot.execution_problem(notebook)


def not_comparable(notebook: NotebookNode) -> str | None:
    """Why this machine's outputs cannot be those stored, as the companion knows, or ``None``."""
    name = current().settings.comparable
    files = fingerprint.closure(notebooks.code(notebook))
    return pkgutil.resolve_name(name)(files) if name else None
