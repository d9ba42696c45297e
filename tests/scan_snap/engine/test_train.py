"""Training: cells, seeds and kept steps, the limits, and what is refused."""

import numpy as np
import pytest
import torch

from lib.scan_snap import yz_transformer as yz
from lib.scan_snap.engine.batches import INFINITE
from lib.scan_snap.engine.train import train
from lib.scan_snap.sequence_classes import random_classes, syn_medium, syn_small
from lib.scan_snap.sparsity import distinct_entropy


def test_float32_agrees_with_float64():
    arguments = dict(steps=100, init="uniform", seeds=(0, 1))
    low, high = (
        train(syn_small(), [1.0, 10.0], 1.0, dtype=dtype, **arguments)
        for dtype in ("float32", "float64")
    )
    assert np.abs(low.attention - high.attention).max() < 1e-4


def test_cells_and_seeds_do_not_mix():
    """A cell alone is the cell in the grid: data and start belong to the seed."""
    grid = train(
        syn_small(), [1.0, 3.0], [1.0, 2.0], steps=8, seeds=(4, 7), init="uniform", dtype="float64"
    )
    alone = train(syn_small(), 3.0, 2.0, steps=8, seeds=(7,), init="uniform", dtype="float64")
    np.testing.assert_allclose(alone.z[0, 0], grid.z[1, 1], atol=1e-13)


def test_row_sums_stay_zero_from_a_zero_start():
    run = train(syn_medium(3), 5.0, 1.0, steps=30, dtype="float64")
    np.testing.assert_allclose(run.z.sum(axis=-1), 0, atol=1e-12)


def test_long_sequences_approach_the_population_limit():
    """T = inf is where growing T leads (Lemma 2), batch = inf where a growing batch leads."""
    limit = train(
        syn_small(), 1.0, 1.0, steps=10, batch_size=INFINITE, T=INFINITE, dtype="float64"
    ).attention
    gaps = [
        np.abs(
            train(syn_small(), 1.0, 1.0, steps=10, batch_size=size, T=T, dtype="float64").attention
            - limit
        ).max()
        for size, T in ((4000, 10), (4000, 100), (400, INFINITE), (400_000, INFINITE))
    ]
    assert gaps[0] > 5 * gaps[1] and gaps[2] > 5 * gaps[3]


def test_population_limit_is_gradient_ascent_on_the_exact_objective():
    classes = syn_small()
    run = train(
        classes,
        0.5,
        0.5,
        steps=20,
        batch_size=INFINITE,
        T=INFINITE,
        momentum=0.0,
        dtype="float64",
        keep=(0, 20),
    )
    Y, Z = (torch.zeros(32 + 2, 32 + 2, dtype=torch.float64) for _ in range(2))
    counts = torch.as_tensor(classes.conditional)
    query, token = torch.as_tensor(classes.query), torch.as_tensor(classes.next_token)
    for _ in range(20):
        grad_y, grad_z = yz.gradients(Y, Z, counts, query, token)
        Y, Z = Y + 0.5 * grad_y, Z + 0.5 * grad_z
    np.testing.assert_allclose(run.z[0, 0, -1], Z[classes.query], atol=1e-13)


def test_attention_is_the_conditional_probability_at_the_start():
    classes = random_classes(4, 12, np.random.default_rng(0))
    run = train(classes, 1.0, 1.0, steps=3, keep=(0, 2, 3))
    assert run.attention.shape == (1, 1, 3, 4, 12) and run.seeds == (0,)
    np.testing.assert_allclose(run.attention[0, 0, 0], classes.conditional, atol=1e-15)
    np.testing.assert_allclose(run.attention.sum(-1), 1, atol=1e-12)


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_kept_steps_are_those_of_a_run_that_ends_there(engine):
    arguments = dict(seeds=(3,), init="uniform", engine=engine)
    run = train(syn_small(), [1.0, 3.0], 2.0, steps=9, keep=(0, 2, 5), **arguments)
    assert run.kept == (0, 2, 5) and run.z.shape[:3] == (1, 2, 3) and run.loss.shape == (1, 2, 9)
    for place, steps in ((1, 2), (2, 5)):
        ended = train(syn_small(), [1.0, 3.0], 2.0, steps=steps, **arguments)
        np.testing.assert_array_equal(run.z[:, :, place], ended.z[:, :, 0])
        np.testing.assert_array_equal(run.loss[..., :steps], ended.loss)


def test_the_engine_follows_from_the_settings_or_is_refused():
    with pytest.raises(ValueError, match="^engine = 'compiled', allowed: \"reference\""):
        train(syn_small(), 1.0, 1.0, steps=2, dtype="float64", engine="compiled")
    fast, auto = (train(syn_small(), 1.0, 1.0, steps=5, engine=e) for e in ("compiled", "auto"))
    np.testing.assert_array_equal(fast.z, auto.z)
    assert auto.z.dtype == np.float32
    assert train(syn_small(), 1.0, 1.0, steps=5, dtype="float64").z.dtype == np.float64


@pytest.mark.parametrize(
    "bad",
    [
        dict(steps=0),
        dict(optimizer="rmsprop"),
        dict(T=1),
        dict(batch_size=0),
        dict(eta_y=-1.0),
        dict(eta_z=float("nan")),
        dict(keep=(3, 1)),
        dict(keep=()),
        dict(keep=(99,)),
        dict(dtype="float16"),
        dict(batch_size=INFINITE),
        dict(init="normal"),
        dict(momentum=1.0),
        dict(seeds=()),
        dict(seeds=(0, -1)),
        dict(seeds=3),
        dict(eta_y=[1.0, 2.0, 3.0], eta_z=[1.0, 2.0]),
    ],
)
def test_nonsense_is_refused_by_name(bad):
    arguments = dict(eta_y=1.0, eta_z=1.0, steps=3) | bad
    name = next(iter(bad))
    with pytest.raises(ValueError, match=f"^{name}"):
        train(syn_small(), **arguments)


def test_the_obvious_implementation_ends_where_the_engine_ends():
    """Sequences, one-hot, autograd, torch.optim against counts: mean entropy over 40 seeds each,
    within four standard errors.
    """
    from benchmarks.engine import obvious_run

    classes, seeds, sizes = syn_small(), range(40), dict(batch_size=16, T=12)
    engine = distinct_entropy(
        train(classes, 2.0, 2.0, steps=25, init="uniform", seeds=seeds, **sizes).attention[
            :, 0, -1
        ],
        classes,
    )
    plain = []
    for seed in seeds:
        z = obvious_run(classes, 2.0, 2.0, 25, seed, **sizes)[1].double().numpy()[classes.query]
        weights = classes.conditional * np.exp(z)
        plain.append(distinct_entropy(weights / weights.sum(axis=1, keepdims=True), classes))
    error = np.sqrt((np.var(engine, ddof=1) + np.var(plain, ddof=1)) / len(seeds))
    assert abs(np.mean(engine) - np.mean(plain)) < 4 * error < 0.3 * (2.151 - np.mean(engine))
