"""How sparse attention is: entropy on distinct tokens, recall (*Scan and Snap*, Section 8)."""

import numpy as np

from lib.arrays import Array, Ids
from lib.log_sums import softmax
from lib.scan_snap.sequence_classes import SequenceClasses
from lib.validation import require


def on_distinct(attention: Array, classes: SequenceClasses) -> list[Array]:
    """c_n on its class's distinct tokens, renormalized: list of K arrays (..., number)."""
    blocks = [attention[..., n, classes.distinct_tokens(n)] for n in range(classes.num_classes)]
    require(
        all(block.shape[-1] for block in blocks),
        "classes",
        "one without distinct tokens",
        "a distinct token in every class",
    )
    return [block / block.sum(axis=-1, keepdims=True) for block in blocks]


def entropy(probabilities: Array) -> Array:
    """-sum p ln p over the last axis, with 0 ln 0 = 0."""
    return -(probabilities * np.log(np.where(probabilities > 0, probabilities, 1))).sum(axis=-1)


def distinct_entropy(attention: Array, classes: SequenceClasses) -> Array:
    """Entropy of attention on distinct tokens, the measure of *Scan and Snap*, Section 8, Figure 6.

    The attention of each class is renormalized on its distinct tokens; the entropy, in nats, is
    averaged over the classes.

    attention: (..., K, M), rows c_n.  classes: ``SequenceClasses`` with a distinct token in each
    class.

    Returns (...).  Raises ``ValueError`` for a class without distinct tokens.

    >>> table = np.array([[0.2, 0.4, 0.4, 0.0], [0.2, 0.0, 0.0, 0.8]])
    >>> classes = SequenceClasses(table, query=[0, 0])
    >>> round(float(distinct_entropy(table, classes)), 6)  # the mean of ln 2 and 0
    0.346574
    """
    return np.mean([entropy(block) for block in on_distinct(attention, classes)], axis=0)


def top_distinct(attention: Array, classes: SequenceClasses) -> Ids:
    """Position 0 .., in order of id, of a class's favourite distinct token: (..., K)."""
    return np.stack([block.argmax(axis=-1) for block in on_distinct(attention, classes)], axis=-1)


def row_attention(z: Array, classes: SequenceClasses, query_row: Ids) -> Array:
    """Softmax of the full row z_m over all M tokens, per class: (..., Q, M) to (..., K, M)."""
    rows = z.astype(np.float64)[..., query_row, :]
    return softmax(rows)


def recall(attention: Array, classes: SequenceClasses, thresholds: Array) -> Array:
    """Share of distinct tokens with attention above each threshold, mean over classes.

    attention: (..., K, M); thresholds: (H,).  Returns (..., H).
    """
    shares = [
        (attention[..., n, classes.distinct_tokens(n), None] > np.asarray(thresholds)).mean(axis=-2)
        for n in range(classes.num_classes)
    ]
    return np.mean(shares, axis=0)
