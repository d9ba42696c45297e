"""K equal classes of one distinct and one common token: the joint flow in two numbers.

By symmetry the decoder row of the common token stays zero and every class has the same

    gap g = z_distinct - z_common,    height u = Y_distinct,label - Y_distinct,other,

which obey, with q = 1 for plain and q = 2 for normalized attention, f_d = (1 + e^{-qg})^{-1/q} and
the residual delta = (K-1) / (K-1 + e^{f_d u}) of a class of weight 1/K,

    u' = eta_Y f_d delta / (K-1),    g' = (1 + S) eta_Z f_d (1 + e^{qg})^{-1} delta u / K,

S classes to a query.  Multiplicities add a constant to the gap: g stands for the logit gap plus the
log of (count of the distinct token over that of the common one).

Chapter: ``book/bridge/two_clocks.ipynb``.
"""

import numpy as np
from scipy.optimize import brentq

from lib.arrays import Array, ArrayLike
from lib.bridge.joint_training import one_hot_data
from lib.mechanics.samples import NextTokenData
from lib.scan_snap.decoder import h
from lib.validation import require, require_integer, require_rate

LEAST_PLAIN = np.exp(brentq(lambda x: x + np.sinh(x) - 2, 0, 2, xtol=1e-15)) / 2  # 1.267


def class_data(K: int, per_query: int = 1, distinct: int = 1, common: int = 1) -> NextTokenData:
    """``NextTokenData``: class k has token k ``distinct`` times, token K ``common`` times, label k.

    per_query: how many classes share a query, a divisor of K; the queries are the last
    K / per_query ids and stand in no context.
    """
    require_integer("K", K, 2)
    require_integer("per_query", per_query, 1, K)
    require(K % per_query == 0, "per_query", per_query, f"a divisor of K = {K}")
    counts = np.zeros((K, K + 1 + K // per_query))
    counts[:, K] = require_integer("common", common, 1)
    counts[:, :K] = require_integer("distinct", distinct, 1) * np.eye(K)
    return one_hot_data(counts, K + 1 + np.arange(K) // per_query, np.arange(K))


def height_and_gap(data: NextTokenData, Y: Array, Z: Array) -> tuple[Array, Array]:
    """(u, g) of the first class of ``class_data``; Y (..., V, K), Z (..., V, V): shapes (...)."""
    K, query = len(data.label), data.last[0]
    shift = data.log_counts[0, 0] - data.log_counts[0, K]
    return Y[..., 0, 0] - Y[..., 0, 1], Z[..., query, 0] - Z[..., query, K] + shift


def exchange(K: int, per_query: int, ratio: float) -> float:
    """a = 2 K eta_Y / ((1 + S) (K-1) eta_Z): what a unit of gap costs; ratio = eta_Y / eta_Z."""
    return 2 * K * require_rate("ratio", ratio) / ((1 + per_query) * (K - 1))


def conserved(u: float | Array, g: float | Array, a: float, q: int) -> Array:
    """u^2 - a (g + e^{qg} / q): constant along the joint flow, any shape."""
    return u**2 - a * (g + np.exp(q * g) / q)


def attention_clock(g: Array, q: int) -> Array:
    """Theta(g), the time that the gap tells: dTheta = (1 + S) eta_Z delta u dt / K; Theta(0) = 0.

    The integral of (1 + e^{qg})^{1 + 1/q} e^{-g}; whatever the decoder does, g is the same function
    of Theta.  Any shape.
    """
    x = np.exp(g)
    if q == 1:
        return x - 1 / x + 2 * g
    root = np.sqrt(1 + x**2)
    value = 1.5 * (x * root + np.arcsinh(x)) - root**3 / x
    return value - 1.5 * (np.sqrt(2) + np.arcsinh(1)) + 2**1.5


def margin_bounds(t: ArrayLike, K: int, eta_y: float, q: int) -> tuple[Array, ...]:
    """(low, high): the logit gap f_d u at time t, started at zero, by the decoder's clock (45).

    e^l + (K-1) l - 1 lies between 2^{-2/q} eta_Y t and (1 + 2/(5q)) eta_Y t.  t: >= 0, any shape.
    """
    t = np.asarray(t, dtype=float)
    return tuple(K * h(share * t / K, K, eta_y) for share in (2 ** (-2 / q), 1 + 2 / (5 * q)))


def gap_bounds(margin: ArrayLike, a: float, q: int) -> tuple[Array, Array]:
    """(low, high): the gap g at logit gap ``margin``, started at zero; any shape.

    e^{qg} - c <= q margin^2 / a <= e^{qg} - 1 + qg, c = e^x / 2 with x + sinh x = 2 for q = 1 and
    c = 1 for q = 2: the least constants.
    """
    scaled = q * np.asarray(margin) ** 2 / a
    high = np.log({1: LEAST_PLAIN, 2: 1.0}[q] + scaled)
    return np.log(1 + np.maximum(scaled - high, 0)) / q, high / q
