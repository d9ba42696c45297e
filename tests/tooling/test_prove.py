"""What ``make prove`` accepts, refuses, and remembers."""

import re

import pytest
from ledgerbook.coq import conformance, proofs, prove
from ledgerbook.ledger import coq_record
from ledgerbook.project import seals

PROOF = """From Coq Require Import Reals Lra.
Open Scope R_scope.
Definition twice (x : R) : R := x + x.
Theorem easy : forall x : R, twice x = 2 * x.
Proof. intros. unfold twice. lra. Qed.
(* THEOREM easy | holds-as-corrected | Two times a
   number is it and it again. *)
"""
needs_coq = pytest.mark.needs("Coq")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project of one proof, part-one.easy, apart from the real one."""
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path / "proofs")
    monkeypatch.setattr(prove, "scratch", lambda: tmp_path / "scratch")
    target = tmp_path / "proofs" / "part-one" / "easy.v"
    target.parent.mkdir(parents=True)
    target.write_text(PROOF)
    return target


def without_coq(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")


def test_only_the_axioms_of_real_analysis_pass():
    allowed = "Axioms:\n" + "\n".join(f"{name} : forall P,\n  P" for name in sorted(prove.AXIOMS))
    assert prove.axioms("t", allowed) == sorted(prove.AXIOMS)
    assert prove.axioms("t", "Closed under the global context\n") == []
    with pytest.raises(proofs.Failed, match="t rests on Mine.wish"):
        prove.axioms("t", allowed + "\nMine.wish : False")
    with pytest.raises(proofs.Failed, match="cannot read"):
        prove.axioms("t", "Error")


def test_every_proof_of_the_project_is_well_formed():
    sources = proofs.find()
    assert [line for source in sources for line in proofs.problems(source)] == []
    assert list(conformance.unmatched(sources, conformance.ties())) == []


def test_every_proof_of_the_project_is_the_recorded_one():
    tags = [source.tag for source in proofs.find() if source.folder != proofs.SHARED]
    assert [tag for tag in tags if coq_record.outdated(tag)] == []


@pytest.mark.parametrize(
    ("key", "old", "new"),
    [
        ("verdict", "holds-as-corrected", "holds-as-printed"),
        ("words", "number", "thing"),
        ("statement", "= 2 *", "= 3 *"),
        ("axioms", "Classical_Prop.classic", "none"),
    ],
)
def test_a_record_that_was_edited_is_named_also_without_coq(
    folder, monkeypatch, capsys, key, old, new
):
    without_coq(monkeypatch)
    (source,) = proofs.find()
    said = {"statement": "easy\n: forall x : R, twice x = 2 * x", "axioms": sorted(prove.AXIOMS)}
    monkeypatch.setattr(prove, "theorems", lambda source: [vars(source.theorems[0]) | said])
    prove.write_record("8", [source], {source.tag: []})
    assert prove.main() == 0
    file = coq_record.file()
    file.write_text(file.read_text().replace(old, new))
    assert prove.main() == 1
    assert "the record of part-one.easy" in coq_record.outdated("part-one.easy")
    seals.seal(file)  # by a careful hand
    capsys.readouterr()
    known = key != "axioms"  # which Coq alone knows
    assert prove.main() == known
    assert not known or f"{key} on record is" in capsys.readouterr().out


def test_no_record_of_the_project_says_another_thing_than_its_source():
    assert [line for one in proofs.find() for line in proofs.contradictions(one)] == []


@needs_coq
def test_a_proof_is_compiled_asked_and_kept(folder, monkeypatch, capsys):
    monkeypatch.setattr(prove, "recheck", lambda sources, mapping: None)
    assert prove.main() == 0
    assert re.match(r"1/2 compiled part-one/easy.v \(\d+ s\)\n2/2 ", capsys.readouterr().out)
    first = (coq_record.folder() / "record.json").read_bytes()
    (found,) = coq_record.theorems("part-one.easy")
    assert found["statement"] == "easy\n: forall x : R, twice x = 2 * x"
    assert found["verdict"] == "holds-as-corrected"
    assert set(found["axioms"]) <= prove.AXIOMS
    assert not coq_record.outdated("part-one.easy")
    assert prove.main() == 0
    assert "compiled" not in capsys.readouterr().out
    file = coq_record.file()
    file.write_text(file.read_text().replace("as-corrected", "as-printed"))
    seals.seal(file)
    assert prove.main() == 0 and file.read_bytes() == first  # all of it is derived again
    folder.write_text(PROOF.replace("x + x", "x - x"))
    assert prove.main() == 1
    assert "NOT PROVED part-one/easy.v" in capsys.readouterr().out
    assert coq_record.outdated("part-one.easy")


@needs_coq
def test_an_axiom_by_another_name_is_found(folder, monkeypatch, capsys):
    monkeypatch.setattr(prove, "recheck", lambda sources, mapping: None)
    folder.write_text(
        PROOF.replace("Theorem easy", "Variable wish : False.\nTheorem easy").replace(
            "lra", "case wish"
        )
    )
    assert prove.main() == 1
    assert "part-one/easy.v rests on easy.wish" in capsys.readouterr().out
