"""What ``make prove`` accepts, refuses, and remembers."""

import json

import pytest
from ledgerbook.coq import conformance, coq, proofs, prove

PROOF = """From Coq Require Import Reals Lra.
Open Scope R_scope.
Definition twice (x : R) : R := x + x.
Theorem easy : forall x : R, twice x = 2 * x.
Proof. intros. unfold twice. lra. Qed.
(* THEOREM easy | holds-as-corrected | Two times a
   number is it and it again. *)
"""
SUMMARY = """CONTEXT SUMMARY
===============

* Theory: Set is predicative

* Axioms:
    Coq.Logic.Classical_Prop.classic{}

* Inductives whose positivity is assumed: <none>
"""
needs_coq = pytest.mark.skipif(bool(coq.missing_tools()), reason="no Coq here")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project of one proof, part-one.easy, apart from the real one."""
    monkeypatch.setattr(proofs, "PROOFS", tmp_path / "proofs")
    monkeypatch.setattr(coq, "SCRATCH", tmp_path / "scratch")
    target = tmp_path / "proofs" / "part-one" / "easy.v"
    target.parent.mkdir(parents=True)
    target.write_text(PROOF)
    return target


def remember(row=None, shared=None):
    """A record of part-one.easy, without Coq."""
    (source,) = (one for one in proofs.find() if one.tag == "part-one.easy")
    row = {"sha256": source.sha256, "requires": [], "theorems": [{"name": "easy"}]} | (row or {})
    stored = {"coq": "0", "shared": shared or {}, "statements": {source.tag: row}}
    (proofs.PROOFS / "record.json").write_text(json.dumps(stored))


def without_coq(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")


def test_announcements_are_read(folder):
    (source,) = proofs.find()
    assert (source.tag, source.library) == ("part-one.easy", "PartOne.easy")
    (theorem,) = source.theorems
    assert theorem == proofs.Theorem(
        "easy", "holds-as-corrected", "Two times a number is it and it again."
    )
    assert source.bridges == []


def test_an_announcement_of_two_fields_is_refused():
    with pytest.raises(proofs.Failed, match="three fields"):
        proofs.announced("(* THEOREM easy | holds-as-printed *)", "THEOREM")


def test_imports_over_two_lines_are_kept():
    source = proofs.Source(
        proofs.PROOFS / "a" / "b.v", "From A Require Import b\n  c.\nDefinition d := 0."
    )
    assert source.header == "From A Require Import b c."


@pytest.mark.parametrize(
    "unproved",
    [
        "Lemma l : False. Admitted.",
        "Goal False. admit.",
        "Axiom a : False.",
        "Parameter p : nat.",
        "Unset Guard Checking.",
    ],
)
def test_what_proves_nothing_is_refused(folder, unproved, capsys, monkeypatch):
    without_coq(monkeypatch)
    folder.write_text(PROOF + unproved)
    assert prove.main() == 1
    assert "proves nothing" in capsys.readouterr().out


def test_words_in_comments_and_strings_are_not_commands(folder):
    folder.write_text(PROOF + '(* no Axiom (* nor Admitted *) admit *) Check "Parameter".')
    assert list(proofs.problems(proofs.find()[0])) == []


def test_a_file_without_theorem_and_an_unknown_verdict_are_problems(folder):
    folder.write_text(PROOF.replace("holds-as-corrected", "is-true"))
    assert "is-true" in next(proofs.problems(proofs.find()[0]))
    folder.write_text("Definition nothing := 0.")
    assert "no (* THEOREM" in next(proofs.problems(proofs.find()[0]))


def test_only_the_axioms_of_real_analysis_pass():
    allowed = "Axioms:\n" + "\n".join(f"{name} : forall P,\n  P" for name in sorted(coq.AXIOMS))
    assert coq.axioms("t", allowed) == sorted(coq.AXIOMS)
    assert coq.axioms("t", "Closed under the global context\n") == []
    with pytest.raises(proofs.Failed, match="t rests on Mine.wish"):
        coq.axioms("t", allowed + "\nMine.wish : False")
    with pytest.raises(proofs.Failed, match="cannot read"):
        coq.axioms("t", "Error")


def test_the_second_checkers_summary_is_read(folder):
    coq.coqchk_says(SUMMARY.format(""), proofs.find())
    with pytest.raises(proofs.Failed, match="PartOne.easy.wish"):
        coq.coqchk_says(SUMMARY.format("\n    PartOne.easy.wish"), proofs.find())
    with pytest.raises(proofs.Failed, match="no summary"):
        coq.coqchk_says("", proofs.find())


def test_a_changed_source_is_not_current(folder):
    assert not proofs.is_current("part-one.easy")
    remember()
    assert proofs.is_current("part-one.easy")
    assert proofs.theorems("part-one.easy") == [{"name": "easy"}]
    folder.write_text(PROOF.replace("x + x", "x - x"))
    assert not proofs.is_current("part-one.easy")


def test_a_changed_dependency_is_not_current(folder):
    shared = proofs.PROOFS / "shared" / "tool.v"
    shared.parent.mkdir()
    shared.write_text("Definition tool := 0.")
    remember({"requires": ["shared.tool"]}, {"shared.tool": proofs.find()[0].sha256})
    assert proofs.is_current("part-one.easy")
    shared.write_text("Definition tool := 1.")
    assert not proofs.is_current("part-one.easy")


def test_without_coq_the_record_is_compared(folder, monkeypatch, capsys):
    without_coq(monkeypatch)
    remember()
    assert prove.main() == 0
    assert "apt-get install" in capsys.readouterr().out
    folder.write_text(PROOF + "\n")
    assert prove.main() == 1
    assert "NOT PROVED part-one.easy" in capsys.readouterr().out
    folder.unlink()
    assert prove.main() == 1
    assert "not there" in capsys.readouterr().out


def test_bridges_and_entries_must_match(folder):
    tie = conformance.Tie("part-one.easy", "twice", "twice {x}", "x + x", "done.", {})
    assert "says no BRIDGE" in next(conformance.unmatched(proofs.find(), [tie]))
    folder.write_text(
        PROOF + "(* BRIDGE twice | ledgerbook.project.storage.write_atomically | x *)"
    )
    assert list(conformance.unmatched(proofs.find(), [tie])) == []
    assert "no entry" in next(conformance.unmatched(proofs.find(), []))
    folder.write_text(PROOF + "(* BRIDGE twice | ledgerbook.project.storage.no_such | x *)")
    assert "there is no ledgerbook.project.storage.no_such" in next(
        conformance.unmatched(proofs.find(), [tie])
    )


def test_what_needs_a_failure_does_not_run():
    ran = []

    def work(tag):
        ran.append(tag)
        if tag == "b":
            raise proofs.Failed("b is wrong")

    with pytest.raises(proofs.Failed, match="b is wrong"):
        coq.in_order({"a": set(), "b": {"a"}, "c": {"b"}}, work)
    assert ran == ["a", "b"]


def test_every_proof_of_the_project_is_well_formed():
    sources = proofs.find()
    assert [line for source in sources for line in proofs.problems(source)] == []
    assert list(conformance.unmatched(sources, conformance.ties())) == []


def test_every_proof_of_the_project_is_the_recorded_one():
    tags = [source.tag for source in proofs.find() if source.folder != proofs.SHARED]
    assert [tag for tag in tags if not proofs.is_current(tag)] == []


@needs_coq
def test_a_proof_is_compiled_asked_and_kept(folder, monkeypatch, capsys):
    monkeypatch.setattr(prove, "recheck", lambda version, sources, current: 0)
    assert prove.main() == 0
    first = (proofs.PROOFS / "record.json").read_bytes()
    (found,) = proofs.theorems("part-one.easy")
    assert found["statement"] == "easy\n: forall x : R, twice x = 2 * x"
    assert found["verdict"] == "holds-as-corrected"
    assert set(found["axioms"]) <= coq.AXIOMS
    assert proofs.is_current("part-one.easy")
    assert prove.main() == 0
    assert "now 0 compiled" in capsys.readouterr().out.splitlines()[-1]
    assert (proofs.PROOFS / "record.json").read_bytes() == first
    folder.write_text(PROOF.replace("x + x", "x - x"))
    assert prove.main() == 1
    assert "NOT PROVED part-one/easy.v" in capsys.readouterr().out
    assert not proofs.is_current("part-one.easy")


@needs_coq
def test_an_axiom_by_another_name_is_found(folder, monkeypatch, capsys):
    monkeypatch.setattr(prove, "recheck", lambda version, sources, current: 0)
    folder.write_text(
        PROOF.replace("Theorem easy", "Variable wish : False.\nTheorem easy").replace(
            "lra", "case wish"
        )
    )
    assert prove.main() == 1
    assert "part-one/easy.v rests on easy.wish" in capsys.readouterr().out


def test_a_file_is_compiled_once_under_a_key_and_remembered_in_the_scratch_folder(
    folder, monkeypatch
):
    (source,) = (one for one in proofs.find() if one.tag == "part-one.easy")
    asked = []
    monkeypatch.setattr(prove, "compile_source", lambda one, options: asked.append(options) or {})
    found = [prove.check(source, key, ["-Q"])["compiled"] for key in ("a", "a", "b")]
    assert found == [True, False, True] and asked == [["-Q"]] * 2
    assert [file.suffix for file in (coq.SCRATCH / "part-one").iterdir()] == [".json"]
