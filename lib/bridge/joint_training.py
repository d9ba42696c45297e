"""One attention layer with a softmax decoder, trained together: where both papers meet.

    s = attention over the tokens of a sample, with multiplicities, from row z_m of its last token
    f = s, or s / |s|_2;    p = softmax(Y^T f);    L = sum_i weight_i (-log p_i,label)

*Scan and Snap* is ``normalize=True`` with Y learned from zero; a fixed decoder, as in *Mechanics*,
is ``eta_y=0``.  Embeddings are orthonormal, so Z is the transpose of *Mechanics*' W and
``NextTokenData`` with the identity as embeddings is the data of either paper.

Gradients come times e^log_scale, applied before rounding: at log time 1e4 residuals are e^-10000
and still carry all their digits.
"""

import warnings
from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from lib.arrays import Array, ArrayLike, Ids
from lib.bridge.joint_loops import add_slopes, moving_velocity
from lib.log_sums import log_softmax, log_sum_exp
from lib.mechanics.samples import NextTokenData
from lib.validation import require, require_integer, require_rate, require_real

BEGINNING = -20.0  # log time at which the flow starts; until then it moves by about e^-20
EVALUATIONS = 100_000  # of the gradients in one flow; the longest of the book takes 12 476


class JointPath(NamedTuple):
    """Points of a run.  log_time: (m,), log of t or of the step; Y: (m, K, C), Z: (m, K, K)."""

    log_time: np.ndarray
    Y: np.ndarray
    Z: np.ndarray


def one_hot_data(counts: Any, last: Any, label: Any, weight: Any = None) -> NextTokenData:
    """Training set with orthonormal embeddings, the data of either paper: ``NextTokenData``.

    counts: (n, K), how often token j occurs in context i.  last: (n,), id of its last token.
    label: (n,), id of its next token.  Label and last token need not occur in the context.
    weight: (n,), weight of a sample's loss; 1/n when omitted.

    >>> data = one_hot_data([[2, 1, 0]], [1], [2])
    >>> data.gram.tolist(), data.weight.tolist()
    ([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [1.0])
    """
    K = np.asarray(counts).shape[-1]
    return NextTokenData(counts, last, label, np.eye(K), weight, realizable=False, complete=False)


def log_attention(data: NextTokenData, Z: Array) -> Array:
    """log s: (n, K); minus infinity for absent tokens."""
    return log_softmax(Z[data.last] + data.log_counts)


def features(data: NextTokenData, Z: Array, normalize: bool = False) -> Array:
    """f (n, K): s, or s / |s|_2 (LN of *Scan and Snap*, Section 3)."""
    return np.exp(_log_features(data, Z, normalize))


def _log_features(data: NextTokenData, Z: Array, normalize: bool) -> Array:
    """log f (n, K), where f may underflow."""
    logits = Z[data.last] + data.log_counts
    if not normalize:
        return log_softmax(logits)
    shifted = logits - logits.max(axis=-1, keepdims=True)  # any common factor cancels
    return shifted - 0.5 * log_sum_exp(2 * shifted)[:, None]


def log_residual(data: NextTokenData, Y: Array, Z: Array, normalize: bool = False) -> Array:
    """log (1 - p_label): (n,), exact however close to one p is."""
    labels, logits = np.eye(Y.shape[1])[data.label], features(data, Z, normalize) @ Y
    others = log_sum_exp(np.where(labels > 0, -np.inf, logits))
    return -np.logaddexp(0, np.einsum("ij,ij->i", labels, logits) - others)


def gradients(
    data: NextTokenData, Y: Array, Z: Array, normalize: bool = False, log_scale: float = 0.0
) -> tuple[Array, Array]:
    """e^log_scale times (dL/dY (K, C), dL/dZ (K, K)): ``joint_loops.add_slopes``.

    Raises ``ValueError`` for shapes that do not fit the data.
    """
    _require_shapes(data, Y, Z)
    slopes = np.zeros(Y.shape), np.zeros(Z.shape)
    add_slopes(_samples(data), Y, Z, normalize, log_scale, *slopes)
    return slopes


def _require_shapes(data: NextTokenData, Y: Array, Z: Array) -> None:
    """The compiled loops would read beyond the end of what is too small."""
    K = data.counts.shape[1]
    wide = Y.ndim == 2 and Y.shape[0] == K and Y.shape[1] > data.label.max()
    require(wide, "Y.shape", Y.shape, f"({K}, C) with C > {data.label.max()}, the largest label")
    require(Z.shape == (K, K), "Z.shape", Z.shape, f"({K}, {K})")


def _samples(data: NextTokenData) -> tuple[Array, Ids, Ids, Array]:
    """What the compiled loop reads of ``data``."""
    return data.log_counts, data.last, data.label, np.log(data.weight)  # type: ignore[arg-type]


def joint_flow(
    data: NextTokenData,
    Y: ArrayLike,
    Z: ArrayLike,
    log_times: ArrayLike,
    *,
    eta_y: float = 1.0,
    eta_z: float = 1.0,
    normalize: bool = False,
    begin: float = BEGINNING,
    rtol: float = 1e-8,
    atol: float = 1e-10,
) -> JointPath:
    """Gradient flow of decoder and attention together, in the logarithm of time.

        dY/dt = -eta_Y dL/dY,    dZ/dt = -eta_Z dL/dZ

    data: ``NextTokenData`` with orthonormal embeddings.  Y: (K, C), Z: (K, K): where it starts.
    log_times: (m,), increasing, from ``begin`` on, as large as every sample can be told apart
        (L goes to its infimum like a power of t).
    eta_y, eta_z: learning rates; 0 freezes that half.
    normalize: whether attention has length 1 (*Scan and Snap*) instead of sum 1 (*Mechanics*).
    begin: log t of the start.  rtol, atol: tolerances of the stiff solver (LSODA).

    Returns a ``JointPath``.  Raises ``RuntimeError`` if the solver gives up or overflows, or after
    ``EVALUATIONS``.  Where two tokens share the mass, e^{log time} times the rounding of their
    balance is noise, for which no step is short enough.

    >>> data = one_hot_data([[1, 0, 1], [0, 1, 1]], [2, 2], [0, 1])  # both contexts have token 2
    >>> path = joint_flow(data, np.zeros((3, 2)), np.zeros((3, 3)), [8.0])
    >>> bool(path.Z[0, 2, 0] > path.Z[0, 2, 2])  # attention has left it
    True
    """
    Y, Z, moved = checked(data, Y, Z, eta_y, eta_z)
    times = np.asarray(log_times, dtype=float)
    increasing = times.ndim == 1 and len(times) > 0 and (np.diff(times) > 0).all()
    wanted = f"increasing log times from {require_real('begin', begin):g} on"
    require(increasing and times[0] >= begin, "log_times", log_times, wanted)
    held, moves = np.concatenate([Y.ravel(), Z.ravel()]), _moving(data, Y, Z, *moved)
    known, asked = (_samples(data), held, moves), count(1)
    rates = np.array([eta_y, eta_z], dtype=float)

    def velocity(tau: float, point: Array) -> Array:
        if next(asked) > EVALUATIONS:
            raise RuntimeError(f"the flow stopped at log t = {tau:g}: {EVALUATIONS} evaluations")
        return moving_velocity(*known, point, Y.shape, rates, normalize, tau)

    span = (begin, times[-1])
    with warnings.catch_warnings():  # the solver's, when it gives up: that is raised below
        warnings.simplefilter("ignore", UserWarning)
        solution = solve_ivp(velocity, span, held[moves], "LSODA", times, rtol=rtol, atol=atol)
    if not solution.success:
        raise RuntimeError(f"the flow stopped before log t = {times[-1]:g}: {solution.message}")
    if not np.isfinite(solution.y).all():
        raise RuntimeError(f"the flow left the finite numbers before log t = {times[-1]:g}")
    path = np.tile(held, (len(times), 1))
    path[:, moves] = solution.y.T
    parts = np.split(path, [Y.size], axis=1)
    return JointPath(times, parts[0].reshape(-1, *Y.shape), parts[1].reshape(-1, *Z.shape))


def joint_descent(
    data: NextTokenData,
    Y: ArrayLike,
    Z: ArrayLike,
    keep: Sequence[int],
    *,
    eta_y: float = 1.0,
    eta_z: float = 1.0,
    normalize: bool = False,
    decay: float = 0.0,
) -> JointPath:
    """Full-batch gradient descent on both halves: a ``JointPath`` after each of the steps ``keep``.

    keep: increasing whole numbers, the first at least 1.  decay: lambda of a penalty
    lambda / 2 (|Y|^2 + |Z|^2) on what is trained.
    """
    Y, Z, _ = checked(data, Y, Z, eta_y, eta_z)
    require_real("decay", decay, at_least=0)
    for number in keep:
        require_integer("keep", number, 1)
    require(len(keep) > 0 and list(keep) == sorted(set(keep)), "keep", keep, "increasing steps")
    kept, wanted = [], set(keep)
    for step in range(1, keep[-1] + 1):
        by_y, by_z = gradients(data, Y, Z, normalize)
        Y, Z = Y - eta_y * (by_y + decay * Y), Z - eta_z * (by_z + decay * Z)
        if step in wanted:
            kept.append((Y, Z))
    return JointPath(
        np.log(np.array(keep, float)), *(np.array(part) for part in zip(*kept, strict=True))
    )


def _moving(data: NextTokenData, Y: Array, Z: Array, moves_y: bool, moves_z: bool) -> Ids:
    """Places in (Y, Z), side by side, of what can move: rows of Y of tokens that occur, z_m."""
    occurs = (data.counts > 0).any(axis=0)
    in_y = np.broadcast_to(occurs[:, None] & moves_y, Y.shape)  # type: ignore[index]
    in_z = np.zeros(Z.shape, dtype=bool)
    np.logical_or.at(in_z, data.last, (data.counts > 0) & moves_z)
    return np.flatnonzero(np.concatenate([in_y.ravel(), in_z.ravel()]))


def checked(
    data: NextTokenData, Y: ArrayLike, Z: ArrayLike, eta_y: float, eta_z: float
) -> tuple[Array, Array, tuple[bool, bool]]:
    """(Y, Z, (does Y move, does Z)); ``ValueError`` for shapes or rates that do not fit."""
    Y, Z = np.array(Y, dtype=float), np.array(Z, dtype=float)
    _require_shapes(data, Y, Z)
    for name, rate in (("eta_y", eta_y), ("eta_z", eta_z)):
        if rate != 0:
            require_rate(name, rate)
    require(eta_y != 0 or eta_z != 0, "eta_y, eta_z", (eta_y, eta_z), "one of them positive")
    return Y, Z, (eta_y != 0, eta_z != 0)
