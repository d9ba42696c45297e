"""Paths as people see them, and records that are written whole, or left alone."""

import json
import os

import pytest
from ledgerbook.project import paths


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A project, and beside it a folder."""
    (tmp_path / "project/book").mkdir(parents=True)
    (tmp_path / "beside").mkdir()
    monkeypatch.setattr(paths, "ROOT", tmp_path / "project")
    return tmp_path / "project"


def test_a_path_is_shown_relative_to_the_project_its_own_links_unfollowed(root, monkeypatch):
    (root / "data").symlink_to(root.parent / "beside")
    (root.parent / "door").symlink_to(root)
    monkeypatch.chdir(root / "book")
    assert paths.relative(root / "book/one.ipynb") == "book/one.ipynb"
    assert paths.relative("one.ipynb") == "book/one.ipynb"
    assert paths.relative(root / "data/one") == "data/one"
    assert paths.relative(root.parent / "door/book") == "book"
    assert paths.relative(root.parent / "beside") == str(root.parent / "beside")
    assert paths.relative("../../beside") == "../../beside"


def test_a_generated_page_is_a_document_of_the_book():
    assert paths.document("errata") == "book/errata"


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


@pytest.mark.parametrize(
    ("before", "written"),
    [(b"text \xce\xb7", False), (b"another", True), (b"\xff", True), (None, True)],
)
def test_a_file_that_says_it_already_keeps_its_time(root, before, written):
    file = root / "page.md"
    if before is not None:
        file.write_bytes(before)
        os.utime(file, (1, 1))
    paths.write_if_changed(file, "text η")
    assert file.read_text(encoding="utf-8") == "text η"
    assert (file.stat().st_mtime != 1) is written


def test_what_a_link_points_to_is_written(root):
    target = root.parent / "beside/real.json"
    (root / "link.json").symlink_to(target)
    paths.write_atomically(root / "link.json", "words")
    assert target.read_text(encoding="utf-8") == "words" and (root / "link.json").is_symlink()
