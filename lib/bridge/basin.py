"""The basin of the slow drift: how far a plain layer is from where its winners' rows go.

Late, the row of a token o that wins the weight Omega_o for its label y goes to

    (ln t + ln(C eta_Y Omega_o)) (e_y - 1/C),

up to its mean, which does not move, and Z goes to W ln ln t with margins 2 and 1.  A start near
both stays near both; how near the rows have to be is told by ``gain``.

Chapter: ``book/bridge/snapping_direction.ipynb``.
"""

import numpy as np

from lib.arrays import Array, Mask
from lib.bridge.joint_training import features
from lib.bridge.slow_direction import allies, losers, won_weight
from lib.mechanics.samples import NextTokenData
from lib.validation import require


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


def gain(data: NextTokenData, kept: Mask) -> float:
    """Gamma of the local theorem: the least of 2 and of all ln (won_o / won_l), l an ally of o.

    Winners' rows may start at Gamma / 8 from their asymptotes.
    Raises ``ValueError`` where a winner has won no more weight than its ally.
    """
    won, token = won_weight(data, kept), kept.argmax(axis=1)
    heavier = np.log(won[token][:, None] / np.where(won > 0, won, 1))[allies(data, kept)]
    require((heavier > 0).all(), "kept", token.tolist(), "winners heavier than their allies")
    return float(min([2.0, *heavier]))
