"""What must be trusted: who stands on which definition, how it is tied, and what was compared."""

import json

import jsonschema
import pytest
from ledgerbook.chapters import collect
from ledgerbook.chapters.statements import statement
from ledgerbook.ledger import coq_record, coq_text, trusted
from ledgerbook.pages import trust_page
from ledgerbook.project import storage
from ledgerbook.project.project import current

TAG, OTHER = "textbook.theorem-01", "textbook.corollary-01"
SHARED = "Definition half (x : R) : R := x / 2.\nDefinition alone (x : R) : R := x.\n"
SOURCE = """From Shared Require Import tool.
(* twice the half *)
Definition whole (x : R) : R := half x + half x.
Theorem it : forall x : R, whole x = alone x.
Proof. Qed.
(* THEOREM it | holds-as-printed | halves make a whole *)
(* BRIDGE whole | power.iteration.rate | x *)
"""
TIES = f'[[tie]]\ntag = "{TAG}"\nname = "whole"\ngoals = 2\ntolerance = "1e-12"\n'
ROW = {
    "tag": TAG,
    "kind": "statement",
    "status": "holds",
    "strength": "kernel-checked",
    "standing": "read",
    "parts": [
        {"part": "the whole", "strength": "kernel-checked", "rows": ["kernel-it"]},
        {"part": "its rate", "strength": "measured", "rows": ["rate"]},
    ],
    "claims": [{"id": "kernel-it", "label": "as printed"}],
    "trusted": [{"kind": "textbook", "words": "Picard", "of": "", "parts": []}],
}
REST = ROW | {"tag": OTHER, "parts": [], "claims": [], "trusted": []}


@pytest.fixture
def folder(tmp_path, monkeypatch, varied):
    """The proof of one theorem, what it shares, its tie, and the record."""
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path)
    varied(root=tmp_path, book=current().book)
    for name, text in (("shared/tool", SHARED), ("textbook/theorem_01", SOURCE)):
        file = tmp_path / f"{name}.v"
        file.parent.mkdir()
        file.write_text(text, encoding="utf-8")
    theorem = {"name": "it", "verdict": "holds-as-printed", "words": "halves make a whole"}
    theorem |= {"statement": "it\n: forall x : R, whole x = alone x", "axioms": ["Mine.classic"]}
    record = {"coq": "8.16.1", "shared": {}, "statements": {TAG: {"theorems": [theorem]}}}
    (tmp_path / "record.json").write_text(json.dumps(record), encoding="utf-8")
    (tmp_path / "ties.toml").write_text(TIES, encoding="utf-8")
    compare(tmp_path)
    return tmp_path


def compare(folder):
    """Say how the form in Coq differs, of the texts as they are now."""
    theorems = coq_record.theorems(TAG)
    below = coq_text.proofs().basis(map(trusted.said, theorems), TAG)
    basis = trusted.fingerprint(theorems, below)
    text = (
        f'["{TAG}"]\nbasis = "{basis}"\nform = "As printed."\n[library]\nR = "the real numbers"\n'
    )
    (folder / trusted.COMPARED).write_text(text, encoding="utf-8")


def test_a_statement_stands_on_definitions_each_tied_in_its_own_way(folder):
    found = trusted.surface([ROW, REST])
    (one,) = found["statements"]
    assert one["definitions"] == [f"{TAG}#whole", "shared.tool#alone", "shared.tool#half"]
    assert one["theorems"] == [
        {"name": "it", "verdict": "holds-as-printed", "parts": ["the whole"]}
    ]
    assert (one["form"], one["lines"], one["axioms"]) == ("As printed.", 4, ["Mine.classic"])
    whole, alone, half = found["definitions"]
    assert whole["tie"] == "tested at points" and whole["function"] == "power.iteration.rate"
    assert (whole["goals"], whole["tolerance"], whole["line"]) == (2, "1e-12", 3)
    assert (half["tie"], half["inside"]) == ("tested inside another", f"{TAG}#whole")
    assert (alone["tie"], alone["inside"]) == ("by reading", None)
    assert found["library"] == [{"name": "R", "words": "the real numbers"}]
    schema = storage.table(collect.SCHEMA)
    jsonschema.validate(found, schema["$defs"]["trust"] | {"$defs": schema["$defs"]})


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("textbook/theorem_01.v", "half x + half x", "half x + x"),
        ("shared/tool.v", "x / 2", "x / 3"),
        ("record.json", "whole x = alone x", "whole x <= alone x"),
        ("record.json", "Mine.classic", "Mine.wish"),
    ],
)
def test_a_comparison_counts_while_theorem_and_definitions_are_those_that_were_read(
    folder, file, old, new
):
    assert list(trusted.outdated()) == []
    text = (folder / file).read_text(encoding="utf-8")
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    (line,) = trusted.outdated()
    assert line.startswith(f"compared.toml: {TAG}: its theorems, axioms or definitions are others")
    assert trusted.surface([ROW])["statements"][0]["form"] is None
    assert "*not compared*" in shown()


def test_a_comment_and_white_space_change_no_comparison(folder):
    file = folder / "textbook/theorem_01.v"
    text = SOURCE.replace("twice the half", "the half, twice").replace("half x +", "half x\n  +")
    file.write_text(text, encoding="utf-8")
    assert list(trusted.outdated()) == []


def test_an_entry_without_both_words_or_without_theorems_is_named(folder):
    (folder / trusted.COMPARED).write_text('["textbook.theorem-09"]\nform = "x"\n', "utf-8")
    assert list(trusted.outdated()) == [
        "compared.toml: textbook.theorem-09 has no theorem on record"
    ]
    with pytest.raises(ValueError, match=r"compared\.toml: textbook\.theorem-09 = "):
        trusted.require_forms()


def shown():
    """The page of the two statements."""
    return trust_page.page({"statements": [ROW, REST], "trust": trusted.surface([ROW, REST])})


def test_the_page_has_each_line_once_and_says_how_it_is_tied(folder):
    page = shown()
    assert "**1** theorems of 1 statements" in page and "**1** are tied to it by reading" in page
    assert page.count("forall x : R, whole x = alone x") == 1
    for text in ("Definition whole (x : R)", "Definition half (x : R)", "Definition alone (x : R)"):
        assert page.count(text) == 1
    assert "tested at 2 points, to 1e-12, against `power.iteration.rate`" in page
    assert "**How the form in Coq differs from the print.** As printed." in page
    assert "(`it`, for “the whole”): halves make a whole" in page
    assert "- Picard (from textbooks)" in page and "Measured and no more: “its rate”." in page
    assert f"{statement(OTHER).name}" in page.partition("## What no theorem in Coq speaks of")[2]


def test_what_nobody_compared_comes_first(folder):
    entries = [
        {"form": form, "definitions": names, "lines": lines}
        for form, names, lines in (("x", ["a"], 9), ("x", ["a", "b"], 1), (None, [], 1))
    ]
    ties = {"a": {"tie": "by reading"}, "b": {"tie": "by reading"}}
    from_ = trust_page.Surface({}, {}, ties, {})
    ordered = sorted(entries, key=lambda one: trust_page.doubt(one, from_))
    assert [one["lines"] for one in ordered] == [1, 1, 9] and ordered[0]["form"] is None


def test_a_companion_without_proofs_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path)
    assert shown() == "No theorem of this book was proved with a proof assistant so far."
