"""Records of runs: whole, or taken as absent with a word."""

import pytest
from ledgerbook.chapters.statements import statement
from ledgerbook.execution import run_records

ROW = statement("scan-snap.lemma-05")


def test_what_is_saved_is_loaded(project):
    assert run_records.load(ROW.tag) == {}
    run_records.save(ROW.tag, {"error": None, "seconds": 1.5})
    assert run_records.load(ROW.tag) == {"error": None, "seconds": 1.5}


def test_an_error_that_is_no_text_can_be_saved(project):
    run_records.save(ROW.tag, {"error": "half a sign: \ud800"})
    assert run_records.load(ROW.tag) == {"error": "half a sign: \ud800"}


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b'"x"', b"{}", b"\x80"])
def test_a_damaged_record_is_named_once(project, capsys, monkeypatch, data):
    monkeypatch.setattr(run_records, "_told", set())
    run_records.path(ROW.tag).parent.mkdir(parents=True)
    run_records.path(ROW.tag).write_bytes(data)
    assert run_records.load(ROW.tag) == run_records.load(ROW.tag) == {}
    assert capsys.readouterr().err.count("scan-snap.lemma-05.json: damaged") == 1
    assert not run_records.is_fresh(ROW)


def test_another_python_is_another_run(project, executed, monkeypatch):
    from ledgerbook.chapters import notebooks

    notebooks.store(executed, ROW.chapter)
    notebooks.store(executed, run_records.executed(ROW))
    inputs = executed.metadata["book"]["inputs"]
    run_records.save(
        ROW.tag, {"error": None, "inputs": inputs, "python": run_records.python_version()}
    )
    assert run_records.is_fresh(ROW)
    monkeypatch.setattr(run_records, "python_version", lambda: "3.99")
    assert not run_records.is_fresh(ROW)
