"""Global convergence: what its rows measure.

The chapter: ``book/mechanics/global_convergence.ipynb``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import (
    Checks,
    chapter,
    claim,
    control,
    group,
    once,
    real,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array, ArrayLike
from lib.decide import follows
from lib.measure import maximum, power_law
from lib.mechanics.attention_layer import floored_loss, linear_loss, risk
from lib.mechanics.compiled_descent import run_trial, weights
from lib.mechanics.descent import cosine, descended
from lib.mechanics.draws import authors_draw, cyclic_draw, drawn
from lib.mechanics.limit_paths import Path, gradient_flow, loss_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences, gaussian_embeddings
from lib.mechanics.token_priority_graph import (
    orthonormal_basis,
    pair_matrices,
    project,
)

SHORT = 2.5  # length of W_svm
LOG_TIMES = np.r_[np.arange(1.0, 18), np.geomspace(20, 1e5, 20)]
ONE = from_sequences([[0, 1]], [0], np.eye(2))
VOTED = from_sequences([[1, 2, 0]] * 4, [1, 2, 2, 2], np.eye(3))
BALANCED = from_sequences([[0, 1]] * 3, [0, 1, 1], np.eye(2))
FLOORED = floored_loss(1e-6)

time, leak, eta, n, drift, start, part = sp.symbols(
    "tau C eta n b c m", positive=True
)  # n = |W_svm|
LOSS = (leak + (n * sp.log(time) + start) ** 2 / (4 * eta)) / time  # its bound with a = log tau


def safe_step(data: NextTokenData) -> float:
    """1/beta: up to this step size plain descent is monotone.

    beta bounds the curvature, the mean of |x_i|^2 times a quarter of the largest |e_i - e_j|^2.
    """
    wide = ((data.embeddings[:, None] - data.embeddings[None]) ** 2).sum(axis=-1).max()
    return 4 / (wide * float(data.weight @ (data.queries**2).sum(axis=1)))


def flow(problem: Problem, start: Array, log_times: ArrayLike) -> tuple[Path, Array]:
    """``Path`` of the gradient flow from ``start``, and W along it (m, d, d)."""
    split = problem.split
    path = gradient_flow(split, *split.coordinates(start), log_times)
    fixed = start - split.matrix(*split.coordinates(start))  # outside the data span: never moves
    return path, split.matrix(path.x, path.z) + fixed


def short(data: NextTokenData) -> bool:
    """Whether W_svm is so short that plain descent comes near its direction."""
    return Problem(data).svm.norm <= SHORT


class Descent(NamedTuple):
    """Plain descent of a problem from ``start``, ``size`` a step: the moves, the lengths |W|."""

    problem: Problem
    start: np.ndarray
    size: float
    moves: np.ndarray
    norms: np.ndarray

    def W(self, steps: int) -> Array:
        """W after some steps, or after each of several."""
        return weights(self.problem.data, self.start, self.moves[steps])

    def losses(self, steps: Iterable[int]) -> Array:
        """The loss after each of some steps."""
        return np.array([risk(self.W(each), self.problem.data) for each in steps])


def descent(problem: Problem, start: Array, size: float, steps: int) -> Descent:
    """``Descent`` of some steps."""
    moves, _, norms = run_trial(problem.data, start, size, steps, normalized=False)
    return Descent(problem, start, size, moves, norms)


@dataclass(frozen=True, eq=False)
class TwoFlows:
    """Flows of one problem from two starts: paths, and W along them."""

    problem: Problem
    paths: list
    W: list

    @property
    def log_times(self) -> Array:
        return self.paths[0].log_time

    @cached_property
    def norms(self) -> list[Array]:
        return [np.linalg.norm(W, axis=(1, 2)) for W in self.W]

    def slopes(self) -> list[float]:
        """Of the norms in log t at the end, over |W_svm|."""
        passed = self.log_times[-1] - self.log_times[-6]
        return [(norm[-1] - norm[-6]) / passed / self.problem.svm.norm for norm in self.norms]

    def cosines(self) -> list[Array]:
        """At the end, with W_svm."""
        return [cosine(W[-1], self.problem.svm.W) for W in self.W]

    def angle_exponents(self) -> list[float]:
        """Of the angle to W_svm in log t, over the last two decades."""
        svm, late = self.problem.svm, self.log_times >= self.log_times[-1] / 100
        along = [np.tensordot(W, svm.W, 2)[:, None, None] * svm.W / svm.norm**2 for W in self.W]
        off = [np.linalg.norm(W - V, axis=(1, 2)) for W, V in zip(self.W, along, strict=True)]
        pairs = zip(off, self.norms, strict=True)
        return [power_law(self.log_times[late], (o / s)[late]).exponent for o, s in pairs]

    def loss_constants(self) -> list[float]:
        """t (loss - infimum) at the end, over |W_svm|^2."""
        split, size = self.problem.split, self.problem.svm.norm**2
        scale = self.log_times[-1]
        ends = [(path.x[-1], path.z[-1]) for path in self.paths]
        return [split.leak(*end, log_scale=scale).value / size for end in ends]

    @cached_property
    def apart(self) -> tuple[np.floating, np.floating]:
        """Distance of the two ends: along S_fin and the support vectors, along the rest."""
        problem, split, svm = self.problem, self.problem.split, self.problem.svm
        support = [pair for pair, dual in zip(svm.pairs, svm.duals, strict=True) if dual > 1e-9]
        pulled = np.concatenate([split.finite_basis, pair_matrices(problem.data, support)])
        first, second = (split.matrix(path.x[-1], path.z[-1]) for path in self.paths)
        inside = project(orthonormal_basis(pulled), first - second)
        return np.linalg.norm(inside), np.linalg.norm(first - second - inside)


@dataclass
class GlobalConvergence(Checks):
    """Global convergence of the direction."""

    K: int = whole(6, 4, 12, holds=(5, 7), why="a sequence shows four different tokens")
    d: int = dimensions(8, 16, holds=(lambda self: self.K, 10))
    n: int = whole(25, 12, 50, holds=(15, 35))
    runs: int = whole(3, 1, 6, holds=(2, 4))
    log_end: float = real(1e6, 500000, 3e6, holds=(1e6, 3e6))
    steps: int = whole(20000, 10000, 40_000, holds=(10000, 25000))
    seed: int = seed()

    tag = "mechanics.global-convergence"
    hypotheses = {
        "H1": "the head inverts the embedding (independent embeddings)",
        "H2": "labels are realizable",
        "H3": "the loss is the log-loss",
        "H4": r"something is ordered, $W^{svm}\ne0$",
        "H5": "the step size is small enough for descent",
    }
    parts = {
        "the length": ("kernel-descent-rate", "loss-decays", "margins-follow"),
        "the direction": (
            "one-step",
            "two-gradients",
            "potential",
            "moving-target",
            "direction-proved",
        ),
    }
    standing = "reconstructed"
    kernel_theorems = {
        "descent_rate": dict(concludes=True, group="bound"),
        "loss_to_infimum": dict(group="bound"),
        "training_contexts": dict(group="bound"),
    }
    trusts = (
        textbook("a convex function lies above its tangents"),
        textbook("Taylor's bound by the curvature"),
        textbook("Cauchy's inequality"),
        chapter("mechanics.w-fin", "the cyclic part keeps what is near its infimum bounded"),
        chapter("mechanics.graph-svm", "there is one shortest matrix"),
        textbook("a feasible quadratic program has multipliers (Farkas)"),
    )

    bound = group()

    @step("symbolic", concludes=True)
    def one_step(self) -> Facts:
        r"""$\|W_{\tau+1}-V\|^2\le\|W_\tau-V\|^2+2\eta(\mathcal L(V)-\mathcal L(W_{\tau+1}))$, by
        the descent lemma and convexity: $\frac1{2\eta}$ of the surplus is
        $\frac\eta2(1-\beta\eta)\|\nabla\mathcal L\|^2\ge0$"""
        beta, square, inner = sp.symbols("beta G2 GV", real=True)
        # L(W+) <= L(W) - eta (1 - beta eta / 2) |G|^2, L(W) <= L(V) + <G, W - V>; W+ = W - eta G
        telescoped = (2 * eta * inner - eta**2 * square) / (2 * eta)
        after = inner - eta * (1 - beta * eta / 2) * square
        return telescoped - after, eta / 2 * (1 - beta * eta) * square

    @step("decided", concludes=True)
    def two_gradients(self) -> bool:
        r"""a step lowers the loss by $\frac\eta2(G_\tau^2+G_{\tau+1}^2)$ at least, and
        $G_{\tau+1}^2\le\langle\nabla\mathcal L(W_\tau),\nabla\mathcal L(W_{\tau+1})\rangle$, so
        $G_{\tau+1}\le G_\tau$"""
        now, then, first, second = z3.Reals("loss loss_ at_first at_second")
        A, B, P, rate, curve = z3.Reals("G2 G2_ GG_ eta beta")  # |G|^2, |G_|^2, <G, G_>
        apart = A - 2 * P + B  # _: a step later
        known = (
            rate > 0,
            curve > 0,
            rate * curve <= 1,
            B >= 0,
            apart >= 0,
            first >= then + rate * B,  # at W_ + eta G_: the tangent at W_, Taylor at W
            first <= now - rate * (A - P) + curve * rate**2 * apart / 2,
            second >= now - rate * P,  # at W - eta G_: the tangent at W, Taylor at W_
            second <= then - rate * (B - P) + curve * rate**2 * apart / 2,
        )
        falls = rate * (A + B) / 2
        return (
            follows(now - then >= falls, *known)
            and follows(P >= B, *known)
            and follows(B <= A, P >= B, P * P <= A * B, A >= 0, B >= 0)
            and follows(now - then == falls, *known, A == B, P == B)  # reached: constant gradient
        )

    @step("decided", concludes=True)
    def potential(self) -> bool:
        r"""hence $S_{\tau+1}\le S_\tau$; and $S_\tau\ge4\eta\tau(\mathcal L(W_\tau)-\mathcal
        L(V))$ as the difference is at most $G_\tau\|W_\tau-V\|$: each with equality for a linear
        loss"""
        count, f, f_, g, g_, r, D_ = z3.Reals("tau f f_ g g_ r D_")
        # f = 2 eta (loss - loss of V), r = |W - V|, g = eta G; _: a step later
        moved = count >= 0, f - f_ >= g**2 + g_**2, g_**2 <= g**2, D_ <= r**2 - f + g**2
        before = r**2 + count * f + count**2 * g**2
        after = D_ + (count + 1) * f_ + (count + 1) ** 2 * g_**2
        linear = f - f_ == g**2 + g_**2, g_ == g, D_ == r**2 - f + g**2
        return (
            follows(after <= before, *moved)
            and follows(after == before, count >= 0, *linear)
            and follows(2 * count * f <= before, count >= 0, f <= 2 * g * r, g >= 0, r >= 0)
            and follows(2 * count * f == before, f == 2 * g * r, r == count * g)
        )

    @step("symbolic")
    def one_context(self) -> Facts:
        r"""one context $\{0,1\}$: $g+e^g=2t+1$ solves $\dot g=\frac2{1+e^g}$ from $g(0)=0$"""
        gap, t = sp.Function("g"), sp.Symbol("t", positive=True)
        velocity = 2 / (1 + sp.exp(gap(t)))
        implicit = (gap(t) + sp.exp(gap(t))).diff(t).subs(gap(t).diff(t), velocity)
        return implicit, sp.Derivative(2 * t + 1, t)

    @claim("<=", 1e-6, "identity")
    def flow_exact(self) -> float:
        r"""the flow's solver against that solution at $\log t=5$: relative difference"""
        path, _ = flow(Problem(ONE), np.zeros((2, 2)), [5.0])
        gap = np.sqrt(2) * abs(path.z[0, 0])
        return abs((gap + np.exp(gap)) / (2 * np.exp(5) + 1) - 1)

    to_svm = group()

    @step("symbolic", concludes=True)
    def loss_decays(self) -> Facts:
        r"""the bound on the loss with $a=\log\tau$: $\tau/\log^2\tau$ times the bound tends to
        $\|W^{svm}\|^2/(4\eta)$"""
        scaled = time * LOSS
        line = leak + start**2 / (4 * eta) + n * start / (2 * eta) * sp.log(time)
        top = n**2 / (4 * eta)
        limit = sp.Limit(scaled / sp.log(time) ** 2, time, sp.oo)
        return (limit, top), (scaled, line + top * sp.log(time) ** 2)

    @step("symbolic", "the length", concludes=True)
    def margins_follow(self) -> Facts:
        r"""a loser's weight over that of the label's component is at most
        $e^\epsilon-1\le2\epsilon$ once $\epsilon\le1$, where $\epsilon$ is $m$ times the bound on
        the loss, $\frac1m$ the sample's weight: a margin of at least
        $\log\tau-2\log\log\tau-B$, where $B$ tends to
        $\log\frac{m\|W^{svm}\|^2}{2\eta}$"""
        odds = 2 * part * LOSS  # e^x - 1 <= 2x on [0, 1]: convex, e - 1 < 2
        behind = odds * time / sp.log(time) ** 2  # e^B
        margin = sp.log(time) - 2 * sp.log(sp.log(time)) - sp.log(behind)
        return [
            sp.E - 1 < 2,
            (sp.exp(-margin), odds),
            (sp.Limit(behind, time, sp.oo), part * n**2 / (2 * eta)),
        ]

    @step("decided", concludes=True)
    def moving_target(self) -> bool:
        r"""$D$ after a step and a move of the target by $\Delta\,W^{svm}$: at most
        $2\eta\,\text{excess}+2\Delta\,\|W^{svm}\|^2b+\Delta^2\|W^{svm}\|^2$ more, where the
        margins are behind by $b$ at most"""
        w, v, s, shift = sp.symbols("w v s Delta", real=True)  # entries of W, V, W_svm; sums follow
        before, after, excess, pull, move, behind, size = z3.Reals("D D_ excess pull Delta b n2")
        moved = after - 2 * move * pull + move**2 * size
        most = before + excess + 2 * move * size * behind + move**2 * size
        square = (w - v) ** 2 - 2 * shift * s * (w - v) + shift**2 * s**2
        known = after <= before + excess, pull >= -size * behind, move >= 0, size > 0
        reached = after == before + excess, pull == -size * behind
        return (
            sp.expand((w - v - shift * s) ** 2 - square) == 0
            and follows(moved <= most, *known)
            and follows(moved == most, *reached)
        )

    @step("decided", "the direction", as_printed=True, concludes=True)
    def direction_proved(self) -> bool:
        r"""$\sum_{\tau\le T}\frac{C+b\log\log\tau}\tau\le(C+b\log\log T)(1+\log T)$ is a vanishing
        share of $\log^2T$; and a matrix within the share $\kappa<1$ of its target's length has a
        cosine of at least $\sqrt{1-\kappa^2}$ with it: the two steps from the bound on the distance
        to the direction"""
        log = sp.log(time)
        summed = (leak + drift * sp.log(log)) * (1 + log)
        ahead, aside, share = z3.Reals("along off share")
        least = (1 - share**2) * (ahead**2 + aside**2)
        within = (ahead - 1) ** 2 + aside**2 <= share**2, share >= 0, share < 1
        touching = ahead == 1 - share**2, aside**2 == share**2 * ahead, share < 1
        return (
            sp.limit(summed / log**2, time, sp.oo) == 0
            and sp.limit(summed / log / sp.log(log), time, sp.oo) == drift
            and follows(z3.And(ahead > 0, ahead**2 >= least), *within)
            and follows(ahead**2 == least, *touching)  # reached by a line from zero
        )

    runs_of_it = group()

    def random_start(self, rng: Generator) -> Array:
        """A start W, (d, d)."""
        return rng.normal(size=(self.d, self.d))

    @once
    def walk(self, rng: Generator) -> Descent:
        """Data with cycles and a short W_svm, and plain descent with the step 1/beta."""
        draw, size = (
            lambda: cyclic_draw(rng, n=self.n, K=self.K, d=self.d),
            (self.n, self.K, self.d),
        )
        problem = Problem(drawn(draw, short, "n, K, d", size, most=1000))
        start = self.random_start(rng)
        return descent(problem, start, safe_step(problem.data), self.steps)

    @once
    def flows(self, rng: Generator) -> list[TwoFlows]:
        """Two flows of each data set to the end, the first of the authors' kind."""
        log_times, found = np.r_[np.arange(0.0, 18), np.geomspace(20, self.log_end, 24)], []
        for run in range(self.runs):
            kind = cyclic_draw(rng, n=self.n, K=self.K, d=self.d) if run else None
            problem = Problem(kind or authors_draw(rng, K=self.K, d=self.d))
            starts = [size * self.random_start(rng) for size in (0.1, 3.0)]
            both = [flow(problem, start, log_times) for start in starts]
            found.append(TwoFlows(problem, *map(list, zip(*both, strict=True))))
        return found

    @property
    def flow_count(self) -> int:
        return 2 * self.runs

    @property
    def end(self) -> str:
        return "10^6" if self.log_end == 1e6 else f"{self.log_end:.0f}"

    @claim("<=", 1e-7, "rate", "the length", as_printed=True, atol=1e-7)
    def norm_rate(self) -> float:
        r"""$\|W\|_F\to\infty$: its slope in $\log t$ over $\|W^{svm}\|_F$ near $\log t=@{end}$,
        largest deviation from 1"""
        return np.abs(np.array([each.slopes() for each in self.flows]) - 1).max()

    @claim("<=", 1e-9, "limit", "the direction", as_printed=True, atol=1e-9)
    def direction(self) -> float:
        r"""$W/\|W\|_F\to W^{svm}/\|W^{svm}\|_F$: 1 minus the least cosine at $\log t=@{end}$,
        @{flow_count} flows"""
        return 1 - np.min([each.cosines() for each in self.flows])

    @claim("<=", 2e-3, "rate", condition="data that are not degenerate", atol=1e-5)
    def angle_rate(self) -> float:
        r"""exponent of the angle in $\log t$, two decades: largest deviation from $-1$"""
        return np.abs(np.array([each.angle_exponents() for each in self.flows]) + 1).max()

    @claim("<=", 1e-5, "limit", atol=1e-5)
    def loss_constant(self) -> float:
        r"""$t\,(\mathcal L-\inf\mathcal L)/\|W^{svm}\|_F^2$ at $\log t=@{end}$, largest deviation
        from 1"""
        return np.abs(np.array([each.loss_constants() for each in self.flows]) - 1).max()

    @claim("<=", 1e-3, "limit", atol=1e-3)
    def start_forgotten(self) -> float:
        r"""two starts: distance of the flows, along $\mathcal S_{fin}$ and the support vectors, at
        $\log t=@{end}$"""
        return maximum(each.apart[0] for each in self.flows)

    stand_in = group()

    @claim("in", [0.95, 1.05], "rate", rtol=1e-2)
    def descent_is_flow(self) -> float:
        """distance of plain descent from the flow at $t=200$: exponent in the step size"""
        problem, start, rates = self.walk.problem, self.walk.start, [0.4, 0.2, 0.1, 0.05]
        _, W = flow(problem, start, [np.log(200.0)])
        ends = [descent(problem, start, rate, round(200 / rate)).W(-1) for rate in rates]
        return power_law(rates, [np.linalg.norm(end - W[0]) for end in ends]).exponent

    without = group()

    @control("H1", "<=", 1e-6, atol=1e-8)
    def infeasible(self, rng: Generator) -> float:
        r"""an embedding between two that must both beat it: growth of $\|W\|_F$ from step 2000 to
        4000"""
        rows = gaussian_embeddings(3, 3, rng)
        rows[2] = (rows[0] + rows[1]) / 2
        between = from_sequences([[0, 2], [1, 2]], [0, 1], rows, independent=False)
        *_, norm = run_trial(between, rng.normal(size=(3, 3)), 1.0, 4000, normalized=False)
        return abs(norm[-1] - norm[2000])

    @control("H2", ">", 0.05, rtol=1e-2)
    def labels_absent(self, rng: Generator) -> np.floating:
        """two samples without their label, floored loss: cosine with the Graph-SVM without them,
        minus that with them, mean of 8 draws"""

        def closer(base: NextTokenData) -> Array:
            foreign = [int(np.flatnonzero(row == 0)[0]) for row in base.counts[:2]]
            counts, last = (np.r_[part, part[:2]] for part in (base.counts, base.last))
            label = np.r_[base.label, foreign]
            both = NextTokenData(counts, last, label, base.embeddings, realizable=False)
            zero = np.zeros((self.d, self.d))
            W = descended(zero, both, 0.01, 2000, normalized=True, loss=FLOORED)
            return cosine(W, Problem(base).svm.W) - cosine(W, Problem(both).svm.W)

        return np.mean([closer(authors_draw(rng, K=self.K, d=self.d)) for _ in range(8)])

    @control("H3", "<", 0, kind="sign", rtol=1e-2)
    def linear_loss(self) -> Array:
        r"""$\ell(u)=1-u$, four equal contexts, one of them with another label, from 0: cosine with
        the Graph-SVM at $\log t=300$, less that under the log-loss"""
        voted, zero = Problem(VOTED), np.zeros((3, 3))
        W = loss_flow(zero, VOTED, linear_loss, [1.0, 300.0])[-1]
        _, W_log = flow(voted, zero, [1.0, 300.0])
        return cosine(W, voted.svm.W) - cosine(W_log[-1], voted.svm.W)

    @control("H4", "<=", 1e-9, kind="identity")
    def nothing_ordered(self) -> np.floating:
        r"""no priorities: $\|W-W^{fin}\|_F$ after 4000 steps from 0"""
        balanced = Problem(BALANCED)
        end = descent(balanced, np.zeros((2, 2)), 1.0, 4000).W(-1)
        return np.linalg.norm(end - balanced.fin.W)

    @control("H5", ">", 1e-6, rtol=0.2)
    def large_steps(self) -> float:
        r"""step size $3/\lambda$, $\lambda$ the largest curvature of the cyclic part at
        $W^{fin}$: largest rise of the loss in a step, from the 200th to the 400th"""
        problem = self.walk.problem
        steepest = np.linalg.eigvalsh(problem.split.cyclic(problem.fin.x).hessian)[-1]
        wild = descent(problem, self.walk.start, 3 / steepest, 400)
        return np.diff(wild.losses(range(200, 401))).max()
