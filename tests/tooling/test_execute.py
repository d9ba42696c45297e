"""``python -m tooling book`` for real, on a book of one chapter: run again, edited, broken."""

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.execution import snapshot

from tests.tooling.test_execute_saved import WAITING

pytestmark = pytest.mark.long


def test_run_again_alter_edit_and_break(small_book):
    code, output = small_book.run()
    assert code == 0 and "executed 1 of 1 chapters: 1 stored anew" in output
    assert "FAILED" not in output
    whole = small_book.chapter.read_bytes()
    assert snapshot.execution_problem(small_book.read()) is None
    code, output = small_book.run("--force")
    assert code == 0 and "executed 1 of 1 chapters: 1 reproduced here" in output
    unused = small_book.root / "lib/unused.py"
    unused.write_text("# not imported by this chapter\n", encoding="utf-8")
    code, output = small_book.run()
    assert code == 0 and "executed 0 of 1 chapters: 1 reproduced here" in output
    assert "STORED" not in output and small_book.chapter.read_bytes() == whole
    assert small_book.leftovers() == []

    notebook = small_book.read()
    for row in (notebooks.ledger_outputs(notebook)[0]["rows"][0],):
        row["observed"] *= 1.5
    small_book.write(notebook)
    altered = small_book.chapter.read_bytes()
    code, output = small_book.run()
    assert code == 1 and "ALTERED BY HAND scan-snap.lemma-05: row first: observed" in output
    assert small_book.chapter.read_bytes() == altered
    notebook.metadata["book"]["outputs"] = notebooks.outputs_digest(notebook)
    small_book.write(notebook)
    code, output = small_book.run()
    assert code == 1 and "row first: observed: stored 0.375, computed 0.25" in output
    small_book.chapter.write_bytes(whole)

    formulas = small_book.root / "lib/log_sums.py"
    source = formulas.read_text(encoding="utf-8")
    formulas.write_text(source.replace("return mass /", "return -mass /"), encoding="utf-8")
    code, output = small_book.run()
    assert code == 1 and "claim first" in output and "observed -0.25" in output
    assert "STORED ANEW scan-snap.lemma-05: row first: observed: 0.25 -> -0.25" in output
    edited = small_book.chapter.read_bytes()
    formulas.write_text(source.replace("def softmax", "def softmin"), encoding="utf-8")
    code, output = small_book.run()
    assert code == 1 and "ImportError: cannot import name" in output
    assert small_book.chapter.read_bytes() == edited != whole


def test_something_on_stderr_is_refused(small_book, new_chapter):
    before = new_chapter(
        WAITING.replace("import time", "import time, sys\nsys.stderr.write('x y')")
    )
    (small_book.chapter.parent / "go").touch()
    small_book.write(before)
    stored_bytes = small_book.chapter.read_bytes()
    code, output = small_book.run()
    assert code == 1 and "code cell 2: something on stderr: x y" in output
    assert small_book.chapter.read_bytes() == stored_bytes


def test_one_damaged_notebook_is_one_line_and_stops_no_other(small_book, executed):
    small_book.write(executed)
    contents = (b"", b"[]", b"{}", b"\x80\x81", b'"x"', b"null")
    others = [small_book.chapter.with_name(f"lemma_{6 + n:02}.ipynb") for n in range(len(contents))]
    for other, content in zip(others, contents):
        other.write_bytes(content)
    code, output = small_book.run()
    assert code == 1 and "Traceback" not in output
    assert "chapters: 1 stored" in output
    for other, content in zip(others, contents):
        assert output.count(f"FAILED book/scan-snap/{other.name}:") == 1
        assert other.read_bytes() == content
