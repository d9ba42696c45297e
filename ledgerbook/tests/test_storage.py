"""A file is whole or not there."""

import pytest
from ledgerbook.project import storage


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
