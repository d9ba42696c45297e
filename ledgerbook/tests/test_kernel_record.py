"""A proof counts while its source is the one that was checked."""

import hashlib
import json

import pytest
from ledgerbook.ledger.coq_record import checked, folder, record, source, theorems
from ledgerbook.project import paths


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def proofs(tmp_path):
    """A folder with one proof, a file that it needs, and the record of their check."""
    own, needed = tmp_path / "the-paper" / "lemma_05.v", tmp_path / "shared" / "softmax.v"
    for file in (own, needed):
        file.parent.mkdir()
        file.write_text("Theorem lemma_5 : True.")
    entry = {
        "sha256": sha256(own),
        "requires": ["shared.softmax"],
        "theorems": [{"name": "lemma_5", "words": "it is true"}],
    }
    record = {
        "coq": "8.16.1",
        "shared": {"shared.softmax": sha256(needed)},
        "statements": {"the-paper.lemma-05": entry},
    }
    (tmp_path / "record.json").write_text(json.dumps(record))
    return tmp_path


def test_the_checked_source_counts(proofs):
    assert checked("the-paper.lemma-05", "lemma_5", proofs) == "lemma_5 accepted"
    assert theorems("the-paper.lemma-05", proofs)[0]["words"] == "it is true"


@pytest.mark.parametrize("file", ["the-paper/lemma_05.v", "shared/softmax.v"])
def test_a_changed_source_does_not_nor_one_that_it_needs(proofs, file):
    (proofs / file).write_text("Theorem lemma_5 : False.")
    assert "changed since" in checked("the-paper.lemma-05", "lemma_5", proofs)


def test_a_theorem_that_is_not_there_does_not(proofs):
    assert "not among" in checked("the-paper.lemma-05", "lemma_6", proofs)
    assert "no proof on record" in checked("the-paper.lemma-99", "lemma_99", proofs)


def test_where_nothing_was_proved_nothing_counts(tmp_path):
    assert theorems("the-paper.lemma-05", tmp_path) == []
    assert "no proof on record" in checked("the-paper.lemma-05", "lemma_5", tmp_path)


def test_a_proof_that_is_gone_counts_as_changed(proofs):
    (proofs / "the-paper/lemma_05.v").unlink()
    assert "changed since" in checked("the-paper.lemma-05", "lemma_5", proofs)


def test_proofs_lie_where_the_companion_says():
    assert folder() == paths.PROOFS
    assert source("the-paper.lemma-05") == paths.PROOFS / "the-paper" / "lemma_05.v"
    assert record() == {} and theorems("the-paper.lemma-05") == []
