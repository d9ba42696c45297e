"""The skeleton of a chapter: every section in order, and nothing replaced."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters import notebooks, registry, skeleton
from ledgerbook.chapters.statements import statement

TAG = "textbook.theorem-01"
SECTIONS = ["The idea", "Predict", "Statement", "What you may believe", "Walk", "Proof", "Check"]
SECTIONS += ["Control", "Exercises", "Where it sits", "Provenance"]


@pytest.fixture
def made(project, monkeypatch, varied):
    """The skeleton of a listed chapter, stored."""
    varied(toc=project / "_toc.yml")
    monkeypatch.setattr(registry, "folder", lambda: project / "checks")
    skeleton.main(TAG)
    return statement(TAG).chapter


def test_a_new_chapter_has_every_section_in_order_and_is_listed(made, project):
    notebook = notebooks.read(made)
    words = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    titles = [text.splitlines()[0] for text in words]
    assert titles == ["# Theorem 1 — The angle shrinks", *(f"## {name}" for name in SECTIONS)]
    assert ":::{prf:theorem} Theorem 1" in words[3]
    code = [cell.source for cell in notebooks.code_cells(notebook)]
    assert "from checks.textbook.theorem_01 import Theorem01" in code[1]
    assert code[1].endswith("theorem = Theorem01(seed)") and code[-1] == "theorem.close()"
    assert [text.partition("  # ")[0] for text in code[2:-1]] == [
        '# theorem.show("claim")',
        '# theorem.show("control")',
    ]
    rows = project / "checks/textbook/theorem_01.py"
    compile(rows.read_text(encoding="utf-8"), rows, "exec")
    assert registry.declared() == {TAG: rows} and (rows.parent / "__init__.py").exists()
    assert "textbook/theorem_01" in (project / "_toc.yml").read_text(encoding="utf-8")


def test_a_chapter_that_is_there_is_not_replaced(made):
    before = made.read_bytes()
    with pytest.raises(ValueError, match="theorem_01.ipynb exists"):
        skeleton.main(TAG)
    assert made.read_bytes() == before


def test_a_chapter_that_another_one_judges_is_not_begun(monkeypatch):
    row = SimpleNamespace(home="textbook.lemma-01", written=False)
    monkeypatch.setattr(skeleton, "statement", lambda tag: row)
    with pytest.raises(ValueError, match="a chapter of its own; see textbook.lemma-01"):
        skeleton.main(TAG)
