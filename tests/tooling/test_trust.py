"""What must be trusted, in this book: compared as it stands, and noticed where it was weakened."""

import hashlib
import json
import re
import shutil

import pytest
from ledgerbook.chapters import collect
from ledgerbook.coq import proofs
from ledgerbook.ledger import coq_record, trusted
from ledgerbook.pages import trust_page
from ledgerbook.project import seals
from ledgerbook.project.project import current

LEMMA_5 = "scan-snap.lemma-05"
SAYS = r"""  (forall j, (j < M)%nat ->
     delta n j - alpha M n eta s j = (m - 1) / (m - 1 + g) * zeta M n j) /\
"""
ON_RECORD = r""" (forall j : nat,
   (j < M)%nat -> delta n j - alpha M n eta s j = (m - 1) / (m - 1 + g) * zeta M n j) /\
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the proofs, to be changed by a careful hand."""
    copy = tmp_path / "proofs"
    shutil.copytree(current().proofs, copy)
    monkeypatch.setattr(coq_record, "folder", lambda: copy)
    return copy


def weakened(folder, place, old, new):
    """Change a proof file, then renew its hash and the seal, as if it had been checked."""
    file = folder / place
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    tag = f"{file.parent.name}.{file.stem.replace('_', '-')}"
    new_hash = hashlib.sha256(file.read_bytes()).hexdigest()
    if tag in record["shared"]:
        record["shared"][tag] = new_hash
    else:
        record["statements"][tag]["sha256"] = new_hash
    store(folder, record)


def store(folder, record):
    text = json.dumps(record, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    (folder / "record.json").write_text(text, encoding="utf-8")
    seals.seal(folder / "record.json")


def said():
    """What is red without Coq: records of other sources, comparisons of other texts."""
    lines = [line for one in proofs.find() for line in proofs.contradictions(one)]
    outdated = [one.tag for one in proofs.find() if one.folder != proofs.SHARED]
    lines += [why for tag in outdated if (why := coq_record.outdated(tag))]
    return [*lines, *trusted.outdated()]


def test_every_comparison_is_of_the_theorems_and_definitions_that_there_are():
    trusted.require_forms()
    assert list(trusted.outdated()) == []


def test_nothing_of_coq_s_own_is_left_without_words():
    surface = trusted.surface(collect.collect()["statements"])
    assert [one for one in surface["library"] if not one["words"]] == []
    assert [one for one in surface["axioms"] if one not in trusted.table()["axioms"]] == []


ASKS = "(1 <= s)%nat ->\n  let m"


@pytest.mark.parametrize(("old", "new"), [(SAYS, ""), (ASKS, f"eta = 0 -> {ASKS}")])
def test_a_weakened_theorem_with_renewed_hash_and_seal_is_named(folder, old, new):
    assert said() == []
    weakened(folder, "scan-snap/lemma_05.v", old, new)
    assert said() == [
        f"{LEMMA_5}: lemma_5: its statement on record is another one than that of the source:"
        " run make prove"
    ]


def test_one_that_was_weakened_on_record_too_is_named(folder):
    weakened(folder, "scan-snap/lemma_05.v", SAYS, "")
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    (theorem,) = record["statements"][LEMMA_5]["theorems"]
    assert ON_RECORD in theorem["statement"]
    theorem["statement"] = theorem["statement"].replace(ON_RECORD, "")
    store(folder, record)
    (line,) = said()
    assert line.startswith(f"compared.toml: {LEMMA_5}: its theorems, axioms or definitions are")


def test_axioms_that_were_struck_from_the_record_are_missed(folder):
    record = json.loads((folder / "record.json").read_text(encoding="utf-8"))
    record["statements"][LEMMA_5]["theorems"][0]["axioms"] = []
    store(folder, record)
    (line,) = said()
    assert line.startswith(f"compared.toml: {LEMMA_5}: its theorems, axioms or definitions are")


def test_a_weakened_definition_names_whoever_stands_on_it(folder):
    slower = "Definition speed (M h : R) : R := / (M + exp (M * h))."
    weakened(folder, "shared/decoder.v", slower.replace("M + exp", "M - 1 + exp"), slower)
    named = {line.split(": ")[1] for line in said()}
    assert {LEMMA_5, "scan-snap.theorem-04", "scan-snap.insight-a"} <= named
    assert "scan-snap.lemma-13" not in named


@pytest.fixture(scope="module")
def ledger():
    return collect.collect()


def test_what_theorem_4_rests_on_is_on_the_page_once(ledger):
    page = trust_page.page(ledger)
    own = page.partition("### Theorem 4 —")[2].partition("\n### ")[0]
    (entry,) = (one for one in ledger["trust"]["statements"] if one["tag"].endswith("theorem-04"))
    for theorem in coq_record.theorems("scan-snap.theorem-04"):
        assert own.count(f"\n  {theorem['name']}\n") == 1
    for name in entry["definitions"]:
        assert f"#{trust_page._place(name)}" in own
        assert page.count(f"({trust_page._place(name)})=") == 1
    (row,) = (one for one in ledger["statements"] if one["tag"] == "scan-snap.theorem-04")
    assert all(trust["words"] in own for trust in row["trusted"]) and row["trusted"]
    blocks = re.findall(r"```coq\n(.*?)```", own, re.DOTALL)
    whole = [line.strip() for block in blocks for line in block.splitlines() if len(line) > 60]
    assert len(whole) - len({*whole}) <= 1  # a long line is hardly read twice


def test_the_ledger_says_the_same_to_machines(ledger):
    collect.validate(ledger)
    trust = ledger["trust"]
    names = {one["name"] for one in trust["definitions"]}
    assert {name for one in trust["statements"] for name in one["definitions"]} == names
    assert {one["tag"] for one in trust["statements"]} == {*coq_record.record()["statements"]}
