"""What a decoder remembers of attention, and how it pulls attention back.

*Scan and Snap*, Lemma 1 for endless sequences.

For class n the gradient of its query's row is p_n e_n f (m - f f.m), with f = LN(X^T b), e_n = 1 -
alpha_n and m = Y (x_{T+1} - alpha) / e_n, how much each token speaks for the class against the
others.  It vanishes for f along m, where the margin f.m is largest.  As dY adds p_n e_n f to each
token's part in m, m is the decoder's memory of attention.
"""

from typing import NamedTuple

import numpy as np

from lib.arrays import Array
from lib.log_sums import softmax
from lib.scan_snap.engine.state import State
from lib.scan_snap.sequence_classes import limit_of_rows
from lib.validation import require


class Memory(NamedTuple):
    """attention: c_n of (5); normalized: f_n = c_n / |c_n|; remembered: m_n, 0 off the support.

    Each (R, K, M).  error: 1 - alpha_n, (R, K).
    """

    attention: np.ndarray
    normalized: np.ndarray
    remembered: np.ndarray
    error: np.ndarray

    @property
    def cosine(self) -> Array:
        """Of attention and memory: (R, K)."""
        return (self.normalized * self.remembered).sum(axis=-1) / np.linalg.norm(
            self.remembered, axis=-1
        )


def memory(state: State) -> Memory:
    """``Memory`` of a ``lib.scan_snap.engine.state.State``, for sequences without end.

    Raises ``ValueError`` where the decoder is sure to the last bit: an error of 0 leaves m without
    a direction.
    """
    layout, classes = state.layout, state.layout.classes
    c = limit_of_rows(classes, state.Z.numpy()[:, layout.query_row])
    f = c / np.linalg.norm(c, axis=-1, keepdims=True)
    Y = state.full()[0].numpy()
    shortfall = np.eye(classes.vocab_size)[classes.next_token] - softmax(f @ Y)
    error = shortfall[:, np.arange(classes.num_classes), classes.next_token]
    require(
        bool((error > 0).all()),
        "error",
        error.min(),
        "above 0 for each class: a shorter training or a smaller eta_y",
    )
    m = np.einsum("rmj,rnj->rnm", Y, shortfall) / error[..., None] * classes.support
    return Memory(c, f, m, error)


def pull(state: State) -> Array:
    """dJ/dZ on the query rows in the population limit, from the memory: (R, Q, M)."""
    layout, (_, f, m, error) = state.layout, memory(state)
    per_class = (
        layout.classes.prior[:, None]
        * error[..., None]
        * f
        * (m - f * (f * m).sum(axis=-1, keepdims=True))
    )
    gradient = np.zeros(state.Z.shape)
    for n, row in enumerate(layout.query_row):
        gradient[:, row] += per_class[:, n]
    return gradient
