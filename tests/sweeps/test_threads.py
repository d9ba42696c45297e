"""One thread while results are made, and the caller's number afterwards, whatever happens."""

import pytest
import torch

from lib.sweeps.threads import one_torch_thread


def test_threads_come_back_after_an_error_and_around_another_run():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        with pytest.raises(KeyError), one_torch_thread():
            with one_torch_thread():
                assert torch.get_num_threads() == 1
            assert torch.get_num_threads() == 1
            raise KeyError
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
