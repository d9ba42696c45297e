"""The graphs of a text against those of *Mechanics*, and what they retrieve."""

import numpy as np
import pytest

from lib.bridge.text_contexts import Contexts, choices, contexts
from lib.bridge.text_graph import (
    DECIDED,
    INCOMPARABLE,
    UNKNOWN,
    by_last,
    graph_of,
    inside,
    ranking,
    retrieve,
)
from lib.mechanics import automaton
from lib.mechanics.samples import from_sequences
from lib.mechanics.token_priority_graph import inside_mask, priority_graphs

K, T = 9, 4


@pytest.fixture(scope="module")
def text():
    every = contexts(np.random.default_rng(3).zipf(1.5, size=300) % K, K, T)
    return every.only(every.present)


@pytest.fixture(scope="module")
def data(text):
    return from_sequences(text.windows.tolist(), text.label, np.eye(K))


def test_graphs_are_the_token_priority_graphs(text, data):
    expected = priority_graphs(data)
    for k, rows in by_last(text):
        graph = graph_of(text, rows, k)
        assert set(graph.graph.edges) == set(expected[k].graph.edges)
        assert graph.components == expected[k].components


def test_ranking_knows_components_labels_and_the_largest(text):
    given = choices(text)
    ranked = ranking(text, given)
    for k, rows in by_last(text):
        graph = graph_of(text, rows, k)
        largest = max(graph.components, key=len)
        for token, component in graph.component_of.items():
            at = np.searchsorted(given.pairs, k * K + token)
            others = np.searchsorted(given.pairs, k * K + np.array(graph.components[component]))
            mine = given.pairs // K == k
            same = np.flatnonzero(mine & (ranked.component[:-1] == ranked.component[at]))
            assert same.tolist() == others.tolist()
            assert ranked.ever[at] == (token in text.label[rows])
            if len(largest) > 1 and sum(len(c) == len(largest) for c in graph.components) == 1:
                assert ranked.largest[at] == (token in largest)
    assert ranked.component[-1] == -1 and not ranked.ever[-1]


def test_inside_is_the_mask_of_the_split(text, data):
    given = choices(text)
    table = np.zeros(data.counts.shape, bool)
    table[given.row, given.code % K] = inside(ranking(text, given), given)
    assert (table == inside_mask(data, priority_graphs(data))).all()


def test_retrieval_agrees_with_the_automaton_where_that_is_defined(text, data):
    graphs, given = priority_graphs(data), choices(text)
    ranked = ranking(text, given)
    every = contexts(np.random.default_rng(4).zipf(1.5, size=500) % K, K, T)
    every = every.only(every.present)
    asked = choices(every, given.pairs)
    kept, verdict = retrieve(ranked, asked, every.last)
    for i, row in enumerate(every.windows):
        counts = np.bincount(row, minlength=K)[None]
        mine = asked.row == i
        try:
            cut = automaton.retrieve(graphs, counts, every.last[i : i + 1])[0]
        except ValueError:
            assert verdict[i] != DECIDED
            continue
        assert verdict[i] == DECIDED
        assert (asked.code[mine][kept[mine]] % K).tolist() == np.flatnonzero(cut).tolist()
    assert {DECIDED, UNKNOWN, INCOMPARABLE} == set(verdict.tolist())


def test_what_is_above_by_way_of_a_third_beats():
    chain = contexts([1, 2, 0, 1, 2, 3, 0, 2, 1, 3, 0, 1], 4, 3)  # 1 over 2, 2 over 3, after 0
    chain = chain.only(np.isin(chain.place, [3, 7]))
    given = choices(chain)
    asked = choices(chain._replace(windows=np.array([[1, 3, 0]]), label=np.array([1])), given.pairs)
    ranked = ranking(chain, given)
    assert not ranked.largest.any()  # no two tokens in one component
    kept, verdict = retrieve(ranked, asked, np.array([0]))
    assert (asked.code[kept] % 4).tolist() == [1] and verdict.tolist() == [DECIDED]


def test_two_tokens_that_beat_each_other_are_a_largest_component():
    pair = Contexts(np.array([[1, 2, 0], [2, 1, 0]]), np.array([1, 2]), np.arange(2), 4)
    ranked = ranking(pair, choices(pair))  # pairs: 0, 1, 2 after 0, and the unknown one
    assert ranked.largest.tolist() == [False, True, True, False]
    assert ranked.ever.tolist() == [False, True, True, False]
    under, both, same, unknown = ranked.component.tolist()
    assert (under, both, unknown) in {(0, 1, -1), (1, 0, -1)} and both == same
    assert ranked.below == {0: {both: 1 << under}}
