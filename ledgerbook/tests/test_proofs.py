"""What the files of proofs say of themselves."""

import pytest
from ledgerbook.coq import proofs
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


def test_what_is_wrong_with_a_file_is_told_before_coq_sees_it(folder):
    (folder / "shared/tool.v").write_text("Definition b := 0.", encoding="utf-8")
    (folder / "b/last.v").write_text("Definition b := 0.", encoding="utf-8")
    (folder / "a-part/one_two.v").write_text(PROOF.replace("holds-as", "is"), encoding="utf-8")
    shared, one, last = (list(proofs.problems(source)) for source in proofs.find())
    assert shared == []  # it need announce no theorem
    assert [line.partition(", not")[0] for line in one] == ["a-part/one_two.v: easy is is-printed"]
    assert last == ["b/last.v: no (* THEOREM name | verdict | words *)"]
