"""The skeleton of a chapter: every section in order, and nothing replaced."""

import pytest

from ledgerbook import notebooks, paths, skeleton

TAG = "textbook.theorem-01"
SECTIONS = ["The idea", "Predict", "Statement", "What became of it", "Walk", "Proof", "Check"]
SECTIONS += ["Control", "Exercises", "Where it sits", "Provenance"]


@pytest.fixture
def made(project, monkeypatch):
    """The skeleton of a listed chapter, stored."""
    monkeypatch.setattr(paths, "TOC", project / "_toc.yml")
    return skeleton.new(TAG)


def test_a_new_chapter_has_every_section_in_order_and_is_listed(made, project):
    notebook = notebooks.read(made)
    words = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    titles = [text.splitlines()[0] for text in words]
    assert titles == ["# Theorem 1 — The angle shrinks", *(f"## {name}" for name in SECTIONS)]
    assert ":::{prf:theorem} Theorem 1" in words[3]
    code = [cell.source for cell in notebooks.code_cells(notebook)]
    assert f'ledger = Ledger("{TAG}"' in code[1] and code[-1] == "ledger.close()"
    assert "textbook/theorem_01" in (project / "_toc.yml").read_text(encoding="utf-8")


def test_a_chapter_that_is_there_is_not_replaced(made):
    before = made.read_bytes()
    with pytest.raises(ValueError, match="theorem_01.ipynb exists"):
        skeleton.new(TAG)
    assert made.read_bytes() == before
