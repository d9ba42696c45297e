"""``make prove``: every proof through Coq's kernel, and what was proved into one record."""

import json
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ledgerbook.coq import conformance, coq, proofs
from ledgerbook.coq.proofs import SHARED, VERDICTS, Failed, Source
from ledgerbook.ledger import coq_record
from ledgerbook.project import paths, seals


def goals_of(source: Source, bridge: proofs.Bridge) -> int:
    """How many goals tie a definition; what several files share is tied in one of them."""
    shared = bridge.name.startswith(f"{proofs.logical(SHARED)}.")
    named = (tie for tie in conformance.ties() if tie.name == bridge.name)
    return sum(tie.goals for tie in named if shared or tie.tag == source.tag)


def record_row(source: Source, result: dict[str, Any]) -> dict[str, Any]:
    """A statement's part of the record."""
    return {
        "file": f"{coq_record.folder().name}/{source.place}",
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
    for line in seals.problems([coq_record.file()]):
        print(f"MADE AGAIN {line}")
    paths.write_if_changed(coq_record.file(), text)
    seals.seal(coq_record.file())


def without_coq(sources: list[Source]) -> int:
    """Say that nothing was re-checked, and which proofs the record does not speak of."""
    print(
        f"no {', '.join(coq.missing_tools())} here, so no proof was re-checked; Debian has them:"
        f" apt-get install --no-install-recommends {coq.PACKAGES}"
    )
    own = {one.tag: one for one in sources if one.folder != SHARED}
    gone = sorted(coq_record.record().get("statements", {}).keys() - own.keys())
    wrong = [f"{tag}: the record speaks of a file that is not there" for tag in gone]
    for tag, one in own.items():
        why = coq_record.outdated(tag)
        wrong += [f"{tag}: {why}"] if why else proofs.contradictions(one)
    wrong += seals.problems([coq_record.file()])
    return refused(wrong)


def refused(lines: Iterable[str]) -> int:
    """Name what does not hold; the exit status."""
    said = [f"NOT PROVED {line}" for line in lines]
    print("\n".join(said), end="\n" * bool(said))
    return int(bool(said))


def check(source: Source, key: str, options: list[str]) -> dict[str, Any]:
    """Compile a file and ask for its theorems, unless that has been done."""
    stamp = coq.SCRATCH / source.place.replace(".v", ".json")
    found, compiled = coq.cached(stamp, key, lambda: coq.compile_source(source, options))
    return {"theorems": found, "compiled": compiled}


def prove(sources: list[Source]) -> str:
    """Compile, ask, cross the bridges beside the re-check, record; what had to be done."""
    coq.SCRATCH.mkdir(parents=True, exist_ok=True)
    coq.copy_sources(sources)
    version, entries = coq.run("coqc", "-print-version").split()[0], conformance.ties()
    needs, options = coq.dependencies(sources), coq.mapping(sources)
    asked = f"{version}, {coq.WIDTH} columns"
    current, by_tag = coq.keys(asked, sources, needs), {source.tag: source for source in sources}
    results = coq.in_order(needs, lambda tag: check(by_tag[tag], current[tag], options))

    def crossed(tag: str) -> bool:
        own = [tie for tie in entries if tie.tag == tag]
        return bool(own) and conformance.cross(by_tag[tag], own, current[tag], options)

    jobs: dict[str, Callable[[], int]] = {"coqchk": partial(coq.recheck, version, sources, current)}
    jobs |= {tag: partial(crossed, tag) for tag in by_tag}
    done = coq.in_order({name: set() for name in jobs}, lambda name: jobs[name]())
    rechecked = done.pop("coqchk")
    for tag, result in results.items():
        result["requires"] = coq.closure(tag, needs)
    write_record(version, sources, results)
    compiled = sum(one["compiled"] for one in results.values())
    again = "all" if rechecked else "none"
    return f"{compiled} compiled, {sum(done.values())} crossed, {again} re-checked"


def summary(sources: list[Source]) -> str:
    """How many theorems of which verdict."""
    found = [theorem for source in sources for theorem in source.theorems]
    counts = [f"{sum(t.verdict == verdict for t in found)} {verdict}" for verdict in VERDICTS]
    goals = sum(tie.goals for tie in conformance.ties())
    return (
        f"{len(sources)} files, {len(found)} theorems ({', '.join(counts)}), {goals} bridge goals"
    )


def main() -> int:
    """Check everything that changed; returns the exit status."""
    start, sources = time.monotonic(), proofs.find()
    try:
        wrong = [line for source in sources for line in proofs.problems(source)]
        wrong += conformance.unmatched(sources, conformance.ties())
        if wrong:
            raise Failed("\n".join(wrong))
        if coq.missing_tools():
            return without_coq(sources)
        done = prove(sources)
    except Failed as failure:
        return refused(str(failure).splitlines())
    print(f"proved: {summary(sources)}; now {done}, {time.monotonic() - start:.0f} s")
    return 0
