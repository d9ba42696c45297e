"""``make prove``: every proof through Coq's kernel, and what was proved into one record."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ledgerbook.coq import coq, proofs
from ledgerbook.coq.conformance import cross, ties, unmatched
from ledgerbook.coq.coq import (
    PACKAGES,
    cached,
    closure,
    compile_source,
    copy_sources,
    dependencies,
    in_order,
    keys,
    mapping,
    missing_tools,
    recheck,
    run,
)
from ledgerbook.coq.proofs import (
    SHARED,
    VERDICTS,
    Bridge,
    Failed,
    Source,
    contradictions,
    find,
    is_current,
    logical,
    problems,
)
from ledgerbook.ledger import coq_record
from ledgerbook.project import paths, seals


def goals_of(source: Source, bridge: Bridge) -> int:
    """How many goals tie a definition; what several files share is tied in one of them."""
    shared = bridge.name.startswith(f"{logical(SHARED)}.")
    found = (one for one in ties() if one.name == bridge.name and (shared or one.tag == source.tag))
    return sum(tie.goals for tie in found)


def record_row(source: Source, result: dict[str, Any]) -> dict[str, Any]:
    """A statement's part of the record."""
    return {
        "file": f"{proofs.PROOFS.name}/{source.place}",
        "sha256": source.sha256,
        "requires": result["requires"],
        "theorems": [vars(said) | result["theorems"][said.name] for said in source.theorems],
        "bridges": [vars(said) | {"goals": goals_of(source, said)} for said in source.bridges],
    }


def write_record(version: str, sources: list[Source], results: dict[str, dict[str, Any]]) -> None:
    """Write the record; the same proofs give the same bytes on every machine with this Coq."""
    content = {
        "coq": version,
        "shared": {one.tag: one.sha256 for one in sources if one.folder == SHARED},
        "statements": {
            one.tag: record_row(one, results[one.tag]) for one in sources if one.folder != SHARED
        },
    }
    text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    for line in seals.problems([coq_record.file(proofs.PROOFS)]):
        print(f"MADE AGAIN {line}")
    paths.write_if_changed(coq_record.file(proofs.PROOFS), text)
    seals.seal(coq_record.file(proofs.PROOFS))


def without_coq(sources: list[Source]) -> int:
    """Say that nothing was re-checked, and which proofs the record does not speak of."""
    print(
        f"no {', '.join(missing_tools())} here, so no proof was re-checked; Debian has them:"
        f" apt-get install --no-install-recommends {PACKAGES}"
    )
    own = [one for one in sources if one.folder != SHARED]
    stale = [one.tag for one in own if not is_current(one.tag)]
    wrong = [line for one in own if one.tag not in stale for line in contradictions(one)]
    wrong += seals.problems([coq_record.file(proofs.PROOFS)])
    gone = sorted(
        set(coq_record.record(proofs.PROOFS).get("statements", {}))
        - {source.tag for source in sources}
    )
    for tag in stale:
        print(f"NOT PROVED {tag}: its source is not the one that the record speaks of")
    for tag in gone:
        print(f"NOT PROVED {tag}: the record speaks of a file that is not there")
    for line in wrong:
        print(f"NOT PROVED {line}")
    return 1 if stale or gone or wrong else 0


def check(source: Source, key: str, options: list[str]) -> dict[str, Any]:
    """Compile a file and ask for its theorems, unless that has been done."""
    stamp = coq.SCRATCH / source.place.replace(".v", ".json")
    found, compiled = cached(stamp, key, lambda: compile_source(source, options))
    return {"theorems": found, "compiled": compiled}


def prove(sources: list[Source]) -> str:
    """Compile, ask, cross the bridge, re-check, write the record; returns what had to be done.

    The bridges are crossed beside the re-check, which is one long command.
    """
    coq.SCRATCH.mkdir(parents=True, exist_ok=True)
    copy_sources(sources)
    version, entries = run("coqc", "-print-version").split()[0], ties()
    needs, options = dependencies(sources), mapping(sources)
    asked = f"{version}, {coq.WIDTH} columns"
    current, by_tag = keys(asked, sources, needs), {source.tag: source for source in sources}
    results = in_order(needs, lambda tag: check(by_tag[tag], current[tag], options))

    def crossed(tag: str) -> bool:
        own = [tie for tie in entries if tie.tag == tag]
        return bool(own) and cross(by_tag[tag], own, current[tag], options)

    jobs: dict[str, Callable[[], int]] = {"coqchk": partial(recheck, version, sources, current)}
    jobs |= {tag: partial(crossed, tag) for tag in by_tag}
    done = in_order({name: set() for name in jobs}, lambda name: jobs[name]())
    rechecked = done.pop("coqchk")
    for tag, result in results.items():
        result["requires"] = closure(tag, needs)
    write_record(version, sources, results)
    compiled = sum(one["compiled"] for one in results.values())
    again = "all" if rechecked else "none"
    return f"{compiled} compiled, {sum(done.values())} crossed, {again} re-checked"


def summary(sources: list[Source]) -> str:
    """How many theorems of which verdict."""
    found = [theorem for source in sources for theorem in source.theorems]
    counts = [f"{sum(t.verdict == verdict for t in found)} {verdict}" for verdict in VERDICTS]
    goals = sum(tie.goals for tie in ties())
    return (
        f"{len(sources)} files, {len(found)} theorems ({', '.join(counts)}), {goals} bridge goals"
    )


def main() -> int:
    """Check everything that changed; returns the exit status."""
    start, sources = time.monotonic(), find()
    try:
        wrong = [line for source in sources for line in problems(source)]
        wrong += unmatched(sources, ties())
        if wrong:
            raise Failed("\n".join(wrong))
        if missing_tools():
            return without_coq(sources)
        done = prove(sources)
    except Failed as failure:
        print("\n".join(f"NOT PROVED {line}" for line in str(failure).splitlines()))
        return 1
    print(f"proved: {summary(sources)}; now {done}, {time.monotonic() - start:.0f} s")
    return 0
