"""Graphs, components, the cyclic sub-data and its subspace, against brute force."""

import numpy as np
import pytest

from lib.mechanics.draws import cyclic_draw, random_draw
from lib.mechanics.samples import from_sequences
from lib.mechanics.token_priority_graph import (
    cyclic_basis,
    cyclic_subdata,
    has_cycle,
    inside_mask,
    orthonormal_basis,
    pair_matrices,
    priority_graphs,
    project,
)

EXAMPLE = from_sequences([[0, 1, 2, 3], [1, 0, 3], [2, 3]], [0, 1, 2], np.eye(4))


def reach(graph, K):
    """(K, K) booleans by powers of the adjacency matrix."""
    steps = np.eye(K, dtype=int)
    for i, j in graph.graph.edges:
        steps[i, j] = 1
    return np.linalg.matrix_power(steps, K) > 0


def test_a_small_graph_by_hand():
    graph = priority_graphs(EXAMPLE)[3]
    assert sorted(graph.graph.edges) == [(0, 1), (0, 2), (0, 3), (1, 0), (1, 3), (2, 3)]
    assert graph.components == [(0, 1), (2,), (3,)]
    assert graph.cyclic_pairs() == [(0, 1)] and graph.above(1, 2) and not graph.above(2, 1)
    assert graph.priority_edges() == [(0, 2), (0, 3), (2, 3)]
    assert graph.top([1, 2, 3]) == [1] and graph.top([0, 1, 3]) == [0, 1]
    assert graph.graph.edges[1, 3]["samples"] == [1]


def test_top_needs_known_and_comparable_tokens():
    graph = priority_graphs(from_sequences([[0, 3], [1, 3]], [0, 1], np.eye(5)))[3]
    with pytest.raises(ValueError, match=r"\[4\]"):
        graph.top([0, 4])
    with pytest.raises(ValueError, match="comparable"):
        graph.top([0, 1])


@pytest.mark.parametrize("seed", range(20))
def test_components_and_priorities_are_mutual_and_one_way_reachability(seed):
    data = random_draw(np.random.default_rng(seed), n=20, K=6)
    for graph in priority_graphs(data).values():
        table, seen = reach(graph, 6), sorted(graph.graph.nodes)
        for i in seen:
            for j in seen:
                assert graph.same(i, j) == (table[i, j] and table[j, i])
                assert graph.above(i, j) == (table[i, j] and not table[j, i])
        assert set(graph.priority_pairs()) == {
            (i, j) for i in seen for j in seen if table[i, j] and not table[j, i]
        }
        flat = [token for members in graph.components for token in members]
        assert all(not graph.above(j, i) for a, i in enumerate(flat) for j in flat[a:])


def test_cyclic_subdata_keeps_query_and_weight():
    data = from_sequences([[0, 1, 2, 3], [1, 0, 3], [2, 3]], [0, 1, 2], np.eye(4))
    graphs = priority_graphs(data)
    part = cyclic_subdata(data, graphs)
    assert part.counts.tolist() == [[1, 1, 0, 0], [1, 1, 0, 0]] and part.last.tolist() == [3, 3]
    np.testing.assert_allclose(part.weight, 1 / 3)
    assert inside_mask(data, graphs).tolist() == [
        [True, True, False, False],
        [True, True, False, False],
        [False, False, True, False],
    ]
    acyclic = data.only([0, 2])
    assert cyclic_subdata(acyclic, priority_graphs(acyclic)) is None


def test_cyclic_basis_is_orthonormal_and_spans_all_pairs():
    data = cyclic_draw(np.random.default_rng(0))
    graphs = priority_graphs(data)
    basis = cyclic_basis(data, graphs)
    np.testing.assert_allclose(
        np.tensordot(basis, basis, axes=([1, 2], [1, 2])), np.eye(len(basis)), atol=1e-12
    )
    assert len(basis) == sum(
        len(members) - 1 for graph in graphs.values() for members in graph.components
    )
    pairs = [
        (k, i, j)
        for k, graph in graphs.items()
        for members in graph.components
        for i in members
        for j in members
    ]
    matrices = pair_matrices(data, pairs)
    for stack in (matrices, matrices[0], matrices[None, :3]):
        np.testing.assert_allclose(project(basis, stack), stack, atol=1e-12)


def test_winners_replace_the_label():
    winners = np.zeros(EXAMPLE.counts.shape, dtype=bool)
    winners[:, 3] = True
    assert sorted(priority_graphs(EXAMPLE, winners)[3].graph.edges) == [(3, 0), (3, 1), (3, 2)]
    with pytest.raises(ValueError, match=r"winners.shape = \(3, 3\)"):
        priority_graphs(EXAMPLE, winners[:, :3])


def test_two_tokens_that_beat_each_other_are_a_cycle_already():
    assert has_cycle(EXAMPLE) and not has_cycle(EXAMPLE.only([0, 2]))


def test_inside_are_tokens_of_the_input_alone():
    """The last sample's label is in the component of tokens 0 and 1, but token 1 is not in it."""
    data = from_sequences([[0, 1, 3], [1, 0, 3], [0, 0, 3]], [0, 1, 0], np.eye(4))
    graphs = priority_graphs(data)
    assert inside_mask(data, graphs)[2].tolist() == [True, False, False, False]
    assert cyclic_subdata(data, graphs).counts.tolist() == [[1, 1, 0, 0]] * 2


def test_a_basis_is_of_directions_and_not_of_sizes():
    data = from_sequences([[0, 1]], [0], np.eye(3, 4))
    assert pair_matrices(data, []).shape == orthonormal_basis(np.zeros((0, 4, 4))).shape
    one = pair_matrices(data, [(1, 0, 2)])
    assert one[0].tolist() == [[0, 1, 0, 0], [0, 0, 0, 0], [0, -1, 0, 0], [0, 0, 0, 0]]
    for size in (1e-12, 1.0):
        basis = orthonormal_basis(size * np.concatenate([one, 2 * one]))
        np.testing.assert_allclose(np.abs(basis), np.abs(one) / np.sqrt(2), atol=1e-15)
        assert len(orthonormal_basis(size * one)) == 1
