"""The running example of the second half: five samples over five tokens, all with last token 4.

A label has priority over the other tokens of its input.  Tokens 0 and 1 have priority over each
other, both over 2, and 2 over 3; every label has priority over the query 4.
"""

import numpy as np

from lib.arrays import Array
from lib.mechanics.samples import NextTokenData, from_sequences

SEQUENCES = [[0, 1, 2, 4], [1, 0, 4], [2, 3, 4], [2, 0, 1, 4], [3, 4]]
LABELS = [0, 1, 2, 1, 3]


def five_samples(embeddings: Array | None = None) -> NextTokenData:
    """The training set of the running example: n = 5 samples over K = 5 tokens.

    embeddings: (5, d), linearly independent; orthonormal when omitted.

    Returns ``NextTokenData``.  Raises ``ValueError`` for embeddings that are linearly dependent.

    >>> data = five_samples()
    >>> data.counts[0].tolist(), int(data.last[0]), int(data.label[0])
    ([1.0, 1.0, 1.0, 0.0, 1.0], 4, 0)
    """
    return from_sequences(SEQUENCES, LABELS, np.eye(5) if embeddings is None else embeddings)
