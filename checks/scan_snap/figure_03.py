"""Figure 3: what its rows measure.  The chapter: ``book/scan-snap/figure_03.ipynb``."""

import bisect
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from ledgerbook import Checks, claim, finding, group, once, real, whole
from lib.arrays import Array
from lib.measure import maximum, minimum
from lib.scan_snap.attention_flow import block_classes
from lib.scan_snap.decoder import h, stages
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import assumption_2
from lib.scan_snap.phase_transition import (
    attention_in_gamma,
    big_gamma,
    gain,
    gain_at,
    growth_bounds,
    printed_gain,
)
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention

ETA_Y = 0.5, 1.0, 2.0, 5.0  # as published
AXIS_TOP, AXIS_TICK = 600.0, 100.0


def bend(M: int, K: int, eta_y: float, eta_z: float, end: float) -> tuple[float, float, float]:
    """Time at which e^u overtakes (M-1) u, Gamma there and at ``end``: (44) and (85) solved as
    differential equations in u = M h, without the closed form.
    """

    def velocity(t: float, state: Array) -> list[float]:
        error = 1 / (M - 1 + np.exp(state[0]))
        return [M * eta_y * error / K, eta_z * (M - 1) ** 2 * state[0] / M * error]

    overtakes = lambda t, state: state[0] - np.log((M - 1) * state[0]) if state[0] > 1 else -1.0
    tight = dict(events=overtakes, rtol=1e-11, atol=1e-13)
    run = solve_ivp(velocity, (0, end), [0, 0], "LSODA", **tight)
    return run.t_events[0][-1], run.y_events[0][-1][1], run.y[1, -1]


def last_turn(M: int, K: int) -> float:
    """When the slowest of the published rates has its transition, with a little to spare."""
    return 1.1 * float(stages(M, minimum(ETA_Y), K)[1])


@dataclass
class Figure03(Checks):
    """Figure 3: the growth factor for four rates of the decoder."""

    K: int = whole(10, 5, 20, holds=(5, 10))
    M: int = whole(1000, 200, 2000, holds=(200, 1000))
    eta_z: float = real(0.5, 0.1, 1, holds=(0.1, 0.5))
    end: float = real(
        700.0,
        lambda self: last_turn(self.M, self.K),
        1400,
        holds=(600, 700),
        why="the slowest rate turns no sooner",
    )
    distinct: int = whole(10, 5, 20)
    common_weight: float = real(1.0, 0.5, 2)

    tag = "scan-snap.figure-03"

    @once
    def least_c0(self) -> float:
        """The smallest admissible C_0."""
        return 1 / self.K

    @once
    def t0(self) -> np.ndarray:
        """Where snapping starts, for each rate."""
        return np.array([stages(self.M, rate, self.K)[1] for rate in ETA_Y])

    def clock(self, height: float | Array, rate: float) -> float | Array:
        """Gamma where the decoder of some rate has the height h."""
        return big_gamma(height, self.M, self.K, rate / self.eta_z)

    def bound(self, times: float | Array, rate: float, c0: float) -> Array:
        """B of Theorem 4."""
        return gain_at(times, self.M, self.K, rate, self.eta_z, c0)

    @once
    def four_gamma(self) -> list[Any]:
        """4 Gamma at the end, for each rate."""
        return [4 * float(self.clock(h(self.end / self.K, self.M, rate), rate)) for rate in ETA_Y]

    @once
    def largest(self) -> Array:
        """The largest upper bound of (12) at the end that an admissible constant allows."""
        return growth_bounds(float(gain(self.four_gamma[0] / 4, self.least_c0)), 1.0)[1]

    @once
    def printed_rise(self) -> float:
        """The largest rise of the printed upper bound up to the end, over admissible constants."""
        upper = lambda clock, c0: np.exp(2 * printed_gain(clock, c0))
        constants = np.logspace(np.log10(self.least_c0), 6, 400)
        return maximum(float(upper(self.four_gamma[0] / 4, c) - upper(0.0, c)) for c in constants)

    curves = group()

    @once
    def solved(self) -> np.ndarray:
        """``bend`` for each rate: (rates, 3)."""
        return np.array([bend(self.M, self.K, rate, self.eta_z, self.end) for rate in ETA_Y])

    @claim("<", 1, "sign", "Figure 3", as_printed=True)
    def later(self) -> float | None:
        r"""a smaller $\eta_Y$ has a later transition, which is where $e^u$ overtakes $(M-1)u$,
        $u=Mh(t/K)$; the latest of them over the end of the axis"""
        bends = self.solved[:, 0]
        return bends[0] / self.end if (np.diff(bends) < 0).all() else None

    @claim("<=", lambda self: 2 / self.M, "limit", "Figure 3", as_printed=True)
    def when(self) -> float:
        r"""the transition, where $e^u$ overtakes $(M-1)u$, $u=Mh(t/K)$, is where the figure's
        $t_0=2(1+\omega_1)K\ln M/\eta_Y$ says (largest relative deviation)"""
        return np.max(abs(self.solved[:, 0] / self.t0 - 1))

    @claim(
        ">",
        1,
        "sign",
        "Figure 3",
        as_printed=True,
        condition=(
            "in order, not in height (`axis`), and by Theorem 4's equations outside Theorem 1's"
            " hypotheses (`window`, `least-vocabulary`)"
        ),
    )
    def larger_in_the_end(self) -> float:
        r"""at $t=@{end:g}$ a smaller $\eta_Y$ has the larger $\Gamma$, so the larger bounds of (12)
        whatever the constant (smallest quotient of neighbours)"""
        clocks = self.solved[:, 2]
        return (clocks[:-1] / clocks[1:]).min()

    @claim("<", 1, "reproduction")
    def axis(self) -> float:
        r"""Theorem 4's upper bound of $\chi(@{end:g})$ as corrected, or its rise as printed, the
        largest that an admissible constant allows, over a quarter of the axis"""
        corrected = np.sqrt(1 + 4 * self.solved[0, 2] / self.least_c0)
        return maximum(corrected, self.printed_rise) / (AXIS_TOP / 4)

    @finding("axis")
    def axis_too_high(self) -> None:
        """The published vertical axis ends at four times what Theorem 4 allows, in the stated
        setting, a curve that starts at 1, with attention vectors of length one."""

    outside = group()

    @claim("<=", 3, "inequality")
    def window(self) -> float:
        r"""Theorem 1 is about $t\gg K^2$, and scanning ends at $t_0'=\frac{K\ln M}{\eta_Y}$: $t_0'$
        over $K^2$ for the slowest of the four decoders, which has the most room"""
        return stages(self.M, ETA_Y[0], self.K)[0] / self.K**2

    @claim("<", 1, "inequality")
    def snaps_before(self) -> float:
        """the fastest of the four decoders has snapped by $K^2$ steps: its $t_0$ over $K^2$"""
        return self.t0[-1] / self.K**2

    @claim(">", 1, "inequality")
    def least_vocabulary(self) -> float:
        r"""the least vocabulary at which @{K} classes that all overlap equally, as by one shared
        token, meet Assumption 2, when they overlap as much as it lets them, over the figure's
        $M=@{M}$"""
        most = (1 - 1e-9) / (self.K * (self.K - 1))
        E = equal_overlap_gram(self.K, most) - np.eye(self.K)
        meets = lambda vocabulary: assumption_2(E, vocabulary).satisfied
        return bisect.bisect_left(range(10**9), True, lo=self.K, key=meets) / self.M

    @finding("window", "snaps-before", "least-vocabulary")
    def outside_theorem_1(self) -> None:
        """The figure's setting is outside Theorem 1, from which (13) takes the push: its vocabulary
        is too small for Assumption 2, and scanning ends before, or hardly after, the first moment
        that the theorem is about."""

    lemma_4 = group()

    def classes(self, groups: list[int] | None = None) -> SequenceClasses:
        """K classes of one common and some distinct tokens, behind one query or more."""
        common = np.full((self.K, 1), self.common_weight)
        weights = np.linspace(0.1, 1, self.distinct)
        return block_classes(common, np.tile(weights, (self.K, 1)), groups)

    @once
    def F0(self) -> Array:
        """Their normalized attention before training."""
        one = self.classes()
        return normalized_attention(one, np.zeros((one.vocab_size,) * 2))

    @once
    def f0_squared(self) -> float:
        """f^2 of the dominant token before training."""
        return float(self.F0[0, self.distinct] ** 2)

    @once
    def flow(self) -> dict[float, tuple[Any, Array, Array]]:
        """By rate: chi of the dominant token along Lemma 4 and the bounds of (12) with its B."""
        one, times, found = self.classes(), np.linspace(10, self.end, 70), {}
        for rate in ETA_Y:
            clock = self.clock(h(times / self.K, self.M, rate), rate)
            path = attention_in_gamma(one, clock, M=self.M)
            grown = np.exp(2 * path.Z[:, one.query[0], self.distinct])
            found[rate] = grown, *growth_bounds(path.B[:, 0], self.f0_squared)
        return found

    @once
    def final(self) -> np.ndarray:
        """chi at the end, for each rate."""
        return np.array([grown[-1] for grown, _, _ in self.flow.values()])

    def theorem_4(self, rate: float) -> tuple[Array, Array]:
        """The bounds of (12) at the end by Theorem 4, for these classes."""
        c0 = self.F0[0, 0] ** -4 / self.K
        return growth_bounds(float(self.bound(self.end, rate, c0)), self.f0_squared)

    @claim("<", 1, "sign", rtol=1e-4)
    def order_in_the_flow(self) -> float:
        r"""at $t=@{end:g}$ a smaller $\eta_Y$ has the larger $\chi$ in Lemma 4 itself, for @{K}
        classes behind one query (largest ratio of neighbours)"""
        return (self.final[1:] / self.final[:-1]).max()
