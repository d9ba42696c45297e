"""Classes of contexts with distinct and common losing tokens, as data for the head of *Mechanics*,
which passes attention on as probability.

Context n holds its label, ``distinct`` tokens that no other class has, and one token that all
classes share.  The query of class n is a vector of its own; every two overlap by ``rho``.

Chapter: ``book/bridge/distinct_common.ipynb``.
"""

from typing import Any

import numpy as np

from lib.arrays import Array
from lib.mechanics.samples import NextTokenData
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.validation import require_integer


def class_contexts(
    K: int, distinct: int, rho: float, counts: Any = None, weight: Array | None = None
) -> NextTokenData:
    """``NextTokenData`` of K classes; ids: labels 0 .. K-1, distinct, the common one, queries.

    rho = 1 is one query for all.  counts: (K, distinct + 2), multiplicities of label, common and
    distinct tokens, ones when omitted.  weight: (K,).  All other embeddings are orthonormal.
    """
    require_integer("K", K, 2)
    require_integer("distinct", distinct, 0)
    common = K + K * distinct
    queries = np.ones((1, 1)) if rho == 1 else np.linalg.cholesky(equal_overlap_gram(K, rho))
    embeddings = np.zeros((common + 1 + len(queries), common + 1 + queries.shape[1]))
    embeddings[: common + 1, : common + 1] = np.eye(common + 1)
    embeddings[common + 1 :, common + 1 :] = queries
    table = np.zeros((K, len(embeddings)))
    for n in range(K):
        own = range(K + n * distinct, K + (n + 1) * distinct)
        table[n, [n, common, *own]] = 1 if counts is None else counts[n]
    last = common + 1 + np.arange(K) * (rho < 1)
    return NextTokenData(table, last, np.arange(K), embeddings, weight, complete=False)


def class_multipliers(K: Any, distinct: int, rho: Any) -> tuple[Any, Any]:
    """(common, distinct): multipliers of the Graph-SVM for a common and for a distinct loser.

    1 / (u (1 + distinct) + 1) and u times that, u = 1 + (K - 1) rho.  K, rho: numbers, fractions or
    symbols.
    """
    u = 1 + (K - 1) * rho
    common = 1 / (u * (1 + distinct) + 1)
    return common, u * common


def uneven_multipliers(K: Any, own: Any, total: Any) -> tuple[Any, Any]:
    """(common, distinct): multipliers of the Graph-SVM behind one query, for the class with ``own``
    of the ``total`` distinct losing tokens of all K.

    (1 + total - K own) / (K + 1 + total) and K / (K + 1 + total): numbers, fractions or symbols.
    Where that of one class is negative they hold for none: the common token then lies deeper than
    one unit below that class's label.
    """
    return (1 + total - K * own) / (K + 1 + total), K / (K + 1 + total)
