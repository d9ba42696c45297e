"""The basin of the slow drift: how far a plain layer is from where its winners' rows go.

Late, the row of a token o that wins the weight Omega_o for its label y goes to

    (ln t + ln(C eta_Y Omega_o)) (e_y - 1/C),

up to its mean, which does not move, and Z goes to W ln ln t with margins 2 and 1.  A start near
both stays near both; what is near, and from which T_0 = ln t_0 on, is ``bounds``.

Chapter: ``book/bridge/snapping_direction.ipynb``.
"""

from typing import NamedTuple

import numpy as np

from lib.arrays import Array, Mask
from lib.bridge.joint_training import features
from lib.bridge.slow_direction import allies, losers, margin_svm, pair_margins, won_weight
from lib.mechanics.samples import NextTokenData
from lib.validation import require, require_real


def asymptotic_rows(
    data: NextTokenData, kept: Mask, num_labels: int, log_time: float, eta_y: float = 1.0
) -> Array:
    """(K, C): where the rows of winners go, at ``log_time``; rows of other tokens are 0."""
    won, labels = won_weight(data, kept), np.zeros((data.counts.shape[1], num_labels))
    labels[kept.argmax(axis=1), data.label] = 1
    weights = np.where(won > 0, won, 1)
    heights = log_time + np.log(num_labels * eta_y * weights)
    return heights[:, None] * (labels - labels.sum(axis=1, keepdims=True) / num_labels)


def rows_apart(
    data: NextTokenData, kept: Mask, Y: Array, log_time: float, eta_y: float = 1.0
) -> Array:
    """(winners,): distance of each winner's row, of mean 0, from its ``asymptotic_rows``."""
    off = Y - asymptotic_rows(data, kept, Y.shape[1], log_time, eta_y)
    return np.linalg.norm(off, axis=1)[won_weight(data, kept) > 0]


def largest_leak(data: NextTokenData, kept: Mask, Z: Array) -> float:
    """The largest share of attention that a sample leaves to its losers."""
    return float((features(data, Z) * losers(data, kept)).sum(axis=1).max())


class Bounds(NamedTuple):
    """Constants of the local theorem.  Forces lie in [least, most]; drift: R of (a).

    near: how far a winner's row may be at T_0; log_latest: ln T_*, from the first condition on T_0.
    The two others hold from there on for all weights that a float can hold: T_* is above 10^5.
    """

    least: float
    most: float
    drift: float
    near: float
    log_latest: float


def bounds(
    data: NextTokenData,
    kept: Mask,
    num_labels: int,
    radius: float = 1.0,
    eta_y: float = 1.0,
    eta_z: float = 1.0,
) -> Bounds:
    """``Bounds`` for a start within ``radius`` of W ln T_0 whose winners' rows are ``near``.

    Raises ``ValueError`` where a winner has won no more weight than its ally, and what
    ``margin_svm`` raises.
    """
    M, C, ratio = require_real("radius", radius, at_least=0), num_labels, eta_z / eta_y
    won, token, beaten = won_weight(data, kept), kept.argmax(axis=1), losers(data, kept)
    heavier = np.log(won[token][:, None] / np.where(won > 0, won, 1))[allies(data, kept)]
    require((heavier > 0).all(), "kept", token.tolist(), "winners heavier than their allies")
    gain, reach = min([2.0, *heavier]), max([4.0, *(2 + heavier)])
    odds = data.counts / (data.counts * kept).sum(axis=1, keepdims=True)
    share, most_odds = (data.weight / won[token])[:, None] * odds, max(1.0, odds[beaten].max())
    svm = margin_svm(data, kept, pair_margins(data, kept))
    least = gain / 12 * (C - 1) / C * ratio * share[beaten].min()
    most = 3 * ratio * most_odds * reach
    drift = (most * len(svm.pairs) + (svm.duals**2).sum() / (4 * least)) / np.e
    counted = 8 * (won > 0).sum() * reach * beaten.sum(axis=1).max() * most_odds
    latest = np.log(32 * C**1.5 * counted / gain) + np.sqrt(2) * M + 2 * drift
    return Bounds(float(least), float(most), float(drift), gain / 8, float(latest))
