"""The token-priority graphs of a text, and what they retrieve from a window (*Mechanics*).

Chapter: ``book/bridge/text_graph.ipynb``.
"""

from collections.abc import Iterable
from typing import NamedTuple

import networkx as nx
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from lib.arrays import Ids, Mask
from lib.bridge.text_contexts import Choices, Contexts
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


def graph_of(found: Contexts, rows: Ids, last: int) -> PriorityGraph:
    """The ``PriorityGraph`` of the contexts ``rows`` of ``Contexts``, with last token ``last``."""
    K = found.vocab_size
    code = np.unique((found.label[rows][:, None] * K + found.windows[rows]).ravel())
    winner, token = (code // K).tolist(), (code % K).tolist()
    graph = nx.DiGraph()
    graph.add_nodes_from(token)
    graph.add_edges_from((i, j) for i, j in zip(winner, token, strict=True) if i != j)
    return PriorityGraph(last, graph)


def by_last(found: Contexts) -> Iterable[tuple[int, Ids]]:
    """(k, indices of the contexts with last token k), k increasing."""
    order = np.argsort(found.last, kind="stable")
    tokens, start = np.unique(found.last[order], return_index=True)
    return zip(tokens.tolist(), np.split(order, start[1:]), strict=True)


def ranking(found: Contexts, given: Choices) -> Ranking:
    """``Ranking`` of ``Contexts`` and their ``Choices``, from one graph of all (k, token) pairs.

    No edge leads from one k to another, so that the components of all are those of each.  Of
    several that are equally large, the one with the most frequent token is the largest.
    """
    K, P = found.vocab_size, len(given.pairs)
    label = np.searchsorted(given.pairs, found.last * K + found.label)
    every = np.ones(len(given.pair), bool), (label[given.row], given.pair)
    joined = csr_array(every, shape=(P, P))
    winner, token = joined.nonzero()
    _, named = connected_components(joined, connection="strong")
    own, named = np.unique(given.pairs // K * P + named, return_inverse=True)  # k by k
    last, first, graph = np.unique(own // P, return_index=True, return_inverse=True)
    number = np.arange(len(own)) - first[graph]  # of a component in its own graph
    apart = named[winner] != named[token]
    direct = np.unique(np.c_[named[winner], named[token]][apart], axis=0)
    cut = np.searchsorted(direct[:, 0], first[1:])
    below = {
        k: _all_below(*number[edges].T)
        for k, edges in zip(last.tolist(), np.split(direct, cut), strict=True)
    }
    return Ranking(
        np.append(number[named], -1),
        np.isin(np.arange(P + 1), winner),
        np.append(_largest(named, graph), False),
        below,
    )


def _largest(named: Ids, graph: Ids) -> Mask:
    """(P,): pair p, of component named[p], lies in the largest of its graph, of two or more."""
    size = np.bincount(named)
    order = np.lexsort((np.arange(len(named)), -size[named], graph[named]))
    _, best = np.unique(graph[named][order], return_index=True)
    return (named == named[order[best]][graph[named]]) & (size[named] > 1)


def _all_below(above: Ids, under: Ids) -> dict[int, int]:
    """{component: bits of all that it is above}, from the edges of an acyclic graph, (edges,)."""
    if len(above) == 0:
        return {}
    beaters, row = np.unique(above, return_inverse=True)
    reach = np.zeros((len(beaters), max(above.max(), under.max()) + 1), bool)
    reach[row, under] = True
    known = np.intp(0)
    while known < (known := np.count_nonzero(reach)):  # paths of twice as many edges each time
        reach |= reach[:, beaters].astype(np.float32) @ reach > 0
    rows = np.packbits(reach, axis=1, bitorder="little")
    return {
        c: int.from_bytes(bits.tobytes(), "little")
        for c, bits in zip(beaters.tolist(), rows, strict=True)
    }


def inside(ranked: Ranking, given: Choices) -> Mask:
    """(m,) booleans: the entry lies in the component of its context's label."""
    component = ranked.component[given.pair]
    return component == component[given.won][given.row]


def retrieve(ranked: Ranking, given: Choices, last: Ids) -> tuple[Mask, Ids]:
    """Hard retrieval: (kept (m,) booleans, verdict (n,)) for contexts with last tokens (n,).

    Kept are the components of a context that no other of it is above; a pair that the graphs never
    saw is not.  verdict: ``INCOMPARABLE`` where that is not one component, else ``UNKNOWN`` where a
    pair was never seen, else ``DECIDED``.
    """
    component = ranked.component[given.pair]
    kept, verdict = np.zeros(len(component), bool), np.zeros(len(given.start), int)
    ends = np.append(given.start[1:], len(component))
    for i, (k, a, b) in enumerate(zip(last.tolist(), given.start, ends, strict=True)):
        mine, under = component[a:b].tolist(), ranked.below.get(k, {})
        present = set(mine) - {-1}
        beaten = 0
        for c in present:
            beaten |= under.get(c, 0)
        best = {c for c in present if not beaten >> c & 1}
        kept[a:b] = [c in best for c in mine]
        verdict[i] = INCOMPARABLE if len(best) != 1 else UNKNOWN if -1 in mine else DECIDED
    return kept, verdict
