"""What names a run's file, and that its bytes hold no time."""

import time

import numpy as np
import pytest

from lib.sweeps.store import Result, Run, key, load, npz_bytes, path_of, save

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
    assert path.parent == tmp_path and path.name.startswith("token_Y_Z_eta_50_x-")


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
    first = npz_bytes({"a": np.arange(3.0)})
    time.sleep(2.1)  # zip stamps have a resolution of two seconds
    assert first == npz_bytes({"a": np.arange(3.0)})
