"""``make witness``: for each row a small change under which it was seen to fail, kept beside it.

A row's *witness* is a function that the row calls and a change of what it returns (``changes``), or
else a constant or an operator of the row's own code (``own_code``), under which its verdict is
another one.  An erratum's row fails as it is: its witness is a change under which what it observes
moves.  So it is, for want of a better one, with a row whose bound no change reached: it is *far*,
and listed.  Each is found once (``search``) and kept in ``witnesses.json`` beside the module, with
a fingerprint of the row's code, what the row observed under the change and under some others, how
often it calls which function, and which parameters it reads.  An edited row is asked again.
"""

import functools
import importlib
import signal
from collections.abc import Callable, Iterable
from typing import Any

import joblib

from ledgerbook.chapters import notebooks, registry
from ledgerbook.chapters.statements import statement
from ledgerbook.ledger.checks import SHOWN, Checks, Row, announced, rows
from ledgerbook.ledger.ledger_table import verdict
from ledgerbook.project.project import current
from ledgerbook.rows import kept, own_code
from ledgerbook.rows.reach import brackets
from ledgerbook.rows.search import searched
from ledgerbook.rows.trace import profile
from ledgerbook.rows.trial import change_of, moved, trial, turned


def wanted(kind: type[Checks]) -> list[Row]:
    """The rows of a class that have a witness: no theorem of Coq, and none that says why not."""
    shown = [row for row in rows(kind) if row.role in SHOWN]
    return [row for row in shown if kept.reason(row) is None]


def trouble(tag: str) -> list[str]:
    """What is wrong with the witnesses of a statement's rows, a line each; edited rows are asked.

    A row that was not edited is only looked up: its witness must name code that is there.  Rows
    that have none yet are ``lacking``.
    """
    kind, known = registry.classes([tag])[tag], kept.of_tag(tag)
    command = f"{current().settings.command} witness --only {tag}"
    found, why = [], None
    for row in wanted(kind):
        record = known.get(row.id, {})
        if "of" not in record:
            continue
        if record["code"] == kept.code_of(kind, row):
            why = None if there(record["of"]) else f"its witness {record['of']} is gone"
        else:
            why = asked(kind, row, record)
        if why:
            found.append(f"{tag}#{row.id}: {why}; if that is meant, {command} finds another")
    told = {id: one["reason"] for id, one in known.items() if "reason" in one}
    if told != {row.id: kept.reason(row) for row in rows(kind) if row.details.get("witness")}:
        found.append(f"{tag}: other reasons are kept than its class says; {command} keeps them")
    return found


def lacking(tag: str) -> list[str]:
    """Ids, ``tag#row``, of the rows of a statement for which no change is known that turns them."""
    known = kept.of_tag(tag)
    rows_ = wanted(registry.classes([tag])[tag])
    return [f"{tag}#{row.id}" for row in rows_ if "of" not in known.get(row.id, {})]


def there(name: str) -> bool:
    """Whether a function that a witness names exists."""
    module, _, path = name.partition(":")
    try:
        functools.reduce(getattr, path.split("."), importlib.import_module(module))
    except (ImportError, AttributeError):
        return False
    return True


def asked(kind: type[Checks], row: Row, record: dict[str, Any]) -> str | None:
    """What is wrong when a row is asked again with its witness; nothing where all is as it was.

    Wrong is a row that the change no longer turns, one that answers it with another number, one
    that observes another number than its chapter shows, one that calls its functions another number
    of times, no longer reads a parameter, or takes other parts of its arrays: a maximum over fewer
    errors, all of them rounding, is the same.
    """
    reach, given = kept.reach_of(kind, row), record.get("with")
    try:
        watched, claims = profile(kind, [row], given)
    except Exception as error:  # whatever the edit has led to
        return f"it stops: {type(error).__name__}: {error}"
    before = claims[row.id]
    if before.passed != row.details.get("met", row.id not in announced(kind)):
        return f"its verdict is another one: {verdict(before.record())}"
    calls = {name: number for name, number in watched.of(row, reach).items() if number}
    if (differs := _differs(record["calls"], calls)) is not None:
        return differs
    if [*reach.reads] != record["reads"]:
        return f"it reads the parameters {[*reach.reads]}, with its witness {record['reads']}"
    if "ways" in record and (number := own_code.ways(reach.places[0])) != record["ways"]:
        return f"its code can be changed in {number} ways, with its witness in {record['ways']}"
    seconds = 10 + 20 * sum(watched.seconds.values())
    for (of, words), told in kept.answers(record).items():
        where = f"with {of.partition(':')[2]} {words}"
        try:
            now = trial(kind, [row], change_of(of, words), seconds, given).get(row.id)
        except (LookupError, AttributeError, ImportError, own_code.Broken) as error:
            return f"it cannot be asked {where}: {error}"
        seen = moved if record.get("far") else turned
        if (of, words) == (record["of"], record["change"]) and not seen(before, now):
            return f"it does not turn red any more {where}"
        observed = kept.short(now.observed) if now else None
        if not kept.alike(observed, told, kept.SAME):
            return f"{where} it observes {observed}, it was {told}"
    shows, sees = in_chapter(kind.tag).get(row.id), before.observed
    if not given and shows is not None and not kept.alike(sees, shows, kept.SAME):
        return f"it observes {kept.short(sees)}, and its chapter shows {kept.short(shows)}"
    if record.get("parts") != brackets(reach.places):
        return "it takes other parts of its arrays or tables than with its witness"
    return None


def in_chapter(tag: str) -> dict[str, Any]:
    """What the rows of a statement observed when its chapter was run, by their ids."""
    file = statement(tag).chapter
    if not file.exists():
        return {}
    record = notebooks.closing_records(notebooks.read(file)).get(tag, {})
    claims = list(record.get("claims", []))
    for one in record.get("hypotheses", []):
        claims += [one["control"]] if one["control"] else []
        claims += one.get("further_controls", [])
    return {claim["id"]: claim["observed"] for claim in claims}


def _differs(before: dict[str, int], now: dict[str, int]) -> str | None:
    for name in sorted(before.keys() | now.keys()):
        if (was := before.get(name, 0)) != (is_now := now.get(name, 0)):
            return f"it calls {name.partition(':')[2]} {is_now} times, with its witness {was}"
    return None


def renew(tag: str, every: bool = False, say: Callable[[str], None] = print) -> int:
    """Ask the edited rows of a statement again, or all, and find what is missing; how many lack."""
    kind, old = registry.classes([tag])[tag], kept.of_tag(tag)
    todo, again = list[Row](), dict[str, dict[str, Any]]()
    for row in wanted(kind):
        record = old.get(row.id, {})
        same = record.get("code") == kept.code_of(kind, row)
        if same and not every:
            continue
        if "of" in record:
            why = asked(kind, row, record)
            if why is None:
                parts = brackets(kept.reach_of(kind, row).places)
                again[row.id] = record | {"code": kept.code_of(kind, row), "parts": parts}
                continue
            say(f"{tag} {row.id}: {why}")
        todo.append(row)
    shown = [row for row in rows(kind) if row.details.get("witness")]
    kept.write(tag, again | {row.id: {"reason": kept.reason(row)} for row in shown})
    at_once = functools.partial(say, flush=True)  # type: ignore[call-arg]
    found = searched(kind, todo, at_once) if todo else {}
    lacking = [row for row in todo if row.id not in found]
    for row in lacking:
        found[row.id] = {"code": kept.code_of(kind, row)}
        say(f"{tag} {row.id}: NO WITNESS FOUND")
    kept.write(tag, found, drop=True)
    return len(lacking)


def _renew(tag: str, every: bool) -> int:
    """``renew`` in a process that joblib ends by a signal: it ends then, without a word.

    A statement at which the search itself stops is told, and the others go on.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        return renew(tag, every)
    except Exception as error:
        print(f"{tag}: THE SEARCH STOPPED, {type(error).__name__}: {error}", flush=True)
        return len(wanted(registry.classes([tag])[tag]))


def main(only: Iterable[str], every: bool = False, jobs: int = -1) -> int:
    """Find what is missing, for some statements or all; 1 where a row has neither."""
    tags = list(registry.classes(list(only)))  # imported before the processes are forked
    asking = (joblib.delayed(_renew)(tag, every) for tag in tags)
    lacking = sum(joblib.Parallel(jobs, backend="multiprocessing")(asking))
    print(f"{lacking} rows have neither a witness nor a reason")
    return int(lacking > 0)
