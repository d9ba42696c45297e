"""The theory, token by token: from trained attention logits to effects with intervals.

Features of a (query, key) pair come from counts alone (``lib.real_text.cooccurrence``), logits from
a trained model; the two meet only in the regression of ``lib.real_text.partial_effects``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.stats import norm

from lib.arrays import Array, Ids
from lib.real_text.cells import QUERIES
from lib.real_text.cooccurrence import KeyTable, events_of, key_table, shuffled
from lib.real_text.corpus import Corpus
from lib.real_text.partial_effects import Effects, partial_effects, winners_and_losers
from lib.validation import require

FEATURES = ("log_frequency", "log_lift", "choosiness_global")
LOCAL = ("log_frequency", "log_lift", "choosiness")
READ = 10  # queries whose winners and losers are listed


def queries_of(corpus: Corpus, count: int = QUERIES) -> list[int]:
    """The commonest queries, without ``<unk>`` and ``<eos>``."""
    special = corpus.special
    return [i for i in range(min(count, corpus.vocab_size)) if i not in special]


def pair_table(corpus: Corpus, text: Ids | None = None, minimum: int = 50) -> KeyTable:
    """``KeyTable`` of a corpus, or of another text over its vocabulary, such as a shuffled one."""
    text = corpus.train if text is None else text
    events = events_of(text, corpus.vocab_size)
    return key_table(events, queries_of(corpus), minimum, corpus.special)


def shuffled_table(corpus: Corpus, seed: int, minimum: int = 50) -> KeyTable:
    """``KeyTable`` of the training text in the order that a shuffled run of this seed sees."""
    return pair_table(corpus, shuffled(corpus.train, np.random.default_rng(seed)), minimum=minimum)


def matrix(table: KeyTable, features: Sequence[str] = FEATURES) -> Array:
    """The features as columns: (rows, features)."""
    return np.stack([getattr(table, name) for name in features], axis=1)


def effects(
    logits: Array,
    table: KeyTable,
    rng: Generator,
    features: Sequence[str] = FEATURES,
    draws: int = 200,
) -> Effects:
    """``Effects`` of the features on content logits (queries, V)."""
    return partial_effects(
        logits[table.query, table.key], matrix(table, features), table.query, table.key, rng, draws
    )


def reliability(one: KeyTable, other: KeyTable, feature: str) -> float:
    """Correlation of a feature between two ``KeyTable``s, over the pairs that both have."""
    size = 1 + max(one.key.max(), other.key.max())
    mine, theirs = (table.query * size + table.key for table in (one, other))
    _, i, j = np.intersect1d(mine, theirs, assume_unique=True, return_indices=True)
    require(len(i) >= 2, "pairs in both tables", len(i), "at least 2: take a longer text")
    return float(np.corrcoef(getattr(one, feature)[i], getattr(other, feature)[j])[0, 1])


def combined(rows: list[dict[str, Any]], level: float = 0.99) -> tuple[Array, Array, Array]:
    """Mean over seeds, with an interval for new seeds, queries and keys: mean, low, high, each
    (features,).

    rows: rows of a stored table, one per seed.  The spread over resampled queries and keys is
    common to the seeds (it does not average out); the spread between seeds adds to it.
    """
    values = np.array([row["value"] for row in rows])
    common = np.mean([np.square(row["spread"]) for row in rows], axis=0)
    between = values.var(axis=0, ddof=1) / len(rows) if len(rows) > 1 else 0.0
    half = norm.ppf((1 + level) / 2) * np.sqrt(common + between)
    mean = values.mean(axis=0)
    return mean, mean - half, mean + half


def readable(
    logits: Array, table: KeyTable, corpus: Corpus, count: int = 3
) -> list[tuple[str, list[str], list[str]]]:
    """The keys of highest and of lowest logit of the first ``READ`` queries that are words, as
    words: a list of (query, winners, losers).
    """
    chosen = [
        m
        for m in queries_of(corpus)
        if corpus.vocabulary[m].isalpha() and (table.query == m).sum() >= 4 * count
    ][:READ]
    rows = winners_and_losers(logits[table.query, table.key], table.query, table.key, chosen, count)
    return [(corpus.vocabulary[m], corpus.words(won), corpus.words(lost)) for m, won, lost in rows]


def agreement(logits: Sequence[Array], table: KeyTable) -> dict[str, Any]:
    """How far the logits of queries, and of seeds, agree over ``table``; each query's mean is
    removed.

    logits: list of (queries, V), one per seed.
    one_direction: share of the logits' variance in their first singular direction (1: all queries
    rank the keys alike, up to sign).  seeds: mean correlation of two seeds' logits over the table's
    pairs.
    """
    keys, queries = np.unique(table.key), np.unique(table.query)
    blocks = [values[np.ix_(queries, keys)] for values in logits]
    blocks = [block - block.mean(axis=1, keepdims=True) for block in blocks]
    squares = [np.linalg.svd(block, compute_uv=False) ** 2 for block in blocks]
    pair = np.searchsorted(queries, table.query), np.searchsorted(keys, table.key)
    pairs = np.array([block[pair] for block in blocks])
    seeds = np.corrcoef(pairs)[np.triu_indices(len(pairs), 1)] if len(pairs) > 1 else []
    return {
        "one_direction": float(np.mean([values[0] / values.sum() for values in squares])),
        "seeds": [float(value) for value in seeds],
    }


def omega(corpus: Corpus, text: Ids) -> Ids:
    """|Omega(l)|, distinct next tokens of the events of ``text`` that hold l; at least 1."""
    events = events_of(text, corpus.vocab_size)
    V = corpus.vocab_size
    seen = np.bincount(events.key * V + events.next_token[events.row], minlength=V * V)
    return np.maximum((seen.reshape(V, V) > 0).sum(axis=1), 1)
