"""Batches as token counts: all that training needs of the data (*Scan and Snap*).

A class emits few of the M tokens, and a sequence matters through its counts alone, so that a batch
is a table (samples, t) with t the number of tokens in the widest support.  Its distribution is
exact.  Samples are sorted by class, which does not change the mean over a batch.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, Ids
from lib.scan_snap.sequence_classes import SequenceClasses
from lib.validation import require, require_integer

INFINITE = float("inf")


class Batch(NamedTuple):
    """N samples, sorted by class.

    counts: (N, t), on each sample's own support.  label: (N,), class ids in rising order.
    weight: (N,), summing to 1.  bounds: (K + 1,), class n has rows ``bounds[n]:bounds[n + 1]``.
    """

    counts: np.ndarray
    label: np.ndarray
    weight: np.ndarray
    bounds: np.ndarray


@dataclass(frozen=True)
class Layout:
    """Where the K classes live in the vocabulary.

    tokens: (L,) ids that some class may emit.  queries: (Q,) ids of the query tokens.
    index: (K, t), positions in ``tokens`` of each class's support, t the widest.
    probability: (K, t).  query_row: (K,), position in ``queries``.

    Short supports are padded in front with probability 0: numpy's multinomial leaves what
    rounding spares to the *last* column, which is then real.
    """

    classes: SequenceClasses
    tokens: np.ndarray
    queries: np.ndarray
    index: np.ndarray
    probability: np.ndarray
    query_row: np.ndarray

    @classmethod
    def of(cls, classes: SequenceClasses) -> "Layout":
        """The layout of a ``SequenceClasses`` table."""
        queries, query_row = np.unique(classes.query, return_inverse=True)
        tokens = np.flatnonzero(classes.support.any(axis=0))
        width = int(classes.support.sum(axis=1).max())
        index = np.zeros((classes.num_classes, width), dtype=np.int64)
        probability = np.zeros(index.shape)
        for n, present in enumerate(classes.support):
            own = np.flatnonzero(present)
            index[n] = np.searchsorted(tokens, own[0])
            index[n, width - len(own) :] = np.searchsorted(tokens, own)
            probability[n, width - len(own) :] = classes.conditional[n, own]
        return cls(classes, tokens, queries, index, probability, query_row.astype(np.int64))

    def batches(self, steps: int, batch_size: float, T: float, rng: Generator) -> Iterator[Batch]:
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
            drawn = rng.multinomial(batch_size, prior)  # type: ignore[arg-type]
            yield self._limit(drawn / batch_size) if T == INFINITE else self._finite(drawn, T, rng)  # type: ignore[arg-type]

    def _limit(self, share: Array) -> Batch:
        """One row per class, its counts the probabilities: T = inf."""
        classes = np.arange(len(share))
        return Batch(self.probability, classes, share, np.arange(len(share) + 1))

    def _finite(self, drawn: Ids, T: int, rng: Generator) -> Batch:
        label = np.repeat(np.arange(len(drawn)), drawn)
        counts = rng.multinomial(T - 1, self.probability[label])
        return Batch(
            counts,
            label,
            np.full(len(label), 1 / len(label)),
            np.concatenate([[0], np.cumsum(drawn)]),
        )


def require_batch(batch_size: float, T: float) -> None:
    """Check a batch size and a length; either may be ``inf``, a batch only where T is."""
    if T != INFINITE:
        require_integer("T", T, 2)
    if batch_size != INFINITE:
        require_integer("batch_size", batch_size, 1)
    else:
        require(
            T == INFINITE, "batch_size", batch_size, "a whole number from 1 up unless T is inf too"
        )
