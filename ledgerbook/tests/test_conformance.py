"""When the goals that tie Coq to Python are proved again, and when they are not."""

import pytest
from ledgerbook.coq import conformance, coq, proofs
from ledgerbook.ledger import coq_record
from ledgerbook.project import paths

TIE = conformance.Tie("part-one.easy", "twice", "twice {x}", "x + x", "done.", {"x": "whole 0 999"})


@pytest.fixture
def crossed(tmp_path, monkeypatch):
    """Cross the bridge of one file under a key: whether it had to, and what Coq was given."""
    given = []
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path)
    monkeypatch.setattr(coq, "SCRATCH", tmp_path)
    monkeypatch.setattr(conformance, "coqc", lambda file, options: given.append(file))
    monkeypatch.setattr(conformance, "computed", lambda expression, arguments: 6.0)
    source = proofs.Source(tmp_path / "part-one/easy.v", "")
    return lambda key: (conformance.cross(source, [TIE], key, []), len(given))


def test_goals_are_proved_once_and_again_for_a_changed_proof(crossed):
    assert crossed("the proof") == (True, 1)
    assert crossed("the proof") == (False, 1)
    assert crossed("another proof") == (True, 2)


def test_a_goal_that_coq_refuses_is_shown(crossed, tmp_path, monkeypatch):
    told = []

    def refuse(file, options):
        lines = (tmp_path / file).read_text("utf-8").splitlines()
        told.append(lines[-1])
        raise proofs.Failed(f'File "./{file}", line {len(lines)}, characters 0-4: Error')

    monkeypatch.setattr(conformance, "coqc", refuse)
    with pytest.raises(proofs.Failed, match=r"bridge of \S+: Goal .*\n.*Error") as failed:
        crossed("the proof")
    assert told[0] in str(failed.value)


def test_changed_code_that_computes_the_same_asks_coq_nothing(crossed, tmp_path, monkeypatch):
    assert crossed("the proof") == (True, 1)
    lock = tmp_path / "requirements.lock"
    lock.write_text("numpy==2", encoding="utf-8")
    monkeypatch.setattr(paths, "LOCKS", (lock,))
    assert crossed("the proof") == (False, 1)


@pytest.fixture
def made_up(package, tmp_path, monkeypatch):
    """A package of one module that computes something."""
    package("made_up", __init__="", below="def height(n):\n    return 2 * n\n")
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path})


def proof(name, *ties, part="part-one"):
    text = "".join(f"(* BRIDGE {coq} | {python} | x *)\n" for coq, python in ties)
    return proofs.Source(paths.ROOT / f"proofs/{part}/{name}.v", text)


def test_what_is_announced_and_what_is_tied_must_be_the_same(made_up):
    height, shared = "made_up.below.height", "shared"
    sources = [
        proof("easy", ("twice", height), ("thrice", height), ("gone", f"{height}s")),
        proof("hard", ("Shared.base.half", height), ("base.half", height)),
        proof("base", ("Shared.base.half", height), part=shared),
    ]
    tied = [("part-one.easy", "twice"), ("part-one.easy", "gone"), ("part-one.other", "four")]
    tied += [("shared.base", "Shared.base.half")]
    entries = [conformance.Tie(tag, name, "", "", "", {}) for tag, name in tied]
    assert list(conformance.unmatched(sources, entries)) == [
        "part-one.easy: BRIDGE thrice has no entry in ties.toml",
        "part-one.hard: BRIDGE base.half has no entry in ties.toml",
        f"part-one.easy: BRIDGE gone: there is no {height}s",
        "part-one.other: ties.toml ties four, its file says no BRIDGE",
    ]
