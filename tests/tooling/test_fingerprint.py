"""What is an input of a chapter, and what is not."""

import nbformat
import pytest
from ledgerbook.chapters import fingerprint
from ledgerbook.project import paths


def chapter(code, prose="words"):
    """A notebook of one code cell."""
    cells = [nbformat.v4.new_markdown_cell(prose), nbformat.v4.new_code_cell(code)]
    return nbformat.v4.new_notebook(cells=cells)


def test_prose_is_no_input_and_code_is():
    one = fingerprint.fingerprint(chapter("from lib.scan_snap.decoder import h"))
    assert one == fingerprint.fingerprint(
        chapter("from lib.scan_snap.decoder import h", prose="other words")
    )
    assert one != fingerprint.fingerprint(chapter("from lib.scan_snap.decoder import h\nseed = 1"))


def test_only_reachable_lib_files_are_inputs():
    names = {file.name for file in fingerprint.closure("from lib.scan_snap.decoder import h_star")}
    assert names == {"__init__.py", "decoder.py", "validation.py"}
    assert "figures.py" in {
        file.name for file in fingerprint.closure("def f():\n    from checks import figures")
    }


def test_data_and_locks_are_inputs(tmp_path, monkeypatch):
    table, lock = tmp_path / "some_table.json", tmp_path / "requirements.lock"
    monkeypatch.setattr(paths, "DATA", tmp_path)
    monkeypatch.setattr(paths, "LOCKS", (lock,))
    seen = set()
    for text in ("1", "2"):
        for file in (table, lock):
            file.write_text(text, encoding="utf-8")
            seen.add(fingerprint.fingerprint(chapter('name = "some_table.json"')))
    assert len(seen) == 4


def test_a_package_of_the_project_that_is_not_listed_is_no_silent_input(monkeypatch):
    listed = {name: place for name, place in paths.IMPORTS.items() if name != "checks"}
    monkeypatch.setattr(paths, "IMPORTS", listed)
    code = "from checks.scan_snap.lemma_05 import Lemma05"
    with pytest.raises(ValueError, match="import = 'checks', allowed: a package listed"):
        fingerprint.fingerprint(chapter(code))


def test_a_chapter_s_proofs_are_found_by_the_classes_that_it_imports():
    code = "from checks.scan_snap.lemma_05 import Lemma05\nlemma = Lemma05()\nlemma.close()"
    assert fingerprint.judged(code) == ["scan-snap.lemma-05"]
    assert [file.name for file in fingerprint.proofs(code)] == ["lemma_05.v"]
    with pytest.raises(ValueError, match="those whose rows the chapter closes"):
        fingerprint.judged("lemma.close()")
