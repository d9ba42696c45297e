"""What the files of proofs say of themselves."""

import pytest
from ledgerbook.coq import proofs, statements
from ledgerbook.ledger import coq_record

PROOF = """From Coq Require Import Reals
  Lra.
Require Import Shared.tool.
Local Open Scope R_scope.
(* THEOREM easy | holds-as-printed | One | of two
   sentences. *)
(* BRIDGE twice | lib.twice | x *)
Theorem easy : True. Proof. exact I. Qed.
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A shared file and two proofs, the second of which is no statement's own words."""
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path)
    for place in ("a-part/one_two", "shared/tool", "b/last"):
        file = tmp_path / f"{place}.v"
        file.parent.mkdir()
        file.write_text(PROOF, encoding="utf-8")
    return tmp_path


def test_a_file_says_where_it_belongs_and_what_it_announces(folder):
    shared, one, last = proofs.find()
    assert [source.tag for source in (shared, one, last)] == [
        "shared.tool",
        "a-part.one-two",
        "b.last",
    ]
    assert (one.folder, one.place, one.library) == ("a-part", "a-part/one_two.v", "APart.one_two")
    assert one.theorems == [proofs.Theorem("easy", "holds-as-printed", "One | of two sentences.")]
    assert one.bridges == ["twice"]
    assert one.header.splitlines() == [
        "From Coq Require Import Reals Lra.",
        "Require Import Shared.tool.",
        "Local Open Scope R_scope.",
    ]
    assert len(one.sha256) == 64 and one.sha256 == shared.sha256


@pytest.mark.parametrize("text", ["(* THEOREM a | b *)", "(* THEOREM a | | c *)"])
def test_an_announcement_has_three_fields(text):
    with pytest.raises(proofs.Failed, match="wanted three fields"):
        proofs.announced(text, "THEOREM")


SECTION = """Section Twice.
Variables (x : R) (f : nat -> R).
Hypothesis positive : 0 < x.
Let half := x / 2.
(* THEOREM grows | holds-as-printed | words *)
Theorem grows : forall n m, (n <= m)%nat -> f n <= half -> scaled n <= x + x.
Proof. intros. pose proof positive. lra. Qed.
End Twice.
"""
RECORDED = """grows
: forall (x : R) (f : nat -> R),
  0 < x -> forall n m0 : nat, (n <= m0)%nat -> f n <= x / 2 -> scaled f n <= x + x"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("lra", "nra", None),
        ("(n <= m)%nat -> ", "", None),  # it may be in what the section assumes
        ("x + x", "x * 3", "its statement on record is another one"),
        ("forall n m,", "forall n m, x = 0 ->", "its statement on record is another one"),
        ("0 < x", "1 < x", "positive, which its proof uses, is not in its statement"),
        ("grows", "falls", "its statement on record is another one"),
    ],
)
def test_a_source_is_held_against_the_recorded_statement_also_without_coq(old, new, told):
    found = statements.differs(SECTION.replace(old, new), "grows", RECORDED)
    assert found is None if told is None else found.startswith(told)


def test_a_condition_that_was_taken_out_of_a_record_is_missed():
    for gone in ("0 < x -> ", "f n <= x / 2 -> "):
        assert statements.differs(SECTION, "grows", RECORDED.replace(gone, ""))


def test_what_is_wrong_with_a_file_is_told_before_coq_sees_it(folder):
    (folder / "shared/tool.v").write_text("Definition b := 0.", encoding="utf-8")
    (folder / "b/last.v").write_text("Definition b := 0.", encoding="utf-8")
    (folder / "a-part/one_two.v").write_text(PROOF.replace("holds-as", "is"), encoding="utf-8")
    shared, one, last = (list(proofs.problems(source)) for source in proofs.find())
    assert shared == []  # it need announce no theorem
    assert [line.partition(", not")[0] for line in one] == ["a-part/one_two.v: easy is is-printed"]
    assert last == ["b/last.v: no (* THEOREM name | verdict | words *)"]
