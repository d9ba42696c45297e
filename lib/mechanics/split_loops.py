"""Values and slopes of ``lib.mechanics.loss_split`` as compiled loops, for long flows.

The same numbers as ``SplitLoss.cyclic`` and ``SplitLoss.leak``, which have the Hessian too and are
the plain counterpart.
"""

import numpy as np

from lib.arrays import Array, Ids
from lib.compiled import njit

LARGEST = 700.0  # e^709 is the largest float64


@njit(cache=True, nogil=True, error_model="numpy")
def cyclic_slopes(
    weight: Array, log_counts: Array, label: Ids, features: Array, x: Array
) -> tuple[float, Array]:
    """(value, slope (r,)) of the cyclic part at x (r,).

    log_counts: (n, K), minus infinity outside of the label's component.  features: (n, K, r).
    """
    (n, K), r = log_counts.shape, len(x)
    logits, slope, value = np.empty(K), np.zeros(r), 0.0
    for i in range(n):
        _scores(log_counts[i], features[i], x, logits)
        total = _log_sum(logits)
        value += weight[i] * (total - logits[label[i]])
        for k in range(K):
            mass = weight[i] * np.exp(logits[k] - total)
            for p in range(r):
                slope[p] += mass * features[i, k, p]
    return value, slope


@njit(cache=True, nogil=True, error_model="numpy")
def leak_slopes(
    weight: Array,
    inside_log: Array,
    outside_log: Array,
    finite: Array,
    outer: Array,
    x: Array,
    z: Array,
    log_scale: float,
    ahead: Array,
) -> tuple[float, Array]:
    """(value, slope (r + q,)), times e^log_scale, of the leak at x (r,), z (q,).

    inside_log, outside_log: (n, K), minus infinity for tokens on the other side.  finite: (n, K,
    r).  outer: (n, K, q), 0 inside.  ahead: (n, K), added to the scores outside; with log_scale.
    """
    (n, K), r, q = inside_log.shape, len(x), len(z)
    inside, outside, value, slope = np.empty(K), np.empty(K), 0.0, np.zeros(r + q)
    for i in range(n):
        _scores(inside_log[i], finite[i], x, inside)
        _scores(outside_log[i], finite[i], x, outside)
        for k in range(K):
            for p in range(q):
                outside[k] += outer[i, k, p] * z[p]
            outside[k] += ahead[i, k]
        log_in, log_out = _log_sum(inside), _log_sum(outside)
        if log_out == -np.inf:
            continue  # nothing leaks
        scaled_odds, odds = log_out - log_in, log_out - log_in - log_scale
        log_whole = max(0.0, odds) + np.log1p(np.exp(-abs(odds)))  # log(1 + e^odds)
        log_leak = scaled_odds if odds < -40 else log_scale + np.log(log_whole)
        value += weight[i] * np.exp(min(log_leak, LARGEST))
        share = weight[i] * np.exp(min(scaled_odds - log_whole, LARGEST))
        for k in range(K):
            mass = share * (np.exp(outside[k] - log_out) - np.exp(inside[k] - log_in))
            for p in range(r):
                slope[p] += mass * finite[i, k, p]
            for p in range(q):
                slope[r + p] += mass * outer[i, k, p]
    return value, slope


@njit(cache=True, nogil=True, error_model="numpy")
def _scores(log_counts: Array, features: Array, x: Array, logits: Array) -> None:
    """Writes log counts plus features @ x, (K,)."""
    for k in range(len(logits)):
        logits[k] = log_counts[k]
        for p in range(len(x)):
            logits[k] += features[k, p] * x[p]


@njit(cache=True, nogil=True, error_model="numpy")
def _log_sum(logits: Array) -> float:
    """log sum_k e^{logits_k}; minus infinity where there is nothing."""
    top, total = logits.max(), 0.0
    if top == -np.inf:
        return top
    for k in range(len(logits)):
        total += np.exp(logits[k] - top)
    return top + np.log(total)
