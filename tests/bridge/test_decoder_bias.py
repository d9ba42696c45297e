"""The decoder as an attention layer over the whole vocabulary; what the modified update misses."""

import networkx as nx
import numpy as np
import pytest
from scipy.special import log_softmax

from lib.bridge import decoder_bias as bias
from lib.mechanics.attention_layer import risk
from lib.mechanics.problem import Problem
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import graph_gram, vectors_with_gram

LAW = np.array([[0.5, 0.25, 0.25, 0], [0, 0.2, 0, 0.8], [0, 0, 1, 0]])
WEIGHT = np.array([0.5, 0.3, 0.2])


def some_contexts():
    return np.random.default_rng(0).normal(size=(3, 5))


def test_finite_part_has_the_log_odds_and_the_entropy():
    contexts = some_contexts()
    problem = Problem(bias.decoder_data(contexts, LAW, WEIGHT))
    logits = contexts @ bias.decoder_of(problem.fin.W, 4).T
    assert logits[0, 0] - logits[0, 1] == pytest.approx(np.log(2), abs=1e-10)
    assert logits[1, 3] - logits[1, 1] == pytest.approx(np.log(4), abs=1e-10)
    assert problem.fin.loss == pytest.approx(bias.entropy(LAW, WEIGHT), rel=1e-12)


def test_equal_overlaps_keep_the_direction_of_the_modified_update_and_a_chain_does_not():
    for target, same in (
        (equal_overlap_gram(4, 0.3), True),
        (graph_gram(nx.path_graph(4), 0.4), False),
    ):
        F = vectors_with_gram(target, 12)
        best = bias.decoder_of(Problem(bias.decoder_data(F, np.eye(4, 12))).svm.W, 12)
        modified, multipliers = bias.modified_direction(F, 12), bias.tight_multipliers(F, 12)
        rows = np.einsum("nv,nvz->nz", multipliers, np.eye(12)[:4, None] - np.eye(12)[None])
        np.testing.assert_allclose(rows.T @ F, modified, atol=1e-12)
        assert (multipliers.min() >= 0) == same and not multipliers.diagonal().any()
        assert np.allclose(best, modified, atol=1e-9) == same


def test_laws_are_checked():
    with pytest.raises(ValueError, match="law"):
        bias.decoder_data(some_contexts(), LAW[:2])
    with pytest.raises(ValueError, match="law"):
        bias.decoder_data(some_contexts(), 2 * LAW)


def test_contexts_come_equally_often_unless_otherwise_said():
    data = bias.decoder_data(some_contexts(), LAW)
    np.testing.assert_allclose(data.weight, LAW[LAW > 0] / 3, rtol=1e-15)
    assert (data.counts == [1, 1, 1, 1, 0, 0, 0]).all()  # the whole vocabulary once, no query
    dependent = bias.decoder_data(np.ones((3, 5)), LAW)
    assert not dependent.independent and data.independent and not data.complete


def test_the_loss_is_the_decoders_cross_entropy():
    contexts = some_contexts()
    data = bias.decoder_data(contexts, LAW, WEIGHT)
    W = np.random.default_rng(1).normal(size=(9, 9))
    logits = contexts @ bias.decoder_of(W, 4).T
    plain = -(WEIGHT[:, None] * LAW * log_softmax(logits, axis=1)).sum()
    assert risk(W, data) == pytest.approx(plain, rel=1e-12)


def test_components_are_the_supports():
    problem = Problem(bias.decoder_data(some_contexts(), LAW, WEIGHT))
    tops = [graph.components[0] for graph in problem.graphs.values()]
    assert tops == [(0, 1, 2), (1, 3), (2,)]
