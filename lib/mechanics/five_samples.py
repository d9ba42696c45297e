"""The running example of the second half: five samples over five tokens, all asked by token 4.

Tokens 0 and 1 beat each other, both beat 2, which beats 3; the query 4 loses to every label.
"""

import numpy as np

from lib.mechanics.samples import from_sequences

SEQUENCES = [[0, 1, 2, 4], [1, 0, 4], [2, 3, 4], [2, 0, 1, 4], [3, 4]]
LABELS = [0, 1, 2, 1, 3]


def five_samples(embeddings=None):
    """The data set, with ``embeddings`` (5, d) or, if omitted, orthonormal ones."""
    return from_sequences(SEQUENCES, LABELS, np.eye(5) if embeddings is None else embeddings)
