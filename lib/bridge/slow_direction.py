"""Where attention drifts: the Graph-SVM of the tokens that win, on whatever clock the decoder runs.

If every sample keeps one token and what pushes its other token l down is
c T^{p_il} e^{-(z_w - z_l)} d ln T with c between two positive constants, then Z / ln T goes to the
least W with margins p_il.  A decoder that stands still has T = t and margins 1.  Beside one that
learns, T = ln t and the margin is 2, but 1 where l wins another sample of the same label: such rows
of the decoder grow alike, and their difference, which pushes, stays.

Chapter: ``book/bridge/snapping_direction.ipynb``.
"""

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike, Mask
from lib.bridge.joint_training import features, gradients, one_hot_data
from lib.mechanics.graph_svm import GraphSVM, graph_svm, least_norm
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import priority_graphs
from lib.validation import require, require_integer


def mixed_draw(
    rng: Generator, n: int = 5, K: int = 8, per_context: int = 3, queries: int = 2, most: int = 4
) -> NextTokenData:
    """``NextTokenData``: n samples of ``per_context`` of K tokens, 1 .. ``most`` times each.

    Sample i has label i; queries are drawn from the first ``queries`` ids.
    """
    counts = _drawn_counts(rng, n, K, per_context, most)
    return one_hot_data(counts, rng.integers(0, queries, n), np.arange(n))


def shared_label_draw(
    rng: Generator,
    n: int = 8,
    K: int = 8,
    labels: int = 3,
    per_context: int = 3,
    queries: int = 2,
    most: int = 4,
) -> NextTokenData:
    """``mixed_draw`` with ``labels`` labels that n samples share, as evenly as n allows.

    Weights are from Dirichlet(3, .., 3), so that no two tokens win the same weight.
    """
    require_integer("labels", labels, 2, n)
    counts = _drawn_counts(rng, n, K, per_context, most)
    label = rng.permutation(np.arange(n) % labels)
    return one_hot_data(counts, rng.integers(0, queries, n), label, rng.dirichlet(np.full(n, 3.0)))


def _drawn_counts(rng: Generator, n: int, K: int, per_context: int, most: int) -> Array:
    require_integer("per_context", per_context, 2, require_integer("K", K, 2))
    counts = np.zeros((require_integer("n", n, 2), K))
    for row in counts:
        row[rng.choice(K, per_context, replace=False)] = rng.integers(1, most + 1, per_context)
    return counts


def winners(data: NextTokenData, Z: Array, normalize: bool = False) -> Mask:
    """(n, K) booleans: the token with most attention in each sample."""
    return np.eye(data.counts.shape[1], dtype=bool)[features(data, Z, normalize).argmax(axis=1)]


def losers(data: NextTokenData, kept: Mask) -> Mask:
    """(n, K) booleans: the tokens of each sample that are not its winner."""
    return (data.counts > 0) & ~kept


def names_labels(data: NextTokenData, kept: Mask) -> bool:
    """Whether samples with the same winner have one label."""
    label_of = {}
    pairs = zip(kept.argmax(axis=1).tolist(), data.label.tolist(), strict=True)
    return all(label_of.setdefault(token, label) == label for token, label in pairs)


def allies(data: NextTokenData, kept: Mask) -> Mask:
    """(n, K) booleans: losers of a sample that win another sample of its label."""
    alike = data.label[:, None] == data.label
    return losers(data, kept) & (alike @ kept)


def decides(data: NextTokenData, kept: Mask) -> bool:
    """Whether samples with the same winner have one label, and no loser wins for its own label."""
    return names_labels(data, kept) and not allies(data, kept).any()


def pair_margins(data: NextTokenData, kept: Mask) -> Array:
    """(n, K) powers of ln t that push losers beside a learning plain decoder: 2, or 1 for
    ``allies``; NaN elsewhere."""
    return np.where(losers(data, kept), 2.0 - allies(data, kept), np.nan)


def won_weight(data: NextTokenData, kept: Mask) -> Array:
    """(K,): the weight of the samples that each token wins."""
    return data.weight @ kept  # type: ignore[operator]


def winner_svm(data: NextTokenData, kept: Mask) -> GraphSVM:
    """``GraphSVM`` of the winners' graph; its ``W`` is the transpose of Z's direction."""
    return graph_svm(data, priority_graphs(data, winners=kept))


class MarginSVM(NamedTuple):
    """Z: (K, K), the solution, not transposed.  pairs: (sample, loser), (m, 2).

    margins: (m,), what was asked.  leads: (m,), what Z gives.  duals: (m,) >= 0, Z is the sum of
    duals times e_m (e_w - e_l)^T.
    """

    Z: np.ndarray
    pairs: np.ndarray
    margins: np.ndarray
    leads: np.ndarray
    duals: np.ndarray


def margin_svm(data: NextTokenData, kept: Mask, margins: ArrayLike) -> MarginSVM:
    """argmin |Z|_F with z_{m_i,w_i} - z_{m_i,l} >= margins[i, l]: a ``MarginSVM``.

    kept: (n, K) booleans, one winner a sample.  margins: (n, K), > 0 at losers, not read elsewhere.
    With all margins 1 it is ``winner_svm``.  Embeddings are orthonormal.
    Raises ``ValueError`` for a margin that is not positive, ``InfeasibleGraphSVM`` where the
    winners of one query beat each other in a circle.
    """
    pairs, K = np.argwhere(losers(data, kept)), data.counts.shape[1]
    wanted = np.asarray(margins, dtype=float)[tuple(pairs.T)]
    require(bool((wanted > 0).all()), "margins", wanted.tolist(), "positive at losers")
    rows, place = np.zeros((len(pairs), K, K)), np.arange(len(pairs))
    last = data.last[pairs[:, 0]]
    rows[place, last, kept.argmax(axis=1)[pairs[:, 0]]] = 1
    rows[place, last, pairs[:, 1]] = -1
    rows = rows.reshape(len(pairs), -1)  # type: ignore[assignment]
    z, duals = least_norm(rows / wanted[:, None])
    return MarginSVM(z.reshape(K, K), pairs, wanted, rows @ z, duals / wanted)


def loser_pushes(
    data: NextTokenData,
    Y: Array,
    Z: Array,
    kept: Mask,
    power: float,
    normalize: bool = False,
    log_scale: float = 0.0,
) -> Array:
    """(n, K) c_il = e^log_scale (dL_i / dz_l) e^{power (z_w - z_l)} for losers, NaN elsewhere.

    -dZ/dt is the sum over samples and losers of c_il e^{-power (z_w - z_l)} (e_l - e_w) in row m,
    an identity.  log_scale: log (dt/dT), times eta_Z.
    """
    pushes = np.full(data.counts.shape, np.nan)
    for i, row in enumerate(losers(data, kept)):
        m, one = data.last[i], np.arange(len(data.last)) == i
        slope = gradients(data.only(one), Y, Z, normalize, log_scale)[1][m]
        gaps = Z[m, kept[i].argmax()] - Z[m, row]
        pushes[i, row] = slope[row] * np.exp(power * gaps)
    return pushes


def late_pushes(data: NextTokenData, kept: Mask, num_labels: int, ratio: float = 1.0) -> Array:
    """(n, K) the limit of ``loser_pushes`` for plain attention, power 1, of the pair's own clock:
    T = ln^2 t / 2, or T = ln t for ``allies``.

    A sample's share among those with its winner, times m_l / m_w, times
        (C-1) / C                       where the loser wins no sample,
        1                               where it wins for another label,
        (C-1) / C ln (won_w / won_l)    where it wins for the same one, won: ``won_weight``
    over ratio = eta_Y / eta_Z.  The last is negative where the winner has won less than its loser.
    """
    won, token, beaten = won_weight(data, kept), kept.argmax(axis=1), losers(data, kept)
    counts = data.counts / (data.counts * kept).sum(axis=1, keepdims=True)
    share = (data.weight / won[token])[:, None]
    opposed = np.where(won > 0, 1.0, (num_labels - 1) / num_labels)
    same = np.log(won[token][:, None] / np.where(won > 0, won, 1)) * (num_labels - 1) / num_labels
    factor = np.where(allies(data, kept), same, opposed)
    return np.where(beaten, share * counts * factor / ratio, np.nan)
