"""The laws of the layer and of the automaton, and generation from either."""

import numpy as np
import pytest

from lib.mechanics.automaton import automaton_law, generate, model_law, retrieve
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences

PROBLEM = Problem(cyclic_draw(np.random.default_rng(0), n=25))
DATA, SPLIT, FIN = PROBLEM.data, PROBLEM.split, PROBLEM.fin


def test_an_absent_token_takes_no_mass_however_large_its_logit():
    embeddings = np.eye(3)
    W = np.zeros((3, 3))
    W[0, 2] = 5e3  # token 0 would win by far, but is not there
    law = model_law(W, np.array([[0, 1, 1]]), np.array([2]), embeddings)
    np.testing.assert_allclose(law, [[0, 0.5, 0.5]])


def test_mass_is_proportional_to_copies_at_equal_scores():
    law = model_law(np.zeros((3, 3)), [[3, 1, 2]], [2], np.eye(3))
    np.testing.assert_allclose(law, [[0.5, 1 / 6, 1 / 3]])


def test_automaton_is_the_limit_of_the_model():
    svm = PROBLEM.svm
    limit = automaton_law(PROBLEM, DATA.counts, DATA.last)
    np.testing.assert_allclose(
        model_law(FIN.W + 60 * svm.W, DATA.counts, DATA.last, DATA.embeddings), limit, atol=1e-12
    )
    assert (limit[~SPLIT.inside] == 0).all()
    with pytest.raises(ValueError, match=r"last\[0\] = 5"):
        automaton_law(PROBLEM, np.eye(6)[[5]], [5])


def test_retrieval_keeps_the_counts_of_the_top_component_alone():
    data = from_sequences([[0, 1, 2, 3], [1, 0, 3], [2, 3]], [0, 1, 2], np.eye(4))
    counts = [[2, 1, 3, 1], [0, 0, 2, 1]]
    wanted = [[2, 1, 0, 0], [0, 0, 2, 0]]
    np.testing.assert_array_equal(retrieve(Problem(data).graphs, counts, [3, 3]), wanted)


def test_generation_follows_the_law():
    def shift(counts, last):
        return np.eye(4)[(last + 1) % 4]

    rng = np.random.default_rng(0)
    assert generate(shift, 4, [1, 2, 3], 4, rng) == [1, 2, 3, 0, 1, 2, 3]
    assert generate(shift, 4, [2, 3], 0, rng) == [2, 3]
    with pytest.raises(ValueError, match="steps = -1"):
        generate(shift, 4, [2, 3], -1, rng)


def test_the_largest_number_drawn_is_the_last_token_though_a_law_sums_to_less_than_one(
    largest_draws,
):
    law = np.full((1, 10), 0.1)
    assert np.cumsum(law)[-1] == largest_draws.random()
    assert generate(lambda counts, last: law, 10, [0], 1, largest_draws) == [0, 9]


def test_generation_sees_a_window_as_long_as_its_start():
    seen = []

    def law(counts, last):
        seen.append((counts.sum(), int(last[0])))
        return np.eye(3)[(last + 1) % 3]

    generate(law, 3, [0, 1], 5, np.random.default_rng(0))
    assert seen == [(2, 1), (2, 2), (2, 0), (2, 1), (2, 2)]
