"""Co-occurrence statistics of a text: P(l | m, n), and how selective a key is.

An *event* is a position of a window: its query m, its next token n, and the set of keys before
the query.  The null hypothesis is that keys do not discriminate between next tokens: then the next
tokens may be permuted among the events of one query.  Under it the measure of how selective a key
is, named ``choosiness`` below, has an exact expectation.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike, Ids
from lib.validation import require, require_integer

SHRINKAGE = 50.0  # pseudo pairs of events that pull a rare key's collision rate to its query's


class Events(NamedTuple):
    """Incidences of keys in events: ``query``, ``next_token``, ``event`` per event; ``row`` (index
    of an
    event) and ``key`` per incidence, each key once per event; ``vocab_size``."""

    query: np.ndarray
    next_token: np.ndarray
    row: np.ndarray
    key: np.ndarray
    vocab_size: int


class KeyTable(NamedTuple):
    """One row per (query, key) pair that shares at least ``minimum`` events; all arrays (rows,).

    events: number k of shared events.
    log_frequency: log of the key's share of the text.  log_lift: log P(l|m)/P(l), co-occurrence
    beyond frequency.  choosiness: log of the key's collision rate of next tokens over the query's
    (0 in expectation under the null, positive for a discriminative key).
    choosiness_global: the same over all queries.
    """

    query: np.ndarray
    key: np.ndarray
    events: np.ndarray
    log_frequency: np.ndarray
    log_lift: np.ndarray
    choosiness: np.ndarray
    choosiness_global: np.ndarray

    def at_least(self, minimum: int) -> "KeyTable":
        """The rows whose pair shares ``minimum`` events or more: no column depends on the others'
        number, so it is the table for that minimum.
        """
        return KeyTable(*(column[self.events >= minimum] for column in self))


def events_of(ids: Ids, vocab_size: int, length: int = 35, windows: int = 20_000) -> Events:
    """``Events`` of the first ``windows`` windows of a text, cut one after the other as in
    training.
    """
    require_integer("length", length, 3)
    count = min(require_integer("windows", windows, 1), (len(ids) - 1) // length)
    require(count >= 1, "length", length, f"below {len(ids)}, the length of the text")
    tokens = np.asarray(ids)[np.arange(count)[:, None] * length + np.arange(length + 1)]
    first = np.ones((count, length), dtype=bool)
    for s in range(1, length):
        first[:, s] = (tokens[:, :s] != tokens[:, s : s + 1]).all(axis=1)
    rows, keys = [], []
    for t in range(1, length):
        window, place = np.nonzero(first[:, :t])
        rows.append(window * (length - 1) + t - 1)
        keys.append(tokens[window, place])
    return Events(
        tokens[:, 1:length].ravel(),
        tokens[:, 2:].ravel(),
        np.concatenate(rows),
        np.concatenate(keys),
        vocab_size,
    )


def collision_rate(counts: ArrayLike) -> float:
    """Simpson's index: the probability that two different events have the same label.

    It is unbiased whatever the number of events; 1 over it is an effective number of labels.

    counts: (labels,), how often each occurs.  Returns a float, 0 for fewer than two events.
    """
    counts = np.asarray(counts, dtype=float)
    total = counts.sum()
    return float((counts * (counts - 1)).sum() / (total * (total - 1))) if total > 1 else 0.0


def key_table(
    events: Events, queries: Sequence[int], minimum: int, without: Sequence[int] = ()
) -> KeyTable:
    """``KeyTable`` for the given queries; keys in ``without`` (such as ``<unk>``) are left out."""
    V = events.vocab_size
    code = np.full(V, -1)
    code[np.asarray(queries)] = np.arange(len(queries))
    chosen = code[events.query[events.row]]
    inside = (chosen >= 0) & ~np.isin(events.key, np.asarray(without, dtype=int))
    triples, counts = np.unique(
        (chosen[inside] * V + events.key[inside]) * V + events.next_token[events.row[inside]],
        return_counts=True,
    )
    pair, start = np.unique(triples // V, return_index=True)
    shared = np.add.reduceat(counts, start)
    collisions = np.add.reduceat(counts * (counts - 1), start)
    keep = shared >= require_integer("minimum", minimum, 2)
    pair, shared, collisions = pair[keep], shared[keep], collisions[keep]
    index, key = pair // V, pair % V
    share, global_choosiness = _per_key(events)
    labels = [np.bincount(events.next_token[events.query == m]) for m in queries]
    labels = [counts[counts > 0] for counts in labels]
    rate = np.array([collision_rate(counts) for counts in labels])
    size = np.array([counts.sum() for counts in labels])
    return KeyTable(
        np.asarray(queries)[index],
        key,
        shared,
        np.log(share[key]),
        np.log(shared / size[index] / _presence(events)[key]),
        _shrunk_log_ratio(collisions, shared, rate[index]),
        global_choosiness[key],
    )


def _presence(events: Events) -> Array:
    """Share of events in which each key is present."""
    return np.bincount(events.key, minlength=events.vocab_size) / len(events.query)


def _per_key(events: Events) -> tuple[Array, Array]:
    """Share of the text and global choosiness of each token: (V,), (V,)."""
    V = events.vocab_size
    table = (
        np.bincount(events.key * V + events.next_token[events.row], minlength=V * V)
        .reshape(V, V)
        .astype(float)
    )
    rate = collision_rate(np.bincount(events.next_token, minlength=V))
    share = np.maximum(np.bincount(events.query, minlength=V), 0.5) / len(events.query)
    return share, _shrunk_log_ratio((table * (table - 1)).sum(1), table.sum(1), rate)


def _shrunk_log_ratio(collisions: Array, events: Array, rate: float | Array) -> Array:
    """log of (collision rate, pulled to ``rate`` by ``SHRINKAGE`` / ``rate`` pseudo pairs of that
    rate) over ``rate``; 0 where nothing ever collides.
    """
    return np.log((collisions + SHRINKAGE) / (events * (events - 1.0) * rate + SHRINKAGE))


def shuffled(ids: ArrayLike, rng: Generator) -> Ids:
    """The text with its tokens in random order: the same frequencies, no structure."""
    return rng.permutation(np.asarray(ids))
