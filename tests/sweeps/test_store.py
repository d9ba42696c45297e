"""What names a run's file, and that its bytes hold no time."""

import io
import os
import re
import zipfile

import numpy as np
import pytest

from lib.sweeps.store import Result, Run, Unusable, key, load, npz_bytes, path_of, save

SETTINGS = {"a": 1, "rates": [0.5, 2.0], "run": {"steps": 3, "batch_size": float("inf")}}


@pytest.mark.parametrize(
    "other",
    [{"a": 2}, {"rates": [0.5, 2.5]}, {"run": {"steps": 4}}, {"more": None}, {"rates": [2.0, 0.5]}],
)
def test_every_setting_is_in_the_name(other, tmp_path):
    one, two = Run("same", SETTINGS), Run("same", SETTINGS | other)
    assert key(one) != key(two) and path_of(tmp_path, one) != path_of(tmp_path, two)


def test_the_order_of_settings_is_not(tmp_path):
    assert key(Run("x", SETTINGS)) == key(Run("y", dict(reversed(SETTINGS.items()))))


def test_a_name_with_signs_is_a_file_name(tmp_path):
    path = path_of(tmp_path, Run("token (Y, Z), eta 50/../x", {}))
    assert path.parent == tmp_path
    assert re.fullmatch(r"token_Y_Z_eta_50_x-[0-9a-f]{16}\.npz", path.name)


def test_what_is_saved_is_loaded(tmp_path):
    run, arrays = Run("x", SETTINGS), {"0": np.eye(2, dtype=np.float32), "100": np.arange(3)}
    save(tmp_path, run, "code", Result({"loss": [0.1 + 0.2]}, arrays))
    found = load(tmp_path, run, "code")
    assert found.record == {"loss": [0.1 + 0.2]} and list(found.arrays) == ["0", "100"]
    assert all((found.arrays[name] == arrays[name]).all() for name in arrays)
    assert found.arrays["0"].dtype == np.float32
    with pytest.raises(FileNotFoundError):
        load(tmp_path, Run("x", {}), "code")


def test_archives_have_no_time_in_them():
    members = zipfile.ZipFile(
        io.BytesIO(npz_bytes({"a": np.arange(3.0), "b": np.eye(2)}))
    ).infolist()
    assert [member.date_time for member in members] == [(1980, 1, 1, 0, 0, 0)] * 2  # zip's zero


class Intruder:
    """What unpickles by making the folder ``intruded``."""

    def __reduce__(self):
        return os.mkdir, ("intruded",)


def test_no_archive_holds_objects_that_execute_code_when_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run, objects = Run("x", SETTINGS), np.array([Intruder()], dtype=object)
    with pytest.raises(ValueError, match="allow_pickle"):
        save(tmp_path, run, "code", Result({}, {"a": objects}))
    save(tmp_path, run, "code", Result({}, {"a": np.zeros(1)}))
    np.savez(path_of(tmp_path, run), **dict(np.load(path_of(tmp_path, run))) | {"a": objects})
    with pytest.raises(Unusable, match="damaged"):
        load(tmp_path, run, "code")
    assert [path.suffix for path in tmp_path.iterdir()] == [".npz"]
