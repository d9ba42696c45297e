"""Early bias, late margin: what its rows measure.

The chapter: ``book/bridge/early_bias.ipynb``.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from checks.bridge.early_runs import (
    CLOCKS,
    JOINT_SIZES,
    THREE_HINGES,
    TWO_LIGHT,
    EarlyRuns,
    over,
    relative_distance,
    turns_in_range,
)
from ledgerbook import chapter, claim, control, finding, group, step, textbook
from lib.bridge.joint_training import joint_flow, one_hot_data
from lib.bridge.sweeping import nearest
from lib.bridge.turning import turn, turning_bounds
from lib.bridge.two_samples import (
    bounded_turn,
    cos_half,
    ever_nearer_to_heavy,
    gap_gram,
    named_pair,
    pair_at_angle,
    pair_over,
    turn_growth,
)
from lib.decide import follows
from lib.measure import furthest, maximum
from lib.mechanics.descent import cosine
from lib.mechanics.draws import drawn
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import gaussian_embeddings

theta, G, h, g, x, A, B = sp.symbols("theta G h g x A B", positive=True)  # h: cos(theta / 2)


def relative_entropy(weights: Sequence[Any], first: Sequence[Any], second: Sequence[Any]) -> Any:
    """In symbols, from the logarithms of both."""
    return sum(a * (b - c) for a, b, c in zip(weights, first, second, strict=True))


def sides_apart(degrees: float, more: float) -> list[float]:
    """Relative differences of both sides of (b)'s bounds on tau = G t_*, at r = (1 + 2h) more."""
    h, a = np.cos(np.radians(degrees / 2)), -np.cos(np.radians(degrees))
    ratio, r = 2 * h - 1, (1 + 2 * h) * more
    low, high = np.exp(turning_bounds(np.radians(degrees), np.log(r)))
    X = more ** (1 / (1 - ratio))  # e^{g_1} at the turn is at least this
    if degrees < 90:
        Y = 1 + low / 2
        least = 4 * h * (1 + h) * Y / (1 + Y**ratio), r if low > 0 else 2 * h * (1 + h)
        most = (
            1 + high / (2 * r),
            (4 * h**2 * r) ** (1 / (4 * np.sin(np.radians(degrees / 4)) ** 2) - 1),
        )
    elif degrees < 120:
        least = low, maximum(X - 1, r * (X**ratio - 1))
        by_iii = (1 + high) ** ratio + ratio * np.log(1 + high) + 23 + a * np.log(2 * r)
        most = (1 - a) * high, r * by_iii
    else:
        pace = 2 * h * (1 + h) / r
        least = pace * low, maximum(np.log(X), np.log(more - 1) if more > 1 else 0)
        end = np.log(2 * r / a - 1)  # of the heavy gap, and of it before R = 1/a:
        asleep = np.log(a * r - 1) if a * r > 2 else 0
        late = 2 * np.log(2) + a * (1 + 1 / np.e + end - asleep)
        most = pace * high, end + late / (2 * h * (1 - h))
    return [abs(found / wanted - 1) for found, wanted in (least, most)]


@dataclass
class EarlyBias(EarlyRuns):
    """Early bias, late margin: one sample much heavier than the rest."""

    tag = "bridge.early-bias"
    hypotheses = {
        "H1": "no cycles, independent embeddings",
        "H2": "the log-loss of the label's mass (the head with $CE^\\top=I$)",
        "H3": "the decoder stays as it is",
    }
    parts = {
        "(a)": ("three-point", "sweeping", "landing", "sweeping-bound", "three-hinges"),
        "(b)": (
            "angle",
            "ratio-falls",
            "turn-condition",
            "overtakes",
            "turns-iff",
            "from-the-start",
            "turning-constant",
            "conflict-wait",
            "random-pairs",
            "unrelated",
            "crowd",
        ),
        "(c)": ("lead", "drift", "head-start"),
    }
    standing = "ours"
    trusts = (
        textbook(
            "a polyhedron whose walls move evenly sweeps a Lipschitz path before it (Moreau)", "(a)"
        ),
        textbook(
            "a polyhedral function is at least a constant times the distance from where it is 0,"
            " one that does not depend on where the walls stand (Hoffman)",
            "(a)",
        ),
        chapter(
            "mechanics.conjecture",
            "for (c): the flow's late offset minimizes the potential of"
            " `lib/mechanics/limit_offset.py`",
            "(c)",
        ),
    )

    @step("symbolic", concludes=True)
    def angle(self) -> Facts:
        r"""light gap over heavy gap $2\cos\frac\theta2-1$: $W$ is at equal angles to $f_1$ and
        $W_{svm}$; and $\frac1{1-(2\cos\frac\theta2-1)}=\frac1{4\sin^2\frac\theta4}$, all
        $\theta$ and lengths"""
        cosine = 2 * h**2 - 1
        duals = sp.Matrix([[1, cosine], [cosine, 1]]).inv() / G * sp.ones(2, 1)
        with_heavy = 1 / sp.sqrt(G)  # of a W with the gaps 1 and 2h - 1, times its length
        with_svm = (duals[0] + duals[1] * (2 * h - 1)) / sp.sqrt(duals[0] + duals[1])
        clock = 1 / (1 - (2 * h - 1))
        quarter = sp.sin(theta / 4) ** 2
        return (
            (sp.cos(theta), cosine.subs(h, sp.cos(theta / 2))),
            (with_heavy**2, with_svm**2),
            (sp.cos(theta / 2), 1 - 2 * quarter),
            (clock.subs(h, 1 - 2 * quarter), 1 / (4 * quarter)),
        )

    @step("symbolic", concludes=True)
    def unrelated(self) -> Facts:
        r"""$\dot g=2w/(1+e^g)$ from 0 has the closed form $e^g+g=2wt+1$; at light $=(\sqrt2-1)$
        heavy weights $(r,1)$ give $\log t_*/\log r\to1/\sqrt2$"""
        served = sp.exp(g) + g - 1  # 2 w t
        heavy, light = (
            sp.Limit(sp.log(served.subs(g, share * g)) / g, g, sp.oo)
            for share in (1, sp.sqrt(2) - 1)
        )
        return (
            (served.subs(g, 0), 0),
            (sp.Derivative(served, g), 1 + sp.exp(g)),
            (light / (heavy - light), 1 / sp.sqrt(2)),
        )

    @step("symbolic", concludes=True)
    def three_point(self) -> Facts:
        r"""(a), a label and two rivals:
        $\sum_j(p_j(W)-\pi_j)(g_j(W)-g_j(U))=KL(\pi,p(U))-KL(\pi,p(W))-KL(p(W),p(U))$"""
        at_U, at_W, p = (sp.symbols(f"{name}0:3") for name in ("u", "w", "p"))  # logs of p(U), p(W)
        goal, log_goal = sp.symbols("pi0:3"), sp.symbols("l0:3")
        risen = [at_U[a] - at_U[0] - at_W[a] + at_W[0] for a in range(3)]  # gap at W less that at U
        moved = sum((p[a] - goal[a]) * risen[a] for a in (1, 2))
        entropies = (
            relative_entropy(goal, log_goal, at_U)
            - relative_entropy(goal, log_goal, at_W)
            - relative_entropy(p, at_W, at_U)
        )
        whole_mass = {q[0]: 1 - q[1] - q[2] for q in (p, goal)}
        return moved, entropies.subs(whole_mass)

    @step("decided", concludes=True)
    def ratio_falls(self) -> bool:
        r"""(b): $R=B/A$ does not rise while $R\ge1$: $(s_2-\kappa s_1)-R(s_1-\kappa s_2)\le0$ for
        $s_1\ge s_2>0$, $|\kappa|<1$"""
        s_1, s_2, kappa, R = z3.Reals("s_1 s_2 kappa R")
        return follows(
            (s_2 - kappa * s_1) - R * (s_1 - kappa * s_2) <= 0,
            *(s_1 >= s_2, s_2 > 0, kappa > -1, kappa < 1, R >= 1),
        )

    @step("symbolic", concludes=True)
    def turn_condition(self) -> Facts:
        r"""(b): $\dot g_2-\varrho\dot g_1=2h(1-h)\big[\frac{1+2h}B-\frac1A\big]$: below 0 as
        long as $R>1+2h$"""
        cosine, ratio = 2 * h**2 - 1, 2 * h - 1
        heavy, light = 1 / A + cosine / B, cosine / A + 1 / B
        return light - ratio * heavy, 2 * h * (1 - h) * ((1 + 2 * h) / B - 1 / A)

    @step("symbolic", concludes=True)
    def overtakes(self) -> Facts:
        r"""(b): $\frac{\varrho-\kappa}{2Y}=\frac{1-\kappa^2}{r(1+Y^\varrho)}$ at
        $r=4h(1+h)\frac Y{1+Y^\varrho}$, whose slope in $\ln Y$ over itself is
        $\frac{1+(1-\varrho)Y^\varrho}{1+Y^\varrho}>0$"""
        Y = sp.symbols("Y", positive=True)
        cosine, ratio = 2 * h**2 - 1, 2 * h - 1
        r = 4 * h * (1 + h) * Y / (1 + Y**ratio)
        rises = (1 + (1 - ratio) * Y**ratio) / (1 + Y**ratio)  # above 0, as 2h - 1 < 1
        return (
            ((ratio - cosine) / (2 * Y), (1 - cosine**2) / (r * (1 + Y**ratio))),
            (Y * sp.Derivative(sp.log(r), Y), rises),
        )

    @step("symbolic", concludes=True)
    def lead(self) -> Facts:
        r"""(c): at rest a tight gap has $wc\,e^{-x}=\lambda$, and neither $c$ nor a unique
        $\lambda$ knows $w$: $x$ moves by $\log r$ if $w$ becomes $rw$"""
        c, multiplier, w, r = sp.symbols("c lambda w r", positive=True)
        late_gap = sp.log(w * c / multiplier)  # the one solution: the exponential is monotone
        at_rest = w * c * sp.exp(-late_gap), multiplier
        return at_rest, (late_gap.subs(w, r * w) - late_gap, sp.log(r))

    two_samples = group()

    @claim("==", 0, "sign", concludes=True)
    def turns_iff(self) -> int:
        """five angles, $r$ 3 % below and above $1+2h$: pairs that are nearer to the heavy sample
        where they should not be, or the reverse"""
        return sum(
            ever_nearer_to_heavy(degrees, np.log(off * (1 + 2 * cos_half(degrees)))) != (off > 1)
            for degrees in (40, 70, 100, 130, 160)
            for off in (0.97, 1.03)
        )

    @claim("in", [0, 1], "inequality", concludes=True, rtol=1e-3)
    def from_the_start(self) -> float:
        r"""14 angles, $r$ from $e$ (86° and 89°: $e^{0.1}$) to $e^{150}$ times $1+2h$: place of
        $\log t_*$ between its bounds, 0 to 1 (farther from the middle)"""
        return furthest([one.between for one in self.places], 0.5)

    @claim("<=", 1e-9, "identity")
    def bounds_in_powers(self) -> float:
        r"""9 angles from 30° to 170°, $r$ 10 % and twentyfold above $1+2h$: the bounds of
        `from-the-start`, taken in logarithms, against the inequalities of the proof of (b) in plain
        powers of $r$: largest relative difference"""
        cases = itertools.product((30, 60, 80, 95, 105, 117, 120, 135, 170), (1.1, 20.0))
        return maximum(off for one in cases for off in sides_apart(*one))

    @claim("in", [0.999, 1.001], "limit", concludes=True, rtol=1e-3)
    def turning_constant(self) -> float:
        r"""six angles below 110°, $\log r>150$: $2Gh^2\,t_*/r^{\sigma_*}$ (farther from 1)"""
        chosen = lambda one: one.more == 150 and one.degrees < 110 and one.degrees != 89
        return furthest([one.constant for one in filter(chosen, self.places)], 1)

    @claim("in", [0.998, 1.002], "rate", concludes=True, rtol=5e-4)
    def conflict_wait(self) -> float:
        r"""seven angles from 120° (conflict) to 178°: growth of $t_*$ (light sample's time) per
        unit of $\log r$, and `wait` of the two pulls' lengths and angle, over $1/(2Gh(1+h))$, at
        120° $\frac13$ (farthest from 1)"""
        waiting, low, high = [], self.heaviest / 2, self.heaviest
        for degrees in (120, 122, 130, 140, 150, 165, 178):
            scale = 4 * cos_half(degrees) * (1 + cos_half(degrees))
            turned = [np.exp(bounded_turn(degrees, size).log_time - size) for size in (low, high)]
            waiting.append(scale * (turned[1] - turned[0]) / (high - low))
            example = named_pair("conflict", 1.0) if degrees == 120 else pair_at_angle(degrees, 1.0)
            waiting.append(scale * turn(gap_gram(example)).wait)
        return furthest(waiting, 1)

    @claim("<=", 1e-3, "rate", concludes=True, atol=1e-6)
    def random_pairs(self, rng: Generator) -> float:
        """@{pairs} pairs with Gaussian embeddings, pulls of unequal length: turning clock over the
        predicted one (largest deviation from 1)"""
        clocks = []
        for _ in range(self.pairs):
            draw = partial(gaussian_embeddings, 5, 7, rng)
            make = partial(pair_over, drawn(draw, turns_in_range, "tokens, dimensions", (5, 7)))
            predicted = turn(gap_gram(make(1.0))).clock
            clocks.append(turn_growth(make, self.heaviest) / predicted)
        return np.abs(np.array(clocks) - 1).max()

    many_samples = group()

    @claim("<=", 0.03, "limit", concludes=True, atol=2e-3)
    def sweeping(self) -> float:
        r"""@{draws} draws of five samples, clocks 0.5 to 4: $|W/\log r-V|/|V|$ at
        $\log r=@{heaviest:.0f}$, largest"""
        worst = 0.0
        for each in self.sets:
            W = each.trained(self.heaviest, CLOCKS, 1e-6) / self.heaviest
            worst = maximum(worst, relative_distance(W, each.swept(CLOCKS)).max())
        return worst

    @claim("<=", 1e-2, "rate", concludes=True, atol=2e-5)
    def crowd(self) -> float:
        r"""@{draws} draws of eight samples, one heavy: growth of the turning $\log t$ per unit of
        $\log r$ in training, less the clock at which the sweeping process turns, largest"""
        return np.abs(self.crowds[:, 1] - self.crowds[:, 0]).max()

    @claim("<=", 1e-9, "limit", concludes=True, atol=1e-9)
    def drift(self) -> float:
        r"""@{supported_draws} draws with unique, positive multipliers, weights 1 and $e^3$,
        $\log t=5000$: $dW/d\log t-W_{svm}$, largest entry"""
        growth = lambda one: (one.weighted[1] - one.weighted[0]) / 10
        return maximum(np.abs(growth(one) - one.w).max() for one in self.supported)

    @claim("<=", 1e-9, "limit", concludes=True, atol=1e-9)
    def head_start(self) -> float:
        r"""@{supported_draws} draws with unique, positive multipliers: how far a tight gap moved by
        the weights is from $\log r=3$ (weighted samples) or 0 (others), largest"""
        shifts = []
        for one in self.supported:
            moved = one.found.rows[one.tight] @ (one.weighted[1] - one.plain[1])
            shifts.append(np.abs(moved - 3 * one.wakes[one.found.pairs[one.tight, 0]]).max())
        return maximum(shifts)

    @claim("<=", 1e-8, "identity")
    def landing_by_hand(self) -> float:
        r"""two light samples at the wake of x, at 0 below a at 1 and y at $\frac12$: x, a, y land
        at $\frac45,\frac45,\frac25$; the nearest point that serves all has
        $\frac34,\frac34,\frac12$: largest deviation"""
        split, light, found = TWO_LIGHT.at(1.0).split, TWO_LIGHT.wakes, TWO_LIGHT.gaps
        before, after = TWO_LIGHT.swept([1 - 1e-9, 1.0])
        awake = light[found.samples] <= 1
        jump = nearest(found.rows[awake], 1 - light[found.samples][awake], before)
        row = lambda token: np.outer(np.eye(7)["abcyzxq".index(token)], np.eye(7)[6])
        at = np.array([split.coordinates(row(token))[1] for token in "xay"])
        return np.abs(
            [at @ after, at @ jump] - np.array([[0.8, 0.8, 0.4], [0.75, 0.75, 0.5]])
        ).max()

    @claim("<=", 0.01, "limit", concludes=True, atol=1e-3)
    def landing(self) -> float:
        r"""a over b over c, y over z heavy; x over a, x over y light; a over z since clock 0.5, b
        over z asleep until 3: $|W/\log r-V|/|V|$ at clock 1.1, $\log r=@{heaviest:.0f}$"""
        end = TWO_LIGHT.trained(self.heaviest, [1.1])[0] / self.heaviest
        return relative_distance(end, TWO_LIGHT.swept([1.1])[0])

    @claim("<=", 0.5, "rate", concludes=True, atol=1e-2)
    def sweeping_bound(self) -> float:
        r"""(a), a wall met without a push, two light samples, @{draws} draws with ties of wakes:
        power of $\log r$ with which $|W-V\log r|$ grows, $\log r=@{half:.0f}$ to @{heaviest:.0f},
        largest"""
        return np.log2(self.reach[:, 1] / self.reach[:, 0]).max()

    @claim("<=", lambda self: 1 / self.heaviest, "limit", concludes=True, atol=2e-5)
    def three_hinges(self, rng: Generator) -> float:
        r"""chains of two, three and four heavy, three light samples of two rivals each that wake
        below them, orthonormal and two oblique sets of tokens, clock 1.2: $|dW/d\log r-V|/|V|$,
        largest"""
        tokens = [np.eye(10) + by * rng.normal(size=(10, 10)) for by in (0, 0.2, 0.2)]
        light = [float(one[0] == "x") for one in THREE_HINGES]
        cases = [over("abcyzqstpx", THREE_HINGES, light, one) for one in tokens]
        return maximum(
            relative_distance(case.growth(self.heaviest, 1.2), case.swept([1.2])[0])
            for case in cases
        )

    joint_layer = group()

    @claim("in", [0.97, 1.03], "rate", rtol=1e-2)
    def joint_frozen(self) -> float:
        r"""decoder frozen at $I$, conflict: slope of the turning $\log t$ in $\log r$ (heavy clock)
        over the predicted 2"""
        return (self.frozen[1] - self.frozen[0]) / (JOINT_SIZES[1] - JOINT_SIZES[0]) / 2

    @claim("in", [0.98, 1.02], "rate", rtol=1e-3)
    def joint_conflict(self) -> float:
        r"""decoder learned, conflict, $\log r=20$, $\log t=2\cdot10^4$ to $10^5$: slopes of the
        heavy and the light gap in $\log\log t$ over 2 and $-2$, as the direction of snapping has it
        if the light sample's rival wins (further from 1)"""
        return furthest(np.diff(self.far, axis=0)[0] / np.log(5) / [2, -2], 1)

    @finding("joint-conflict")
    def decoder_takes_over(self) -> None:
        r"""With a decoder that learns as fast as attention, from the identity, a sample $e^{20}$
        times lighter than one it conflicts with is served by the decoder, through its label's
        rival: up to $\log t=10^5$ attention parts label and rival the heavy sample's way."""

    dropped = group()

    @control("H1", "<=", 1e-6, kind="identity")
    def cycle(self) -> float:
        r"""a over b against b over a, $\log r=13.8$: the gap comes to rest at the log-odds, so W
        does not turn (distance to $13.8$ at $\log t=300$)"""
        data = one_hot_data([[1, 1, 0], [1, 1, 0]], [2, 2], [0, 1], [1, np.exp(-13.8)])
        split = Problem(data).split
        rest = gradient_flow(split, *split.coordinates(np.zeros((3, 3))), [30.0, 300.0])
        W = split.matrix(rest.x[-1], rest.z[-1])
        return abs(W[0, 2] - W[1, 2] - 13.8)

    @control("H2", ">", 0.1, rtol=1e-3)
    def other_end(self) -> float:
        r"""the head $I$ under a softmax, a over b, b over c, c over d and c over e: cosine of $W$
        with $W_{svm}$ at $\ln t=1000$ from equal weights, less that where the first sample weighs
        $e^{13.8}$ times as much as each other one"""
        counts = [[1, 1, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0], [0, 0, 1, 0, 1, 0]]
        found = []
        for first in (1.0, np.exp(13.8)):
            weight = np.array([first, 1, 1, 1])
            data = one_hot_data(counts, [5] * 4, [0, 1, 2, 2], weight / weight.sum())
            run = joint_flow(data, np.eye(6), np.zeros((6, 6)), [1000.0], eta_y=0)
            found.append(cosine(run.Z[0].T, Problem(data).svm.W))
        return float(found[0] - found[1])

    @control("H3", "<", 1 + 1 / np.sqrt(2))
    def learned_decoder(self) -> float:
        r"""decoder learned, unrelated, $\log r=160$: turning clock, below the $1+\frac1{\sqrt2}$ of
        a fixed one"""
        return self.learned / JOINT_SIZES[1]
