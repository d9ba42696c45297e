"""Batches as token counts on each class's support: all that training ever reads of the data.

A class emits few of the M tokens, and a sequence matters through its counts alone, so a
batch is a table (samples, t) with t the widest support: exact in distribution, not an
approximation.  Samples come sorted by class; the mean over a batch does not mind.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lib.scan_snap.sequence_classes import SequenceClasses
from lib.validation import require, require_integer

INFINITE = float("inf")


class Batch(NamedTuple):
    """counts: (N, t), label: (N,) class ids in rising order, weight: (N,) summing to 1, bounds: (K
    + 1,)
    with class n in rows ``bounds[n]:bounds[n + 1]``."""

    counts: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    bounds: np.ndarray


@dataclass(frozen=True)
class Layout:
    """Where the K classes live in the vocabulary.

    tokens: (L,) ids that some class may emit, first those that meet one query only; queries: (Q,)
    ids of the query tokens; index: (K, t) positions in ``tokens`` of each class's support;
    probability: (K, t);
    query_row: (K,) position in ``queries``; pair: (K, t) which pair of a query and a token an entry
    is, a row of
    pairs: (p, 2) positions in ``queries`` and ``tokens``, of which the first ``lone`` are the
    tokens 0 to ``lone`` - 1. Short supports are padded in front with probability 0: numpy's
    multinomial leaves what rounding spares to the *last* column, which is then real.
    """

    classes: SequenceClasses
    tokens: np.ndarray
    queries: np.ndarray
    index: np.ndarray
    probability: np.ndarray
    query_row: np.ndarray
    pair: np.ndarray
    pairs: np.ndarray
    lone: int

    @classmethod
    def of(cls, classes):
        """The layout of a ``SequenceClasses`` table."""
        queries, query_row = np.unique(classes.query, return_inverse=True)
        emitters = np.zeros((len(queries), classes.vocab_size), dtype=bool)
        np.logical_or.at(emitters, query_row, classes.support)
        meets = emitters.sum(axis=0)  # how many queries a token meets
        tokens, lone = (
            np.concatenate([np.flatnonzero(meets == 1), np.flatnonzero(meets > 1)]),
            int((meets == 1).sum()),
        )
        position = np.zeros(classes.vocab_size, dtype=np.int64)
        position[tokens] = np.arange(len(tokens))
        width = int(classes.support.sum(axis=1).max())
        index = np.zeros((classes.num_classes, width), dtype=np.int64)
        probability = np.zeros(index.shape)
        for n, present in enumerate(classes.support):
            own = np.flatnonzero(present)
            index[n] = position[own[0]]
            index[n, width - len(own) :] = position[own]
            probability[n, width - len(own) :] = classes.conditional[n, own]
        key = np.where(index < lone, index, lone + query_row[:, None] * len(tokens) + index)
        _, first, pair = np.unique(key, return_index=True, return_inverse=True)
        pairs = np.stack([query_row.repeat(width)[first], index.ravel()[first]], axis=1)
        return cls(
            classes,
            tokens,
            queries,
            index,
            probability,
            query_row.astype(np.int64),
            pair.reshape(index.shape),
            pairs,
            lone,
        )

    def batches(self, steps, batch_size, T, rng):
        """Yield ``steps`` batches.

        batch_size: samples, or ``inf``: every class with its prior.  T: position of the query (T -
        1 contextual tokens), or ``inf``: counts are the conditional probabilities (Lemma 2), one
        weighted row per class.  A batch of ``inf`` needs T = ``inf``; then every batch is the same.
        """
        require_batch(batch_size, T)
        prior = self.classes.prior
        for _ in range(steps):
            if batch_size == INFINITE:
                yield self._limit(prior)
                continue
            drawn = rng.multinomial(batch_size, prior)
            yield self._limit(drawn / batch_size) if T == INFINITE else self._finite(drawn, T, rng)

    def _limit(self, share):
        """One row per class, its counts the probabilities: T = inf."""
        classes = np.arange(len(share))
        return Batch(self.probability, classes, share, np.arange(len(share) + 1))

    def _finite(self, drawn, T, rng):
        label = np.repeat(np.arange(len(drawn)), drawn)
        counts = rng.multinomial(T - 1, self.probability[label])
        return Batch(
            counts,
            label,
            np.full(len(label), 1 / len(label)),
            np.concatenate([[0], np.cumsum(drawn)]),
        )


def require_batch(batch_size, T):
    """Check a batch size and a length, either of which may be ``inf`` (a batch of ``inf`` needs T =
    ``inf``).
    """
    if T != INFINITE:
        require_integer("T", T, 2)
    if batch_size != INFINITE:
        require_integer("batch_size", batch_size, 1)
    else:
        require(
            T == INFINITE, "batch_size", batch_size, "a whole number from 1 up unless T is inf too"
        )
