"""Gradient flow in logarithmic time, and where it takes W (*Mechanics*).

Everything moves in the coordinates of ``lib.mechanics.loss_split.SplitLoss``: x inside the cyclic
subspace, z outside it.  At log time 30 the leak is 1e-13 and at log time 600 it is 1e-260; the flow
still sees it with full relative precision, since the scale e^{log time} is applied before rounding.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from lib.arrays import Array, ArrayLike
from lib.mechanics.attention_layer import Loss, gradient
from lib.mechanics.graph_svm import InfeasibleGraphSVM, graph_svm
from lib.mechanics.loss_split import Part, SplitLoss, finite_part
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import data_span
from lib.validation import require

SWITCH = 18.0  # log time from which x is slaved to z; the error is e^{-2 SWITCH}


class Path(NamedTuple):
    """Points along a path.

    log_time: (m,), or minus the log of the ridge weight.  x: (m, r), z: (m, q).
    gap: (m, r), what x has beyond the coordinates of W_fin.
    """

    log_time: np.ndarray
    x: np.ndarray
    z: np.ndarray
    gap: np.ndarray


def scaled_loss(
    split: SplitLoss, x: Array, z: Array, log_scale: float, hessian: bool = True
) -> Part:
    """e^log_scale times the log-loss, its gradient and Hessian at (x, z), as ``Part``, x first."""
    part, inner = split.leak(x, z, log_scale, hessian), split.cyclic(x, hessian)
    r, scale = len(x), np.exp(log_scale)
    part.gradient[:r] += scale * inner.gradient
    if hessian:
        part.hessian[:r, :r] += scale * inner.hessian  # type: ignore[index]
    return part._replace(value=part.value + scale * inner.value)


def gradient_flow(
    split: SplitLoss,
    x: Array,
    z: Array,
    log_times: ArrayLike,
    rtol: float = 1e-8,
    atol: float = 1e-10,
) -> Path:
    """Gradient flow on the log-loss, followed to any logarithm of time: a ``Path``.

        dW/dt = -grad L(W) from (x, z) at t = 0,  or  dW/dtau = -e^tau grad L(W),  tau = log t

    A stiff solver (LSODA) runs in tau, from the earlier of tau = -20 and the first time, when next
    to nothing has moved.  From ``SWITCH`` on it is ``slow_flow``.

    split: a ``SplitLoss``, whose coordinates x (r,) and z (q,) stand for W.
    log_times: (m,), increasing values of log t, of any size.
    rtol, atol: tolerances of the solver.

    Returns the points at ``log_times``.
    Raises ``ValueError`` for times that do not increase, or that the solver does not reach.

    >>> from lib.mechanics.five_samples import five_samples
    >>> from lib.mechanics.problem import Problem
    >>> split = Problem(five_samples()).split
    >>> path = gradient_flow(split, np.zeros(1), np.zeros(3), [10, 1000])
    >>> np.abs(path.gap).max(axis=1) < 1e-3  # x has come close to W_fin
    array([ True,  True])
    """
    log_times, r = increasing(log_times), len(x)
    early, late = log_times[log_times <= SWITCH], log_times[log_times > SWITCH]
    stops = np.r_[early, SWITCH] if len(late) else early
    w = _solve(
        lambda tau, w, hessian: scaled_loss(split, w[:r], w[r:], tau, hessian),
        min(-20, stops[0]),
        np.r_[x, z],
        np.unique(stops),
        rtol,
        atol,
    )
    x_fin = finite_part(split).x
    path = Path(early, w[: len(early), :r], w[: len(early), r:], w[: len(early), :r] - x_fin)
    if not len(late):
        return path
    after = slow_flow(split, x_fin, w[-1, r:], np.r_[SWITCH, late], rtol, atol)
    return Path(
        *(np.concatenate([first, then[1:]]) for first, then in zip(path, after, strict=True))
    )


def slow_flow(
    split: SplitLoss,
    x_fin: Array,
    z: Array,
    log_times: ArrayLike,
    rtol: float = 1e-8,
    atol: float = 1e-10,
) -> Path:
    """The flow with x slaved to z, from z at ``log_times[0]`` (``SWITCH`` or more): a ``Path``.

    Once tau = log t is large x has only to follow the leak: x - W_fin = -H^{-1} (its gradient), to
    relative accuracy e^{-tau}, and z moves as if x were W_fin.  What is solved for is z - tau
    W_svm, which stays small, so log times of 1e6 are no trouble.
    """
    log_times, r, drift = increasing(log_times), len(x_fin), _drift(split)
    slack = 1 + split.outer_features @ drift  # (n, K): 1 - margin, 0 where it is tight
    slack[np.abs(slack) < 1e-9] = 0

    def part(tau: float, rest: Array, hessian: bool) -> Part:
        leak = split.leak(x_fin, rest, tau, hessian, ahead=tau * slack)
        return Part(
            leak.value,
            leak.gradient[r:] + drift,
            leak.hessian[r:, r:] if hessian else None,  # type: ignore[index]
        )

    rest = _solve(part, log_times[0], z - log_times[0] * drift, log_times, rtol, atol)
    pushes = [
        split.leak(x_fin, point, tau, False, ahead=tau * slack).gradient[:r]
        for tau, point in zip(log_times, rest, strict=True)
    ]
    gap = (
        -np.linalg.solve(split.cyclic(x_fin).hessian, np.array(pushes).T).T  # type: ignore[arg-type]
        * np.exp(-log_times)[:, None]
    )
    return Path(log_times, x_fin + gap, rest + log_times[:, None] * drift, gap)


def _drift(split: SplitLoss) -> Array:
    """W_svm in coordinates z, the flow's speed in log time; 0 where the Graph-SVM is infeasible."""
    try:
        return split.coordinates(graph_svm(split.data, split.graphs).W)[1]
    except InfeasibleGraphSVM:
        return np.zeros(len(split.outer_basis))


def _solve(
    part: Callable[..., Part], start: float, w: Array, times: Array, rtol: float, atol: float
) -> Array:
    """dw/dtau = -gradient of ``part``(tau, w) from ``start``; w at ``times``, (m, p)."""
    if start == times[-1]:
        return w[None]
    for method in ("LSODA", "Radau"):  # the second is slower, and never gave up or returned nan
        # Of a solver that gives up, and of what it asks for on the way: then the other's turn.
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", UserWarning)
            run = solve_ivp(
                lambda tau, w: -part(tau, w, False).gradient,
                (start, times[-1]),
                w,
                method=method,
                t_eval=times,
                rtol=rtol,
                atol=atol,
                jac=lambda tau, w: -part(tau, w, True).hessian,  # type: ignore[operator]
            )
        if run.success and np.isfinite(run.y).all():
            return run.y.T
    raise ValueError(
        f"log times = {times[-1]}, allowed: a time that the solver reaches ({run.message})"
    )


def increasing(times: ArrayLike) -> Array:
    """Times as an array (m,).  Raises ``ValueError`` unless they are finite and increase."""
    times = np.atleast_1d(np.asarray(times, dtype=float))
    require(
        len(times) > 0 and np.isfinite(times).all() and (np.diff(times) > 0).all(),
        "log times",
        times.tolist()[-3:],
        "increasing numbers",
    )
    return times


def loss_flow(
    W: Array,
    data: NextTokenData,
    loss: Loss,
    log_times: ArrayLike,
    rtol: float = 1e-9,
    atol: float = 1e-10,
) -> Array:
    """dW/dt = -grad L for any ``Loss``: W at t = e^{log_times}, (m, d, d).

    Needs a slope that stays exact however small the losing masses are, and one survivor in each
    sample: where several share the mass, e^{log time} times the rounding of their balance is noise
    beyond log time 25 or so.
    """
    log_times = increasing(log_times)
    basis = data_span(data)

    def move(tau: float, y: Array) -> Array:
        slope = gradient(W + np.tensordot(y, basis, axes=1), data, loss)
        return -np.exp(tau) * np.tensordot(basis, slope, axes=([1, 2], [0, 1]))

    start = min(-20.0, log_times[0])
    run = solve_ivp(
        move,
        (start, log_times[-1]),
        np.zeros(len(basis)),
        method="LSODA",
        t_eval=log_times,
        rtol=rtol,
        atol=atol,
    )
    require(run.success, "loss flow", run.message, "a solver that reaches the last time")
    return W + np.tensordot(run.y.T, basis, axes=1)
