"""What ties Coq to Python, and what must be tied."""

from ledgerbook.coq import conformance, proofs
from ledgerbook.project.project import current


def proof(name, *ties, part="part-one"):
    text = "".join(f"(* BRIDGE {coq} | {python} | x *)\n" for coq, python in ties)
    return proofs.Source(current().root / f"proofs/{part}/{name}.v", text)


def test_what_is_announced_and_what_is_tied_must_be_the_same():
    height, shared = "made_up.below.height", "shared"
    sources = [
        proof("easy", ("twice", height), ("thrice", height)),
        proof("hard", ("Shared.base.half", height), ("base.half", height)),
        proof("base", ("Shared.base.half", height), part=shared),
    ]
    tied = [("part-one.easy", "twice"), ("part-one.other", "four")]
    tied += [("shared.base", "Shared.base.half")]
    entries = [conformance.Tie(tag, name, "", "", "", {}) for tag, name in tied]
    assert list(conformance.unmatched(sources, entries)) == [
        "part-one.easy: BRIDGE thrice has no entry in ties.toml",
        "part-one.hard: BRIDGE base.half has no entry in ties.toml",
        "part-one.other: ties.toml ties four, its file says no BRIDGE",
    ]
