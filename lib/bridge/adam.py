"""Adam, and AdamW, on both halves of the joint layer, and the laws of its late stage.

Each coordinate p has a mean m and a mean square v of its gradients g, and moves by

    m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2,
    p <- p - eta (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon) - eta decay p,

so by about eta in each step, whatever the size of g.  The laws are for gradients that fall by a
steady factor e^{-c} in each step (``normalized_step``) and for alike classes (``class_data``).

Chapter: ``book/bridge/adam.ipynb``.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import brentq

from lib.arrays import Array, ArrayLike
from lib.bridge.joint_training import JointPath, checked, gradients
from lib.mechanics.samples import NextTokenData
from lib.validation import require, require_integer, require_rate, require_real


def joint_adam(
    data: NextTokenData,
    Y: ArrayLike,
    Z: ArrayLike,
    keep: Sequence[int],
    *,
    eta: float = 0.01,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    decay: float = 0.0,
    normalize: bool = False,
) -> JointPath:
    """Full-batch Adam from (Y, Z): a ``JointPath`` after each of the steps ``keep``.

    keep: increasing whole numbers, the first at least 1.  decay: the decoupled weight decay of
    AdamW, per unit of eta.  epsilon = 0 is allowed: a coordinate without any gradient rests.
    Raises ``ValueError`` for rates outside their ranges.
    """
    Y, Z, _ = checked(data, Y, Z, eta, eta)
    for name, beta in (("beta1", beta1), ("beta2", beta2)):
        require_real(name, beta, at_least=0, below=1)
    require_real("epsilon", epsilon, at_least=0)
    require_real("decay", decay, at_least=0)
    for number in keep:
        require_integer("keep", number, 1)
    require(len(keep) > 0 and list(keep) == sorted(set(keep)), "keep", keep, "increasing steps")
    point, wanted, kept = np.concatenate([Y.ravel(), Z.ravel()]), set(keep), []
    mean, square = np.zeros_like(point), np.zeros_like(point)
    for step in range(1, keep[-1] + 1):
        now = _split(point, Y.shape, Z.shape)
        halves = gradients(data, now[0], now[1], normalize)
        slope = np.concatenate([half.ravel() for half in halves])
        mean += (1 - beta1) * (slope - mean)
        square += (1 - beta2) * (slope**2 - square)
        size = np.sqrt(square / (1 - beta2**step)) + epsilon
        moved = np.divide(mean / (1 - beta1**step), size, out=np.zeros_like(mean), where=size > 0)
        point = point - eta * moved - eta * decay * point
        if step in wanted:
            kept.append(_split(point, Y.shape, Z.shape))
    return JointPath(np.log(np.array(keep, float)), *map(np.array, zip(*kept, strict=True)))


def _split(point: Array, by_y: tuple[int, ...], by_z: tuple[int, ...]) -> tuple[Array, Array]:
    first = by_y[0] * by_y[1]
    return point[:first].reshape(by_y), point[first:].reshape(by_z)


def normalized_step(c: float | Array, beta1: float, beta2: float) -> Array:
    """R(c): Adam's steady step over eta for a gradient that falls by e^{-c} in each step.

    R = (1 - beta1) / (1 - beta1 e^c) sqrt((1 - beta2 e^{2c}) / (1 - beta2)), for 0 <= c below both
    ln(1/beta1) and ln(1/beta2) / 2, where the mean square is all memory and R is zero.
    """
    mean = (1 - beta1) / (1 - beta1 * np.exp(c))
    return mean * np.sqrt((1 - beta2 * np.exp(2 * c)) / (1 - beta2))


def fall_of_error(eta: float, beta1: float, beta2: float) -> float:
    """c > 0 with c = 2 eta R(c): how fast the log of the error falls in a step of Adam.

    Late, a margin grows by two coordinates, one up and one down, and the error is e^{-margin}.
    Raises ``ValueError`` where the mean forgets more slowly than the root of the mean square.
    """
    return _root(lambda c: c, eta, beta1, beta2, 0.0)


def growth_of_gap(eta: float, beta1: float, beta2: float) -> float:
    """x > 0 with x = 2 eta R(c + x), c = ``fall_of_error``: a plain gap's growth in a step of Adam.

    The slope of attention falls faster than the error, by the factor e^{-gap}.
    """
    c = fall_of_error(eta, beta1, beta2)
    return _root(lambda total: total - c, eta, beta1, beta2, c) - c


def _root(
    left: Callable[[float], float], eta: float, beta1: float, beta2: float, low: float
) -> float:
    """c above ``low`` with left(c) = 2 eta R(c)."""
    require_rate("eta", eta)
    high = 0.5 * np.log(1 / require_real("beta2", beta2, above=0, below=1))
    require_real("beta1", beta1, at_least=0, below=float(np.exp(-high)))
    return brentq(
        lambda c: left(c) - 2 * eta * normalized_step(c, beta1, beta2), low, high, xtol=1e-16
    )


def resting_gap(margin: float, shared: int, labels: int) -> float:
    """g at which normalized attention rests under steps of equal size, or infinity: floats.

    e^g - 1 = (shared - 1) / (labels - shared) e^{margin / sqrt(1 + e^{2g})}: ``shared`` classes
    have the common token, ``labels`` the vocabulary, ``margin`` = own minus other entry of any
    row of the decoder, all rows having grown alike.  g = ln margin - ln ln margin + O(1).
    """
    require_integer("shared", shared, 2)
    require_integer("labels", labels, shared)
    if labels == shared:
        return np.inf
    odds = np.log((shared - 1) / (labels - shared))

    def excess(g: float) -> float:
        return np.log(np.expm1(g)) - odds - margin / np.sqrt(1 + np.exp(2 * g))

    return brentq(excess, 1e-12, 2 + abs(odds) + margin, xtol=1e-13)
