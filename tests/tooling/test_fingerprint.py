"""What is an input of a chapter, and what is not."""

import nbformat
import pytest
from ledgerbook.chapters import fingerprint, notebooks, registry
from ledgerbook.chapters.statements import statement
from ledgerbook.project.project import current


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
    assert names == {"__init__.py", "arrays.py", "decoder.py", "validation.py"}
    assert "figures.py" in {
        file.name for file in fingerprint.closure("def f():\n    from checks import figures")
    }


def test_data_and_locks_are_inputs(tmp_path, varied):
    table, lock = tmp_path / "some_table.json", tmp_path / "requirements.lock"
    varied(data=tmp_path)
    varied(locks=(lock,))
    seen = set()
    for text in ("1", "2"):
        for file in (table, lock):
            file.write_text(text, encoding="utf-8")
            seen.add(fingerprint.fingerprint(chapter('name = "some_table.json"')))
    assert len(seen) == 4


def test_a_package_of_the_project_that_is_not_listed_is_no_silent_input(varied):
    listed = {name: place for name, place in current().imports.items() if name != "checks"}
    varied(imports=listed)
    code = "from checks.scan_snap.lemma_05 import Lemma05"
    with pytest.raises(ValueError, match="import = 'checks', allowed: a package listed"):
        fingerprint.fingerprint(chapter(code))


def test_a_chapter_s_proofs_are_found_by_the_classes_that_it_imports():
    code = "from checks.scan_snap.lemma_05 import Lemma05\nlemma = Lemma05()\nlemma.close()"
    assert fingerprint.judged(code) == ["scan-snap.lemma-05"]
    assert [file.name for file in fingerprint.proofs(code)] == ["lemma_05.v"]
    with pytest.raises(ValueError, match="those whose rows the chapter closes"):
        fingerprint.judged("lemma.close()")


@pytest.mark.parametrize(
    ("folder", "old", "new", "counts"),
    [
        ("lib", '"""Words."""', '"""Other words."""', False),
        ("lib", "return x", "return (\n        x\n    )  # why", False),
        ("lib", "return x", "return x + 1", True),
        ("lib", "def f(x):", "def f(x: list[int]) -> list[int]:", False),
        ("lib", "def f(x):", "def f(x: name):", False),  # nor does what an annotation names
        ("lib", "def f(x):", "def f(x=1):", True),
        ("lib", 'name = "a"', 'name = "b"', False),  # f does not use it
        ("checks", '"""Words."""', '"""Other words."""', True),
        ("checks", "return x", "return x  # why", False),
    ],
)
def test_what_runs_counts_and_words_where_they_are_those_of_rows(
    tmp_path, monkeypatch, folder, old, new, counts, varied
):
    monkeypatch.setattr(registry, "folder", lambda: tmp_path / "checks")
    varied(imports=dict.fromkeys(("lib", "checks"), tmp_path))
    text = 'def f(x):\n    """Words."""\n    return x\n\n\nname = "a"\n'
    file = tmp_path / folder / "one.py"
    file.parent.mkdir()
    (file.parent / "__init__.py").touch()
    seen = set()
    for now in (text, text.replace(old, new)):
        file.write_text(now, encoding="utf-8")
        seen.add(fingerprint.fingerprint(chapter(f"from {folder}.one import f")))
    assert (len(seen) == 2) == counts


def test_a_stale_chapter_is_listed(monkeypatch, capsys):
    stored = lambda notebook: notebook.metadata.get("book", {}).get("inputs")
    monkeypatch.setattr(fingerprint, "fingerprint", stored)
    assert fingerprint.main() == 0 and capsys.readouterr().out.startswith("0 of ")
    right = notebooks.read(statement("scan-snap.lemma-05").chapter)
    wrong = lambda note: "" if note.cells[0] == right.cells[0] else stored(note)
    monkeypatch.setattr(fingerprint, "fingerprint", wrong)
    assert fingerprint.main() == 1
    assert capsys.readouterr().out.startswith("scan-snap.lemma-05\n1 of ")
