"""One curve, two paces: what its rows measure.  The chapter: ``book/bridge/two_clocks.ipynb``."""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from ledgerbook import Checks, claim, control, group, once, real, seed, step, textbook, whole
from lib.arrays import Array
from lib.bridge.classes_alike import (
    Bounded,
    ClassesAlike,
    bounded,
    gap_and_push,
    run_of_two,
    symmetric_flow,
    symmetric_start,
)
from lib.bridge.joint_training import joint_descent, joint_flow, one_hot_data
from lib.bridge.two_clocks import (
    attention_clock,
    class_data,
    conserved,
    exchange,
    height_and_gap,
)
from lib.measure import furthest, maximum, minimum, relative_error
from lib.mechanics.samples import NextTokenData

g, u, K, S, eta_y, eta_z, q, delta = sp.symbols("g u K S eta_Y eta_Z q delta", positive=True)
A = 2 * K * eta_y / ((1 + S) * (K - 1) * eta_z)
f = (1 + sp.exp(-q * g)) ** (-1 / q)
F_COMMON = sp.exp(-g) * f
HEIGHT_SPEED = eta_y * f * delta / (K - 1)
GAP_SPEED = (1 + S) * eta_z * f * delta * u / (K * (1 + sp.exp(q * g)))
ROOT = sp.sqrt(1 + sp.exp(2 * g))
CURVE = {  # Theta of (b), up to a constant
    1: sp.exp(g) - sp.exp(-g) + 2 * g,
    2: sp.Rational(3, 2) * (sp.exp(g) * ROOT + sp.asinh(sp.exp(g))) - ROOT**3 * sp.exp(-g),
}
SLOPES = [
    (sp.Derivative(CURVE[n], g), (1 + sp.exp(n * g)) ** (1 + sp.Rational(1, n)) * sp.exp(-g))
    for n in (1, 2)
]
BOUND_CASES = (10, 1, 1.0), (6, 6, 0.2), (2, 1, 3.0)  # classes, classes a query, ratio of rates
BOUND_TIMES = np.array([1.0, 2.0, 3.0, 3.5, 4.0, 10.0, np.log(1e6), np.log(1e12), 100.0])


@dataclass
class TwoClocks(Checks):
    """One curve: equal classes of one distinct and one common token, both halves trained."""

    K: int = whole(4, 2, 8, holds=(2, 4))
    eta_y: float = real(1.0, 0.1, 10)
    eta_z: float = real(1.0, 0.1, 10)
    latest: float = real(10000.0, 5000, 20000, holds=(6000, 10000))
    seed: int = seed(11)

    tag = "bridge.two-clocks"
    hypotheses = {
        "H1": "all classes are alike: counts, weights, and the start $Y=Z=0$",
        "H2": "a class has one token of its own and one that all classes share",
        "H3": "gradient flow",
        "H4": "the decoder learns, $\\eta_Y>0$",
    }
    parts = {
        "(a)": ("two-numbers", "conserved-symbolic", "kernel-conserved"),
        "(b)": ("curve-symbolic",),
        "(c)": (
            "kernel-margin-on-clock-45",
            "kernel-gap-plain",
            "kernel-gap-normalized",
            "clock-symbolic",
            "squeeze",
        ),
        "(d)": ("limit-symbolic", "frozen-symbolic"),
        "(e)": ("owner", "owner-others", "unequal-plain"),
    }
    standing = "ours"
    kernel_theorems = {
        "conserved": {},
        "from_zero": {},
        "margin_on_clock_45": {},
        "gap_plain": {},
        "gap_normalized": {},
        "one_curve": {},
    }
    trusts = (textbook("a flow with a smooth right-hand side has one solution from each start"),)

    @step("symbolic", concludes=True)
    def two_numbers(self) -> Facts:
        r"""the gradient at a symmetric state: common row 0, $h_d=-\delta u$, and both velocities,
        all $K$, $S$"""
        wrong = delta / (K - 1)  # the residual at each wrong label
        own, rest = u * (1 - 1 / K), -u / K  # row of Y of a distinct token at its label, elsewhere
        h_d = -delta * own + (K - 1) * wrong * rest
        by_z = {1: f * F_COMMON * (0 - h_d) / K, 2: f * F_COMMON**2 * (0 - h_d) / K}
        return (
            (h_d, -delta * u),
            (-delta + (K - 1) * wrong, 0),  # a column of the sum of all residuals
            (eta_y * f / K * (delta + wrong), HEIGHT_SPEED),
            *(((1 + S) * eta_z * by_z[n].subs(q, n), GAP_SPEED.subs(q, n)) for n in (1, 2)),
        )

    @step("symbolic", concludes=True)
    def conserved_symbolic(self) -> Facts:
        r"""(a): $2u\dot u=a(1+e^{qg})\dot g$ with $f^q+f_c^q=1$, all $q$"""
        return (
            (2 * u * HEIGHT_SPEED, A * (1 + sp.exp(q * g)) * GAP_SPEED),
            (f**q + F_COMMON**q, 1),
        )

    @step("symbolic", concludes=True)
    def curve_symbolic(self) -> Facts:
        r"""(b): the closed forms of the curve for $q=1,2$ have the slope
        $(1+e^{qg})^{1+1/q}e^{-g}=\frac{1+e^{qg}}f$"""
        steep = (1 + sp.exp(q * g)) ** (1 + 1 / q) * sp.exp(-g)
        return (*SLOPES, (steep * f, 1 + sp.exp(q * g)))

    @step("symbolic", concludes=True)
    def clock_symbolic(self) -> Facts:
        r"""(c): $(e^\ell+K-1)\dot\ell=\eta_Yf^2(1+\frac2au^2(1+e^{qg})^{-2})$ with
        $(e^\ell+K-1)\delta=K-1$; $\dot f=f\dot g/(1+e^{qg})$"""
        margin_speed = f * HEIGHT_SPEED + f / (1 + sp.exp(q * g)) * GAP_SPEED * u
        bracket = 1 + 2 * u**2 / (A * (1 + sp.exp(q * g)) ** 2)
        return (
            ((K - 1) / delta * margin_speed, eta_y * f**2 * bracket),
            (sp.Derivative(f, g), f / (1 + sp.exp(q * g))),
        )

    @step("symbolic", concludes=True)
    def squeeze(self) -> Facts:
        r"""(c): the three inequalities behind its bounds, $5(x+e^x-1)\le(1+e^x)^2$,
        $(x+e^x-1)e^{2x}\ge(e^x-c_1)(1+e^x)^2$ and $(x+e^x-1)e^x\ge(e^x-1)(1+e^x)$, follow from
        lines below the exponential: the difference of both sides is a multiple of what a line
        leaves, and besides $(e^x-\frac52)^2$, $e^{2x}(x_1+\sinh x_1-2)$ or 0"""
        x, E, x_1, E_1 = sp.symbols("x E x_1 e_1", positive=True)  # E for e^x, e_1 for e^{x_1}
        tangents = 2 * E - sp.Rational(1, 4) - 5 * x, 1 - (1 - x) * E
        left = (1 - 1 / E_1) * (E_1 / E - 1 + x - x_1)
        left += (E_1**2 / E**2 - 1 + 2 * (x - x_1)) / (2 * E_1)
        sinh = (E_1 - 1 / E_1) / 2
        plain = (x + E - 1) * E**2 - (E - E_1 / 2) * (1 + E) ** 2
        return (
            ((1 + E) ** 2 - 5 * (x + E - 1), tangents[0] + (E - sp.Rational(5, 2)) ** 2),
            (plain, E**2 * (left + x_1 + sinh - 2)),
            ((x + E - 1) * E - (E - 1) * (1 + E), tangents[1]),
        )

    @step("symbolic", concludes=True)
    def limit_symbolic(
        self,
    ) -> Facts:
        r"""(d): the upper and the lower bound of $e^{qg}$ over $\frac qa\ell^2$ go to 1, and
        $\ell/\ln t\to1$ by (45)"""
        x, E, ell, a, c = sp.symbols("x E L a c", positive=True)
        y = a * ell**2  # (q / a) l^2, a here for q / a
        above = c + y  # e^x is at most that, so x at most its logarithm
        below = 1 + y - x  # e^x where x + e^x - 1 is y
        passed = sp.exp(ell) + (K - 1) * ell - 1  # (45): eta_Y t, up to a factor
        return (
            (sp.Limit(above / y, ell, sp.oo), 1),
            (sp.Limit(below.subs(x, sp.log(above)) / y, ell, sp.oo), 1),
            ((x + E - 1).subs(E, below), y),
            (sp.Limit(sp.log(passed) / ell, ell, sp.oo), 1),
            (passed.subs(ell, 0), 0),
            (sp.Derivative(passed, ell), sp.exp(ell) + K - 1),
        )

    @step("symbolic", concludes=True)
    def frozen_symbolic(self) -> Facts:
        r"""(d), frozen: the closed forms of $\Theta$ have the slope of (b), and
        $\Theta e^{-qg}\to1$ or $\frac12$ for $q=1,2$"""
        x = sp.symbols("x", positive=True)  # e^g
        at = {n: CURVE[n].subs(g, sp.log(x)) / x**n for n in (1, 2)}
        limits = [(sp.Limit(at[n], x, sp.oo), sp.Rational(1, n)) for n in (1, 2)]
        return (*SLOPES, *limits)

    runs = group()

    @once
    def equal(self) -> NextTokenData:
        """K classes, a query each."""
        return class_data(self.K)

    def on_the_curve(self, q: int, learns: bool) -> tuple[Array, Array]:
        """(g, push received) of the picture, decoder learned from zero or fixed at strength 3."""
        times, height = np.linspace(0, 20, 61), 0.0 if learns else 3.0
        return gap_and_push(self.equal, q, times, height, self.eta_y if learns else 0, self.eta_z)

    @once
    def late(self) -> Array:
        """Log times of the runs."""
        return np.array([3.0, 30.0, 300.0, self.latest / 10, self.latest])

    @once
    def cases(self) -> list[ClassesAlike]:
        """Six of them."""
        rates = self.eta_y, self.eta_z
        kinds = (self.K, 1, 1, 1, *rates), (4, 2, 3, 1, 0.5, 2.0), (3, 3, 1, 2, 2.0, 0.3)
        return [ClassesAlike(q, *kind) for q in (1, 2) for kind in kinds]

    @once
    def ran(self) -> dict[ClassesAlike, tuple[Array, Array]]:
        """(u, g) of each case at ``late``."""
        return {case: case.run(self.late) for case in self.cases}

    @claim("<=", 1e-12, "identity")
    def velocities(self, rng: Generator) -> float:
        r"""$\dot u$, $\dot g$ and all of $\dot Z$ from the gradient of the whole layer at strengths
        and gaps drawn at random, six cases (largest relative error)"""
        return maximum(
            case.velocity_error(rng.uniform(0.5, 4), rng.uniform(-1, 3) + case.head_start)
            for case in self.cases
        )

    @claim("<=", 1e-11, "identity")
    def curve(self, rng: Generator) -> float:
        r"""(b): $\Theta$ at gaps drawn at random, against the signal that the layer needs to get
        there from $g=0$ if its strength is drawn anew at each gap (largest relative error)"""
        worst = 0.0
        for case in self.cases:
            g = rng.uniform(-1, 3) + case.head_start
            received = case.push_needed(g, rng)
            worst = maximum(worst, relative_error(attention_clock(g, case.q), received))
        return worst

    @claim("<=", 0.05, "limit", atol=1e-3)
    def curve_of_runs(self) -> float:
        r"""(b): $\Theta$ of the gap along runs to $\ln t=20$, $q=1,2$, decoder learned from zero or
        fixed at strength 3, against the signal received, summed over 60 steps of $\ln t$ (largest
        relative error)"""
        worst = 0.0
        for q, learns in product((1, 2), (True, False)):
            g, received = self.on_the_curve(q, learns)
            worst = maximum(worst, np.abs(received / attention_clock(g, q) - 1).max())
        return worst

    @claim("<=", 2e-5, "identity")
    def conserved_runs(self) -> float:
        r"""(a): largest change of the conserved quantity along six runs to $\ln t=@{latest:g}$,
        relative to $u^2$"""
        worst = 0.0
        for case, (u, g) in self.ran.items():
            kept = conserved(u, g, case.cost, case.q) - conserved(
                0, case.head_start, case.cost, case.q
            )
            worst = maximum(worst, np.abs(kept / u**2).max())
        return worst

    @claim("<=", 5e-3, "limit", atol=1e-5)
    def constant(self) -> float:
        r"""(d): largest distance of $\frac aqe^{qg}/\ln^2t$ from 1 at the end of six runs"""
        return maximum(
            abs(np.exp(case.q * g[-1]) * case.cost / (case.q * self.latest**2) - 1)
            for case, (_, g) in self.ran.items()
        )

    bounds_of_c = group()

    @once
    def bounded(self) -> dict[tuple[int, int], Bounded]:
        """The ``Bounded`` by q and number of classes."""
        return {
            (q, case[0]): bounded(q, *case, BOUND_TIMES) for q in (1, 2) for case in BOUND_CASES
        }

    @claim(">=", 0, "inequality", rtol=1e-3)
    def bounds(self) -> float:
        """(c): the four bounds of (c) hold along six runs (smallest distance of a run from a
        bound)"""
        return minimum(one.slack.min() for one in self.bounded.values())

    @claim("<=", 1e-3, "rate", atol=1e-5)
    def frozen_clock(self) -> float:
        r"""(d): with a fixed decoder the slope of $g$ in $\ln t$ is $\frac1q$ (largest relative
        deviation)"""
        moments = np.array([100.0, 1000.0])
        growth = {q: np.diff(run_of_two(self.equal, q, moments, 2.0, eta_y=0)[1]) for q in (1, 2)}
        return maximum(abs(q * growth[q][0] / 900 - 1) for q in (1, 2))

    dropped = group()

    @once
    def uneven(self) -> dict[int, tuple[Any, Any]]:
        """Classes of weights 1 to K: by q the height of the first, the gaps of all, at ``late``.

        Both halves have the rate ``eta_z``: what (e) says comes later if the decoder is faster.
        """
        weights = np.arange(1.0, self.K + 1) / self.K
        data = one_hot_data(self.equal.counts, self.equal.last, self.equal.label, weights)
        found = {}
        for q in (1, 2):
            path = symmetric_flow(data, q, self.late, eta_y=self.eta_z, eta_z=self.eta_z)
            gaps = path.Z[:, data.last, np.arange(self.K)] - path.Z[:, data.last, self.K]
            found[q] = path.Y[:, 0, 0] - path.Y[:, 0, 1], gaps
        return found

    def uneven_slopes(self, q: int) -> Array:
        """Of all gaps in ln ln t over the last decade of ln t, (K,)."""
        return np.diff(self.uneven[q][1], axis=0)[-1] / np.log(10)

    @control("H1", ">", 0.05)
    def unequal_weights(self) -> float:
        """classes of weights 1 to $K$, normalized: largest change of the quantity of (a) for the
        first class, relative to $u^2$"""
        (u, gaps), cost = self.uneven[2], exchange(self.K, 1, 1.0)
        kept = conserved(u, gaps[:, 0], cost, 2) - conserved(0, 0, cost, 2)
        return np.abs(kept / u**2).max()

    @claim("<=", 0.01, "rate", atol=1e-5)
    def unequal_plain(self) -> float:
        r"""(e): with weights 1 to $K$ all gaps of plain attention have the slope 2 in $\ln\ln t$
        (largest relative deviation)"""
        return np.abs(self.uneven_slopes(1) / 2 - 1).max()

    @claim("<=", 0.05, "rate", rtol=1e-2)
    def owner(self) -> float:
        r"""(e): with weights 1 to $K$, equal rates, normalized, the heaviest class keeps the common
        token: slope of its gap in $\ln\ln t$"""
        return self.uneven_slopes(2)[-1]

    @claim("in", [0.9, 1.1], "rate", rtol=1e-3)
    def owner_others(self) -> float:
        r"""(e): with weights 1 to $K$, equal rates, normalized, the other gaps grow twice as fast
        as (d) says: the slope in $\ln\ln t$, over 2, that is furthest from 1"""
        return furthest(self.uneven_slopes(2)[:-1] / 2, 1)

    @control("H1", "in", [0.99, 1.01], kind="rate", rtol=1e-3)
    def saddle(self) -> float:
        r"""normalized, $K=2$ and 4, a query each: classes that are nearly alike part. One gap
        starts $2\cdot10^{-5}$ ahead, and its lead grows like a power of $\ln t$ (the exponent over
        $\sqrt{1+\frac K{K-1}}-1$, further from 1)"""
        shares, times = [], self.late[-3::2]
        for count in (2, 4):
            data = class_data(count, 1)
            Y, Z = symmetric_start(data)
            Z[data.last[0], [0, count]] = 1e-5, -1e-5  # the first class is a little ahead
            path = joint_flow(data, Y, Z, times, normalize=True)
            gaps = path.Z[:, data.last, np.arange(count)] - path.Z[:, data.last, count]
            grown = np.diff(np.log(gaps[:, 0] - gaps[:, 1]))[0] / np.diff(np.log(times))[0]
            shares.append(grown / (np.sqrt(1 + count / (count - 1)) - 1))
        return furthest(shares, 1)

    @control("H2", ">", 0.05)
    def two_own_tokens(self) -> float:
        """classes with a second token of their own, plain: largest change of the quantity of (a)
        for the first one, relative to $u^2$"""
        tokens = np.kron(np.eye(3), [[3, 2]]) @ np.eye(6, 10)
        tokens[:, 6] = 3  # two tokens of its own and a common one
        data, cost = one_hot_data(tokens, [7, 8, 9], [0, 1, 2]), exchange(3, 1, 1.0)
        path = joint_flow(data, np.zeros((10, 3)), np.zeros((10, 10)), self.late)
        u, g = path.Y[:, 0, 0] - path.Y[:, 0, 1], path.Z[:, 7, 0] - path.Z[:, 7, 6]
        return np.abs((conserved(u, g, cost, 1) - conserved(0, 0, cost, 1)) / u**2).max()

    @control("H3", ">", 1e-3)
    def descent(self) -> float:
        """gradient descent with rates 0.4: by how much the quantity of (a) has changed at $t=40$"""
        rates, cost = dict(eta_y=0.4, eta_z=0.4), exchange(self.K, 1, 1.0)
        path = joint_descent(
            self.equal, *symmetric_start(self.equal), [100], normalize=True, **rates
        )
        u, g = height_and_gap(self.equal, path.Y, path.Z)
        return abs(float((conserved(u, g, cost, 2) - conserved(0, 0, cost, 2))[0]))

    @control("H4", ">", 50)
    def frozen(self) -> float:
        r"""decoder fixed: the gap at $\ln t=1000$ over $\ln\ln t$"""
        rates = dict(eta_y=0, eta_z=self.eta_z)
        return run_of_two(self.equal, 2, [1000.0], 2.0, **rates)[1][0] / np.log(1000)
