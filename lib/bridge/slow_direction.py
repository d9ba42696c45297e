"""Where attention drifts: the Graph-SVM of the tokens that win, on whatever clock the decoder runs.

If every sample keeps one token and what pushes its other tokens down is c e^{-p (z_w - z_l)} dT
with c between two positive constants, then Z / ln T goes to W_svm / p: T = t for a decoder that
stands still, T = ln^2 t / 2 for one that learns.
"""

import numpy as np
from scipy.integrate import solve_ivp

from lib.bridge.joint_training import features, gradients, one_hot_data
from lib.mechanics.graph_svm import graph_svm
from lib.mechanics.token_priority_graph import priority_graphs
from lib.validation import require, require_integer


def mixed_draw(rng, n=5, K=8, per_context=3, queries=2, most=4):
    """``NextTokenData``: n samples of ``per_context`` of K tokens, 1 .. ``most`` times each.

    Sample i has label i; queries are drawn from the first ``queries`` ids.
    """
    require_integer("per_context", per_context, 2, require_integer("K", K, 2))
    counts = np.zeros((require_integer("n", n, 2), K))
    for row in counts:
        row[rng.choice(K, per_context, replace=False)] = rng.integers(1, most + 1, per_context)
    return one_hot_data(counts, rng.integers(0, queries, n), np.arange(n))


def winners(data, Z, normalize=False):
    """(n, K) booleans: the token with most attention in each sample."""
    return np.eye(data.counts.shape[1], dtype=bool)[features(data, Z, normalize).argmax(axis=1)]


def losers(data, kept):
    """(n, K) booleans: the tokens of each sample that are not its winner."""
    return (data.counts > 0) & ~kept


def decides(data, kept):
    """Whether samples with the same winner have one label, and no loser wins for its own label."""
    label_of = {}
    for token, label in zip(kept.argmax(axis=1).tolist(), data.label.tolist(), strict=True):
        if label_of.setdefault(token, label) != label:
            return False
    beaten = losers(data, kept)
    return not any(beaten[data.label == label, token].any() for token, label in label_of.items())


def winner_svm(data, kept):
    """``GraphSVM`` of the winners' graph; its ``W`` is the transpose of Z's direction."""
    return graph_svm(data, priority_graphs(data, winners=kept))


def loser_pushes(data, Y, Z, kept, power, normalize=False, log_scale=0.0):
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


def late_pushes(data, kept, num_labels, ratio=1.0):
    """(n, K) the limit of ``loser_pushes`` for plain attention, power 1, on T = ln^2 t / 2.

    A sample's share among those with its winner, times m_l / m_w, times (C-1) / C, or 1 where the
    loser wins another sample; over ratio = eta_Y / eta_Z.
    """
    token = kept.argmax(axis=1)
    same = token[:, None] == token
    share = data.weight / (same * data.weight).sum(axis=1)
    counts = data.counts / (data.counts * kept).sum(axis=1, keepdims=True)
    opposed = np.where(kept.any(axis=0), 1.0, (num_labels - 1) / num_labels)
    return np.where(losers(data, kept), share[:, None] * counts * opposed / ratio, np.nan)


def drift(data, kept, pushes, Z, log_clock):
    """Z at the clock's log_clock[1] from ``Z`` at log_clock[0], every push constant, power 1.

    dZ/dT is minus the gradient of sum_il pushes_il e^{-(z_w - z_l)}: an exponential loss, on data
    that the winners separate.
    """
    sample, loser = np.nonzero(losers(data, kept))
    rows, winner = data.last[sample], kept.argmax(axis=1)[sample]
    strength = pushes[sample, loser]

    def velocity(log_t, point):
        state = point.reshape(Z.shape)
        force = strength * np.exp(log_t - state[rows, winner] + state[rows, loser])
        moved = np.zeros(Z.shape)
        np.add.at(moved, (rows, winner), force)
        np.add.at(moved, (rows, loser), -force)
        return moved.ravel()

    path = solve_ivp(velocity, log_clock, Z.ravel(), "LSODA", rtol=1e-9, atol=1e-11)
    return path.y[:, -1].reshape(Z.shape)


def drift_bound(svm, least, most, count):
    """C of |Z - W ln T|^2 <= start + 2 C ln(T / T_0), power 1: any pushes within [least, most].

    count: pairs of sample and loser.  One that is ahead gives at most most / e; one that is behind
    at most lambda^2 / (4 e least), lambda its multiplier, since e^u >= e u.
    """
    require(0 < least <= most, "least, most", (least, most), "0 < least <= most")
    return (count * most + (svm.duals**2).sum() / (4 * least)) / np.e
