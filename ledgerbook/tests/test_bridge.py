"""When the goals that tie Coq to Python are proved again, and when they are not."""

import random
import re
import sys
from dataclasses import replace
from fractions import Fraction

import pytest
from ledgerbook.coq import conformance, coq, proofs
from ledgerbook.project import paths

TIE = conformance.Tie("part-one.easy", "twice", "twice {x}", "x + x", "done.", {"x": "whole 0 999"})


@pytest.fixture
def crossed(tmp_path, monkeypatch):
    """Cross the bridge of one file under a key: whether it had to, and what Coq was given."""
    given = []
    monkeypatch.setattr(proofs, "PROOFS", tmp_path)
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


BELOW = """
from os.path import join as joined
import json

SIZE: int = 3
first, second = 1, 2
third = 4

def height(n):
    return 2 * n

class Kind:
    part = 1

    def up(self):
        return 1

def other(): ...
"""


@pytest.fixture
def made_up(tmp_path, monkeypatch):
    """A package with a package, whose one module computes something."""
    (tmp_path / "made_up/inner").mkdir(parents=True)
    for name, text in {"__init__": "top = 1", "inner/__init__": "", "inner/below": BELOW}.items():
        (tmp_path / f"made_up/{name}.py").write_text(text, encoding="utf-8")
    (tmp_path / "alone.py").write_text("def here(): ...\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path})
    yield tmp_path
    for name in [one for one in sys.modules if one.partition(".")[0] == "made_up"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("made_up.inner.below.height", True),
        ("made_up.inner.below.Kind", True),
        ("made_up.inner.below.Kind.up", True),
        ("made_up.inner.below.Kind.part", True),
        ("made_up.inner.below.SIZE", True),
        ("made_up.inner.below.third", True),
        ("made_up.inner.below.joined", True),
        ("made_up.inner.below.other", True),  # behind the class
        ("alone.here", True),
        ("made_up.inner.below.join", False),  # it has another name here
        ("made_up.inner.below.up", False),
        ("made_up.inner.below.height.more", False),
        ("made_up.inner.below.Kind.down", False),
        ("made_up.inner.below", False),  # a module is no function
        ("made_up.inner", False),
        ("no_such_package.module.thing", False),
    ],
)
def test_a_function_is_found_in_the_text_of_its_module(made_up, name, there):
    assert conformance.resolves(name) is there
    assert "made_up.inner.below" not in sys.modules  # nothing was executed


def proof(name, *ties, part="part-one"):
    text = "".join(f"(* BRIDGE {coq} | {python} | x *)\n" for coq, python in ties)
    return proofs.Source(paths.ROOT / f"proofs/{part}/{name}.v", text)


def test_what_is_announced_and_what_is_tied_must_be_the_same(made_up):
    height, shared = "made_up.inner.below.height", "shared"
    sources = [
        proof("easy", ("twice", height), ("thrice", height), ("gone", f"{height}s")),
        proof("hard", ("Shared.base.half", height), ("base.half", height)),
        proof("base", ("Shared.base.half", height), part=shared),
    ]
    tied = [("part-one.easy", "twice"), ("part-one.easy", "gone"), ("part-one.other", "four")]
    tied += [("shared.base", "Shared.base.half")]
    entries = [conformance.Tie(tag, name, "", "", "", {}) for tag, name in tied]
    assert list(conformance.unmatched(sources, entries)) == [
        "part-one.easy: BRIDGE thrice has no entry in bridge.toml",
        "part-one.hard: BRIDGE base.half has no entry in bridge.toml",
        f"part-one.easy: BRIDGE gone: there is no {height}s",
        "part-one.other: bridge.toml ties four, its file says no BRIDGE",
    ]


def drawn(kind, times=300, **known):
    rng = random.Random(0)
    return [conformance.draw(kind, rng, known) for _ in range(times)]


def test_whole_numbers_reach_both_bounds():
    assert set(drawn("nat 2 5")) == {2, 3, 4, 5} and set(drawn("whole -1 n", n=1)) == {-1, 0, 1}
    assert all(isinstance(one, conformance.Natural) for one in drawn("nat 2 5"))
    assert not any(isinstance(one, conformance.Natural) for one in drawn("whole 2 5"))


def test_rationals_reach_both_bounds_in_parts_that_a_reader_can_follow():
    parts = drawn("rational 1/2 5/2", 3000)
    assert (min(parts), max(parts)) == (Fraction(1, 2), Fraction(5, 2))
    assert {(2 * one - 1).denominator for one in parts} <= {*range(1, 21)}
    # the same on every machine
    assert drawn("rational 0 1", 5) == [
        Fraction(*one) for one in ((3, 5), (13, 19), (4, 7), (1, 1), (12, 13))
    ]


def test_a_list_has_as_many_as_an_argument_says_and_a_value_is_computed(made_up):
    (rows,) = drawn("list n list 2 nat 4 4", 1, n=3)
    assert rows == [[4, 4]] * 3
    assert drawn("value made_up.inner.below.height(n) / 8", 1, n=3) == [Fraction(3, 4)]
    with pytest.raises(proofs.Failed, match="no kind of argument is called 'real'"):
        drawn("real 0 1", 1)


@pytest.mark.parametrize(
    ("value", "coq", "python"),
    [
        (conformance.Natural(2), "2%nat", 2),
        (-3, "(-3)", -3),
        (Fraction(-1, 3), "(-1/3)", -1 / 3),
        ([Fraction(1, 2), conformance.Natural(0)], "((1/2) :: 0%nat :: nil)", [0.5, 0]),
        ([], "(nil)", []),
    ],
)
def test_an_argument_is_the_same_for_both(value, coq, python):
    assert conformance.in_coq(value) == coq
    found = conformance.in_python(value)
    assert found == python and type(found) is type(python)


def test_the_modules_of_an_expression_are_the_longest_names_that_are_files(made_up):
    expression = "made_up.inner.below.height(made_up.top) + np.sqrt(unmade_up.inner.below.x)"
    assert list(conformance.modules(expression)) == ["made_up.inner.below", "made_up"]
    assert list(conformance.modules("made_up.inner.below.Kind.up()")) == ["made_up.inner.below"]
    assert conformance.computed(f"{expression.partition('(')[0]}(x) + np.sqrt(4)", {"x": 5}) == 12.0


@pytest.fixture
def tied(made_up, tmp_path, monkeypatch):
    """A tie, and the file of its proof; a table that says what all goals need."""
    monkeypatch.setattr(proofs, "PROOFS", tmp_path / "proofs")
    monkeypatch.setattr(paths, "LOCKS", (tmp_path / "a.lock", tmp_path / "no.lock"))
    (tmp_path / "a.lock").touch()
    source = proofs.Source(tmp_path / "proofs/part-one/easy.v", "From Coq Require Import Reals.\n")
    source.path.parent.mkdir(parents=True)
    (tmp_path / "proofs/bridge.toml").write_text(
        'coq = "Import Lia."\n[[bridge]]\ntag = "part-one.easy"\nname = "twice"\n'
        'coq = "twice  {x}"\npython = "made_up.inner.below.height(x)"\n'
        'tactic = "unfold twice;\\n  interval."\nneeds = ["Import Lra.", "Import Lia."]\n'
        'arguments = { x = "whole 3 9" }\n',
        encoding="utf-8",
    )
    return source, conformance.ties()


def test_the_goals_of_a_file_are_three_a_tie_unless_it_says_how_many(tied):
    source, (tie,) = tied
    more = replace(tie, name="again", goals=1, arguments={"x": "whole 4 4"}, needs=())
    *head, first, second, third, last = conformance.bridge_file(source, [tie, more]).splitlines()
    assert head == [
        "From Coq Require Import Reals.",
        "From PartOne Require Import easy.",
        "From Coq Require Import List.",
        "From Interval Require Import Tactic.",
        "Open Scope R_scope.",
        "Import Lia.",  # what is needed twice is asked for once
        "Import Lra.",
    ]
    goals = [first, second, third]
    said = [
        re.fullmatch(
            r"Goal \(Rabs \(\(twice \((\d)\)\) - \((\S+)\)\) <= 1e-9\)%R\. "
            r"Proof\. unfold twice; interval\. Qed\.",
            one,
        )
        for one in goals
    ]
    assert all(float(one[2]) == 2 * int(one[1]) for one in said) and len(set(goals)) > 1
    assert "(twice (4)) - (8.0)" in last
    assert conformance.bridge_file(source, [tie, more]).splitlines()[-4:-1] == goals


def test_goals_depend_on_proof_table_entries_code_and_locks(tied, tmp_path):
    _, entries = tied
    seen = [conformance.inputs("key", entries), conformance.inputs("another", entries)]
    seen.append(conformance.inputs("key", [replace(entries[0], tolerance="1e-6")]))
    for file in ("proofs/bridge.toml", "made_up/inner/below.py", "a.lock"):
        text = (tmp_path / file).read_text("utf-8").replace("Lia", "Nia")
        (tmp_path / file).write_text(text + "# edited\n", encoding="utf-8")
        seen.append(conformance.inputs("key", entries))
    assert len(set(seen)) == 6 and conformance.inputs("key", entries) == seen[-1]


def test_without_a_table_nothing_is_tied(tmp_path, monkeypatch):
    monkeypatch.setattr(proofs, "PROOFS", tmp_path)
    assert conformance.bridge_table() == {} and conformance.ties() == []
