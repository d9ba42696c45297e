"""``make invariance``: the book under other conditions; which verdicts change, what margins shrink.

A condition is another seed, another number of threads, another type of number, another Python.
Under each a chapter's rows are recorded again and compared with the stored ones: not digit by
digit, but verdict by verdict and status by status.  What was found is stored chapter by chapter,
so that an interrupted run goes on where it stopped.
"""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ledgerbook import (
    environment,
    fingerprint,
    judgement,
    lifeline,
    measured,
    notebooks,
    paths,
    project,
    scratch,
)
from ledgerbook.conditions import Condition, conditions
from ledgerbook.statements import Statement, statement, written
from ledgerbook.validation import require

SHRUNK = 0.5  # a clearance below this share of the stored one is counted
TIGHT = 0.05  # and listed, where it is below this: a bound that was sharp before is no news


def clearance(row: dict[str, Any]) -> float | None:
    """How far a row's value is from its bound: 1 is far, 0 on the bound, negative beyond it.

    The distance is relative to the larger of value and bound, in an interval to half its width.
    ``None`` for words, yes and no, and what has to be equal.
    """
    if row["margin"] is None or row["relation"] == "in":
        return row["margin"]
    observed, bound = float(row["observed"]), float(row["bound"])
    scale = max(abs(observed), abs(bound))
    distance = bound - observed if row["relation"] in ("<=", "<") else observed - bound
    return distance / scale if scale else 0.0


def code(row: Statement, values: dict[str, Any]) -> str:
    """A chapter's code with other values behind its parameters."""
    given = "".join(f"\n{name} = {value!r}" for name, value in values.items())
    cells = notebooks.code_cells(notebooks.read(row.chapter))
    return "\n# ---\n".join(
        cell.source + given * ("parameters" in cell.metadata.get("tags", ())) for cell in cells
    )


def execute(row: Statement, condition: Condition, values: dict[str, Any]) -> dict[str, Any]:
    """The outcome (``verdicts.outcome``) of a chapter in a process of its own."""
    env = os.environ | environment.quiet() | condition.environment
    env |= {project.VARIABLE: str(paths.ROOT)}
    with scratch.folder() as private:
        source, result = private / f"{row.tag}.py", private / "outcome.json"
        source.write_text(code(row, values), encoding="utf-8")
        command = [condition.python, "-m", "ledgerbook.lifeline", "ledgerbook.verdicts"]
        with open(private / "said", "w", encoding="utf-8") as said:
            options = {"cwd": row.chapter.parent, "env": env, "stdout": said, "stderr": said}
            status = lifeline.run([*command, str(source), str(result)], **options)
        if result.exists():
            return json.loads(result.read_text(encoding="utf-8"))
        if status < 0 and status != -signal.SIGALRM:  # somebody ended it: that is no outcome
            raise OSError(f"{row.tag}: ended by {signal.Signals(-status).name}; run it again")
        last = (private / "said").read_text(encoding="utf-8", errors="replace").strip()
        return {"stopped": f"no outcome: {(last.splitlines() or ['out of time'])[-1]}"}


def compared(stored: dict[str, dict], here: list[dict], kinds: dict[str, str]) -> dict[str, Any]:
    """What differs between closing records: statuses, verdicts, rows that are not there, margins.

    stored: by tag.  kinds: of each tag's statement.  What a proof assistant said stands in a file,
    and is as stored.
    """
    found: dict[str, Any] = {"rows": 0, "margins": 0, "shrunk": 0}
    found |= {"statuses": [], "verdicts": [], "gone": [], "tight": []}
    new = {record["tag"]: _kernel_as(stored, record) for record in here}
    for tag, record in stored.items():
        old = judgement.status(record, kinds[tag])
        now = judgement.status(new[tag], kinds[tag]) if tag in new else "not there"
        if now != old:
            found["statuses"].append([tag, old, now])
        rows = {row["id"]: row for row in _rows(new[tag])} if tag in new else {}
        for row in _rows(record):
            _compare_row(f"{tag}#{row['id']}", row, rows.get(row["id"]), found)
    return found


def _kernel_as(stored: dict[str, dict], record: dict) -> dict:
    """A record with its kernel rows as they are stored."""
    accepted = {row["id"]: row for row in stored.get(record["tag"], {"claims": ()})["claims"]}
    claims = [
        accepted.get(row["id"], row) if row["kind"] == "kernel" else row for row in record["claims"]
    ]
    return record | {"claims": claims}


def _rows(record: dict) -> list[dict]:
    return [*record["claims"], *judgement.controls(record)]


def _compare_row(name: str, old: dict, new: dict | None, found: dict[str, Any]) -> None:
    if new is None:
        found["gone"].append(name)
        return
    found["rows"] += 1
    if new["passed"] != old["passed"]:
        told = [old["observed"], new["observed"], new["relation"], new["bound"]]
        found["verdicts"].append([name, *told])
        return
    before, now = clearance(old), clearance(new)
    if before is None or now is None or not old["passed"]:
        return
    found["margins"] += 1
    if now >= SHRUNK * before:
        return
    found["shrunk"] += 1
    if now < TIGHT:
        found["tight"].append([name, *(float(f"{value:.3g}") for value in (before, now))])


def inputs(row: Statement) -> str:
    """What a run depends on: the chapter's formulas, the modules and the tables that it reaches; no
    words, no version of anything, nor this package.
    """
    text, package = notebooks.code(notebooks.read(row.chapter)), Path(__file__).parent
    files = [file for file in fingerprint.closure(text) if package not in file.parents]
    texts = [file.read_text(encoding="utf-8") for file in files]
    tables = fingerprint.data_files([text, *texts])
    return fingerprint.digest([measured.meaning(text), *files, *tables])


def measure(row: Statement, condition: Condition) -> dict[str, Any]:
    """What one chapter says under one condition, compared with what is stored of it."""
    values = condition.values(row)
    if values is None:
        return {"unchanged": sorted(condition.parameters)}
    done = execute(row, condition, values)
    if (records := done.pop("records", None)) is None:
        return done
    stored = notebooks.closing_records(notebooks.read(row.chapter))
    return done | compared(stored, records, {tag: statement(tag).kind for tag in stored})


def load() -> dict[str, Any]:
    """What is stored: by condition ``words`` and ``chapters``, by tag what was found."""
    return paths.read_record(paths.INVARIANCE)


def _store(condition: Condition, tag: str, found: dict[str, Any]) -> None:
    """Add what was found to what is stored."""
    with paths.held_record(paths.INVARIANCE) as stored:
        entry = stored.setdefault(condition.name, {"chapters": {}})
        entry["words"] = condition.words
        entry["chapters"][tag] = found


def changes(found: dict[str, Any]) -> list[str]:
    """A line for all that is not as stored."""
    lines = [f"stopped: {found['stopped']}"] if "stopped" in found else []
    lines += [f"{tag}: {old} -> {now}" for tag, old, now in found.get("statuses", ())]
    for name, old, now, relation, bound in found.get("verdicts", ()):
        lines.append(f"{name}: {old} -> {now}, wanted {relation} {bound}")
    return lines + [f"{name}: no such row" for name in found.get("gone", ())]


def told(tag: str, condition: str, found: dict[str, Any]) -> Iterator[str]:
    """What a person at the terminal is told of one chapter under one condition."""
    if "unchanged" in found:
        yield f"{condition} {tag}: has no {', '.join(found['unchanged'])}"
    elif "needs" in found:
        yield f"{condition} {tag}: needs {found['needs']}"
    elif lines := changes(found):
        yield from (f"CHANGED {condition} {tag}: {line}" for line in lines)
    else:
        shrunk = f"{found['shrunk']} of {found['margins']} margins below half"
        yield f"{condition} {tag}: {found['rows']} verdicts the same, {shrunk}"


def main(tags: list[str], names: list[str], pythons: list[str]) -> int:
    """Measure what is out of date, lacked a module or changed a verdict, and store it; returns
    the exit status.
    """
    known = conditions(pythons)
    unknown = [name for name in names if name not in known]
    require(not unknown, "conditions", unknown, f"of {', '.join(known)}")
    rows, failed = [statement(tag) for tag in tags] or written(), 0
    now = {row.tag: inputs(row) for row in rows}
    jobs = [(known[name], row) for name in names or known for row in rows]
    for number, (one, row) in enumerate(jobs, 1):
        found = load().get(one.name, {"chapters": {}})["chapters"].get(row.tag, {})
        if found.get("inputs") != now[row.tag] or changes(found) or "needs" in found:
            found = measure(row, one) | {"inputs": now[row.tag]}
            _store(one, row.tag, found)
            for line in told(row.tag, one.name, found):
                print(f"{number} of {len(jobs)}: {line}", flush=True)
        failed += bool(changes(found))
    print(f"{failed} of {len(jobs)} runs changed a verdict", flush=True)
    return 1 if failed else 0
