"""Goals of Coq that say what ``lib`` computes."""

import random
import sys
from fractions import Fraction

import pytest
from ledgerbook.coq import conformance, proofs
from ledgerbook.project import paths


def test_arguments_are_drawn_and_written():
    drawn = {"n": conformance.Natural(2)}
    rng = random.Random(0)
    rows = conformance.draw("list n list 3 rational -1/2 n", rng, drawn)
    assert [len(row) for row in rows] == [3, 3]
    assert all(Fraction(-1, 2) <= entry <= 2 for row in rows for entry in row)
    assert conformance.in_coq(conformance.draw("nat 3 3", rng, drawn)) == "3%nat"
    assert conformance.draw("value np.sqrt(4)", rng, {}) == 2
    with pytest.raises(proofs.Failed, match="wish"):
        conformance.draw("wish 0 1", rng, {})
    assert conformance.in_coq([Fraction(-1, 3), 2]) == "((-1/3) :: (2) :: nil)"
    assert conformance.in_coq(conformance.Natural(2)) == "2%nat"


def test_a_goal_states_what_lib_computes_now():
    tie = conformance.Tie(
        "part-one.easy", "twice", "twice {x}", "x + x", "done.", {"x": "whole 3 3"}
    )
    assert conformance.goal(tie, random.Random(0)) == (
        "Goal (Rabs ((twice (3)) - (6.0)) <= 1e-9)%R. Proof. done. Qed."
    )


def test_goals_are_made_anew_where_their_code_changed(tmp_path, monkeypatch):
    (tmp_path / "made_up").mkdir()
    (tmp_path / "made_up/below.py").write_text("ONE = 1\n", encoding="utf-8")
    text = "from made_up.below import ONE\n\n\ndef more(x):\n    return x + ONE\n"
    (tmp_path / "made_up/__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "made_up/above.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path})
    tie = conformance.Tie("part-one.easy", "f", "f {x}", "made_up.above.more(x)", "done.", {})
    before = conformance.inputs("key", [tie])
    assert before == conformance.inputs("key", [tie]) != conformance.inputs("another", [tie])
    (tmp_path / "made_up/below.py").write_text("ONE = 2\n", encoding="utf-8")
    assert conformance.inputs("key", [tie]) != before
    assert "made_up.above" not in sys.modules


def test_names_are_found_in_the_text_of_their_module():
    for name in (
        "storage.write_atomically",
        "bridge.Tie.goals",
        "bridge.Fraction",
        "proofs.PROOFS",
    ):
        assert conformance.resolves(f"ledgerbook.{name}"), name
    for name in ("no_such.thing", "storage", "bridge.Tie.no_such", "storage.write_atomically.more"):
        assert not conformance.resolves(f"ledgerbook.{name}"), name
    assert not conformance.resolves("no_such_package.module.thing")


@pytest.mark.parametrize("tie", conformance.ties(), ids=lambda tie: f"{tie.tag} {tie.name}")
def test_what_a_goal_asks_of_lib_is_there_without_coq_too(tie):
    assert conformance.goal(tie, random.Random(0)).startswith("Goal (Rabs ((")
