"""The layer as a Markov chain: equivalence, what a sample knows, texts that feed on themselves."""

from itertools import product

import numpy as np
import pytest

from lib.bridge.markov_chain import (
    conditioned_law,
    copies_law,
    log_chain,
    transition_matrix,
    weights_of,
)
from lib.mechanics.automaton import model_law
from lib.mechanics.draws import random_law
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences, gaussian_embeddings

K, d = 5, 7


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_chain_gives_weights_and_weights_a_chain(rng):
    E = gaussian_embeddings(K, d, rng)
    P = rng.dirichlet(np.ones(K), size=K)
    assert np.allclose(transition_matrix(weights_of(P, E), E), P, atol=1e-12)
    with pytest.raises(ValueError, match="P"):
        weights_of(np.eye(K), E)


def test_what_a_sample_knows_is_the_odds():
    one = Problem(from_sequences([[0, 1]] * 2, [0, 1], np.eye(2)))  # last token 1
    P = np.array([[0.5, 0.5], [0.2, 0.8]])
    assert np.abs(log_chain(P, one.split)) == pytest.approx([np.log(4) / np.sqrt(2)])


def test_law_of_copies_is_the_sum_over_all_texts():
    P = np.array([[0.7, 0.3], [0.6, 0.4]])
    wanted = np.zeros(6)
    for text in product((0, 1), repeat=5):
        counts, last, chance = np.array([1, 1]), 0, 1.0
        for token in text:
            chance *= conditioned_law(P, [counts], [last])[0, token]
            counts[token] += 1
            last = token
        wanted[counts[1] - 1] += chance
    two, five = copies_law(P, [2, 5])
    assert np.allclose(five, wanted, atol=1e-14) and len(two) == 3
    for wrong in ([5, 1], [0, 3], []):
        with pytest.raises(ValueError, match="steps"):
            copies_law(P, wrong)
    with pytest.raises(ValueError, match="shape"):
        copies_law(np.eye(3), [1])


def test_a_fair_coin_that_ignores_its_last_token_is_polyas_urn():
    """Every number of copies is as likely."""
    assert np.allclose(copies_law(np.full((2, 2), 0.5), [40])[0], 1 / 41)


def test_the_first_copy_is_one_draw_and_probabilities_must_be_above_zero():
    """After 0 1, last token 0: one of each, so 1 comes with the chance P_01."""
    once, twice = copies_law(np.array([[0.7, 0.3], [0.6, 0.4]]), [1, 2])
    assert once == pytest.approx([0.7, 0.3]) and twice.sum() == pytest.approx(1)
    with pytest.raises(ValueError, match=r"P = \[0.0, -1.0, -2.0\]"):
        weights_of([[0.5, 0, -1], [-2, -3, 1], [1, 1, 1]], np.eye(3))


def test_attention_is_the_conditioned_chain(rng):
    E, W = gaussian_embeddings(K, d, rng), rng.normal(size=(d, d))
    counts, last = rng.integers(1, 4, size=(9, K)), rng.integers(K, size=9)
    expected = model_law(W, counts, last, E)
    assert np.allclose(conditioned_law(transition_matrix(W, E), counts, last), expected)


def test_labels_of_a_choice_draw_follow_the_chain(rng):
    truth = random_law(K, 1, rng)
    P = np.exp(truth.strengths) / np.exp(truth.strengths).sum(axis=1, keepdims=True)
    counts, last = rng.integers(0, 3, size=(9, K)) + np.eye(K)[[0] * 9], np.zeros(9, int)
    assert np.allclose(conditioned_law(P, counts, last), truth.probabilities(counts, last))
