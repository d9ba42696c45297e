"""Alike classes whose common token only some of them share, and labels that are no answer.

K classes of weight 1/K, in groups of s; class k has a token of its own, one that its group shares,
and its own label among C.  By symmetry the joint flow from zero has seven numbers: in the row of an
own token the entry at its label, at a label of its group, at any other; in the row of a common
token the entry at a label of its group and at any other; two logits.  With p_w and p_o for the
probabilities of a wrong label inside and outside the group, delta = (s-1) p_w + (C-s) p_o and
attention f_d, f_c,

    own' = f_d delta / K,   wrong' = -f_d p_w / K,   rest' = -f_d p_o / K       (times eta_Y)
    shared' = f_c (delta - (s-1) p_w) / K,           outside' = -f_c s p_o / K
    z_d' = f_d (h_d - f_d^{q-1} m) / K,              z_c' = S f_c (h_c - f_c^{q-1} m) / K

h the rows' inner products with the residual, m = f_d h_d + f_c h_c, S = 1 or s classes to a query.

Chapter: ``book/bridge/spare_labels.ipynb``.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.integrate import solve_ivp

from lib.arrays import Array, ArrayLike
from lib.bridge.joint_training import one_hot_data
from lib.mechanics.samples import NextTokenData
from lib.validation import require, require_integer, require_rate

BEGINNING = np.log(1e-3)  # log time at which the flow starts, from zero


class Alike(NamedTuple):
    """K classes in groups of s = ``shared``, C = ``labels``; how often the own and the common token
    stand in a context; whether a group has one query."""

    K: int
    shared: int
    labels: int
    distinct: int = 1
    common: int = 1
    one_query: bool = False

    @property
    def data(self) -> NextTokenData:
        """``NextTokenData``: own tokens, then common ones, then queries."""
        K, groups = self.K, self.K // self.shared
        group = np.arange(K) // self.shared
        queries = group if self.one_query else np.arange(K)
        counts = np.zeros((K, K + groups + queries.max() + 1))
        counts[:, :K] = self.distinct * np.eye(K)
        counts[np.arange(K), K + group] = self.common
        return one_hot_data(counts, K + groups + queries, np.arange(K))

    def checked(self) -> Self:
        """The same; ``ValueError`` for numbers that do not fit."""
        require_integer("K", self.K, 2)
        require_integer("shared", self.shared, 1, self.K)
        require(self.K % self.shared == 0, "shared", self.shared, f"a divisor of K = {self.K}")
        require_integer("labels", self.labels, self.K)
        for name in ("distinct", "common"):
            require_integer(name, getattr(self, name), 1)
        return self


def alike_flow(
    design: Alike,
    log_times: Sequence[float] | Array,
    *,
    eta_y: float = 1.0,
    eta_z: float = 1.0,
    normalize: bool = True,
) -> Array:
    """The seven numbers at ``log_times``: (m, 7), own, wrong, rest, shared, outside, z_d, z_c.

    Raises ``RuntimeError`` where the solver gives up.
    """
    K, s, C, distinct, common, one_query = design.checked()
    rates = np.array([require_rate("eta_y", eta_y)] * 5 + [require_rate("eta_z", eta_z)] * 2)
    S, q = s if one_query else 1, 2 if normalize else 1
    inside, outside = (np.log(n) if n else -np.inf for n in (s - 1, C - s))

    def velocity(tau: float, x: Array) -> Array:
        own, wrong, rest, shared, away, z_d, z_c = x
        logs = np.array([z_d + np.log(distinct), z_c + np.log(common)])
        f_d, f_c = np.exp(logs - np.logaddexp(*(q * logs)) / q)
        right = f_d * own + f_c * shared
        log_w = inside + f_d * wrong + f_c * shared - right
        log_o = outside + f_d * rest + f_c * away - right
        total = np.logaddexp(0, np.logaddexp(log_w, log_o))
        w, o = (np.exp(min(tau + one - total, 700.0)) for one in (log_w, log_o))  # t times mass
        h_d = (w + o) * own - w * wrong - o * rest
        h_c = o * (shared - away)
        mean = f_d * h_d + f_c * h_c
        return rates / K * [
            f_d * (w + o), -f_d * w / max(s - 1, 1), -f_d * o / max(C - s, 1),
            f_c * o, -f_c * s * o / max(C - s, 1),
            f_d * (h_d - f_d ** (q - 1) * mean), S * f_c * (h_c - f_c ** (q - 1) * mean),
        ]  # fmt: skip

    span, times = (BEGINNING, log_times[-1]), np.asarray(log_times, dtype=float)
    run = solve_ivp(velocity, span, np.zeros(7), "LSODA", times, rtol=1e-8, atol=1e-10)
    if not run.success:
        raise RuntimeError(f"the flow stopped before log t = {times[-1]:g}: {run.message}")
    return run.y.T


def gaps(design: Alike, log_times: Sequence[float] | Array, **options: Any) -> Array:
    """z_d - z_c at ``log_times``: (m,)."""
    path = alike_flow(design, log_times, **options)
    return path[:, 5] - path[:, 6]


def pace(design: Alike, log_time: float, **options: Any) -> float:
    """Slope of the gap in ln ln t between a third of ``log_time`` and ``log_time``: a float."""
    return float(np.diff(gaps(design, [log_time / 3, log_time], **options))[0] / np.log(3))


def law(shared: int, labels: int) -> float:
    """(s - 1) / (C - 1): the pace of the gap in ln ln t if attention is normalized."""
    require_integer("shared", shared, 1)
    require_integer("labels", labels, max(shared, 2))
    return (shared - 1) / (labels - 1)


class ByClock(NamedTuple):
    """Normalized alike classes at given errors received, E = alpha D, each (m,).

    gap: z_d - z_c.  shared: Q, lead of the common row over an outside label.  uneven: q, how much
    further an outside label is behind than one of the group.  share: epsilon.  pace: dg / d ln E.
    """

    gap: np.ndarray
    shared: np.ndarray
    uneven: np.ndarray
    share: np.ndarray
    pace: np.ndarray


def by_clock(
    design: Alike, clocks: ArrayLike, *, eta_y: float = 1.0, eta_z: float = 1.0
) -> ByClock:
    """``ByClock`` at ``clocks``, increasing values of E, from Y = Z = 0: no late approximation.

    With O, P the own row's leads over a label of the group and over one outside, Delta = O - P,
        dQ/dE = epsilon e^-q,   dDelta/dE = (1 - e^-q) / C,   O = E - (C - s) Delta,
        dg/dE = (1 + S) (eta_z / eta_y) f_d^2 epsilon (epsilon ((s-1) O + (C-s) e^-q P)
                - (C-s) e^-q Q) / C,   q = f_d (epsilon Q - Delta),
    S: the size of a group with one query, 1 otherwise.  Raises ``RuntimeError`` where the solver
    gives up.
    """
    _, s, C, distinct, common, one_query = design.checked()
    ratio = require_rate("eta_z", eta_z) / require_rate("eta_y", eta_y)
    strength = (1 + (s if one_query else 1)) * ratio / C

    def read(E: float | Array, point: Array) -> tuple[Array, Array, Array]:
        gap, Q, Delta = point
        share = common / distinct * np.exp(-gap)
        f_d = 1 / np.sqrt(1 + share**2)
        q = f_d * (share * Q - Delta)
        O, away = E - (C - s) * Delta, (C - s) * np.exp(-q)
        own = (s - 1) * O + away * (O - Delta)
        return share, q, strength * f_d**2 * share * (share * own - away * Q)

    def velocity(E: float, point: Array) -> list[Array]:
        share, q, pull = read(E, point)
        return [pull, share * np.exp(-q), -np.expm1(-q) / C]

    ends = np.asarray(clocks, dtype=float)
    run = solve_ivp(velocity, (0, ends[-1]), np.zeros(3), "LSODA", ends, rtol=1e-11, atol=1e-13)
    if not run.success:
        raise RuntimeError(f"the flow stopped before E = {ends[-1]:g}: {run.message}")
    share, q, pull = read(ends, run.y)
    return ByClock(run.y[0], run.y[1], q, share, ends * pull)
