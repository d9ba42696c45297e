"""One attention layer, key-query matrix W alone (*Mechanics*), in token-score space.

    f_W(X) = X^T softmax(X W x_last),    a_j = e_j^T W x_last,    s_j = m_j e^{a_j} / sum_l m_l
    e^{a_l}

``data`` is a ``NextTokenData`` or a ``DataBatch``; W has the same leading axes, (..., d, d).

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from lib.arrays import Array
from lib.log_sums import log_sum_exp, softmax, total
from lib.mechanics.samples import DataBatch, NextTokenData

Data: TypeAlias = NextTokenData | DataBatch


def scores(W: Array, data: Data) -> Array:
    """a_ij = e_j^T W x_i: (..., n, K)."""
    return data.queries @ np.swapaxes(W, -1, -2) @ np.swapaxes(data.embeddings, -1, -2)


def attention(W: Array, data: Data) -> Array:
    """Attention probabilities: softmax of the scores, with multiplicities (*Mechanics*).

        s_ij = m_ij e^{a_ij} / sum_l m_il e^{a_il},    a_ij = e_j^T W x_i

    W: (..., d, d), the key-query matrix.
    data: ``NextTokenData`` (n samples, K tokens), or a ``DataBatch`` with the leading axes of W;
        m_ij is how often token j occurs in input i, x_i the embedding of its last token.

    Returns s, (..., n, K), rows that sum to 1; exactly 0 for tokens that do not occur.

    >>> from lib.mechanics.samples import from_sequences
    >>> data = from_sequences([[0, 1, 1, 2]], [1], np.eye(3))
    >>> attention(np.zeros((3, 3)), data).tolist()  # without scores, the counts decide
    [[0.25, 0.5, 0.25]]
    """
    return softmax(scores(W, data) + data.log_counts)


def layer_output(W: Array, data: Data) -> Array:
    """f_W(X_i) = sum_j s_ij e_j: (..., n, d)."""
    return attention(W, data) @ data.embeddings


class Loss(NamedTuple):
    """A per-sample loss.  Both take (logits (..., n, K), data).

    ``value`` gives (..., n), ``slope`` its derivative by the logits, (..., n, K).
    """

    value: Callable
    slope: Callable


def _log_value(logits: Array, data: Data) -> Array:
    own = np.where(data.one_hot > 0, logits, 0).sum(axis=-1)
    others = log_sum_exp(np.where(data.one_hot > 0, -np.inf, logits))
    return np.logaddexp(0, others - own)


def _excess(mass: Array, data: Data) -> Array:
    """s - 1_y, with s_y - 1 as minus the sum of the others: exact however small they are."""
    others = mass * (1 - data.one_hot)
    return others - data.one_hot * total(others)[..., None]


log_loss = Loss(_log_value, lambda logits, data: _excess(softmax(logits), data))


def mass_loss(ell: Callable[[Array], Array], slope: Callable[[Array], Array]) -> Loss:
    """The loss ell(s_y) of the label's mass (head with C E^T = I); ``slope`` is ell'."""

    def value(logits: Array, data: Data) -> Array:
        return ell((softmax(logits) * data.one_hot).sum(axis=-1))

    def by_logits(logits: Array, data: Data) -> Array:
        mass = softmax(logits)
        own = total(mass * data.one_hot)[..., None]
        return -slope(own) * own * _excess(mass, data)

    return Loss(value, by_logits)


# The label's share lost, 1 - s_y: bounded, so that a label may be given up.
linear_loss = mass_loss(lambda u: 1 - u, lambda u: -np.ones_like(u))


def floored_loss(floor: float) -> Loss:
    """The loss -log(s_y + floor): finite, with a slope, where the label is not in the input."""
    return mass_loss(lambda u: -np.log(u + floor), lambda u: -1 / (u + floor))


def mixing_loss(rho: float) -> Loss:
    """The loss -log(rho + (1 - rho) s_y): a head that takes the share rho from elsewhere."""
    return mass_loss(
        lambda u: -np.log(rho + (1 - rho) * u), lambda u: -(1 - rho) / (rho + (1 - rho) * u)
    )


def _through_softmax(mass: Array, by_mass: Array) -> Array:
    """Derivative by the logits from that by the masses: s_j (v_j - sum_l s_l v_l).

    For the heaviest token it is minus the sum of the others: exact however little mass those have.
    """
    slope = mass * (by_mass - total(mass * by_mass)[..., None])
    heaviest = np.eye(mass.shape[-1])[mass.argmax(axis=-1)]
    others = slope * (1 - heaviest)
    return others - heaviest * total(others)[..., None]


def squared_softmax_loss(head: Array | None = None) -> Loss:
    """The loss (1 - softmax(C f)_y)^2 of the authors' local experiment; head C = E when omitted."""

    def parts(logits: Array, data: Data) -> tuple[Array, ...]:
        overlap = data.gram if head is None else head @ np.swapaxes(data.embeddings, -1, -2)
        mass = softmax(logits)
        p = softmax(mass @ np.swapaxes(overlap, -1, -2))
        missing = _excess(p, data)  # p - 1_y
        return overlap, mass, p, missing, -total(missing * data.one_hot)[..., None]

    def value(logits: Array, data: Data) -> Array:
        return parts(logits, data)[-1][..., 0] ** 2

    def by_logits(logits: Array, data: Data) -> Array:
        overlap, mass, p, missing, short = parts(logits, data)
        own = total(p * data.one_hot)[..., None]
        return _through_softmax(mass, (2 * short * own * missing) @ overlap)

    return Loss(value, by_logits)


def risk(W: Array, data: Data, loss: Loss = log_loss) -> Array:
    """The training loss: weighted mean of a per-sample loss, without cancellation for the log-loss.

        L(W) = sum_i weight_i loss_i,    log-loss: loss_i = -log s_{i, y_i} with s of ``attention``

    W: (..., d, d).  data: ``NextTokenData`` or ``DataBatch``.  loss: a ``Loss``.

    Returns L in nats for the log-loss, shape (...).

    >>> from lib.mechanics.samples import from_sequences
    >>> data = from_sequences([[0, 1, 1, 2]], [1], np.eye(3))
    >>> float(risk(np.zeros((3, 3)), data)), float(np.log(2))  # the label has half of the counts
    (0.6931471805599453, 0.6931471805599453)
    """
    return (data.weight * loss.value(scores(W, data) + data.log_counts, data)).sum(axis=-1)


def gradient(W: Array, data: Data, loss: Loss = log_loss) -> Array:
    """dL/dW = E^T R^T Q: (..., d, d).

    R (n, K) holds the weighted slopes, for the log-loss the excess S - Y.
    """
    slope = loss.slope(scores(W, data) + data.log_counts, data) * data.weight[..., None]  # type: ignore[index]
    return np.swapaxes(data.embeddings, -1, -2) @ (np.swapaxes(slope, -1, -2) @ data.queries)
