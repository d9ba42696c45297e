"""The token-priority graphs of a text, and what they retrieve from a window (*Mechanics*)."""

from typing import NamedTuple

import networkx as nx
import numpy as np

from lib.mechanics.token_priority_graph import PriorityGraph

DECIDED, UNKNOWN, INCOMPARABLE = 0, 1, 2  # what the graph of its last token makes of a context


class Ranking(NamedTuple):
    """All graphs of a text.

    component: (P + 1,), the component of each known pair in the graph of its last token, -1 for
    the unknown pair.  ever: (P + 1,) booleans, the token was a label after that last token.
    largest: (P + 1,) booleans, it lies in the largest component, if that has two tokens or more.
    below: {k: {component: those under it, as the bits of an integer}}.
    """

    component: np.ndarray
    ever: np.ndarray
    largest: np.ndarray
    below: dict


def graph_of(found, rows, last):
    """The ``PriorityGraph`` of the contexts ``rows`` of ``Contexts``, with last token ``last``."""
    K = found.vocab_size
    code = np.unique((found.label[rows][:, None] * K + found.windows[rows]).ravel())
    winner, token = (code // K).tolist(), (code % K).tolist()
    graph = nx.DiGraph()
    graph.add_nodes_from(token)
    graph.add_edges_from((i, j) for i, j in zip(winner, token, strict=True) if i != j)
    return PriorityGraph(last, graph)


def by_last(found):
    """(k, indices of the contexts with last token k), k increasing."""
    order = np.argsort(found.last, kind="stable")
    tokens, start = np.unique(found.last[order], return_index=True)
    return zip(tokens.tolist(), np.split(order, start[1:]), strict=True)


def ranking(found, given):
    """``Ranking`` of ``Contexts`` and their ``Choices``; one graph at a time is in memory."""
    size, below = len(given.pairs) + 1, {}
    component, ever, largest = np.full(size, -1), np.zeros(size, bool), np.zeros(size, bool)
    for k, rows in by_last(found):
        graph = graph_of(found, rows, k)
        tokens, members = np.array(sorted(graph.component_of.items())).T
        at = np.searchsorted(given.pairs, k * found.vocab_size + tokens)
        component[at], ever[at] = members, np.isin(tokens, found.label[rows])
        sizes = np.array([len(tokens) for tokens in graph.components])
        largest[at] = (members == sizes.argmax()) & (sizes.max() > 1)
        order = graph.order
        below[k] = _all_below(order)
    return Ranking(component, ever, largest, below)


def _all_below(order):
    """{component: bits of all that it is above}, of an acyclic graph of components."""
    bits = {}
    for c in reversed(list(nx.topological_sort(order))):
        bits[c] = 0
        for below in order.successors(c):
            bits[c] |= bits[below] | 1 << below
    return {c: found for c, found in bits.items() if found}


def inside(ranked, given):
    """(m,) booleans: the entry lies in the component of its context's label."""
    component = ranked.component[given.pair]
    return component == component[given.won][given.row]


def retrieve(ranked, given, last):
    """Hard retrieval: (kept (m,) booleans, verdict (n,)) for contexts with last tokens (n,).

    Kept are the components of a context that no other of it is above; a pair that the graphs never
    saw is not.  verdict: ``INCOMPARABLE`` where that is not one component, else ``UNKNOWN`` where a
    pair was never seen, else ``DECIDED``.
    """
    component = ranked.component[given.pair]
    kept, verdict = np.zeros(len(component), bool), np.zeros(len(given.start), int)
    ends = np.append(given.start[1:], len(component))
    for i, (k, a, b) in enumerate(zip(last.tolist(), given.start, ends, strict=True)):
        mine, under = component[a:b], ranked.below.get(k, {})
        present = set(mine.tolist()) - {-1}
        beaten = 0
        for c in present:
            beaten |= under.get(c, 0)
        best = {c for c in present if not beaten >> c & 1}
        kept[a:b] = np.isin(mine, list(best))
        verdict[i] = INCOMPARABLE if len(best) != 1 else UNKNOWN if (mine < 0).any() else DECIDED
    return kept, verdict
