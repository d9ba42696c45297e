"""The state of a run on disk: begun at the first step without one, and never executed as code."""

import os
from dataclasses import replace

import pytest
import torch

from lib.real_text.train import fixed_windows, train
from tests.real_text.test_train import SMALL, TEXT, make

VALID = fixed_windows(TEXT, 5, 6)
ONE_STEP = replace(SMALL, iterations=1)


def test_a_run_without_a_state_begins_with_its_first_step():
    assert [record["iteration"] for record in train(make(), TEXT, ONE_STEP, VALID)] == [0, 1]


class Intruder:
    """What unpickles by making the folder ``intruded``."""

    def __reduce__(self):
        return os.mkdir, ("intruded",)


def test_a_state_that_would_execute_code_is_damaged_and_the_caller_is_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.save({"carry": Intruder()}, "state")
    with pytest.warns(UserWarning, match="state: damaged, the run starts anew") as told:
        train(make(), TEXT, ONE_STEP, VALID, resume="state")
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    assert [one.filename for one in told] == [__file__], "the line that asked for the run"
