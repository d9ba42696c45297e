"""Token-priority graphs: which token has priority over which, for each last token (*Mechanics*).

Every sample with last token k says that its label beats the other tokens of its input.  The
strongly connected components of these statements and the order between them decide what the
attention layer learns.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import networkx as nx
import numpy as np

from lib.arrays import Array, ArrayLike, Mask
from lib.mechanics.samples import NextTokenData
from lib.validation import require


@dataclass(frozen=True)
class PriorityGraph:
    """The graph of one last token.

    last: the last token k.
    graph: ``networkx.DiGraph`` with an edge y_i -> j for every j != y_i in X_i, over the samples
        with last token k; the edge attribute ``samples`` lists them.  Nodes: the tokens seen with
        k.
    """

    last: int
    graph: nx.DiGraph

    @cached_property
    def components(self) -> list[tuple[int, ...]]:
        """Strongly connected components, tuples of sorted tokens, none before one above it."""
        order = nx.lexicographical_topological_sort(
            self._condensed, key=lambda c: min(self._condensed.nodes[c]["members"])
        )
        return [tuple(sorted(self._condensed.nodes[c]["members"])) for c in order]

    @cached_property
    def component_of(self) -> dict[int, int]:
        """token -> its component's index in ``components``."""
        return {token: c for c, members in enumerate(self.components) for token in members}

    @cached_property
    def _condensed(self) -> nx.DiGraph:
        return nx.condensation(self.graph)

    @cached_property
    def order(self) -> nx.DiGraph:
        """The acyclic graph of component indices.

        An edge a -> b when some token of a beats one of b directly.
        """
        quotient = nx.DiGraph()
        quotient.add_nodes_from(range(len(self.components)))
        pairs = ((self.component_of[i], self.component_of[j]) for i, j in self.graph.edges)
        quotient.add_edges_from((a, b) for a, b in pairs if a != b)
        return quotient

    def same(self, i: int, j: int) -> bool:
        """Whether i and j lie in one component (i ≍ j)."""
        return self.component_of[i] == self.component_of[j]

    def above(self, i: int, j: int) -> bool:
        """Whether i reaches j and not conversely (i ⇒ j, strict priority)."""
        return not self.same(i, j) and nx.has_path(
            self.order, self.component_of[i], self.component_of[j]
        )

    def priority_edges(self) -> list[tuple[int, int]]:
        """(i, j) with i ⇒ j: one edge of the graph for each directly ordered pair of components."""
        chosen = {}
        for i, j in sorted(self.graph.edges):
            if not self.same(i, j):
                chosen.setdefault((self.component_of[i], self.component_of[j]), (i, j))
        return sorted(chosen.values())

    def priority_pairs(self) -> list[tuple[int, int]]:
        """Every (i, j) with i ⇒ j."""
        return [
            (i, j)
            for a, b in nx.transitive_closure_dag(self.order).edges
            for i in self.components[a]
            for j in self.components[b]
        ]

    def cyclic_pairs(self) -> list[tuple[int, int]]:
        """(i, j) chaining each component's tokens: together they say i ≍ j for all its pairs."""
        return [
            pair
            for members in self.components
            for pair in zip(members[:-1], members[1:], strict=True)
        ]

    def top(self, tokens: Iterable[int]) -> list[int]:
        """The tokens of the context that no other token of it is above: its top component.

        Raises ``ValueError`` for a token never seen with this last token, or when two components
        are not comparable.
        """
        tokens = sorted(set(tokens))
        unseen = [token for token in tokens if token not in self.component_of]
        require(not unseen, "tokens", unseen, f"tokens seen with last token {self.last}")
        present = sorted({self.component_of[token] for token in tokens})
        best = [
            c for c in present if not any(b != c and nx.has_path(self.order, b, c) for b in present)
        ]
        require(
            len(best) == 1,
            "tokens",
            [self.components[c] for c in best],
            f"comparable components with last token {self.last}",
        )
        return [token for token in tokens if self.component_of[token] == best[0]]


Graphs: TypeAlias = dict[int, PriorityGraph]  # by last token


def priority_graphs(data: NextTokenData, winners: ArrayLike | None = None) -> Graphs:
    """Token-priority graphs of a training set, one for each last token (*Mechanics*).

    In the graph of last token k an edge y_i -> j says that the label y_i of some sample came next
    although token j was in the input: y_i has priority over j.

    data: ``NextTokenData``, n samples over K tokens.
    winners: (n, K) booleans, the tokens of each sample that count as its label; the label itself
        when omitted.  (The *local* graph takes the tokens that keep attention mass.)

    Returns ``{k: PriorityGraph}``.  Raises ``ValueError`` for ``winners`` of another shape.

    >>> from lib.mechanics.samples import from_sequences
    >>> graphs = priority_graphs(from_sequences([[0, 1, 2], [1, 0, 2]], [0, 1], np.eye(3)))
    >>> sorted(graphs[2].graph.edges), graphs[2].components
    ([(0, 1), (0, 2), (1, 0), (1, 2)], [(0, 1), (2,)])
    """
    winners = data.one_hot.astype(bool) if winners is None else np.asarray(winners, dtype=bool)
    require(
        winners.shape == data.counts.shape, "winners.shape", winners.shape, str(data.counts.shape)
    )
    graphs = {}
    for k in sorted(set(data.last.tolist())):
        graph, samples = nx.DiGraph(), {}
        for sample in np.flatnonzero(data.last == k).tolist():
            tokens, best = (
                np.flatnonzero(data.counts[sample]).tolist(),
                np.flatnonzero(winners[sample]).tolist(),
            )
            graph.add_nodes_from(tokens)
            for edge in ((i, j) for i in best for j in tokens if i != j):
                samples.setdefault(edge, []).append(sample)
        graph.add_edges_from((*edge, {"samples": found}) for edge, found in samples.items())
        graphs[k] = PriorityGraph(k, graph)
    return graphs


def has_cycle(data: NextTokenData) -> bool:
    """Whether some graph has a component of more than one token."""
    return any(
        len(members) > 1 for graph in priority_graphs(data).values() for members in graph.components
    )


def inside_mask(data: NextTokenData, graphs: Graphs) -> Mask:
    """(n, K) booleans: token j of X_i lies in the component of the label y_i."""
    mask = np.zeros(data.counts.shape, dtype=bool)
    for i, (k, label) in enumerate(zip(data.last.tolist(), data.label.tolist(), strict=True)):
        members = graphs[k].components[graphs[k].component_of[label]]
        mask[i, list(members)] = True
    return mask & (data.counts > 0)


def cyclic_subdata(data: NextTokenData, graphs: Graphs) -> NextTokenData | None:
    """The cyclic sub-data: inputs cut down to the label's component, samples with a rival kept.

    Weights stay what they are in ``data`` (1/n of the *original* n); the query stays too, even
    where its token is cut from the keys.  ``None`` when nothing is kept.
    """
    counts = data.counts * inside_mask(data, graphs)
    kept = (counts > 0).sum(axis=1) > 1
    if not kept.any():
        return None
    return NextTokenData(
        counts[kept],
        data.last[kept],
        data.label[kept],
        data.embeddings,
        data.weight[kept],  # type: ignore[index]
        data.independent,
        complete=False,
    )


def pair_matrices(data: NextTokenData, pairs: Sequence[tuple[int, int, int]]) -> Array:
    """(len(pairs), d, d): (e_i - e_j) e_k^T for each (k, i, j)."""
    if not pairs:
        return np.zeros((0, data.shape[2], data.shape[2]))
    k, i, j = np.array(pairs).T
    return np.einsum("pa,pb->pab", data.embeddings[i] - data.embeddings[j], data.embeddings[k])


def orthonormal_basis(matrices: Array, tolerance: float = 1e-10) -> Array:
    """(r, d, d): orthonormal in the Frobenius product, with the span of ``matrices`` (p, d, d)."""
    if not len(matrices):
        return np.zeros(matrices.shape)
    _, singular, rows = np.linalg.svd(matrices.reshape(len(matrices), -1), full_matrices=False)
    return rows[singular > tolerance * max(singular[0], 1e-300)].reshape(-1, *matrices.shape[1:])


def cyclic_basis(data: NextTokenData, graphs: Graphs) -> Array:
    """(r, d, d): an orthonormal basis of the cyclic subspace S_fin."""
    return orthonormal_basis(
        pair_matrices(
            data, [(k, *pair) for k, graph in graphs.items() for pair in graph.cyclic_pairs()]
        )
    )


def rivals(data: NextTokenData, among: Mask | None = None) -> list[tuple[int, int, int]]:
    """(k, y, j), each once, for the tokens j != y of each sample's input, or for those ``among``
    (n, K) of them.
    """
    among = data.counts > 0 if among is None else among
    samples = zip(data.last.tolist(), data.label.tolist(), among, strict=True)
    found = {(k, y, j) for k, y, row in samples for j in np.flatnonzero(row).tolist() if j != y}
    return sorted(found)


def data_span(data: NextTokenData) -> Array:
    """(p, d, d): an orthonormal basis of span{(e_y - e_j) x^T}, in which every gradient lies."""
    return orthonormal_basis(pair_matrices(data, rivals(data)))


def project(basis: Array, W: Array) -> Array:
    """Orthogonal projection of matrices onto a subspace, in the Frobenius product.

        P W = sum_r <W, B_r> B_r

    basis: (r, d, d), orthonormal B_r, as from ``cyclic_basis``.  W: (..., d, d).

    Returns (..., d, d).

    >>> project(np.array([[[1, 0], [0, 0]]]), np.array([[3, 4], [5, 6]])).tolist()
    [[3, 0], [0, 0]]
    """
    return np.tensordot(np.tensordot(W, basis, axes=([-2, -1], [1, 2])), basis, axes=(-1, 0))
