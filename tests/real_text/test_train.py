"""Facts about training on text: windows, the clip, determinism, resuming, and the statistics of
maps.
"""

import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

from lib.real_text.models import OUTPUTS, Architecture, EmbeddingTransformer
from lib.real_text.token_layer import TokenTransformer
from lib.real_text.train import (
    Training,
    attention_statistics,
    fixed_windows,
    published_entropy,
    sgd_step,
    streams,
    train,
    uniform_entropy,
    windows,
)

V = 12
TEXT = np.random.default_rng(0).integers(V, size=3000)
SMALL = Training(iterations=12, batch_size=4, length=6, rate=0.5, every=4)


def make(seed=0):
    return EmbeddingTransformer(Architecture(V, 8, 8), seed=seed)


def final(records):
    return records[-1]["loss"]


def test_windows_walk_through_the_text():
    first, second = islice(windows(np.arange(40), 2, 5), 2)
    assert first[0][0].tolist() == [0, 1, 2, 3, 4] and first[1][0].tolist() == [1, 2, 3, 4, 5]
    assert second[0].tolist() == [[5, 6, 7, 8, 9], [25, 26, 27, 28, 29]]


def test_uniform_attention_has_the_uniform_entropy():
    for attend_self in (True, False):
        mask = torch.ones(9, 9, dtype=torch.float64).tril(0 if attend_self else -1)
        maps = (mask / mask.sum(-1, keepdim=True).clamp(min=1))[None]
        assert published_entropy(maps) == pytest.approx(uniform_entropy(9, attend_self), abs=1e-6)


def test_statistics_of_equal_and_of_opposite_maps():
    one = torch.zeros(1, 4, 4, dtype=torch.float64)
    one[:, :, 0] = 1
    other = torch.diag_embed(torch.ones(1, 4, dtype=torch.float64))
    same = attention_statistics(one, one)
    assert same["change"] == 0 and same["same_argmax"] == 1 and same["max_share"] == 1
    assert same["entropy"] == pytest.approx(0, abs=1e-6)
    assert (
        attention_statistics(one, other)["change"] == 2
        and attention_statistics(one, other)["same_argmax"] == 0
    )


def test_an_active_clip_makes_the_rate_a_step_length():
    model = make()
    before = {name: p.detach().clone() for name, p in model.parameters.items()}
    tokens, targets = next(windows(TEXT, 4, 6))
    model.loss(tokens, targets).backward()
    norm = sgd_step(model.parameters, 3.0, {}, 1e-3)
    moved = math.sqrt(
        sum(float((p.detach() - before[name]).norm()) ** 2 for name, p in model.parameters.items())
    )
    assert norm > 1e-3 and moved == pytest.approx(3e-3, rel=1e-3)


@pytest.mark.parametrize(
    "made",
    [
        lambda: TokenTransformer(V, torch.float64),
        lambda: EmbeddingTransformer(Architecture(V, 8, 8), dtype=torch.float64),
    ],
)
def test_sparse_and_dense_steps_agree(made):
    """Rows that come once and in order, as those of (Y, Z), and rows that come as in the text."""
    sparse, dense = made(), made()
    batch = next(windows(TEXT, 4, 6))
    for model in (sparse, dense):
        model.loss(*batch).backward()
    assert any(p.grad.is_sparse for p in sparse.parameters.values())
    for p in dense.parameters.values():
        p.grad = p.grad.to_dense()
    norms = [sgd_step(model.parameters, 2.0, {}, 0.01) for model in (sparse, dense)]
    assert norms[0] == pytest.approx(norms[1])
    for name, p in sparse.parameters.items():
        assert torch.allclose(p, dense.parameters[name], atol=1e-15)


def test_a_run_is_a_function_of_its_seed():
    valid = fixed_windows(TEXT, 5, 6)
    settings = SMALL, replace(SMALL, seed=0), replace(SMALL, seed=1)  # 0 unless told
    runs = [train(make(one.seed), TEXT, one, valid) for one in settings]
    assert runs[0] == runs[1] and final(runs[0]) != final(runs[2])


@pytest.mark.parametrize("stop", [4, 8])
def test_a_killed_run_goes_on_as_if_nothing_had_happened(stop, tmp_path):
    valid, path = fixed_windows(TEXT, 5, 6), tmp_path / "state"
    whole = train(make(), TEXT, SMALL, valid)

    class Killed(Exception):
        pass

    def kill(iteration, model, maps):
        if iteration == stop + SMALL.every:
            raise Killed

    with pytest.raises(Killed):
        train(make(), TEXT, SMALL, valid, resume=path, observe=kill)
    assert train(make(), TEXT, SMALL, valid, resume=path) == whole
    assert [p.name for p in tmp_path.iterdir()] == ["state"]


def test_a_state_of_other_settings_is_refused(tmp_path):
    valid, path = fixed_windows(TEXT, 5, 6), tmp_path / "state"
    train(make(), TEXT, SMALL, valid, resume=path)
    with pytest.raises(ValueError, match="resume"):
        train(make(), TEXT, replace(SMALL, rate=0.1), valid, resume=path)


def test_training_learns_a_text_that_repeats():
    text = np.tile(np.arange(V), 300)
    records = train(
        make(),
        text,
        Training(iterations=150, batch_size=4, length=6, rate=1.0, every=150),
        fixed_windows(text, 5, 6),
    )
    assert final(records) < 0.5 * records[0]["loss"]


@pytest.mark.parametrize("output", OUTPUTS)
def test_divergence_is_recorded(output):
    """Logits that are no numbers end the run with a record, not with an error, whatever makes the
    output layer.
    """
    model = EmbeddingTransformer(Architecture(V, width=8, feed_forward_width=6), output=output)
    records = train(model, TEXT, replace(SMALL, rate=1e30, clip=0.0), fixed_windows(TEXT, 5, 6))
    assert records[-1].get("diverged")
    with torch.no_grad():
        model.parameters["decoder"].fill_(math.nan)
    model.loss(*next(windows(TEXT, 4, 6))).backward()
    assert not torch.isfinite(model.parameters["embedding"].grad.coalesce().values()).all()


@pytest.mark.parametrize(
    "wrong", [{"rate": -1.0}, {"rate": math.inf}, {"length": 1}, {"clip": -0.5}, {"iterations": 0}]
)
def test_impossible_settings(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Training(**wrong)


def test_the_caller_s_number_of_threads_comes_back():
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        seen = []
        train(
            make(),
            TEXT,
            SMALL,
            fixed_windows(TEXT, 5, 6),
            observe=lambda *_: seen.append(torch.get_num_threads()),
        )
        assert set(seen) == {1} and torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def test_a_state_of_another_model_is_refused(tmp_path):
    valid, path = fixed_windows(TEXT, 5, 6), tmp_path / "state"
    train(make(), TEXT, SMALL, valid, resume=path)
    with pytest.raises(ValueError, match="the same model"):
        train(TokenTransformer(V), TEXT, SMALL, valid, resume=path)


@pytest.mark.parametrize("seed", [-1, 1.5, 2**70])
def test_seeds_that_are_no_seeds_are_refused(seed):
    with pytest.raises(ValueError, match="seed = "):
        Training(seed=seed)


def test_a_text_is_cut_into_at_least_two_tokens_a_stream():
    assert streams(np.arange(7), 3).tolist() == [[0, 1], [2, 3], [4, 5]]
    with pytest.raises(ValueError, match="batch_size"):
        streams(np.arange(7), 4)


def test_a_state_is_kept_at_every_checkpoint(tmp_path):
    path, times = tmp_path / "state", []

    def look(iteration, model, maps):  # before the state of this checkpoint is written
        times.append(path.stat().st_mtime_ns if path.exists() else None)

    train(make(), TEXT, SMALL, fixed_windows(TEXT, 5, 6), resume=path, observe=look)
    assert len(times) > 3 and len(set(times)) == len(times)


def test_factors_multiply_the_rate_of_the_named_matrices():
    batch = next(windows(TEXT, 4, 6))
    moves = []
    for factors in ({}, {"up": 2.0}):
        model = make()
        before = {name: p.detach().clone() for name, p in model.parameters.items()}
        model.loss(*batch).backward()
        sgd_step(model.parameters, 0.1, factors, 0.0)
        moves.append({name: p.detach() - before[name] for name, p in model.parameters.items()})
    for name in moves[0]:
        factor = 2.0 if name in ("0.up", "0.up_bias") else 1.0
        assert torch.allclose(moves[1][name], factor * moves[0][name], atol=1e-6)
