"""The compiled engine is the reference: same data, same start, same path up to float32."""

import numpy as np
import pytest

from lib.kernels import normalized_attention
from lib.scan_snap.engine.batches import INFINITE, Layout
from lib.scan_snap.engine.compiled import PIECE
from lib.scan_snap.engine.train import train
from lib.scan_snap.sequence_classes import SequenceClasses, random_classes, syn_medium, syn_small


def test_attention_of_a_sample_without_any_favored_token():
    """Weights that underflow: the sample's own maximum takes over."""
    f, counts = np.empty(3, np.float32), np.array([0, 3, 2], np.float32)
    z = np.array([300.0, 1.0, 0.5], np.float32)
    normalized_attention(f, counts, z, np.exp(z - z.max()))
    wanted = np.array([0, 3, 2 * np.exp(-0.5)])
    np.testing.assert_allclose(f, wanted / np.linalg.norm(wanted), rtol=1e-6)


@pytest.mark.parametrize("init", ["zero", "uniform"])
@pytest.mark.parametrize("data", [(128, 128), (16, 12), (32, INFINITE), (INFINITE, INFINITE)])
def test_compiled_follows_the_reference(init, data):
    """Ragged supports, shared queries, sampled or endless sequences."""
    classes = random_classes(5, 17, np.random.default_rng(8), num_queries=2)
    batch_size, T = data
    arguments = dict(steps=25, batch_size=batch_size, T=T, init=init, seeds=(0, 3), keep=(0, 7, 25))
    fast, slow = (
        train(classes, [0.5, 3.0], [1.0, 1.0], engine=engine, **arguments)
        for engine in ("compiled", "reference")
    )
    np.testing.assert_allclose(fast.z, slow.z, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(fast.loss, slow.loss, rtol=1e-3, atol=1e-3)


def test_samples_of_one_class_may_weigh_differently(monkeypatch):
    drawn = Layout.batches

    def uneven(self, *given):
        for batch in drawn(self, *given):
            weight = np.linspace(1, 3, len(batch.weight))
            yield batch._replace(weight=weight / weight.sum())

    monkeypatch.setattr(Layout, "batches", uneven)
    classes = random_classes(3, 12, np.random.default_rng(8))
    arguments = dict(steps=10, batch_size=16, T=12, init="uniform")
    fast, slow = (
        train(classes, 3.0, 1.0, engine=engine, **arguments) for engine in ("compiled", "reference")
    )
    np.testing.assert_allclose(fast.z, slow.z, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(fast.loss, slow.loss, rtol=1e-5)


def test_compiled_is_the_same_bits_alone_or_in_a_grid():
    grid = train(
        syn_medium(3), [1.0, 5.0, 9.0], [1.0, 2.0, 3.0], steps=20, init="uniform", seeds=(2, 5)
    )
    alone = train(syn_medium(3), 9.0, 3.0, steps=20, init="uniform", seeds=(5,))
    assert np.array_equal(grid.z[1, 2], alone.z[0, 0]) and alone.loss.shape == (1, 1, 20)
    parts = train(syn_medium(3), 9.0, 3.0, steps=20, init="uniform", seeds=(5,), keep=(3, 4, 20))
    assert np.array_equal(parts.z[0, 0, -1], alone.z[0, 0, -1])


def test_a_run_longer_than_a_piece_of_batches_is_the_run_that_ends_there():
    arguments = dict(batch_size=4, T=8, init="uniform")
    long = train(syn_small(), 1.0, 1.0, steps=PIECE + 3, keep=(PIECE + 1,), **arguments)
    ended = train(syn_small(), 1.0, 1.0, steps=PIECE + 1, **arguments)
    np.testing.assert_array_equal(long.z, ended.z)
    np.testing.assert_array_equal(long.loss[..., :-2], ended.loss)


def test_classes_of_a_single_token_learn_too():
    classes = SequenceClasses(np.eye(2, 4), query=[3, 3])
    fast, slow = (
        train(classes, 0.5, 1.0, steps=5, batch_size=4, T=6, engine=engine).loss
        for engine in ("compiled", "reference")
    )
    np.testing.assert_allclose(fast, slow, rtol=1e-5)
    assert fast[0, 0, -1] < fast[0, 0, 0]
