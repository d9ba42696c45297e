"""What a page says of the kernel's verdicts: in the words of what was at hand."""

import json

import pytest
from ledgerbook.ledger import coq_record
from ledgerbook.pages import coq_page
from ledgerbook.project import paths

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


@pytest.mark.parametrize("standing, word", [("read", "printed"), ("reconstructed", "established")])
def test_a_statement_that_nobody_read_holds_as_established(standing, word):
    assert f"**holds as {word}** (`f`): it is so" in coq_page._theorem(ROW, standing)


@pytest.mark.parametrize(
    ("axioms", "words"), [(((), ()), "none"), ((("c",), ("a", "c")), "`a`, `c`")]
)
def test_a_proof_is_shown_with_its_theorems_its_axioms_and_its_source(
    monkeypatch, tmp_path, axioms, words
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
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    assert coq_page.section(TAG) == PAGE.format(axioms=words)
    assert coq_page.section("textbook.corollary-01") == ""
