"""Proof files read without Coq: definitions, what names mean, what statements stand on."""

import pytest
from ledgerbook.ledger import coq_text
from ledgerbook.ledger.coq_text import parsed

SHARED = """(* Sums. *)
From Coq Require Import Reals.
Fixpoint Sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S k => Sum k f + f k end.
Definition half (x : R) : R := x / 2.
"""
OWN = """From Shared Require Import tool.
(* what a step is (* nested *), e^(M h* ) *)
Definition step (x : R) : R :=
  half x + 0.5.

Record data := Data {
  tokens : nat;
  weight : nat -> R
}.
Inductive reach (D : data) : nat -> nat -> Prop :=
  | stay : forall i, reach D i i.
Section Inside.
Variables (M : R) (n : nat).
Let twice : R := M + M.
Definition pair (t : R * R) : R := let '(a, b) := t in let c x := x + a in c b + twice.
End Inside.
Definition half (x : R) : R := x / 3.
(* Definition ghost : R := 0. *)
Theorem it : forall x, step x = x. Proof. intros. ring. Qed.
(* BRIDGE step | power.iteration.rate | x *)
"""


@pytest.fixture
def proofs():
    """A file of a chapter, and the shared one that it imports."""
    return coq_text.Proofs([parsed("textbook.one", OWN), parsed("shared.tool", SHARED)])


def names(proofs, said, tag="textbook.one"):
    return [f"{one.tag}#{one.name}" for one in proofs.basis([said], tag)]


def test_a_file_says_what_it_defines_and_imports_and_ties():
    file = parsed("textbook.one", OWN)
    found = {one.name: one for one in file.definitions}
    assert [*found] == ["step", "data", "reach", "twice", "pair", "half"]
    assert found["step"].words == "what a step is (* nested *), e^(M h* )"
    assert (found["step"].line, found["step"].lines) == (3, 2)
    assert found["step"].text == "Definition step (x : R) : R :=\n  half x + 0.5."
    assert found["data"].gives == {"Data", "tokens", "weight"}
    assert found["reach"].gives == {"stay"}
    assert file.imports == ("shared.tool",)
    assert file.bridges == (("step", "power.iteration.rate"),)


def test_a_name_means_what_its_own_file_says_before_what_this_imports(proofs):
    assert names(proofs, "forall x, half x = 0") == ["textbook.one#half"]
    assert names(proofs, "forall x, half x = 0", "shared.tool") == ["shared.tool#half"]
    assert names(proofs, "Shared.tool.Sum 3 = 0") == ["shared.tool#Sum"]
    assert names(proofs, "tokens D = 2%nat") == ["textbook.one#data"]


def test_what_a_definition_names_is_read_too_and_what_is_bound_is_not(proofs):
    assert names(proofs, "forall t : R * R, pair 1 t = 0") == [
        "textbook.one#pair",
        "textbook.one#twice",
    ]
    assert names(proofs, "forall half : R, half = 0") == []
    assert names(proofs, "exists step : R, let data := 1 in step = data") == []
    assert proofs.foreign(["forall x : R, step (exp x) = S 0"], "textbook.one") == ["R", "S", "exp"]


FLOW = "(forall t : R,\n 0 <= t -> is_derive z t (z t))"
FIRST = f"forall (z : R -> R),\n{FLOW} ->\nz 0 = 1 ->\nforall t : R, 0 <= t -> z t = exp t"
SECOND = f"forall (z : R -> R),\n{FLOW} ->\nz 0 = 1 ->\n0 < z 1 <-> 1 < exp 1"


def test_what_several_theorems_assume_is_told_once():
    shared, shown = coq_text.told_once([FIRST, SECOND])
    assert shared == {"a": FLOW.replace("\n ", "\n"), "b": "z 0 = 1"}
    assert shown == [
        "forall (z : R -> R),\n[a b] ->\nforall t : R, 0 <= t -> z t = exp t",
        "forall (z : R -> R),\n[a b] ->\n0 < z 1 <-> 1 < exp 1",
    ]
    assert coq_text.told_once([FIRST]) == ({}, [FIRST])
    short = ["0 < x -> 0 <= x", "0 < x -> 0 <= 2 * x"]
    assert coq_text.told_once(short) == ({}, short)  # a letter would be no shorter
