"""Convergence of the finite part: what its rows measure.

The chapter: ``book/mechanics/finite_part_convergence.ipynb``.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

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
    finding,
    group,
    once,
    real,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum, power_law, relative_error
from lib.mechanics.attention_layer import attention, linear_loss, mixing_loss
from lib.mechanics.compiled_descent import run_trial, weights
from lib.mechanics.descent import descend, descended, sine
from lib.mechanics.draws import crowded_draw, cyclic_draw, drawn, random_draw
from lib.mechanics.graph_svm import feasible
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences, orthonormal_embeddings
from lib.mechanics.token_priority_graph import has_cycle

LONGEST = 5  # of W_svm: what is longer has not come far on the log scale when the steps end
CHUNK = 20000  # steps between two matrices that are kept
PAIR = from_sequences([[0, 1]] * 3, [0, 0, 1], np.eye(2))
MIXED = mixing_loss(0.1)


def distance(problem: Problem, W: Array) -> Array:
    """|Pi W - W_fin|_F of W (..., d, d)."""
    return np.linalg.norm(problem.split.coordinates(W)[0] - problem.fin.x, axis=-1)


def balance(problem: Problem, z: Array) -> Array:
    """-H^{-1} times the leak's pull on x at z, (r,)."""
    push = problem.split.leak(problem.fin.x, z).gradient[: len(problem.fin.x)]
    return -np.linalg.solve(problem.split.cyclic(problem.fin.x).hessian, push)


def short(data: NextTokenData) -> bool:
    """Whether W_svm is not long."""
    return Problem(data).svm.norm <= LONGEST


def short_acyclic(data: NextTokenData) -> bool:
    """No cycle, something above something, and W_svm not long."""
    return not has_cycle(data) and 0 < Problem(data).svm.norm <= LONGEST


class Bowl(NamedTuple):
    """The cyclic part's Hessian at W_fin, with its largest eigenvalue and the axis of that."""

    hessian: np.ndarray
    top: float
    axis: np.ndarray


@dataclass
class FinitePartConvergence(Checks):
    """Convergence of the finite part, and what normalized steps do instead."""

    K: int = whole(6, 4, 12, holds=(6, 7), why="a sequence shows four different tokens")
    d: int = dimensions(8, 16, holds=(8, 10))
    n: int = whole(25, 12, 50, holds=(20, 35))
    runs: int = whole(2, 1, 4, holds=(1, 3))
    eta: float = real(0.5, 0.25, 1, holds=(0.4, 0.6))
    plain_steps: int = whole(200000, 100_000, 400_000, holds=(160000, 240000))
    rate: float = real(0.01, 0.005, 0.02, holds=(0.008, 0.011))
    steps: int = whole(
        12_000, 10_000, 24_000, holds=(12_000, 13_000), why="the page shows step 10000"
    )
    seed: int = seed()

    tag = "mechanics.finite-part-convergence"
    hypotheses = {
        "H1": r"the head inverts the embedding, $CE^\top=I_K$ (independent embeddings)",
        "H2": "labels are realizable",
        "H3": "the loss is the log-loss",
        "H4": "plain gradient steps, small enough",
    }
    parts = {
        "inside the cycles": ("ray",),
    }
    standing = "reconstructed"
    trusts = (
        chapter("mechanics.global-convergence", "the loss falls to its infimum"),
        chapter("mechanics.w-fin", "there is one minimizer"),
        textbook(
            "points at which a strictly convex, coercive function tends to its minimum tend to the"
            " minimizer"
        ),
    )
    unknown = {
        "H2": "without the label in the input the log-loss is infinite at every W: there is"
        " nothing to converge"
    }

    @step("decided", "inside the cycles", as_printed=True, concludes=True)
    def ray(self) -> bool:
        r"""a convex $f$ with the least value $m$ on a sphere around its minimizer, $m>\min f$, is
        at least $m$ everywhere outside: where $f$ is below $m$, the minimizer is nearer than the
        sphere"""
        near, far, least, sphere, share = z3.Reals("f_on_sphere f_far f_min m u")
        return follows(
            far >= sphere,
            share > 0,
            share <= 1,  # radius over distance: the ray to the far point meets the sphere there
            near <= (1 - share) * least + share * far,
            sphere <= near,
            sphere > least,
        )

    @step("symbolic")
    def two_cycle_exact(self) -> Facts:
        r"""in a bowl a normalized step of length $r$ from $\frac r2$ along the steepest axis ends
        at $-\frac r2$; a small part along another axis is multiplied by $1-2\mu/\lambda$, and the
        step's size over the gradient's is $2/\lambda$"""
        r, top, other = sp.symbols("r lambda mu", positive=True)
        tilt = sp.Symbol("y", real=True)
        there = sp.Matrix([r / 2, tilt])
        slope = sp.Matrix([top * there[0], other * there[1]])
        size = r / sp.sqrt(slope.dot(slope))
        back = there - size * slope
        return (
            (back.subs(tilt, 0), -there.subs(tilt, 0)),
            (back[1].diff(tilt).subs(tilt, 0), 1 - 2 * other / top),
            (size.subs(tilt, 0), 2 / top),
        )

    @once
    def problem(self, rng: Generator) -> Problem:
        """The data of picture and walk."""
        draw = lambda: cyclic_draw(rng, n=self.n, K=self.K, d=self.d)
        return Problem(drawn(draw, short, "n, K, d", (self.n, self.K, self.d), most=1000))

    @once
    def start(self, rng: Generator) -> Array:
        """Where descent starts."""
        return rng.uniform(-1, 1, size=(self.d, self.d)) / np.sqrt(self.d)

    @once
    def bowl(self) -> Bowl:
        """``Bowl`` of these data."""
        hessian = self.problem.split.cyclic(self.problem.fin.x).hessian
        values, axes = np.linalg.eigh(hessian)
        return Bowl(hessian, values[-1], axes[:, -1])

    def descended(
        self, start: Array, size: float, steps: int, normalized: bool = False
    ) -> tuple[Array, Array]:
        """W after 0, 1, ... steps on these data, and |W| as it is carried along."""
        data = self.problem.data
        moves, _, norm = run_trial(data, start, size, steps, normalized)
        return weights(data, start, moves), norm

    @once
    def plain(self) -> Array:
        """W of plain descent, (steps + 1, d, d)."""
        return self.descended(self.start, self.eta, self.steps)[0]

    @once
    def normalised(self) -> tuple[Array, Array]:
        """W of normalized descent, (steps + 1, d, d), and its lengths."""
        return self.descended(self.start, self.rate, self.steps, normalized=True)

    @once
    def offsets(self) -> Array:
        """x - x_fin along normalized descent, (steps + 1, r)."""
        return self.problem.split.coordinates(self.normalised[0])[0] - self.problem.fin.x

    @once
    def decays(self) -> Array:
        """Distance to W_fin along normalized descent with steps of decaying length."""
        length = lambda step: 0.1 / (1 + step / 100)
        observe = lambda block: {"distance": distance(self.problem, block)}
        options = {"normalized": True, "observe": observe}
        return descend(self.start, self.problem.data, length, self.steps, **options)[1]["distance"]

    limit = group()

    @property
    def kept(self) -> np.ndarray:
        """After how many steps plain descent is looked at."""
        return np.arange(1, self.plain_steps // CHUNK + 1) * CHUNK

    def long(self, problem: Problem, start: Array) -> Array:
        """W (m, d, d) of plain descent after ``kept`` steps; nothing else is kept."""
        path, W = [], start
        for _ in self.kept:
            moves, _, _ = run_trial(problem.data, W, self.eta, CHUNK, normalized=False)
            W = weights(problem.data, W, moves[-1])
            path.append(W)
        return np.stack(path)

    @once
    def far(self, rng: Generator) -> list[tuple[Problem, Any]]:
        """(problem, W after ``kept`` steps): two starts for each data set, one of them far out."""
        found = []
        for _ in range(self.runs):
            problem = Problem(cyclic_draw(rng, n=self.n, K=self.K, d=self.d))
            for size in (0.1, 2.0):
                found.append((problem, self.long(problem, size * rng.normal(size=(self.d,) * 2))))
        return found

    @property
    def run_count(self) -> int:
        return 2 * self.runs

    @claim("<=", 0.2, "limit", "inside the cycles", as_printed=True, rtol=0.1)
    def finite_part(self) -> float:
        r"""plain descent heads for $W^{fin}$: distance of $2\Pi W(2t)-\Pi W(t)$ to it over that of
        $\Pi W(2t)$, @{plain_steps} steps and half of them, largest of @{run_count} runs"""
        steps = self.kept
        half = len(steps) // 2 - 1

        def heading(problem: Problem, path: Array) -> Array:
            free = steps[-1] * path[-1] - steps[half] * path[half]  # of what falls like 1/t
            free = free / (steps[-1] - steps[half])
            return distance(problem, free) / distance(problem, path[-1])

        return maximum(heading(*each) for each in self.far)

    @claim("<=", 0.1, "rate", atol=2e-3)
    def rate_in_steps(self) -> float:
        r"""exponent of the distance of $\Pi W$ to $W^{fin}$ in the steps, the last two thirds:
        largest deviation from $-1$"""
        late = self.kept >= self.plain_steps // 3

        def exponent(problem: Problem, path: Array) -> float:
            return power_law(self.kept[late], distance(problem, path)[late]).exponent

        return maximum(abs(exponent(*each) + 1) for each in self.far)

    @claim("<=", 5e-3, "limit", rtol=0.1)
    def balance(self) -> float:
        r"""$\Pi W-W^{fin}$ is $-H^{-1}$ times the leak's pull, as a vector, at the last step:
        largest relative difference"""

        def error(problem: Problem, path: Array) -> float:
            x, z = problem.split.coordinates(path[-1])
            return relative_error(x - problem.fin.x, balance(problem, z))

        return maximum(error(*each) for each in self.far)

    @claim("<=", 1e-3, "rate", atol=1e-3)
    def exponential(self, rng: Generator) -> float:
        r"""nothing ordered: decay per step against $-\log(1-\eta\lambda_{\min}(H))$, relative
        difference"""
        rows = orthonormal_embeddings(3, 4, rng)
        even = Problem(from_sequences([[0, 1, 2]] * 6, [0, 0, 0, 1, 1, 2], rows))
        observe = lambda block: {"distance": distance(even, block)}
        away = descend(np.zeros((4, 4)), even.data, self.eta, 240, observe=observe)[1]["distance"]
        decay = -np.polyfit(np.arange(120, 201), np.log(away[120:201]), 1)[0]
        return abs(decay / -np.log1p(-self.eta * even.fin.least_curvature) - 1)

    jumping = group()

    @property
    def long_steps(self) -> int:
        return 20 * self.steps

    @claim("in", [0.99, 1.01], "limit", rtol=1e-2)
    def two_cycle(self) -> Array:
        """normalized descent after @{long_steps} steps, the picture's data: distance to $W^{fin}$
        over half the step length"""
        W = self.start
        for _ in range(20):
            W = self.descended(W, self.rate, self.steps, normalized=True)[0][-1]
        return distance(self.problem, W) / (self.rate / 2)

    @claim("in", [0.19, 0.21], "limit", atol=1e-3)
    def two_cycle_alone(self) -> Array:
        r"""nothing ordered, two labels against one: from a fifth of the step length beside
        $W^{fin}$, distance to it after 1000 normalized steps, over the step length"""
        fin = Problem(PAIR).fin.W
        beside = fin * (1 + 0.2 * self.rate / np.linalg.norm(fin))
        W = descended(beside, PAIR, self.rate, 1000, normalized=True)
        return distance(Problem(PAIR), W) / self.rate

    @claim("<=", 1e-4, "limit", atol=1e-4)
    def two_cycle_axis(self) -> float:
        r"""1 minus the alignment of the last of @{steps} normalized moves inside $\mathcal
        S_{fin}$ with the top eigenvector of $H$"""
        jump = self.offsets[-1] - self.offsets[-2]
        return 1 - abs(jump @ self.bowl.axis) / np.linalg.norm(jump)

    @claim("<=", 1e-3, "limit", atol=1e-6)
    def two_cycle_is_plain(self) -> np.floating:
        r"""the displacement outside $\mathcal S_{fin}$ over the second half of @{steps} normalized
        steps against plain descent with step $2/\lambda$: relative difference"""
        half, W = self.steps // 2, self.normalised[0]
        plain = self.descended(W[half], 2 / self.bowl.top, self.steps - half)[0]
        z = [self.problem.split.coordinates(V)[1] for V in (W[half], W[-1], plain[-1])]
        return np.linalg.norm(z[1] - z[2]) / np.linalg.norm(z[1] - z[0])

    @claim("<=", 1, "rate", rtol=0.5)
    def normalised_acyclic_growth(self, rng: Generator) -> float | None:
        r"""acyclic data: the share of the length of the normalized steps by which $W$ does not get
        longer, from @{steps} to @{four_times} steps, over the squared sine of its angle to
        $W^{svm}$ at the first of them"""
        draw, size = lambda: random_draw(rng, d=self.d, K=self.K), (self.K, self.d)
        problem = Problem(drawn(draw, short_acyclic, "K, d", size, most=1000))
        moves, _, lengths = run_trial(problem.data, self.start, self.rate, self.four_times)
        off = sine(weights(problem.data, self.start, moves[self.steps]), problem.svm.W)
        gained = (lengths[-1] - lengths[self.steps]) / (self.rate * 3 * self.steps)
        return (1 - gained) / off**2 if gained <= 1 + 1e-9 else None

    @property
    def four_times(self) -> int:
        return 4 * self.steps

    @finding("two-cycle", "two-cycle-is-plain")
    def no_gain(self) -> None:
        r"""On the picture's data, which have cycles, the authors' normalized descent ends as plain
        descent with step $2/\lambda_{\max}(H)$, outside the cycles: its acceleration is lost."""

    without = group()

    @control("H1", "in", [1 / 27 - 1e-6, 1 / 27 + 1e-6])
    def mixed_head(self) -> float:
        r"""head with $\rho=0.1$, two labels against one: attention on the majority's token minus
        $\frac23$ ($\frac1{27}$ by the formula)"""
        W = descended(np.zeros((2, 2)), PAIR, 2.0, 3000, loss=MIXED)
        return attention(W, PAIR)[0, 0] - 2 / 3

    @control("H1", "<=", 1e-3, rtol=0.1)
    def crowded_feasible(self, rng: Generator) -> np.floating:
        r"""a draw with $K=@{K}$ tokens in $d=4$ dimensions and a feasible Graph-SVM: distance of
        the flow's finite part to $W^{fin}$ at $\log t=17$"""
        draw = lambda: crowded_draw(rng, 4, n=12, K=self.K, d=self.d)
        split = Problem(drawn(draw, feasible, "K, d", (self.K, self.d), most=1000)).split
        path = gradient_flow(split, *split.coordinates(np.zeros((4, 4))), [5.0, 17.0])
        return np.linalg.norm(path.gap[1])

    @control("H3", ">", 5, rtol=1e-2)
    def linear_loss(self) -> np.floating:
        r"""$\ell(u)=1-u$, two labels against one: $\|W\|_F$ after 3000 steps over
        $\|W^{fin}\|_F$"""
        W = descended(np.zeros((2, 2)), PAIR, 5.0, 3000, loss=linear_loss)
        return np.linalg.norm(W) / np.linalg.norm(Problem(PAIR).fin.W)

    @control("H4", "<", 0.3, rtol=5e-2)
    def decaying(self) -> float:
        r"""normalized steps of length $0.1/(1+\tau/100)$ go on coming nearer: distance after all
        steps over that after a tenth of them"""
        return self.decays[-1] / self.decays[self.steps // 10]
