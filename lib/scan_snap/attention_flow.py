"""The dynamics of attention, Eq. (10), and its consequences (*Scan and Snap*, Section 5, E).

``F`` holds the normalized attention as rows f_n, (K, M).  ``beta`` is (K, K) with the
coefficients beta_{nn'} of Theorem 1; its diagonal is never read.  Velocities are per unit of
``eta_Z * gamma`` unless said otherwise.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy.integrate import solve_ivp

from lib.arrays import Array, ArrayLike
from lib.scan_snap.overlaps import (
    backprop_coefficients,
    e_prime,
    feature_coefficients,
    overlap,
    softmax_shortfall,
)
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention
from lib.validation import require, require_rate


def row_velocity(f: Array, g: Array) -> Array:
    """The step of z_m by one sequence, (4) in the limit (6), (94): ``diag(f) (I - f f^T) g``.

    f: (..., M) unit vectors X^T b / |X^T b|; g: (..., M) back-propagated gradients.  Per unit of
    eta_Z.
    """
    return f * (g - f * (f * g).sum(axis=-1, keepdims=True))


def class_velocities(F: Array, beta: Array) -> Array:
    """What an event of class n adds to its query's row, one term of (10): rows (K, M).

    Entry (n, l) is ``f_nl sum_{n' != n} beta_nn' [(f_n . f_n') f_nl - f_n'l]``, Eq. (97).
    """
    beta = _off_diagonal(F, beta)
    return F * ((beta * (F @ F.T)).sum(axis=1, keepdims=True) * F - beta @ F)


def attention_velocity(
    classes: SequenceClasses, F: Array, beta: Array, visits: ArrayLike | None = None
) -> Array:
    """The velocity of the attention logits: *Scan and Snap*, Eq. (10), for all rows of Z.

        dz_m/dt = sum over the classes n of query m of visits_n velocity_n

    velocity_n is row n of ``class_velocities``.

    classes: ``SequenceClasses``.  F: (K, M), rows f_n.  beta: (K, K), coefficients of Theorem 1.
    visits: (K,), how often each class occurs per unit of time.  Ones, the default, is (10) as
        printed; ``classes.prior`` is the mean of single steps, the unit in which gamma(t) counts.

    Returns (M, M) per unit of eta_Z gamma; rows of tokens that are no query are 0.

    >>> classes = block_classes([[1], [1]], [[3], [4]])  # two classes of query 3, token 0 is common
    >>> F = normalized_attention(classes, np.zeros((4, 4)))
    >>> attention_velocity(classes, F, leading_beta(F))[3].round(4).tolist()  # common falls
    [-0.0109, 0.0053, 0.0056, 0.0]
    """
    visits = np.ones(classes.num_classes) if visits is None else np.asarray(visits)
    velocity = np.zeros((classes.vocab_size, classes.vocab_size))
    np.add.at(velocity, classes.query, visits[:, None] * class_velocities(F, beta))
    return velocity


def xi(F: Array, beta: Array) -> Array:
    """xi_n over gamma of Theorem 1: ``sum_{n' != n} beta_nn' f_n . f_n'``, shape (K,)."""
    return (_off_diagonal(F, beta) * (F @ F.T)).sum(axis=1)


def relative_gain(f: Array, token: int, other: int) -> Array:
    """r_{l/l'|n} of Theorem 3: ``f_l^2 / f_l'^2 - 1``; f: (..., M), shape (...)."""
    return (f[..., token] / f[..., other]) ** 2 - 1


def leading_beta(F: Array) -> Array:
    """The coefficients beta_nn' of *Scan and Snap*, Theorem 1, for a large vocabulary: Eq. (89).

        beta = E' = I - (I + E)^{-1}

    Classes are visited equally often, and M goes to infinity.

    F: (K, M), rows f_n.  Returns (K, K), whose diagonal is not used.

    >>> F = np.array([[0.6, 0.8, 0.0], [0.6, 0.0, 0.8]])
    >>> round(float(leading_beta(F)[0, 1]), 6)
    0.413603
    """
    return e_prime(overlap(F))


def finite_beta(F: Array, M: int) -> Array:
    """The coefficients beta_nn' of *Scan and Snap*, Theorem 1, for M tokens: Eq. (88).

    Classes are visited equally often, so that theta = sigma = 0.  For a large M it is
    ``leading_beta``.

    F: (K, M'), rows f_n.  M: size of the vocabulary, at least 2; it may exceed M'.

    Returns (K, K), with zero diagonal.

    >>> F = np.array([[0.6, 0.8, 0.0], [0.6, 0.0, 0.8]])
    >>> [round(float(finite_beta(F, M)[0, 1]), 6) for M in (50, 10**9)]
    [0.445969, 0.413603]
    """
    E_prime = e_prime(overlap(F))
    return np.array([backprop_coefficients(n, E_prime, M).beta for n in range(len(F))])


class Flow(NamedTuple):
    """A solution: times (S,), Z (S, M, M), F (S, K, M) rows f_n, B (S, K) integrated gains B_n."""

    times: np.ndarray
    Z: np.ndarray
    F: np.ndarray
    B: np.ndarray

    def growth(self, m: int, token: int) -> Array:
        """chi_l(t) = exp(2 (z_ml(t) - z_ml(0))) of (11), shape (S,)."""
        return np.exp(2 * (self.Z[:, m, token] - self.Z[0, m, token]))


def flow(
    classes: SequenceClasses,
    Z0: ArrayLike,
    times: ArrayLike,
    beta: Callable[[Array], Array],
    gamma: Callable[[float], Any] | None = None,
    eta_z: float = 1.0,
    visits: ArrayLike | None = None,
    tolerance: float = 1e-11,
) -> Flow:
    """Integrate (10) and B_n = eta_Z int visits_n xi_n from ``Z0`` at ``times[0]``.

    beta: callable, rows F (K, M) to coefficients (K, K).  gamma: callable of t, 1 if omitted.
    visits: as in ``attention_velocity``.  Raises ``ValueError`` for times that do not
    increase, ``RuntimeError`` if the solver gives up.
    """
    times = np.asarray(times, dtype=float)
    require(
        times.ndim == 1 and len(times) > 1 and (np.diff(times) > 0).all(),
        "times",
        times,
        "two or more increasing moments",
    )
    require_rate("eta_z", eta_z)
    M, K, rows = classes.vocab_size, classes.num_classes, np.unique(classes.query)
    share = np.ones(K) if visits is None else np.asarray(visits)
    Z = np.array(Z0, dtype=float)

    def velocity(t: float, state: Array) -> Array:
        Z[rows] = state[K:].reshape(len(rows), M)
        F = normalized_attention(classes, Z)
        coefficients = beta(F)
        speed = eta_z * (1.0 if gamma is None else gamma(t))
        rows_of_z = attention_velocity(classes, F, coefficients, share)[rows]
        return speed * np.concatenate([share * xi(F, coefficients), rows_of_z.ravel()])

    start = np.concatenate([np.zeros(K), Z[rows].ravel()])
    solution = solve_ivp(
        velocity, (times[0], times[-1]), start, "DOP853", times, rtol=tolerance, atol=tolerance
    )
    if not solution.success:
        raise RuntimeError(f"the flow stopped at t = {solution.t[-1]:g}: {solution.message}")
    paths = np.repeat(np.asarray(Z0, dtype=float)[None], len(times), axis=0)
    paths[:, rows] = solution.y[K:].T.reshape(len(times), len(rows), M)
    return Flow(
        times, paths, np.array([normalized_attention(classes, z) for z in paths]), solution.y[:K].T
    )


def event_by_event(
    classes: SequenceClasses,
    labels: Iterable[int],
    M: int,
    eta_y: float,
    eta_z: float,
    Z0: ArrayLike,
) -> Array:
    """Z (M', M') after one step per label: endless sequences, decoder rows by (8), M next tokens.

    Each event n moves w_n by eta_y (e_n - alpha_n) and its query's row by (4) with g = sum_j c_j
    f_j. M may exceed the classes' own vocabulary M' (tokens that no class emits).
    """
    Z, W = np.array(Z0, dtype=float), np.zeros((classes.num_classes, M))
    for n in labels:
        F = normalized_attention(classes, Z)
        Z[classes.query[n]] += eta_z * row_velocity(
            F[n], feature_coefficients(W, overlap(F), n) @ F
        )
        W[n] += eta_y * softmax_shortfall(W[n], n)
    return Z


def block_classes(common: Any, distinct: Any, groups: ArrayLike | None = None) -> SequenceClasses:
    """Sequence classes from the weights of their common and their distinct tokens.

    common: (K, C) weights >= 0, row n those of class n for the C common tokens.
    distinct: (K, D) weights >= 0 of the D tokens that class n alone may emit.
    groups: (K,), which query each class has; the first one for all if omitted.

    Returns ``SequenceClasses`` with P(l | n) proportional to the weights.  Ids: the common tokens,
    then D distinct ones for each class, then the queries.
    Raises ``ValueError`` where the two tables have different numbers of classes.

    >>> classes = block_classes([[1], [1]], [[3], [4]])
    >>> classes.conditional.tolist(), classes.query.tolist()
    ([[0.25, 0.75, 0.0, 0.0], [0.2, 0.0, 0.8, 0.0]], [3, 3])
    """
    common, distinct = np.asarray(common, dtype=float), np.asarray(distinct, dtype=float)
    K, C = common.shape
    require(len(distinct) == K, "distinct.shape", distinct.shape, f"({K}, D)")
    groups = np.zeros(K, dtype=int) if groups is None else np.asarray(groups)
    D = distinct.shape[1]
    first_query = C + K * D
    weights = np.zeros((K, max(first_query + groups.max() + 1, K)))
    weights[:, :C] = common
    for n in range(K):
        weights[n, C + n * D : C + (n + 1) * D] = distinct[n]
    return SequenceClasses(weights / weights.sum(axis=1, keepdims=True), query=first_query + groups)


def random_block_classes(
    K: int,
    C: int,
    D: int,
    rng: Generator,
    common_weight: float = 1.0,
    groups: ArrayLike | None = None,
) -> SequenceClasses:
    """Sequence classes with random weights: ``block_classes`` of uniform weights in (0.2, 1).

    K: number of classes.  C: common tokens.  D: distinct tokens of each class.
    common_weight: factor on the weights of common tokens.  groups: as in ``block_classes``.

    >>> classes = random_block_classes(2, 1, 3, np.random.default_rng(0))
    >>> classes.common_tokens.tolist(), classes.distinct_tokens(1).tolist()
    ([0], [4, 5, 6])
    """
    return block_classes(
        common_weight * rng.uniform(0.2, 1, (K, C)), rng.uniform(0.2, 1, (K, D)), groups
    )


def _off_diagonal(F: Array, beta: ArrayLike) -> Array:
    beta = np.asarray(beta, dtype=float)
    require(beta.shape == (len(F), len(F)), "beta.shape", beta.shape, f"({len(F)}, {len(F)})")
    return beta * (1 - np.eye(len(F)))
