"""Paths as people see them, and records that are written whole, or left alone."""

import json

import pytest
from ledgerbook.project import paths


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project, and beside it a folder."""
    (tmp_path / "project/book").mkdir(parents=True)
    (tmp_path / "beside").mkdir()
    monkeypatch.setattr(paths, "ROOT", tmp_path / "project")
    return tmp_path / "project"


def test_packages_are_imported_from_the_folders_that_hold_them(root, monkeypatch):
    monkeypatch.setattr(paths, "IMPORTS", {"one": root, "two": root / "src"})
    assert paths.packages() == [root / "one", root / "src/two"]
    assert paths.python_path(root) == str(root)  # this companion's one package lies at the top


def test_a_record_that_is_held_is_written_back_sorted_and_readable(root, monkeypatch):
    monkeypatch.setattr(paths, "BUILD", root / "deep/_build")
    file = root / "record.json"
    assert paths.read_record(file) == {}
    with paths.held_record(file) as record:
        record["η"] = 1
        record["a"] = [2]
    assert file.read_text(encoding="utf-8") == '{\n "a": [\n  2\n ],\n "η": 1\n}\n'
    with paths.held_record(file) as record:
        assert record == paths.read_record(file) == {"a": [2], "η": 1}
        record.clear()
    assert json.loads(file.read_text(encoding="utf-8")) == {}
