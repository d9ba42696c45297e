"""Alike classes that share a token with some of the others, and labels that are never an answer.

K classes, in groups of s; class k has token k of its own and the token K + k // s of its group, a
query of its own, and label k.  The decoder knows C >= K labels.  Under normalized attention the gap
between own and shared token grows like

    (s - 1) / (C - 1) * ln ln t.
"""

import numpy as np

from lib.bridge.joint_training import joint_flow, one_hot_data
from lib.validation import require, require_integer


def group_data(K, s, weight=None, common=1):
    """``NextTokenData`` of K classes in groups of s, weight (K,), 1 / K when omitted.

    common: how often the group's token stands in a context, a number or (K,); s divides K.
    Raises ``ValueError`` for what is no divisor.
    """
    require_integer("K", K, 2)
    require_integer("s", s, 1, K)
    require(K % s == 0, "s", s, f"a divisor of K = {K}")
    classes, groups = np.arange(K), K // s
    counts = np.zeros((K, 2 * K + groups))
    counts[classes, classes] = 1
    counts[classes, K + classes // s] = common
    return one_hot_data(counts, K + groups + classes, classes, weight)


def gaps(data, s, labels, log_times, **options):
    """Gaps of all classes along the joint flow from zero with ``labels`` labels: (m, K).

    options: ``joint_flow``'s, attention normalized unless they say otherwise.
    """
    K, V = len(data.label), data.counts.shape[1]
    require_integer("labels", labels, K)
    options = {"normalize": True, **options}
    path = joint_flow(data, np.zeros((V, labels)), np.zeros((V, V)), log_times, **options)
    classes = np.arange(K)
    return path.Z[:, data.last, classes] - path.Z[:, data.last, K + classes // s]


def slope(s, labels):
    """(s - 1) / (C - 1): of the gap in ln ln t, s classes to the shared token, C labels."""
    require_integer("s", s, 1)
    return (s - 1) / (require_integer("labels", labels, max(s, 2)) - 1)
