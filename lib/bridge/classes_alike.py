"""Classes alike in the whole layer, where ``two_clocks`` has two numbers (u, g) for them.

The whole of Y and Z from the symmetric start: what the layer's gradient does to it, what it needs
to open a gap, and how a run lies between the bounds of the gap and of the margin.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.random import Generator

from lib.arrays import Array
from lib.bridge.joint_training import JointPath, gradients, joint_flow, log_residual
from lib.bridge.two_clocks import (
    attention_clock,
    class_data,
    exchange,
    gap_bounds,
    height_and_gap,
    margin_bounds,
)
from lib.measure import maximum, relative_error
from lib.mechanics.samples import NextTokenData


def symmetric_start(data: NextTokenData, height: float = 0.0) -> tuple[Array, Array]:
    """(Y, Z): the symmetric decoder of this height, no attention yet.

        Y_k = height (e_k - 1/K) for the distinct token k of class k,    Z = 0

    >>> Y, Z = symmetric_start(class_data(2), 1.0)
    >>> Y[:3].tolist(), Z.any()
    ([[0.5, -0.5], [-0.5, 0.5], [0.0, 0.0]], np.False_)
    """
    count, V = len(data.label), data.counts.shape[1]
    Y = np.zeros((V, count))
    Y[:count] = height * (np.eye(count) - 1 / count)
    return Y, np.zeros((V, V))


def symmetric_flow(
    data: NextTokenData,
    q: int,
    log_times: Sequence[float] | Array,
    height: float = 0.0,
    **options: Any,
) -> JointPath:
    """The joint flow from the ``symmetric_start`` of that height; q: 1 plain, 2 normalized."""
    start = symmetric_start(data, height)
    return joint_flow(data, *start, log_times, normalize=q == 2, **options)


def run_of_two(
    data: NextTokenData,
    q: int,
    log_times: Sequence[float] | Array,
    height: float = 0.0,
    **options: Any,
) -> tuple[Array, Array]:
    """(u, g) of the first class along the ``symmetric_flow``, (m,) each."""
    path = symmetric_flow(data, q, log_times, height, **options)
    return height_and_gap(data, path.Y, path.Z)


def gap_and_push(
    data: NextTokenData,
    q: int,
    log_times: Array,
    height: float,
    eta_y: float,
    eta_z: float,
) -> tuple[Array, Array]:
    """(g, Theta) along the ``symmetric_flow`` of classes with a query each, (m,) each.

    Theta is the push received, dTheta/dt = 2 eta_Z delta u / K, summed from the residuals of the
    run by the trapezoidal rule in log t; at the first moment it is ``attention_clock`` of the gap.
    """
    path = symmetric_flow(data, q, log_times, height, eta_y=eta_y, eta_z=eta_z)
    u, g = height_and_gap(data, path.Y, path.Z)
    both = zip(path.Y, path.Z, strict=True)
    left_over = np.array([log_residual(data, Y, Z, q == 2)[0] for Y, Z in both])
    speed = 2 * eta_z * np.exp(left_over + log_times) * u / len(data.label)  # dTheta / d log t
    passed = np.cumsum(np.r_[0, (speed[1:] + speed[:-1]) / 2 * np.diff(log_times)])
    return g, attention_clock(g[0], q) + passed


class Moves(NamedTuple):
    """What the whole layer does at a symmetric state.

    Y, Z: velocities of both halves.  height, gap: those of u and g.  residual: 1 - p of the label.
    push: what the gap is given, dTheta/dt = (1 + S) eta_Z delta u / K.
    """

    Y: Array
    Z: Array
    height: float
    gap: float
    residual: float
    push: float


class ClassesAlike(NamedTuple):
    """``count`` classes, ``shared`` to a query, each with its own token ``distinct`` times and the
    common one ``common`` times; rates of both halves.  q: 1 plain, 2 normalized attention.
    """

    q: int
    count: int  # type: ignore[assignment]
    shared: int
    distinct: int
    common: int
    eta_y: float
    eta_z: float

    @property
    def data(self) -> NextTokenData:
        """The samples."""
        return class_data(self.count, self.shared, self.distinct, self.common)

    @property
    def cost(self) -> float:
        """a of ``exchange``: what a unit of gap costs."""
        return exchange(self.count, self.shared, self.eta_y / self.eta_z)

    @property
    def head_start(self) -> float:
        """g where the logits are 0."""
        return np.log(self.distinct / self.common)

    def moves(self, u: float, g: float) -> Moves:
        """The gradient of the whole layer at height u and gap g."""
        data = self.data
        Y, Z = symmetric_start(data, u)
        Z[self.count + 1 :, : self.count] = g - self.head_start  # queries are the last ids
        by_y, by_z = gradients(data, Y, Z, self.q == 2)
        residual = float(np.exp(log_residual(data, Y, Z, self.q == 2)[0]))
        moved = -self.eta_y * by_y, -self.eta_z * by_z
        height, gap = height_and_gap(class_data(self.count, self.shared), *moved)
        push = (1 + self.shared) * self.eta_z * residual * u / self.count
        return Moves(*moved, float(height), float(gap), residual, push)

    def velocity_error(self, u: float, g: float) -> float:
        """The largest relative error of the two equations of ``two_clocks`` at (u, g): of u', of
        g', and of all of Z', which is alike to each class of a query and less by all on the common
        token.
        """
        found = self.moves(u, g)
        share = (1 + np.exp(-self.q * g)) ** (-1 / self.q)
        gap_speed = found.push * share / (1 + np.exp(self.q * g))
        said = self.eta_y * share * found.residual / (self.count - 1), gap_speed
        pushed, classes = np.zeros_like(found.Z), np.arange(self.count)
        query = self.count + 1 + classes // self.shared
        pushed[query, classes] = gap_speed / (1 + self.shared)
        pushed[:, self.count] = -pushed.sum(axis=1)
        return maximum(
            relative_error((found.height, found.gap), said), relative_error(found.Z, pushed)
        )

    def push_needed(self, g: float, rng: Generator) -> float:
        """The push that the layer needs from gap 0 to g, at every gap another height from ``rng``.

        The integral of push over velocity of the gap, by 40 nodes of Gauss and Legendre.
        """
        received = 0.0
        for node, weight in zip(*leggauss(40), strict=True):
            found = self.moves(rng.uniform(0.5, 4), g * (1 + node) / 2)
            received += weight * g / 2 * found.push / found.gap
        return received

    def run(self, log_times: Array) -> tuple[Array, Array]:
        """(u, g) along the flow from zero."""
        return run_of_two(self.data, self.q, log_times, eta_y=self.eta_y, eta_z=self.eta_z)


class Bounded(NamedTuple):
    """Slack of the four bounds along a run, (4, m), the gap, and its bounds by time alone, (m,).

    The four are margin over its lower bound, upper bound over margin, and the same of the gap by
    the margin of the run.
    """

    slack: Array
    g: Array
    below: Array
    above: Array


def bounded(q: int, count: int, shared: int, ratio: float, log_times: Array) -> Bounded:
    """How a run from zero lies between the ``margin_bounds`` and the ``gap_bounds``.

    count: classes.  shared: classes to a query.  ratio: eta_Y, with eta_Z = 1.
    """
    data, cost = class_data(count, shared), exchange(count, shared, ratio)
    u, g = run_of_two(data, q, log_times, eta_y=ratio, rtol=1e-10, atol=1e-12)
    margin = u * (1 + np.exp(-q * g)) ** (-1 / q)
    low, high = margin_bounds(np.exp(log_times), count, ratio, q)
    tight = gap_bounds(margin, cost, q)
    slack = np.array([margin - low, high - margin, g - tight[0], tight[1] - g])
    return Bounded(slack, g, gap_bounds(low, cost, q)[0], gap_bounds(high, cost, q)[1])
