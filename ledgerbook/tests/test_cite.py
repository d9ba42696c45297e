"""How a statement is cited: its tag, the version, the commit that changed its chapter last."""

import subprocess

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.pages import cite
from ledgerbook.project.project import current

ROW = statement("textbook.theorem-01")
CITATION = """title: "A & B"
version: 1.2
authors:
  - name: The authors
  - {family-names: Doe, given-names: Jo}
"""


@pytest.fixture
def cited(tmp_path, monkeypatch, varied):
    """A companion that can be cited, with a history that git does not know."""
    (tmp_path / "CITATION.cff").write_text(CITATION, encoding="utf-8")
    varied(root=tmp_path, book=current().book)
    monkeypatch.setattr(cite, "commit", lambda file: cite.Commit("abc1234", "2026"))
    return tmp_path


def test_a_statement_is_cited_as_a_sentence_and_for_bibtex(cited):
    shown = cite.section(ROW)
    assert shown.startswith("::::{dropdown} Cite this statement\nThe authors; Doe, Jo (2026). “")
    assert f"{ROW.name}.” In *A & B*, statement `{ROW.tag}`, version 1.2, commit abc1234." in shown
    assert f"@incollection{{{ROW.tag},\n  author = {{{{The authors}} and {{Doe, Jo}}}}," in shown
    assert r"booktitle = {{A \& B}}," in shown and "  year = {2026}," in shown
    assert f"  note = {{statement {ROW.tag}, version 1.2, commit abc1234}},\n}}" in shown


def test_what_is_not_known_is_left_out(cited, monkeypatch):
    monkeypatch.setattr(cite, "commit", lambda file: None)
    shown = cite.section(ROW)
    assert "commit" not in shown and "year" not in shown and "version 1.2." in shown
    (cited / "CITATION.cff").unlink()
    assert cite.section(ROW) == ""


def test_the_commit_is_the_one_that_changed_the_file_last(tmp_path, monkeypatch, varied):
    varied(root=tmp_path, book=current().book)
    git = ("git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b")
    for name in ("one.txt", "two.txt"):
        (tmp_path / name).write_text(name)
        for words in (("init", "-q"), ("add", "."), ("commit", "-qm", name)):
            subprocess.run([*git, *words], check=True)
    hashes = [cite.git("log", "-1", "--format=%h", "--", f"{n}.txt") for n in ("one", "two")]
    assert [cite.commit(f"{n}.txt").hash for n in ("one", "two")] == hashes
    assert hashes[0] != hashes[1]
    varied()
    (tmp_path / "one.txt").write_text("changed")
    assert cite.commit("one.txt") is None  # what is cited is not what git has
    assert cite.commit("three.txt") is None
    monkeypatch.setenv("PATH", "/nowhere")
    varied()
    assert cite.commit("two.txt") is None
