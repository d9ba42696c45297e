"""Goals of Coq that say what ``lib`` computes."""

import random

import pytest
from ledgerbook.coq import conformance


def test_a_goal_states_what_lib_computes_now():
    tie = conformance.Tie(
        "part-one.easy", "twice", "twice {x}", "x + x", "done.", {"x": "whole 3 3"}
    )
    assert conformance.goal(tie, random.Random(0)) == (
        "Goal (Rabs ((twice (3)) - (6.0)) <= 1e-9)%R. Proof. done. Qed."
    )


@pytest.mark.parametrize("tie", conformance.ties(), ids=lambda tie: f"{tie.tag} {tie.name}")
def test_what_a_goal_asks_of_lib_is_there_without_coq_too(tie):
    assert conformance.goal(tie, random.Random(0)).startswith("Goal (Rabs ((")
