"""The learned automaton: retrieve the top component, then compose (*Mechanics*).

Both the model's own law and the one read off the graphs and W_fin give next-token probabilities
for inputs as counts (n, K) with last tokens (n,).

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike
from lib.log_sums import softmax
from lib.mechanics.problem import Problem
from lib.mechanics.samples import log_counts
from lib.mechanics.token_priority_graph import Graphs
from lib.validation import require, require_integer


def model_law(W: Array, counts: ArrayLike, last: ArrayLike, embeddings: Array) -> Array:
    """(n, K): s_ij, the attention mass, which is the law of the next token when C E^T = I."""
    scores = embeddings[np.asarray(last)] @ W.T @ embeddings.T
    return softmax(scores + log_counts(np.asarray(counts, dtype=float)))


def retrieve(graphs: Graphs, counts: ArrayLike, last: ArrayLike) -> Array:
    """Hard retrieval, (n, K): the counts of each input's top component, 0 elsewhere.

    Raises ``ValueError`` for a last token, or a context token, that the graphs never saw together,
    and where the top component is not unique: there the limit depends on more than the graph.
    """
    cut = np.zeros(np.shape(counts))
    for i, (row, k) in enumerate(zip(np.asarray(counts), np.asarray(last).tolist(), strict=True)):
        known = f"a last token of the training data, {sorted(graphs)}"
        require(k in graphs, f"last[{i}]", k, known)
        best = graphs[k].top(np.flatnonzero(row).tolist())
        cut[i, best] = row[best]
    return cut


def automaton_law(problem: Problem, counts: ArrayLike, last: ArrayLike) -> Array:
    """The limit law of a trained ``Problem``, (n, K): retrieve, then compose by W_fin.

    Zero outside the top component of the input, m_j e^{e_j^T W_fin e_k} inside, normalized.
    Raises as ``retrieve`` does.
    """
    cut = retrieve(problem.graphs, counts, last)
    return model_law(problem.fin.W, cut, last, problem.data.embeddings)


def generate(
    law: Callable[..., Array], K: int, sequence: Sequence[int], steps: int, rng: Generator
) -> list[int]:
    """Append ``steps`` sampled tokens to ``sequence`` (ids).

    The context is the last len(sequence) tokens.

    law: a function of (counts (1, K), last (1,)) that returns (1, K) probabilities over K tokens.
    """
    require_integer("steps", steps, 0)
    tokens, window = list(sequence), len(sequence)
    for _ in range(steps):
        context = tokens[-window:]
        counts = np.bincount(context, minlength=K)[None]
        cumulative = np.cumsum(law(counts, np.array(context[-1:]))[0])
        tokens.append(int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")))
    return tokens
