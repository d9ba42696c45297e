"""Do attention logits rise with co-occurrence and fall with commonness, at equal frequency?

A regression within queries: each (query, key) pair is a row, queries have their own level (the
softmax does not see it).  Effects are partial correlations, so models of different scale compare;
their intervals resample queries *and* keys, as logits of one key depend on each other.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike, Ids
from lib.validation import require, require_integer

FEWEST = 30  # rows below which no interval is worth the name


class Effects(NamedTuple):
    """Partial correlations: ``value`` (features,), ``low`` and ``high`` of the interval, ``draws``
    (draws, features).
    """

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    draws: np.ndarray


def partial_effects(
    logits: ArrayLike,
    features: ArrayLike,
    query: Ids,
    key: Ids,
    rng: Generator,
    draws: int,
    level: float = 0.99,
) -> Effects:
    """Partial correlation of ``logits`` with each feature, the other features and the query held
    fixed.

    logits: (rows,); features: (rows, p); query, key: (rows,) ids.  Intervals by the pigeonhole
    bootstrap: every query and every key gets a Poisson weight, a row their product.
    """
    require_integer("draws", draws, 20)
    logits, features = np.asarray(logits, dtype=float), np.asarray(features, dtype=float)
    require(
        len(logits) == len(features) >= FEWEST,
        "pairs of a query and a key",
        len(logits),
        f"at least {FEWEST}: take a longer text or a smaller minimum",
    )
    queries, q = np.unique(query, return_inverse=True)
    keys, k = np.unique(key, return_inverse=True)
    value = _partial_correlations(logits, features, q, np.ones(len(logits)))
    sampled = np.array(
        [
            _partial_correlations(
                logits, features, q, rng.poisson(1, len(queries))[q] * rng.poisson(1, len(keys))[k]
            )
            for _ in range(draws)
        ]
    )
    tail = (1 - level) / 2
    low, high = np.quantile(sampled, [tail, 1 - tail], axis=0)
    return Effects(value, low, high, sampled)


def _partial_correlations(y: Array, x: Array, group: Ids, weight: Array | Ids) -> Array:
    """Partial correlations of y with the columns of x within groups, from the inverse covariance;
    0 if y is constant or a resample left too few rows.  weight: whole numbers; rows without any,
    three in five of a resample, are left out.
    """
    held = np.flatnonzero(weight)
    data, group, weight = np.column_stack([y, x])[held], group[held], weight[held]
    total = np.bincount(group, weight)
    means = (
        np.stack([np.bincount(group, weight * column) for column in data.T], axis=1)
        / np.maximum(total, 1)[:, None]
    )
    centred = data - means[group]
    covariance = centred.T @ (weight[:, None] * centred)
    if np.linalg.matrix_rank(covariance) < len(covariance):
        return np.zeros(x.shape[1])
    precision = np.linalg.inv(covariance)
    return -precision[0, 1:] / np.sqrt(precision[0, 0] * np.diag(precision)[1:])


def variance_inflation(features: ArrayLike, query: Ids) -> Array:
    """Variance inflation factor of each feature, within queries.

    It is 1 for a feature that is uncorrelated with the others, and 10 for one of which they explain
    nine tenths of the variance.
    """
    _, q = np.unique(query, return_inverse=True)
    counts = np.bincount(q)
    centred = np.stack(
        [
            column - (np.bincount(q, column) / counts)[q]
            for column in np.asarray(features, dtype=float).T
        ],
        axis=1,
    )
    correlation = np.corrcoef(centred.T)
    return np.diag(np.linalg.inv(correlation))


def winners_and_losers(
    logits: Array, query: Ids, key: Ids, chosen: Sequence[int], count: int
) -> list[tuple[int, list[int], list[int]]]:
    """For each chosen query its ``count`` keys of highest and of lowest logit: list of (query,
    winners, losers).
    """
    rows = []
    for m in chosen:
        inside = np.flatnonzero(query == m)
        order = inside[np.argsort(-logits[inside], kind="stable")]
        rows.append((int(m), key[order[:count]].tolist(), key[order[::-1][:count]].tolist()))
    return rows
