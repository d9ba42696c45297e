"""When a chapter counts as executed here: for its inputs, its Python, and without an error."""

from types import SimpleNamespace

import pytest
from ledgerbook.chapters import fingerprint, notebooks
from ledgerbook.execution import run_records
from ledgerbook.project import paths


@pytest.fixture
def row(project, monkeypatch):
    """A chapter that this machine has executed for its present inputs."""
    row = SimpleNamespace(tag="a.lemma-01", chapter=paths.BOOK / "a" / "lemma_01.ipynb")
    for file in (row.chapter, run_records.executed(row)):
        file.parent.mkdir(parents=True)
        file.touch()
    monkeypatch.setattr(notebooks, "read", lambda file: file)
    monkeypatch.setattr(fingerprint, "fingerprint", lambda notebook: "now")
    run_records.save(row.tag, record())
    return row


def record(**other):
    return {"error": None, "inputs": "now", "python": run_records.python_version()} | other


def test_a_chapter_is_fresh_after_its_run(row):
    assert run_records.is_fresh(row) is True


@pytest.mark.parametrize("other", [{"error": "x"}, {"inputs": "before"}, {"python": "3"}])
def test_a_failed_run_and_one_of_other_inputs_or_another_python_is_none(row, other):
    run_records.save(row.tag, record(**other))
    assert run_records.is_fresh(row) is False


def test_without_its_record_or_its_copy_a_chapter_was_not_executed(row):
    run_records.executed(row).unlink()
    assert run_records.is_fresh(row) is False
    run_records.path(row.tag).unlink()
    assert run_records.is_fresh(row) is False


def test_a_chapter_that_cannot_be_read_is_not_fresh(row, monkeypatch):
    def broken(file):
        raise ValueError("no notebook")

    monkeypatch.setattr(notebooks, "read", broken)
    assert run_records.is_fresh(row) is False


@pytest.mark.parametrize("data", [b'["error"]', b'{"time": 1}', b'{"error"', b"\xff"])
def test_what_is_no_record_of_a_run_is_taken_as_absent_and_said_once(
    row, capsys, monkeypatch, data
):
    monkeypatch.setattr(run_records, "_told", set())
    run_records.path(row.tag).write_bytes(data)
    assert run_records.load(row.tag) == run_records.load(row.tag) == {}
    assert capsys.readouterr().err.count("damaged, taken as absent") == 1
