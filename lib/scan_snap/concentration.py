"""Concentration of token counts around their means: exact probabilities and the paper's bounds
(*Scan and Snap*, Lemmas 2, 10-12, 18).

A count of ``trials`` independent draws is binomial, all counts together are multinomial; both
laws are evaluated exactly, so that a bound "with probability at least 1 - delta" can be compared
with the probability itself.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats
from scipy.signal import fftconvolve
from scipy.special import gammaln

from lib.arrays import Array, ArrayLike
from lib.validation import require, require_integer, require_probability_table

TIE = 1e-9  # counts this close to an end of an interval lie in it: ends like N p + k carry rounding


def hoeffding_radius(trials: ArrayLike, delta: ArrayLike) -> Array:
    """sqrt(ln(2 / delta) / (2 trials)), Eq. (136); times ``trials`` the radius of (58).

    For one fixed token or class.  ``trials`` and ``delta`` may be arrays; they broadcast.
    """
    trials, delta = np.asarray(trials, dtype=float), np.asarray(delta, dtype=float)
    require((trials >= 1).all(), "trials", trials, "at least 1")
    require(((delta > 0) & (delta < 1)).all(), "delta", delta, "above 0 and below 1")
    return np.sqrt(np.log(2 / delta) / (2 * trials))


def hoeffding_tail(trials: ArrayLike, deviation: ArrayLike) -> Array:
    """2 exp(-2 trials deviation^2), Eq. (59) and (138): bounds P(|frequency - p| >= deviation)."""
    return 2 * np.exp(
        -2 * np.asarray(trials, dtype=float) * np.asarray(deviation, dtype=float) ** 2
    )


def miss_probability(trials: ArrayLike, p: ArrayLike, low: ArrayLike, high: ArrayLike) -> Array:
    """Exact P(X < low or X > high) for X ~ Binomial(trials, p); arguments broadcast.

    A sum of two tails, so tiny values keep their precision.
    """
    low, high = np.ceil(np.asarray(low) - TIE), np.floor(np.asarray(high) + TIE)
    return np.where(
        low > high, 1.0, stats.binom.cdf(low - 1, trials, p) + stats.binom.sf(high, trials, p)
    )


def outside(trials: float | Array, chance: float | Array, radius: float | Array) -> Array:
    """Exact P(the share of one token is off by more than ``radius``); arguments broadcast.

    The share is X / trials, X ~ Binomial(trials, chance).
    """
    return miss_probability(trials, chance, trials * (chance - radius), trials * (chance + radius))


def some_outside(trials: int, law: ArrayLike, radius: float | Array) -> float:
    """Exact P(the share of some token is off by more than ``radius``), ``law`` (M,) of all."""
    law = np.asarray(law)
    return 1 - joint_coverage(trials, law, trials * (law - radius), trials * (law + radius))


def worst_ratio(
    trials: int,
    chance: Array,
    level_at: Callable[[int, Any], Array],
    reach_at: Callable[[int, float], Array] | None = None,
) -> float:
    """By how much a count misses its rounded mean more often than a level says, at worst.

        max over p, j of P(|N_n - ceil(N p)| >= j) / level_at(N, j),    j = 1, ..., N

    N_n ~ Binomial(N, p), as in (58) and (59) of *Scan and Snap*, Lemma 10.  Levels count that lie
    in (1e-250, 1).

    trials: N.  chance: (P, 1), the probabilities p.  level_at: of (N, (J,)), the least level at
    which a deviation of j is still inside the radius.  reach_at: of (N, level), the radius at a
    level, asked just above each; then the deviations are those that it does not reach.

    Returns 0 where no level counts.

    >>> round(worst_ratio(10, np.array([[0.5]]), lambda N, j: hoeffding_tail(N, j / N)), 4)
    0.3825
    """
    j, center = np.arange(1, trials + 1), np.ceil(trials * chance - TIE)
    levels = level_at(trials, j)
    used = (levels < 1) & (levels > 1e-250)
    levels, inside = levels[used], j[used] - 1
    if reach_at:
        levels = levels * (1 + 1e-7)
        inside = np.array([reach_at(trials, one) for one in levels])
    missed = miss_probability(trials, chance, center - inside, center + inside)
    return float((missed / levels).max(initial=0))


def joint_coverage(trials: int, probabilities: ArrayLike, low: ArrayLike, high: ArrayLike) -> float:
    """Exact P(low_l <= X_l <= high_l for every l) for X ~ Multinomial(trials, probabilities).

    Levin's representation: independent Poisson counts, cut to their intervals and conditioned
    on their sum.  ``low``, ``high`` broadcast to (M,).  Absolute precision about 1e-12.
    """
    require_integer("trials", trials, 1)
    p = require_probability_table("probabilities", np.atleast_2d(probabilities))[0]
    low = np.broadcast_to(np.maximum(np.ceil(np.asarray(low) - TIE), 0), p.shape)
    high = np.broadcast_to(np.minimum(np.floor(np.asarray(high) + TIE), trials), p.shape)
    if (low > high).any():
        return 0.0
    counts = np.arange(trials + 1)
    total = np.ones(1)
    log_scale = gammaln(trials + 1) - trials * np.log(trials) + trials
    for mean, first, last in zip(trials * p, low, high, strict=True):
        cut = np.where((counts >= first) & (counts <= last), stats.poisson.pmf(counts, mean), 0.0)
        log_scale += np.log(cut.sum())
        total = fftconvolve(total, cut / cut.sum())[: trials + 1]
    return float(np.clip(np.exp(log_scale) * total[trials], 0, 1))


def attention_covariance(attention: ArrayLike, probabilities: ArrayLike) -> Array:
    """Covariance of sqrt(T-1) (X^T b - c) as T grows: sum_k c_k^2 / P_k (e_k - c)(e_k - c)^T.

    attention, probabilities: (M,), c and P(. | n) of one class; the delta method on Lemma 2's (20).
    """
    c, weights = _attention_weights(attention, probabilities)
    directions = np.eye(len(c)) - c  # row k: e_k - c
    return directions.T @ (weights[:, None] * directions)


def effective_share(attention: ArrayLike, probabilities: ArrayLike) -> float:
    """The share of a sequence that attention effectively averages over: 1 / sum_k c_k^2 / P_k.

    attention, probabilities: (M,), c and P(. | n) of one class (*Scan and Snap*, Lemma 2).

    Returns a float; 1 where attention is c = P.
    Raises ``ValueError`` for tables of different lengths.

    >>> round(float(effective_share([0.5, 0.5], [0.5, 0.5])), 12)
    1.0
    """
    return 1 / _attention_weights(attention, probabilities)[1].sum()


def worst_attention_gap(frequencies: ArrayLike, probabilities: ArrayLike) -> Array:
    """Largest total variation between X^T b and c over all attention logits z in R^M.

    With r_l = q_l / P_l on the support it is tanh(ln(max r / min r) / 4); 1 if a token of the
    support is missing from the sequence.

    frequencies: (..., M), q of a sequence.  probabilities: (M,), P(. | n).  Returns (...).
    """
    q, p = np.asarray(frequencies, dtype=float), np.asarray(probabilities, dtype=float)
    ratios = q[..., p > 0] / p[p > 0]
    root = np.sqrt(ratios.min(axis=-1) / ratios.max(axis=-1))
    return (1 - root) / (1 + root)


def _attention_weights(attention: ArrayLike, probabilities: ArrayLike) -> tuple[Array, Array]:
    c, p = np.asarray(attention, dtype=float), np.asarray(probabilities, dtype=float)
    require(c.shape == p.shape and c.ndim == 1, "attention.shape", c.shape, f"{p.shape}, one axis")
    return c, np.divide(c**2, p, out=np.zeros_like(c), where=p > 0)


def worst_slowdown(lost: ArrayLike, M: int) -> Array:
    """Sharp sigma' for ``lost = eta_Y Delta`` missed visits: sup of g(N - Delta) / g(N) - 1.

    The sup is over the expected number of visits N.

    g = 1/(M - 1 + exp(M h)) is the shortfall factor of Lemma 11, Eq. (62).  With w the root of
    sinh w + w = M lost / (2 (M - 1)) it is e^w - 1, reached while w <= ln(M - 1); any shape of
    ``lost``.
    """
    require_integer("M", M, 2)
    target = M * np.asarray(lost, dtype=float) / (2 * (M - 1))
    w = np.arcsinh(target)
    for _ in range(30):  # Newton from above on a convex function: monotone
        w = w - (np.sinh(w) + w - target) / (np.cosh(w) + 1)
    return np.expm1(w)
