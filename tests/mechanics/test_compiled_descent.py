"""The compiled descent is the plain one, number by number."""

import numpy as np
import pytest

from lib.mechanics.compiled_descent import observe_trials, run_trial, weights
from lib.mechanics.descent import descend, initial_weights, observables
from lib.mechanics.draws import authors_draw, cyclic_draw
from lib.mechanics.graph_svm import graph_svm
from lib.mechanics.loss_split import SplitLoss, finite_part
from lib.mechanics.samples import from_sequences, stack

RNG = np.random.default_rng(0)


def solved(sets):
    splits = [SplitLoss(data) for data in sets]
    return [
        (graph_svm(data), finite_part(data, split), split)
        for data, split in zip(sets, splits, strict=True)
    ]


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("draw", [authors_draw, lambda rng: cyclic_draw(rng, n=9)])
def test_same_weights_and_observables(draw, normalized):
    sets = [draw(RNG) for _ in range(3)]
    starts, solutions = initial_weights(3, 8, RNG), solved(sets)
    last, seen = observe_trials(sets, starts, solutions, 0.01, 300, normalized)
    plain, wanted = descend(
        starts,
        stack(sets),
        0.01,
        300,
        normalized=normalized,
        observe=observables(sets, stack(sets), solutions),
    )
    np.testing.assert_allclose(last, plain, atol=1e-11)
    assert seen.keys() == wanted.keys()
    for name, values in wanted.items():
        np.testing.assert_allclose(seen[name], values, atol=1e-10, err_msg=name)


def test_moves_give_every_weight():
    data, start = authors_draw(RNG), initial_weights(1, 8, RNG)[0]
    moves, masses, norm = run_trial(data, start, 0.1, 50)
    np.testing.assert_allclose(
        np.linalg.norm(weights(data, start, moves), axis=(1, 2)), norm, rtol=1e-11
    )
    np.testing.assert_allclose(masses.sum(axis=2), 1, rtol=1e-13)


def test_nothing_ordered_is_refused():
    data = from_sequences([[0, 1], [0, 1]], [0, 1], np.eye(2))
    with pytest.raises(ValueError, match="W_svm = 0"):
        observe_trials([data], np.zeros((1, 2, 2)), solved([data]), 0.01, 5)
