"""Lemma 6: what its rows measure.  The chapter: ``book/scan-snap/lemma_06.ipynb``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from scipy.integrate import solve_ivp

from ledgerbook import Checks, claim, control, once, real, step, whole
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum, minimum, relative_error
from lib.scan_snap.decoder import h, h_star, time_at_height

M, eta, x, height = sp.symbols("M eta x h", positive=True)
SPEED = eta / (M - 1 + sp.exp(M * height))  # (44)

m, u, tau, e = z3.Reals("M u tau e")  # e = exp(u), of which only e >= 1 + u is used
CURVE = (m >= 2, u >= 0, e >= 1 + u, m * tau == e - 1 + (m - 1) * u)
GROWN = 1 + m * tau

EXTREMES = list(product((2, 50, 10**6, 10**12), (1e-3, 1.0, 1e2), (1e-9, 1e-3, 1.0, 1e3, 1e9)))
DECAY = 50  # time in which the rate of the schedule falls by e


def solve_flow(
    M: int,
    eta_y: float,
    moments: Sequence[float] | Array,
    start: float = 0.0,
    rate: Callable[[float], float] = lambda t: 1,
) -> Array:
    """(44) by a high-order Runge-Kutta method in the variable u = M h; ``rate`` over eta_y."""
    flow = solve_ivp(
        lambda t, u: M * eta_y * rate(t) / (M - 1 + np.exp(u)),
        (0, moments[-1]),
        [M * start],
        method="DOP853",
        t_eval=moments,
        rtol=1e-12,
        atol=1e-14,
    )
    return flow.y[0] / M


def root_60_digits(M: int, eta_y: float, moment: float) -> mp.mpf:
    """M h from (45) by bisection-safe root finding with 60 digits."""
    with mp.workdps(60):
        target = mp.mpf(M) * mp.mpf(eta_y) * mp.mpf(moment)
        top = minimum(target / M, mp.log(target + 1))  # each term of (45) alone bounds u from above
        return mp.findroot(
            lambda u: mp.expm1(u) + (M - 1) * u - target,
            (top / 3, top),
            solver="anderson",
            tol=1e-80,
        )


@dataclass
class Lemma06(Checks):
    """Lemma 6: the continuous h in closed form."""

    M: int = whole(50, 2, 10**6)
    eta_y: float = real(0.5, 0.05, 2)
    horizon: float = real(400.0, 10, 1000)

    tag = "scan-snap.lemma-06"
    hypotheses = {
        "H1": r"the flow (44): time is continuous and $\eta_Y$ constant",
        "H2": "the start $h(0)=0$",
    }
    parts = {
        "every solution obeys (45)": ("kernel-lemma-6",),
        "existence": ("kernel-lemma-6-solution-exists",),
        "uniqueness": ("kernel-lemma-6-one-solution",),
    }
    kernel_theorems = {
        "lemma_6": dict(as_printed=True, concludes=True, equation="(44), (45)"),
        "lemma_6_one_solution": dict(concludes=True),
        "lemma_6_increasing": {},
        "lemma_6_solution_exists": {},
    }

    @property
    def moments(self) -> Array:
        """Times from 0 to the horizon."""
        return np.linspace(0, self.horizon, 41)

    @step("symbolic")
    def slowing(self) -> Facts:
        r"""the speed falls as $h$ grows: its derivative in $h$ is $-Me^{Mh}$ times its square over
        $\eta_Y$, so $h$ is concave"""
        return sp.Derivative(SPEED, height), -M * sp.exp(M * height) * SPEED**2 / eta

    @step("decided")
    def below_both(self) -> bool:
        r"""$h\le\eta_Yt/M$ and $e^{Mh}\le1+M\eta_Yt$, all $M\ge2$ and all times"""
        return follows(z3.And(u <= tau, e <= GROWN), *CURVE)

    @step("decided")
    def above_half(self) -> bool:
        r"""$2Mh\ge\eta_Yt$ or $e^{Mh}\le1+M\eta_Yt\le e^{2Mh}$: never below half of the smaller"""
        return follows(z3.Or(2 * u >= tau, z3.And(e <= GROWN, GROWN <= e * e)), *CURVE)

    @claim("<=", 1e-10, "identity", "(44), (45)", as_printed=True)
    def solver(self) -> float:
        r"""$h(t)$ from (45) and from a solver of (44), twelve $(M,\eta_Y)$ from $M=2$ up"""
        errors = []
        for size, rate in product((2, 3, 50, 1000), (0.05, 1.0, 20.0)):
            times = np.linspace(0, 50 / rate, 21)
            errors.append(relative_error(h(times, size, rate), solve_flow(size, rate, times)))
        return maximum(errors)

    @once
    def roots(self) -> list[Any]:
        """M h of the extreme cases, 60 digits."""
        return [root_60_digits(*case) for case in EXTREMES]

    @claim("<=", 1e-13, "identity")
    def sixty_digits(self) -> float:
        r"""$h(t)$ in float64 against a 60-digit root of (45), 60 cases, $M$ to $10^{12}$, $t$ from
        $10^{-9}$ to $10^9$"""
        cases = zip(EXTREMES, self.roots, strict=True)
        return maximum(abs(float(s * h(t, s, eta) / root - 1)) for (s, eta, t), root in cases)

    @claim("<=", 1e-13, "identity", "(45)", as_printed=True)
    def time_of_height(self) -> float:
        """(45) solved for $t$, in float64, at 60-digit roots: relative error of the time, 60 cases,
        $M$ to $10^{12}$"""
        cases = zip(EXTREMES, self.roots, strict=True)
        found = [time_at_height(float(root / s), s, eta) / t - 1 for (s, eta, t), root in cases]
        return maximum(abs(error) for error in found)

    @once
    def stepped(self) -> float:
        """M h* after 200 steps at 0.1."""
        return self.M * h_star(200, self.M, 0.1)[-1]

    def left_side(self, u: float | Array) -> Any:
        """e^u + (M - 1) u of (45)."""
        return np.exp(u) + (self.M - 1) * u

    @once
    def excess(self) -> float:
        """By how much the left side of (45) exceeds the right one there."""
        return self.left_side(self.stepped) - (self.M * 0.1 * 200 + 1)

    @control("H1", "in", [0.98, 1.02])
    def steps(self) -> float:
        r"""200 steps at 0.1 instead of flow: the left side of (45) exceeds the right by
        @{excess:.2g}; to leading order in $\eta_Y$ by $\frac12M\eta_Y\ln\frac{M-1+e^{Mh}}M$, ratio
        to it"""
        grown = (self.M - 1 + np.exp(self.stepped)) / self.M
        return self.excess / (0.5 * self.M * 0.1 * np.log(grown))

    @control("H1", "<=", 1e-9, "identity")
    def schedule(self) -> float:
        r"""not needed in this form: with a decaying rate (45) holds with $\int\eta_Y$ in place of
        $\eta_Yt$"""
        decaying = lambda t: np.exp(-t / DECAY)
        found = solve_flow(self.M, self.eta_y, [self.horizon], rate=decaying)[-1]
        accumulated = -DECAY * np.expm1(-self.horizon / DECAY)
        return relative_error(h(accumulated, self.M, self.eta_y), found)

    @once
    def moved(self) -> Array:
        """Left side of (45) less M eta_Y t along the flow from h(0) = 2/M."""
        flow = self.M * solve_flow(self.M, self.eta_y, self.moments, 2 / self.M)
        return self.left_side(flow) - self.M * self.eta_y * self.moments

    @control("H2", "<=", 1e-8, "identity")
    def other_start_constant(self) -> float:
        r"""from $h_0=\frac2M$ the constant is $e^{Mh_0}+(M-1)Mh_0$ at all times"""
        return relative_error(self.moved, np.full_like(self.moments, self.left_side(2)))
