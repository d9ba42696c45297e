"""Random data sets for *Mechanics*: the authors' draw, and draws whose cycles are not balanced.

In the authors' draw a cycle is nearly always two samples that contradict each other evenly, so
W_fin = 0.  ``choice_draw`` lets labels follow a law with tiers and strengths, so that components
are large and the finite part has something to say.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike, Ids
from lib.mechanics.samples import NextTokenData, from_sequences, gaussian_embeddings
from lib.mechanics.token_priority_graph import Graphs, cyclic_subdata, has_cycle, priority_graphs
from lib.validation import require_integer


def drawn(
    draw: Callable[[], Any],
    wanted: Callable[[Any], bool],
    names: str,
    sizes: object,
    most: int = 10_000,
) -> Any:
    """The first random data set that has a wanted property (rejection sampling).

    draw: a function without arguments that returns a data set.
    wanted: a function of a data set; whether it will do.
    names, sizes: the parameters of the draw, for the error message.
    most: how many draws are tried.

    Raises ``ValueError`` if none of ``most`` draws is as wanted.

    >>> rng = np.random.default_rng(0)
    >>> drawn(lambda: int(rng.integers(6)), lambda pips: pips == 5, "sides", 6)
    5
    """
    for _ in range(most):
        data = draw()
        if wanted(data):
            return data
    raise ValueError(
        f"{names} = {sizes}, allowed: sizes for which one of {most} draws is as wanted:"
        f" {wanted.__name__}"
    )


# The last correlations of W and W_svm in ten trials, seed 1, of the authors' notebook
# mc_next_single_layer_global_converge.ipynb (github.com/yixiao-huang/next-token-prediction).
GLOBAL_CORRELATIONS = (
    *(0.98744261, 0.98757892, 0.98401835, 0.98774575, 0.98767699),
    *(0.99123754, 0.97859767, 0.97615322, 0.98601229, 0.99279535),
)


def acyclic_with_priorities(data: NextTokenData) -> bool:
    """Whether no token-priority graph has a cycle, and some token has priority over another."""
    return not has_cycle(data) and _ordered(priority_graphs(data))


def _ordered(graphs: Graphs) -> bool:
    return any(graph.priority_edges() for graph in graphs.values())


def random_draw(
    rng: Generator, n: int = 6, T: int = 4, K: int = 6, embeddings: Array | None = None, d: int = 8
) -> NextTokenData:
    """Random samples of *Mechanics*, as in the authors' experiments.

    A sequence has T different tokens, the last of which is the query.  The label is uniform over
    the vocabulary, and where it does not occur in the sequence it is drawn again from the sequence.

    n: number of samples.  T: tokens of a sequence.  K: size of the vocabulary, at least T.
    embeddings: (K, d); random unit vectors in R^d when omitted.

    Returns ``NextTokenData``.  Raises ``ValueError`` for arguments outside of their ranges.

    >>> data = random_draw(np.random.default_rng(0))
    >>> data.counts.sum(axis=1).tolist(), data.embeddings.shape
    ([4.0, 4.0, 4.0, 4.0, 4.0, 4.0], (6, 8))
    """
    require_integer("n", n, 1)
    require_integer("T", T, 1, require_integer("K", K, 1))
    embeddings = gaussian_embeddings(K, d, rng) if embeddings is None else embeddings
    sequences = np.array([rng.choice(K, size=T, replace=False) for _ in range(n)])
    labels = rng.integers(K, size=n)
    absent = ~(sequences == labels[:, None]).any(axis=1)
    labels[absent] = sequences[absent, rng.integers(T, size=absent.sum())]
    return from_sequences(sequences, labels, embeddings)


def authors_draw(rng: Generator, n: int = 6, T: int = 4, K: int = 6, d: int = 8) -> NextTokenData:
    """``random_draw``, repeated until at least one token-priority graph has a cycle.

    n, T, K, d: as in ``random_draw``; the embeddings are drawn once.

    Returns ``NextTokenData``.  Raises ``ValueError`` for sizes at which no draw has a cycle.

    >>> has_cycle(authors_draw(np.random.default_rng(0)))
    True
    """
    embeddings = gaussian_embeddings(K, d, rng)
    return drawn(lambda: random_draw(rng, n, T, K, embeddings), has_cycle, "n, T, K", (n, T, K))


def authors_trials(
    seed: int, trials: int, n: int = 6, T: int = 4, K: int = 6, d: int = 8
) -> list[tuple[NextTokenData, Array]]:
    """The authors' own draws: ``trials`` pairs (``NextTokenData``, W(0) (d, d)), seed by seed.

    The law is that of ``authors_draw`` and ``initial_weights``, but that embeddings are drawn anew
    with the sequences.  The numbers are PyTorch's in the order of their notebook, in float32.
    """
    import torch  # all else here does without

    generator = torch.Generator().manual_seed(seed)
    uniform = torch.ones(K)

    def draw() -> NextTokenData:
        rows = torch.randn(K, d, generator=generator).double()
        embeddings = torch.nn.functional.normalize(rows, dim=-1)
        sequences = torch.multinomial(uniform.expand(n, K), T, generator=generator)
        labels = torch.multinomial(uniform, n, replacement=True, generator=generator)
        for i, sequence in enumerate(sequences):
            if labels[i] not in sequence:
                labels[i] = sequence[torch.randint(T, (1,), generator=generator)]
        return from_sequences(sequences.tolist(), labels.tolist(), embeddings.numpy())

    def start() -> Array:
        weights = torch.empty(d, d).uniform_(-(d**-0.5), d**-0.5, generator=generator)
        return weights.double().numpy()

    found = []
    for _ in range(trials):
        found.append((drawn(draw, has_cycle, "n, T, K", (n, T, K)), start()))
        start()  # of the model in which they train W_fin, then set to zero
    return found


class ChoiceLaw(NamedTuple):
    """How labels are drawn for last token k: ``tiers[k, j]``, 0 the highest, ``strengths[k, j]``.

    The label is a token of the best tier in the input, token j with probability proportional to
    m_j e^{strength}.  Shapes (K, K); this is an automaton in the paper's sense.
    """

    tiers: np.ndarray
    strengths: np.ndarray

    def probabilities(self, counts: Array, last: Ids) -> Array:
        """(n, K): the law of the label for inputs ``counts`` (n, K) with last tokens (n,)."""
        tiers = np.where(counts > 0, self.tiers[last], np.inf)
        weights = np.where(
            tiers == tiers.min(axis=1, keepdims=True), counts * np.exp(self.strengths[last]), 0
        )
        return weights / weights.sum(axis=1, keepdims=True)


def random_law(K: int, tiers: int, rng: Generator, spread: float = 1.0) -> ChoiceLaw:
    """A random ``ChoiceLaw``: tiers 0 .. tiers-1, Gaussian strengths of deviation ``spread``."""
    require_integer("tiers", tiers, 1, require_integer("K", K, 1))
    return ChoiceLaw(rng.integers(tiers, size=(K, K)), spread * rng.normal(size=(K, K)))


def choice_draw(
    rng: Generator,
    law: ChoiceLaw,
    n: int,
    T: int,
    embeddings: Array,
    last_tokens: ArrayLike | None = None,
    repeats: bool = True,
) -> NextTokenData:
    """Samples whose labels follow a ``ChoiceLaw``.

    n: number of samples.  T: tokens of a sequence.  embeddings: (K, d).
    last_tokens: the ids that may come last, all when omitted.
    repeats: whether a token may occur several times in a sequence.

    Returns ``NextTokenData``.
    """
    K = len(embeddings)
    require_integer("n", n, 1)
    require_integer("T", T, 1, None if repeats else K)
    last_tokens = np.arange(K) if last_tokens is None else np.asarray(last_tokens)
    last = rng.choice(last_tokens, size=n)
    if repeats:
        others = rng.integers(K, size=(n, T - 1))
    else:
        ids = np.arange(K - 1) + (np.arange(K - 1) >= last[:, None])  # all but the last token
        others = rng.permuted(ids, axis=1)[:, : T - 1]
    counts = np.eye(K, dtype=int)[np.c_[others, last]].sum(axis=1)
    cumulative = np.cumsum(law.probabilities(counts, last), axis=1)
    labels = (rng.random(n)[:, None] * cumulative[:, -1:] < cumulative).argmax(axis=1)
    return NextTokenData(counts, last, labels, embeddings)


def cyclic_draw(
    rng: Generator,
    n: int = 60,
    T: int = 4,
    K: int = 6,
    d: int = 8,
    tiers: int = 3,
    last_tokens: ArrayLike | None = (0, 1),
    repeats: bool = True,
    embeddings: Array | None = None,
) -> NextTokenData:
    """Random training set whose graphs have cycles and priorities, so that W_fin and W_svm count.

    Labels follow a random ``ChoiceLaw`` (see ``choice_draw``); data sets are drawn until one has a
    cycle and a token with priority over another.

    rng: ``numpy.random.Generator``.  n: samples.  T: tokens of an input.  K: tokens of the
    vocabulary.  d: dimension of the embeddings.  tiers: levels of priority.
    last_tokens: ids that may come last.  repeats: whether a token may occur twice in an input.
    embeddings: (K, d); random unit vectors when omitted.

    Returns ``NextTokenData``.  Raises ``ValueError`` if 10,000 draws have not brought one.

    >>> data = cyclic_draw(np.random.default_rng(0))
    >>> data.shape, has_cycle(data)
    ((60, 6, 8), True)
    """
    embeddings = gaussian_embeddings(K, d, rng) if embeddings is None else embeddings

    def draw() -> NextTokenData:
        return choice_draw(rng, random_law(K, tiers, rng), n, T, embeddings, last_tokens, repeats)

    def cycles_and_priorities(data: NextTokenData) -> bool:
        graphs = priority_graphs(data)
        return _ordered(graphs) and cyclic_subdata(data, graphs) is not None

    return drawn(draw, cycles_and_priorities, "n, T, K, tiers", (n, T, K, tiers))


def crowded_draw(rng: Generator, room: int, n: int = 60, K: int = 6, d: int = 8) -> NextTokenData:
    """A ``cyclic_draw`` with new embeddings in R^room; for room < K they are linearly dependent.

    n, K, d: as in ``cyclic_draw``, which draws the samples.

    Returns ``NextTokenData``, whose Graph-SVM may be infeasible.
    """
    data = cyclic_draw(rng, n=n, K=K, d=d)
    return data.with_embeddings(gaussian_embeddings(K, room, rng), independent=False)
