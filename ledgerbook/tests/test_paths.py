"""Files of the project: where they lie, and that a write is whole or not at all."""

import errno

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
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "file"
    file.write_bytes(b"whole")
    monkeypatch.setattr(storage.os, "fsync", broken)
    with pytest.raises(OSError, match=f"No space left on device: '{file}'"):
        storage.write_atomically(file, b"other")
    assert file.read_bytes() == b"whole" and [*tmp_path.iterdir()] == [file]


BROKEN = {
    "a.json": (b'{"a": 1,\n "b" 2}', "line 2"), "a.toml": (b"a = 1\nb == 2\n", "line 2"),
    "b.yml": (b"a", "it holds str"), "d.toml": (None, "Is a directory"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "data", "why"), [(k, *v) for k, v in BROKEN.items()])
def test_a_table_that_cannot_be_read_is_one_line_with_the_file_s_name(tmp_path, name, data, why):
    file = tmp_path / name
    file.mkdir() if data is None else file.write_bytes(data)
    with pytest.raises(ValueError, match=why) as found:
        storage.table(file)
    assert str(found.value).startswith(f"{file}: ") and "\n" not in str(found.value)


def test_a_table_may_be_missing_and_may_begin_with_a_byte_order_mark(tmp_path):
    assert storage.table(tmp_path / "none.json") == {}
    for name, data in (("a.json", b'{"a": 1}'), ("a.toml", b"a = 1"), ("a.cff", b"a: 1")):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + data)
        assert storage.table(tmp_path / name) == {"a": 1}
