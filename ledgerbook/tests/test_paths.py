"""Files of the project: where they lie, and that a write is whole or not at all."""

import pytest
from ledgerbook.project import paths, storage


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


def test_a_file_is_written_with_its_folders_and_nothing_stays_beside_it(tmp_path):
    file = tmp_path / "one" / "two" / "file"
    for data in (b"first", b"second"):
        storage.write_atomically(str(file), data)
        assert file.read_bytes() == data
        assert list(file.parent.iterdir()) == [file]


def test_where_a_write_breaks_off_the_file_is_as_it_was(tmp_path, monkeypatch):
    def broken(number):
        raise OSError("no space left")

    file = tmp_path / "file"
    file.write_bytes(b"whole")
    monkeypatch.setattr(storage.os, "fsync", broken)
    with pytest.raises(OSError, match="no space"):
        storage.write_atomically(file, b"other")
    assert file.read_bytes() == b"whole"
