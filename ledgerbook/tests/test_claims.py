"""A chapter's claims asked alone: red is status 1, and so is a chapter that closes no ledger."""

import os
import runpy
import sys
from types import SimpleNamespace

import pytest

from ledgerbook import claims, notebooks, paths, verdicts

TAG = "textbook.theorem-01"


@pytest.fixture
def chapter(tmp_path, monkeypatch):
    """The function that sets which records a chapter closes, each a list of surprises."""
    monkeypatch.chdir(tmp_path)  # and back, behind the chapter's own folder
    folder = tmp_path / "book"
    folder.mkdir()
    row = SimpleNamespace(chapter=folder / "chapter.ipynb")
    monkeypatch.setattr(claims, "statement", {TAG: row}.__getitem__)
    monkeypatch.setattr(notebooks, "read", lambda file: f"notebook {file.name}")
    monkeypatch.setattr(notebooks, "code", lambda notebook: f"code of {notebook}")
    monkeypatch.setattr(claims, "surprises", list)

    def closing(*records):
        def closed(code, tag):
            assert (code, tag, os.getcwd()) == ("code of notebook chapter.ipynb", TAG, str(folder))
            return records

        monkeypatch.setattr(claims, "closed_records", closed)

    return closing


@pytest.mark.parametrize(
    ("records", "status", "said"),
    [
        ([[]], 0, ""),
        ([[], []], 0, ""),
        ([[], ["a fails", "b fails"], ["c fails"]], 1, "a fails\nb fails\nc fails"),
        ([], 1, ""),  # it closed no ledger: nothing was asked
    ],
)
def test_the_status_is_one_unless_all_is_as_announced(chapter, capsys, records, status, said):
    chapter(*records)
    assert claims.main(TAG) == status
    assert capsys.readouterr().out.strip() == said


def test_the_command_takes_the_tag_and_ends_with_the_status(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["claims", TAG])
    monkeypatch.setattr(notebooks, "read", lambda file: file)
    monkeypatch.setattr(notebooks, "code", str)
    monkeypatch.setattr(verdicts, "closed_records", lambda code, tag: [])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(claims.__file__, run_name="__main__")
    assert ended.value.code == 1
    assert os.getcwd() == str(paths.BOOK / "textbook")
