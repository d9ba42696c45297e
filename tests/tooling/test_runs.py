"""Records of runs: whole, or taken as absent with a word."""

import pytest
from ledgerbook.statements import statement

from ledgerbook import runs

ROW = statement("scan-snap.lemma-05")


def test_what_is_saved_is_loaded(project):
    assert runs.load(ROW.tag) == {}
    runs.save(ROW.tag, {"error": None, "seconds": 1.5})
    assert runs.load(ROW.tag) == {"error": None, "seconds": 1.5}


def test_an_error_that_is_no_text_can_be_saved(project):
    runs.save(ROW.tag, {"error": "half a sign: \ud800"})
    assert runs.load(ROW.tag) == {"error": "half a sign: \ud800"}


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b'"x"', b"{}", b"\x80"])
def test_a_damaged_record_is_named_once(project, capsys, monkeypatch, data):
    monkeypatch.setattr(runs, "_told", set())
    runs.path(ROW.tag).parent.mkdir(parents=True)
    runs.path(ROW.tag).write_bytes(data)
    assert runs.load(ROW.tag) == runs.load(ROW.tag) == {}
    assert capsys.readouterr().err.count("scan-snap.lemma-05.json: damaged") == 1
    assert not runs.is_fresh(ROW)


def test_another_python_is_another_run(project, executed, monkeypatch):
    from ledgerbook import notebooks

    notebooks.store(executed, ROW.chapter)
    notebooks.store(executed, runs.executed(ROW))
    inputs = executed.metadata["book"]["inputs"]
    runs.save(ROW.tag, {"error": None, "inputs": inputs, "python": runs.python_version()})
    assert runs.is_fresh(ROW)
    monkeypatch.setattr(runs, "python_version", lambda: "3.99")
    assert not runs.is_fresh(ROW)
