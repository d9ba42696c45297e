"""Attention alone under a frozen decoder: which token wins a context, and what that decides.

At the vertex o of its attention simplex, all mass on token o, a sample with label y has the
residual r = p - 1_y, p = softmax of row o of Y, and h = Y r says what a little of token l would
cost.  Nothing of token l stays if its slope is positive:

    h_l - h_o   for f = s, since what l gets o loses;      h_l   for f = s / |s|_2.

Then sample i leaks through l with e^{-(z_o - z_l)}, times a constant that is known in advance.

Chapter: ``book/bridge/frozen_decoder.ipynb``.
"""

import numpy as np

from lib.arrays import Array, ArrayLike, Mask
from lib.bridge.joint_training import log_attention
from lib.log_sums import log_softmax
from lib.mechanics.limit_offset import Leaks
from lib.mechanics.samples import NextTokenData
from lib.validation import require

TIE = 1e-9  # of the decoder's largest entry: a slope below is that of tokens which tie, rounded


def vertex_slopes(data: NextTokenData, Y: ArrayLike, normalize: bool = False) -> Array:
    """(n, K, K), entry [i, o, l]: slope of sample i's loss at the vertex o towards token l.

    data: ``NextTokenData`` with one-hot embeddings; Y: (K, C).  Zero for l = o when not normalized.
    """
    p = np.exp(log_softmax(np.asarray(Y, dtype=float)))
    residual = p[None] - np.eye(p.shape[1])[data.label][:, None]
    h = residual @ np.asarray(Y, dtype=float).T
    return h if normalize else h - np.einsum("noo->no", h)[:, :, None]


def sharp_winners(data: NextTokenData, Y: ArrayLike, normalize: bool = False) -> Mask:
    """(n, K) booleans: the tokens at whose vertex every other token of the input costs.

    Without normalization a sample has at most one, and its loss is least there.  None: the optimum
    lies inside a face.  Tokens that occur in the same contexts alone, as often, keep equal rows of
    Y in training, but for what it makes of rounding: they tie, and neither wins.
    """
    present = data.counts > 0
    costs = vertex_slopes(data, Y, normalize) > TIE * np.abs(Y).max()
    itself = np.eye(present.shape[1], dtype=bool)
    return (costs | itself | ~present[:, None, :]).all(axis=2) & present


def kept_tokens(data: NextTokenData, Z: Array, share: float = 1e-3) -> Mask:
    """(n, K) booleans: the tokens with at least ``share`` of their input's heaviest mass."""
    log_s = log_attention(data, Z)
    return log_s > log_s.max(axis=1, keepdims=True) + np.log(share)


def winner_leaks(
    data: NextTokenData, Y: ArrayLike, winners: ArrayLike, normalize: bool = False
) -> Leaks:
    """``Leaks`` c_r e^{-(z_o - z_l)} of every sample and losing token, in the coordinates of Z.

    winners: (n, K) booleans, one token o a sample.  c = weight (m_l / m_o) slope.
    """
    winners = np.asarray(winners, dtype=bool)
    number = winners.sum(axis=1)
    require((number == 1).all(), "winners", number.tolist(), "one token for each sample")
    slopes, best = vertex_slopes(data, Y, normalize), winners.argmax(axis=1)
    pairs = np.argwhere((data.counts > 0) & ~winners)
    sample, token = pairs.T
    o, K = best[sample], data.counts.shape[1]
    slope = slopes[sample, o, token]
    require((slope > 0).all(), "slopes", slope.min(initial=np.inf), "positive: sharp winners")
    rows = np.zeros((len(pairs), K, K))
    place = np.arange(len(pairs))
    rows[place, data.last[sample], o], rows[place, data.last[sample], token] = 1, -1
    ratio = data.log_counts[sample, token] - data.log_counts[sample, o]
    return Leaks(pairs, rows.reshape(len(pairs), -1), np.log(data.weight[sample] * slope) + ratio)  # type: ignore[index]
