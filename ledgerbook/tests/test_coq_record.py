"""What Coq has checked: when the record counts, and how a page shows it."""

import hashlib
import json

import pytest
from ledgerbook.ledger import coq_record
from ledgerbook.ledger.coq_record import checked, theorems
from ledgerbook.pages import coq_page


def sha256(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


@pytest.fixture
def proofs(tmp_path, monkeypatch):
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
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path)
    return tmp_path


def test_the_checked_source_counts(proofs):
    assert checked("the-paper.lemma-05", "lemma_5") == "lemma_5 accepted"
    assert theorems("the-paper.lemma-05")[0]["words"] == "it is true"


@pytest.mark.parametrize("file", ["the-paper/lemma_05.v", "shared/softmax.v"])
def test_a_changed_source_does_not_nor_one_that_it_needs(proofs, file):
    (proofs / file).write_text("Theorem lemma_5 : False.")
    assert "changed since" in checked("the-paper.lemma-05", "lemma_5")


def test_a_theorem_that_is_not_there_does_not(proofs):
    assert "not among" in checked("the-paper.lemma-05", "lemma_6")
    assert "no proof on record" in checked("the-paper.lemma-99", "lemma_99")


def test_where_nothing_was_proved_nothing_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path)
    assert theorems("the-paper.lemma-05") == []
    assert "no proof on record" in checked("the-paper.lemma-05", "lemma_5")


def test_a_proof_that_is_gone_counts_as_changed(proofs):
    (proofs / "the-paper/lemma_05.v").unlink()
    assert "changed since" in checked("the-paper.lemma-05", "lemma_5")


ROW = {"name": "f", "verdict": "holds-as-printed", "words": "it is so", "statement": "1 = 1"}
TAG = "textbook.theorem-01"
PAGE = """Accepted by the kernel of Coq 8.16.1; `make prove` checks it again.

- **holds as printed** (`f`): it is so

  ```coq
  1 = 1
  ```

- **refuted as printed** (`g`): it is not so

  ```coq
  1
  = 2
  ```

Axioms: {axioms}.

::::{{dropdown}} The proof, `proofs/textbook/theorem_01.v`
```coq
Theorem f : 1 = 1.
  Qed.
```
::::"""


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("as established", "holds as established"),
        ("beyond the print", "holds beyond the print"),
        ("refuted as printed", "refuted as printed"),
        ("", "holds"),
        (None, "holds as printed"),
    ],
)
def test_a_theorem_says_whose_words_it_takes(label, said):
    assert f"**{said}** (`f`): it is so" in coq_page.theorem(ROW, label)


@pytest.mark.parametrize(
    ("axioms", "words"), [(((), ()), "none"), ((("c",), ("a", "c")), "`a`, `c`")]
)
def test_a_proof_is_shown_with_its_theorems_its_axioms_and_its_source(
    monkeypatch, tmp_path, axioms, words, varied
):
    false = {"name": "g", "verdict": "refuted-as-printed", "words": "it is not so"}
    false |= {"statement": "1\n= 2"}
    rows = [row | {"axioms": some} for row, some in zip((ROW, false), axioms)]
    stored = {"coq": "8.16.1", "statements": {TAG: {"theorems": rows}}}
    source = tmp_path / "proofs" / "textbook" / "theorem_01.v"
    source.parent.mkdir(parents=True)
    source.write_text("Theorem f : 1 = 1.\n  Qed.\n\n", encoding="utf-8")
    (tmp_path / "proofs" / "record.json").write_text(json.dumps(stored), encoding="utf-8")
    monkeypatch.setattr(coq_record, "folder", lambda: tmp_path / "proofs")
    varied(root=tmp_path)
    labels = {"kernel-f": "as printed", "kernel-g": "refuted as printed"}
    record = {"tag": TAG, "claims": [{"id": id, "label": label} for id, label in labels.items()]}
    assert coq_page.section(record) == PAGE.format(axioms=words)
    assert coq_page.section({"tag": "textbook.corollary-01", "claims": []}) == ""
