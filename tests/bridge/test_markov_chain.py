"""The layer as a Markov chain: equivalence, information, trajectories."""

import numpy as np
import pytest

from lib.bridge.markov_chain import (
    conditioned_law,
    information,
    log_chain,
    trajectories,
    transition_matrix,
    weights_of,
)
from lib.mechanics.automaton import model_law
from lib.mechanics.draws import choice_draw, random_law
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


def test_information_is_the_covariance_of_scores(rng):
    one = Problem(from_sequences([[0, 1]] * 2, [0, 1], np.eye(2)))  # last token 1, a fair coin
    assert np.allclose(information(np.full((2, 2), 0.5), one.split), [[0.5]])
    P = np.array([[0.5, 0.5], [0.2, 0.8]])
    assert np.allclose(information(P, one.split), [[2 * 0.16]])
    assert np.allclose(np.abs(log_chain(P, one.split)), np.log(4) / np.sqrt(2))


def test_the_estimate_is_as_exact_as_the_information_says(rng):
    truth = random_law(3, 1, rng)
    P = np.exp(truth.strengths) / np.exp(truth.strengths).sum(axis=1, keepdims=True)
    sizes = []
    for _ in range(60):
        data = choice_draw(rng, truth, 400, 3, np.eye(3), (0,))
        problem = Problem(data)
        x = log_chain(P, problem.split)
        error = problem.fin.x - x
        sizes.append(400 * error @ information(P, problem.split) @ error)
    assert 1.4 < np.mean(sizes) < 2.7  # chi square with 2 degrees of freedom


def test_a_trajectory_keeps_what_it_writes(rng):
    urn = trajectories(np.full((3, 3), 1 / 3), [1, 1, 0], 1, [1, 5], 4, rng)
    assert urn.counts.sum(axis=2).tolist() == [[3] * 4, [7] * 4]
    assert (urn.counts[..., 2] == 0).all()
    with pytest.raises(ValueError, match="steps"):
        trajectories(np.full((2, 2), 0.5), [1, 1], 1, [5, 1], 4, rng)


def test_the_law_of_a_trajectory_depends_on_its_last_token(rng):
    P = np.array([[0.01, 0.99], [0.99, 0.01]])
    counts = trajectories(P, [1, 1], 0, [200], 50, rng).counts[-1]
    assert np.abs(counts[:, 0] / counts.sum(axis=1) - 0.5).max() < 0.1
