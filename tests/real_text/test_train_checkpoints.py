"""Where windows lie, how far a step goes, and what a checkpoint says of a run."""

import io
import sys
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

from lib.real_text.train import fixed_windows, sgd_step, train, windows
from tests.real_text.test_train import SMALL, TEXT, make

VALID = fixed_windows(TEXT, 5, 6)


def test_fixed_windows_reach_from_the_first_token_to_the_last():
    tokens, targets = fixed_windows(np.arange(20), 3, 4)
    assert tokens[:, 0].tolist() == [0, 7, 15] and targets[-1].tolist() == [16, 17, 18, 19]
    assert (targets == tokens + 1).all()


def test_windows_begin_again_where_no_other_fits():
    starts = [tokens[0, 0].item() for tokens, _ in islice(windows(np.arange(40), 2, 5), 4)]
    assert starts == [0, 5, 10, 0]
    _, targets = next(windows(np.arange(40), 2, 5, shift=14))  # the last one of a stream
    assert targets[:, -1].tolist() == [19, 39]


def test_a_stream_of_one_window_is_enough_and_a_token_less_is_not():
    tokens, targets = next(windows(np.arange(14), 2, 6))
    assert tokens[:, 0].tolist() == [0, 7] and targets[:, -1].tolist() == [6, 13]
    with pytest.raises(ValueError, match="length = 7, allowed: at most 6 for this text"):
        next(windows(np.arange(14), 2, 7))


@pytest.mark.parametrize(
    ("gradient", "clip", "moved"), [(0.0, 1.0, 0.0), (0.5, 1.0, 1.0), (0.5, 0.6, 1.0), (4.0, 1, 2)]
)
def test_a_step_is_the_gradient_or_the_clip_times_the_rate(gradient, clip, moved):
    point = torch.zeros(2, requires_grad=True)
    point.grad = torch.tensor([0.0, gradient])
    assert sgd_step({"x": point}, 2.0, {}, clip) == gradient
    assert point.tolist() == [0, -moved] and point.grad is None


@pytest.mark.parametrize(("clip", "share"), [(1e-3, 1.0), (1e3, 0.0), (0.0, 0.0)])
def test_a_checkpoint_says_which_share_of_its_steps_was_clipped(clip, share):
    first, *others = train(make(), TEXT, replace(SMALL, clip=clip), VALID)
    assert "clipped" not in first and [one["clipped"] for one in others] == [share] * 3


class Terminal(io.StringIO):
    """A screen that keeps what is written on it."""

    def isatty(self):
        return True


def test_a_run_s_bar_is_gone_from_the_screen_at_its_end(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    train(make(), TEXT, SMALL, VALID)
    *_, last, end = sys.stderr.getvalue().split("\r")
    assert not last.strip() and not end


def test_a_checkpoint_s_maps_are_of_the_fixed_windows_tokens_and_the_last_is_the_end():
    seen, ended = [], make()

    def look(iteration, model, maps):
        assert torch.equal(maps, model.attention(VALID[0]))
        seen.append(model.parameters["decoder"].detach().clone())

    train(ended, TEXT, SMALL, VALID, observe=look)
    assert len(seen) == 4 and torch.equal(seen[-1], ended.parameters["decoder"])
