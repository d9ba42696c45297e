"""Which verdicts moved between two ledgers, and why: the entry of a release, as Markdown.

A verdict is a status and a strength.  What moved it is computed as they are: errata and conditions
move a status, parts, their rows and what is taken on trust move a strength.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ledgerbook.ledger.judgement import STRENGTHS
from ledgerbook.project import storage
from ledgerbook.project.validation import require

Ledger = Mapping[str, Any]
Record = Mapping[str, Any]
NOTHING = "No verdict moved."


def main(old: str, new: str) -> int:
    """Print what moved from one stored ledger to another."""
    for path in (old, new):
        there = os.path.isfile(path)
        require(there, "ledger", path, "a file, such as _build/ledger.json of an earlier commit")
    print(entry(storage.table(old), storage.table(new)))
    return 0


def entry(old: Ledger, new: Ledger) -> str:
    """All that moved, with the reason beside each."""
    before, after = ({row["tag"]: row for row in one["statements"]} for one in (old, new))
    slips = {tag: _slips(old, new, tag) for tag in after}
    moved = [
        line
        for tag in after
        if tag in before
        for line in _moved(before[tag], after[tag], slips[tag])
    ]
    come = [_verdict(after[tag]) for tag in after if tag not in before]
    gone = [f"{row['number']} (`{tag}`)" for tag, row in before.items() if tag not in after]
    parts = [
        _listed("Verdicts that moved", moved) or NOTHING,
        _listed("New statements", come),
        _listed("Statements that are gone", gone),
        _listed("New errata", _errata(old, new)),
        _listed("Errata that were taken back", _errata(new, old)),
    ]
    return "\n\n".join(filter(None, parts))


def _listed(title: str, lines: list[str]) -> str:
    return "\n".join([f"### {title}", "", *(f"- {line}" for line in lines)]) if lines else ""


def _verdict(row: Record) -> str:
    return f"{row['number']} (`{row['tag']}`): {row['status']}, {row['strength'] or 'no evidence'}"


def _errata(old: Ledger, new: Ledger) -> list[str]:
    """The errata that the second ledger has and the first has not."""
    known = {one["id"] for one in old["errata"]}
    return [
        f"{one['id']} (`{one['tag']}`), {one['location']}: {one['reach']}"
        for one in new["errata"]
        if one["id"] not in known
    ]


def _slips(old: Ledger, new: Ledger, tag: str) -> list[str]:
    """What became of the errata of a statement."""
    before, after = ({e["id"] for e in one["errata"] if e["tag"] == tag} for one in (old, new))
    said = [f"erratum {id} is new" for id in sorted(after - before)]
    return said + [f"erratum {id} was taken back" for id in sorted(before - after)]


def _moved(old: Record, new: Record, slips: list[str]) -> Iterator[str]:
    """A line for a status that moved, and one for a strength."""
    name = f"**{new['number']}** (`{new['tag']}`)"
    if old["status"] != new["status"]:
        why = [*slips, *_of_words(old, new, "conditions", "condition"), *_flipped(old, new)]
        yield f"{name}: {old['status']} → {new['status']}. {_because(why)}"
    if old["strength"] != new["strength"]:
        why = [*_parts(old, new), *_trusts(old, new), *_flipped(old, new)]
        ways = [one["strength"] or "no evidence" for one in (old, new)]
        yield f"{name}: {ways[0]} → {ways[1]}. {_because(why)}"


def _because(why: list[str]) -> str:
    told = "; ".join(dict.fromkeys(why))
    return (
        f"{told[0].upper()}{told[1:]}." if told else "Its rows say the same; their rules changed."
    )


def _of_words(old: Record, new: Record, key: str, what: str) -> Iterator[str]:
    """What came and went in a list of words."""
    yield from (f"new {what}: {one}" for one in new[key] if one not in old[key])
    yield from (f"no longer a {what}: {one}" for one in old[key] if one not in new[key])


def _flipped(old: Record, new: Record) -> Iterator[str]:
    """Rows that passed and fail now, or the other way."""
    before = {claim["id"]: claim["passed"] for claim in old["claims"]}
    for claim in new["claims"]:
        if before.get(claim["id"], claim["passed"]) != claim["passed"]:
            yield f"row `{claim['id']}` {'holds' if claim['passed'] else 'fails'} now"


def _parts(old: Record, new: Record) -> Iterator[str]:
    """Parts that came, went, or are of another strength, the weakest of now first."""
    before, after = ({one["part"]: one["strength"] for one in row["parts"]} for row in (old, new))
    for part in sorted(after, key=lambda part: STRENGTHS.index(after[part])):
        if part not in before:
            yield f"part “{part}” is new, and {after[part]}"
        elif before[part] != after[part]:
            yield f"part “{part}” was {before[part]} and is {after[part]}"
    yield from (
        f"part “{part}” is gone, which was {before[part]}" for part in before if part not in after
    )


def _trusts(old: Record, new: Record) -> Iterator[str]:
    """What came and went of what is taken on trust."""
    words: Callable[[Record], list[str]] = lambda row: [one["words"] for one in row["trusted"]]
    yield from (f"taken on trust now: {one}" for one in words(new) if one not in words(old))
    yield from (f"no longer on trust: {one}" for one in words(old) if one not in words(new))
