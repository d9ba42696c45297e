"""A proof counts while its source is the one that was checked."""

import hashlib
import json

import pytest

from lib.kernel_record import checked


@pytest.fixture
def proofs(tmp_path):
    """A folder with one proof and the record of its check."""
    file = tmp_path / "scan-snap" / "lemma_05.v"
    file.parent.mkdir()
    file.write_text("Theorem lemma_5 : True.")
    entry = {
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "theorems": [{"name": "lemma_5"}],
    }
    (tmp_path / "record.json").write_text(json.dumps({"statements": {"scan-snap.lemma-05": entry}}))
    return tmp_path


def test_the_checked_source_counts(proofs):
    assert checked("scan-snap.lemma-05", "lemma_5", proofs) == "lemma_5 accepted"


def test_a_changed_source_does_not(proofs):
    (proofs / "scan-snap" / "lemma_05.v").write_text("Theorem lemma_5 : False.")
    assert "changed since" in checked("scan-snap.lemma-05", "lemma_5", proofs)


def test_a_theorem_that_is_not_there_does_not(proofs):
    assert "not among" in checked("scan-snap.lemma-05", "lemma_6", proofs)
    assert "no proof file" in checked("scan-snap.lemma-99", "lemma_99", proofs)
