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
from ledgerbook.ledger import coq_record
from ledgerbook.project import paths, seals, settings
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
OTHER_VERDICTS = (": passed: True -> False", ": passed: False -> True")  # ends of lines
KEPT = {"kernelspec", "language_info", "book"}  # of a notebook's metadata
FORM = ("nothing moved but its form: line ends, ids, what an editor adds",)


class Verdict(NamedTuple):
    """How a chapter stands on this machine, and the lines that say why."""

    outcome: str
    lines: tuple[str, ...] = ()


def verdict(row: Statement, force: bool = False) -> Verdict:
    """Compare the chapter with this machine's run of it; store what was edited.

    A row whose verdict is another one now is never stored by an edit alone.

    force: store this machine's outputs also where they differ, or where the stored ones were
    altered.  The verdict is kept in the run's record, for the status page.
    """
    run = run_records.load(row.tag)
    if run.get("error", "never executed") is not None:
        return Verdict(FAILED, (run.get("error", "never executed here"),))
    data = row.chapter.read_bytes()
    notebook = notebooks.parse(data, row.chapter)
    inputs = fingerprint.fingerprint(notebook)
    if wrong := altered_inputs(notebook):
        return Verdict(ALTERED, wrong)
    if inputs != run.get("inputs"):
        return Verdict(MEANWHILE, ("it is left as it is; run `make book` again",))
    found = _compare(row, data, notebook, inputs, force)
    if found.outcome == REPRODUCED and (run.get("verdict") or {}).get("outcome") == FROM_HERE:
        found = Verdict(FROM_HERE)
    if found.outcome not in (FAILED, MEANWHILE):
        kept = Verdict(FROM_HERE) if found.outcome == STORED else found
        run_records.save(row.tag, run | {"verdict": kept._asdict()})
    more = [*notebook.metadata.keys() - KEPT]
    if found.outcome in (REPRODUCED, FROM_HERE) and notebooks.canonical(notebook) != data:
        taken = (f"taken out of its metadata: {', '.join(sorted(more))}",) if more else ()
        return _store(row, data, notebook, FORM + taken)
    return found


def _compare(
    row: Statement, data: bytes, notebook: NotebookNode, inputs: str, force: bool
) -> Verdict:
    try:
        done = notebooks.read(run_records.executed(row))
    except ValueError as error:
        run_records.path(row.tag).unlink()  # so that the next run executes it again
        return Verdict(FAILED, (f"{error}; run `make book` again",))
    moved = compare.notebook_differences(notebook, done)
    found = tuple(line.removeprefix(f"{row.tag} ") for line in moved)  # said before each line
    reads, known = fingerprint.reads(notebook), snapshot.record(notebook)
    found += tuple(other_tables(known.get("reads", {}), reads))
    edited = known.get("inputs") != inputs or known.get("reads", {}) != reads
    altered = snapshot.record_problem(notebook) or snapshot.execution_problem(notebook)
    if not (edited or altered or found):
        return Verdict(REPRODUCED)
    if (found or edited) and (why := not_comparable(notebook)):
        return Verdict(ELSEWHERE, (why,))
    if not force and any(line.endswith(OTHER_VERDICTS) for line in found):
        return Verdict(TURNED, (*found, restore(row)))
    if edited or force:
        return _store(row, data, snapshot.with_outputs(notebook, done, inputs, reads), found)
    if altered:
        return Verdict(ALTERED, (altered, *found, restore(row)))
    return Verdict(DRIFT, (*found, restore(row)))


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
    known = [coq_record.file(), *paths.DATA.glob("*.json")]
    yield from seals.problems(sorted(file for file in known if file.name != seals.NAME))
    yield from (line for one in proofs.find() for line in proofs.contradictions(one))


def _store(row: Statement, data: bytes, new: NotebookNode, lines: tuple[str, ...]) -> Verdict:
    """Write the chapter, unless somebody has saved it since it was read."""
    if problem := snapshot.execution_problem(new):
        return Verdict(FAILED, (problem,))
    if row.chapter.read_bytes() != data:
        return Verdict(MEANWHILE, ("it is left as it is; run `make book` again",))
    notebooks.store(new, row.chapter)
    return Verdict(STORED, lines)


def restore(row: Statement) -> str:
    """The ways out, in words that can be pasted."""
    command = settings.settings().command.replace("python", paths.relative(sys.executable), 1)
    file = paths.relative(row.chapter)
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
    name = settings.settings().comparable
    files = fingerprint.closure(notebooks.code(notebook))
    return pkgutil.resolve_name(name)(files) if name else None
