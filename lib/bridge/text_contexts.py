"""A text as the data of *Mechanics*: windows as inputs, the next token as label.

With orthonormal embeddings W is a table with one score z_kj for each pair of a last token k and a
token j, and a context is a choice among its tokens:  P(j) proportional to m_j e^{z_kj}.  Windows
are kept as lists of such pairs, so that a text's contexts fit into memory.

Chapter: ``book/bridge/text_graph.ipynb``.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize

from lib.arrays import Array, ArrayLike, Ids, Mask
from lib.compiled import njit
from lib.validation import require, require_integer

FLAT = 0.01  # the least curvature that sets a unit: pairs that nothing decides stay where they are


class Contexts(NamedTuple):
    """n windows of a text.

    windows: (n, T) ids.  label: (n,), what came next.  place: (n,), where in the text that stands.
    vocab_size: K.
    """

    windows: np.ndarray
    label: np.ndarray
    place: np.ndarray
    vocab_size: int

    @property
    def last(self) -> Ids:
        """(n,) ids of the last tokens."""
        return self.windows[:, -1]

    @property
    def present(self) -> Mask:
        """(n,) booleans: the label stands in its window (*realizable*)."""
        return (self.windows == self.label[:, None]).any(axis=1)

    def only(self, chosen: Ids | Mask | slice) -> "Contexts":
        """The contexts ``chosen`` (indices or mask)."""
        return Contexts(self.windows[chosen], self.label[chosen], self.place[chosen], *self[3:])


def contexts(ids: ArrayLike, vocab_size: int, length: int) -> Contexts:
    """All windows of ``length`` tokens of a text (N,) ids, each with the token after it.

    Raises ``ValueError`` for a text without one.
    """
    require_integer("length", length, 2)
    ids = np.asarray(ids)
    require(len(ids) > length, "length", length, f"below {len(ids)}, the length of the text")
    cut = np.lib.stride_tricks.sliding_window_view(ids, length + 1)
    return Contexts(cut[:, :-1], cut[:, -1], np.arange(length, len(ids)), vocab_size)


def repeated(held: Contexts, seen: Contexts) -> Mask:
    """(n,): which contexts of ``held`` occur word for word, label included, among those of
    ``seen``.

    held, seen: ``Contexts`` of one length.
    """
    mine, theirs = (np.c_[one.windows, one.label] for one in (held, seen))
    known = {row.tobytes() for row in theirs}
    return np.array([row.tobytes() in known for row in mine])


class Choices(NamedTuple):
    """Contexts as choices; m entries, one for each token of each context, contexts in order.

    pairs: (P,), the known pairs as k K + j, increasing.  code: (m,), the entry's own pair.  pair:
    (m,), its index in ``pairs``, P where it is none of them.  log_count: (m,), log multiplicity.
    won: (m,), the entry is the label.  row: (m,), its context.  start: (n,), first entry of each
    context.
    """

    pairs: np.ndarray
    code: np.ndarray
    pair: np.ndarray
    log_count: np.ndarray
    won: np.ndarray
    row: np.ndarray
    start: np.ndarray

    def sums(self, values: Array) -> Array:
        """(n,): sums over the entries (m,) of each context."""
        return np.add.reduceat(values, self.start)

    def normalized(self, weight: Array) -> Array:
        """(m,): weights >= 0 as probabilities in each context; multiplicities where all are 0."""
        weight = np.where((self.sums(weight) > 0)[self.row], weight, np.exp(self.log_count))
        return weight / self.sums(weight)[self.row]


def choices(found: Contexts, pairs: Ids | None = None) -> Choices:
    """``Choices`` of ``Contexts`` whose labels are present; ``pairs`` are its own when omitted."""
    require(found.present.all(), "label", "outside of its window", "labels in their windows")
    K, (n, length) = found.vocab_size, found.windows.shape
    ordered = np.sort(found.windows, axis=1)  # copies of a token stand together
    first = np.c_[np.ones(n, bool), ordered[:, 1:] != ordered[:, :-1]]
    row, token = np.nonzero(first)[0], ordered[first]
    count = np.diff(np.flatnonzero(first), append=n * length)
    code = found.last[row] * K + token
    pairs = np.unique(code) if pairs is None else pairs
    pair = np.minimum(np.searchsorted(pairs, code), len(pairs) - 1)
    pair[pairs[pair] != code] = len(pairs)
    start = np.searchsorted(row, np.arange(n))
    return Choices(pairs, code, pair, np.log(count), token == found.label[row], row, start)


def law(given: Choices, scores: Array, kept: Mask | None = None) -> Array:
    """(m,): P(j) proportional to m_j e^{z_kj} among the ``kept`` entries (m,), all when omitted.

    scores: (P,), one for each known pair; other pairs have 0.  A context with nothing kept keeps
    everything.
    """
    logits = np.append(scores, 0.0)[given.pair] + given.log_count
    if kept is not None:
        empty = ~np.logical_or.reduceat(kept, given.start)
        logits = np.where(kept | empty[given.row], logits, -np.inf)
    weight = np.exp(logits - np.maximum.reduceat(logits, given.start)[given.row])
    return weight / given.sums(weight)[given.row]


def imbalance(given: Choices, scores: Array, kept: Mask | None = None) -> Array:
    """(P,): attention minus wins of each pair, in samples: the gradient of the summed log-loss."""
    wins = np.bincount(given.pair[given.won], minlength=len(given.pairs) + 1)
    return (np.bincount(given.pair, law(given, scores, kept), len(wins)) - wins)[:-1]  # type: ignore[return-value]


def train(
    given: Choices,
    kept: Mask | None = None,
    ridge: float = 0.0,
    start: Array | None = None,
    steps: int = 500,
) -> Array:
    """Scores (P,) that minimize the log-loss, summed over contexts, + ridge |z|^2 / 2.

    L-BFGS in units in which every pair's curvature at the start is 1: pairs are seen once or
    thousands of times, and unscaled the rare ones need several times as many steps.  Where the loss
    is flat (no ridge, a shift of all scores of a component) which minimum is found means nothing.

    given: ``Choices`` with their own pairs.  kept: (m,), labels among them; inputs are cut down to
    it, and with the label's component kept this is the finite part's Lbar.  Raises ``ValueError``
    for entries of no known pair, and for a label that is cut away: its loss has no minimum.
    """
    kept = np.ones(len(given.pair), bool) if kept is None else kept
    known = (given.pair < len(given.pairs)).all()
    require(known, "given", "an entry of no known pair", "choices with their own pairs")
    require(kept[given.won].all(), "kept", "an entry that leaves a label out", "labels kept")
    asked = given.pair[kept], given.log_count[kept], given.won[kept]
    ends = np.append(0, np.add.reduceat(kept, given.start, dtype=int).cumsum())
    begin = np.zeros(len(given.pairs)) if start is None else start
    p = law(given, begin, kept)
    curvature = np.bincount(given.pair, p * (1 - p), len(begin)) + ridge
    unit = 1 / np.sqrt(np.maximum(curvature, FLAT))

    def objective(u: Array) -> tuple[float, Array]:
        z = unit * u
        value, mass = _loss_and_mass(z, *asked, ends)
        return value + ridge / 2 * z @ z, unit * (mass - wins + ridge * z)

    wins = np.bincount(given.pair[given.won], minlength=len(begin)).astype(float)
    options = {"maxiter": steps, "maxfun": 2 * steps, "ftol": 1e-13, "gtol": 1e-3, "maxcor": 10}
    found = minimize(objective, begin / unit, jac=True, method="L-BFGS-B", options=options)
    return unit * found.x


@njit(nogil=True, cache=True)
def _loss_and_mass(
    scores: Array, pair: Ids, log_count: Array, won: Mask, ends: Ids
) -> tuple[float, Array]:
    """Summed log-loss of the labels, and attention of each pair (P,): ``law`` in one pass.

    pair, log_count, won: (m,), of ``Choices``, those kept.  ends: (n + 1,), of the contexts.
    """
    loss, mass = 0.0, np.zeros(len(scores))
    weight = np.empty((ends[1:] - ends[:-1]).max())
    for i in range(len(ends) - 1):
        a, b = ends[i], ends[i + 1]
        largest, total, label = -np.inf, 0.0, 0.0
        for e in range(a, b):
            weight[e - a] = scores[pair[e]] + log_count[e]
            largest = max(largest, weight[e - a])
            if won[e]:
                label = weight[e - a]
        for e in range(b - a):
            weight[e] = np.exp(weight[e] - largest)
            total += weight[e]
        for e in range(a, b):
            mass[pair[e]] += weight[e - a] / total
        loss += np.log(total) + largest - label
    return loss, mass
