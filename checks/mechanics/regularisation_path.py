"""The regularization path: what its rows measure.

The chapter: ``book/mechanics/regularisation_path.ipynb``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, chapter, claim, control, group, once, seed, step, whole
from lib.arrays import Array
from lib.measure import maximum, minimum, relative_error
from lib.mechanics.attention_layer import floored_loss, risk
from lib.mechanics.ball_path import minimizer_in_ball, regularization_path
from lib.mechanics.descent import cosine, descended
from lib.mechanics.draws import cyclic_draw, drawn
from lib.mechanics.exact_ridge import gap_and_length, log_inverse
from lib.mechanics.limit_paths import Path, gradient_flow
from lib.mechanics.problem import Problem, Resting, slack_directions
from lib.mechanics.samples import (
    NextTokenData,
    from_sequences,
    gaussian_embeddings,
    orthonormal_embeddings,
)
from lib.mechanics.token_priority_graph import pair_matrices, project

SCALES = np.r_[np.arange(2.0, 25, 1), np.geomspace(30, 640, 10)]
TIMES = np.r_[np.arange(1.0, 18), np.geomspace(20, 640, 14)]
SMALL = from_sequences([[0, 1, 2]] * 3, [0, 0, 1], np.eye(3))
EVEN = from_sequences([[0, 1]] * 3, [0, 0, 1], np.eye(2))
FLOORED = floored_loss(1e-6)

R, n, f, B, C = sp.symbols("R n f B C", positive=True)  # n = |W_svm|, f = |W_fin|
REACH = sp.sqrt(R**2 - f**2) / n  # a
MARGIN = REACH - B


def lengths(path: Path) -> Array:
    """|W| along a path that starts in the data span."""
    return np.hypot(np.linalg.norm(path.x, axis=1), np.linalg.norm(path.z, axis=1))


def clear_of_degeneracy(data: NextTokenData) -> bool:
    """No slack margin within a tenth of tight, no tight one with a multiplier below 0.2.

    A limit that is nearly another one comes late.
    """
    svm = Problem(data).svm
    margins = (pair_matrices(data, svm.pairs) * svm.W).sum(axis=(1, 2))
    tight = margins < 1 + 1e-6
    slack, duals = margins[~tight], np.asarray(svm.duals)[tight]
    return slack.min(initial=np.inf) > 1.1 and duals.min() > 0.2


class Followed(NamedTuple):
    """A data set with its path and a flow."""

    problem: Resting
    path: Path
    flow: Path


@dataclass
class RegularisationPath(Checks):
    """The regularization path's limits, rates and remainder."""

    K: int = whole(6, 3, 12, holds=(5, 7))
    d: int = dimensions(8, 16, holds=(lambda self: self.K, 10))
    n: int = whole(20, 10, 40, holds=(12, 30))
    runs: int = whole(2, 1, 4, holds=(1, 3))
    seed: int = seed()

    tag = "mechanics.regularisation-path"
    hypotheses = {
        "H1": "the embeddings are linearly independent",
        "H2": "labels are realizable",
        "H3": "the loss is the log-loss",
        "H4": r"something is ordered, $W^{svm}\ne0$",
    }
    parts = {
        "the direction": ("competitor", "direction-proved"),
        "inside the cycles": ("competitor", "finite-part-proved"),
    }
    standing = "reconstructed"
    trusts = (
        chapter("mechanics.w-fin", "the cyclic part keeps what is near its infimum bounded"),
        chapter("mechanics.graph-svm", "there is one shortest matrix", "the direction"),
    )

    def cyclic(self, rng: Generator) -> NextTokenData:
        """Data with cycles and priorities."""
        return cyclic_draw(rng, n=self.n, K=self.K, d=self.d)

    @once
    def pictured(self, rng: Generator) -> Followed:
        """Data with cycles: path, and flow from 0."""
        problem = Resting(self.cyclic(rng))
        split = problem.split
        flow = gradient_flow(split, *split.coordinates(0 * problem.svm.W), TIMES)
        return Followed(problem, regularization_path(split, SCALES), flow)

    small = group()

    @once
    def exact(self) -> list[Any]:
        """Distances to W_fin and lengths at s = 20 and 640, to 330 digits."""
        return [gap_and_length(float(s)) for s in (20, 640)]

    def log_product(self) -> list[Any]:
        """Logarithms of the distance times e^{R / |W_svm|}, at both."""
        size = mp.sqrt(mp.mpf(2) / 3)
        return [mp.log(gap) + length / size for gap, length in self.exact]

    @claim("in", [0.2475, 0.2525], "limit")
    def gap_constant(self) -> float:
        r"""small example: $\|\Pi\bar W_R-W^{fin}\|\,e^{R/\|W^{svm}\|}\to\frac14$; value at
        $s=640$"""
        return float(mp.exp(self.log_product()[1]))

    @claim("<=", 1e-6, "identity")
    def path_digits(self) -> float:
        """small example, $s=20$: distance to $W^{fin}$ and $R$ by the code of the picture, against
        330 digits, larger relative difference"""
        path = regularization_path(Problem(SMALL).split, [20.0])
        by_code = np.array([np.linalg.norm(path.gap), lengths(path)[0]])
        return np.abs(by_code / np.array(self.exact[0], dtype=float) - 1).max()

    @claim("in", [-0.1, 0.1], "rate")
    def no_power_of_R(self) -> float:
        """a further factor $R^a$ in the distance: the $a$ that 330 digits leave between $s=20$ and
        $640$"""
        early, late = self.log_product()
        return float((late - early) / mp.log(self.exact[1][1] / self.exact[0][1]))

    @claim("==", True, "symbolic", strength="certified")
    def quarter(self) -> Facts:
        r"""to leading order the distance is $\frac14e^{-R/\|W^{svm}\|}$ in the small example, all
        $C$ and $s$"""
        s = sp.Symbol("s", positive=True)
        pull = sp.Rational(2, 3) * C * sp.exp(-s)  # odds q: the leak pulls along W_svm
        score_gap = -sp.log(pull * 3 / sp.sqrt(2))  # q = e^-score_gap / (sqrt 2 + 1/sqrt 2)
        curvature = sp.Rational(4, 9)
        return pull / (3 * sp.sqrt(2)) / curvature, sp.exp(-score_gap) / 4

    limits = group()

    @step("symbolic", concludes=True)
    def competitor(self) -> Facts:
        r"""$W^{fin}\perp W^{svm}$: the competitor $W^{fin}+a\,W^{svm}$ has length $R$, and odds of
        at most $2Ce^{-a}$ are a margin of at least $-\log(2Ce^{-a})=a-B$"""
        margin = REACH - sp.log(2 * C)
        return (f**2 + REACH**2 * n**2, R**2), (-sp.log(2 * C * sp.exp(-REACH)), margin)

    @step("symbolic", "inside the cycles", as_printed=True, concludes=True)
    def finite_part_proved(self) -> Facts:
        r"""the loss that the competitor leaves vanishes: $Ce^{-a}\to0$ as $R\to\infty$, so
        $\Pi\bar W_R\to W^{fin}$"""
        return sp.Limit(C * sp.exp(-REACH), R, sp.oo), 0

    @step("symbolic", as_printed=True, concludes=True)
    def direction_proved(self) -> Facts:
        r"""$\frac{R^2}{(a-B)^2}-\|W^{svm}\|^2\to0$, and $\frac{a-B}R\to\frac1{\|W^{svm}\|}$: so
        $\bar W_R/R\to W^{svm}/\|W^{svm}\|$, all $W^{fin}$ and $B$"""
        square = sp.Limit(R**2 / MARGIN**2, R, sp.oo)
        return (square, n**2), (sp.Limit(MARGIN / R, R, sp.oo), 1 / n)

    ball_itself = group()

    @once
    def walked(self, rng: Generator) -> tuple[Resting, Path]:
        """Data with cycles, and a few points of their path, s = 0 to 600."""
        problem = Resting(self.cyclic(rng))
        return problem, regularization_path(problem.split, [0.0, 5, 20, 100, 600])

    @once
    def in_balls(self) -> dict[Any, Any]:
        """{R: W of the path with this length}."""
        split = self.walked[0].split
        return {radius: split.matrix(*minimizer_in_ball(split, radius)) for radius in (1.0, 4, 10)}

    @claim(">", 0, "inequality")
    def lowest(self, rng: Generator) -> float:
        """of 300 random points of each ball, most of them near its minimizer, none has a lower
        loss: the least of their losses, less the loss there"""
        data = self.walked[0].data

        def others(radius: float, W: Array) -> Iterator[Array]:
            for size in np.geomspace(1e-3, 2, 300):
                moved = W + size * radius * rng.normal(size=W.shape) / W.shape[0]
                yield moved * minimum(1, radius / np.linalg.norm(moved))

        return minimum(
            risk(W_near, data) - risk(W, data)
            for radius, W in self.in_balls.items()
            for W_near in others(radius, W)
        )

    rates = group()

    def clear(self, rng: Generator) -> NextTokenData:
        """Data with cycles, clear of degeneracy."""
        draw, size = lambda: self.cyclic(rng), (self.n, self.K, self.d)
        return drawn(draw, clear_of_degeneracy, "n, K, d", size, most=1000)

    @once
    def followed(self, rng: Generator) -> list[Followed]:
        """Data clear of degeneracy: the path, and a flow from a random start."""
        found = []
        for _ in range(self.runs):
            problem = Resting(self.clear(rng))
            split = problem.split
            start = split.coordinates(rng.normal(size=(self.d, self.d)))
            flow = gradient_flow(split, *start, [1.0, 1e5])
            found.append(Followed(problem, regularization_path(split, SCALES), flow))
        return found

    @claim("<=", 1e-10, "limit", "inside the cycles", as_printed=True, atol=1e-10)
    def finite_part(self) -> float:
        r"""$\Pi\bar W_R\to W^{fin}$: largest distance at $s=640$, over the length of $W^{fin}$ or
        1 if that is longer, @{runs} data sets"""

        def off(problem: Resting, path: Path) -> float:
            W, fin = problem.split.matrix(path.x[-1], path.z[-1]), problem.fin.W
            inside = project(problem.split.finite_basis, W)
            return np.linalg.norm(inside - fin) / maximum(1, np.linalg.norm(fin))  # W_fin may be 0

        return maximum(off(problem, path) for problem, path, _ in self.followed)

    @claim("<=", 0.02, "limit", rtol=1e-2)
    def same_remainder(self) -> float:
        r"""the remainder beside $C\,W^{svm}$, along the support vectors, minus gradient flow's
        from a random start: $-\nabla^2\Phi(\rho^\star)^{-1}\rho^\star/C$, relative difference at
        $s=640$"""

        def off(problem: Resting, path: Path, flow: Path) -> float:
            along, rest = log_inverse(SCALES[-1]), problem.rest
            rows = problem.leaks.rows @ rest.basis.T
            lag = -np.linalg.solve((rows.T * rest.weights) @ rows, rest.basis @ rest.rho)
            left, left_flow = path.z[-1] - along * problem.w, flow.z[-1] - 1e5 * problem.w
            return relative_error(along * (rest.basis @ (left - left_flow)), lag)

        return maximum(off(*each) for each in self.followed)

    near = group()

    @once
    def far(self, rng: Generator) -> list[Followed]:
        """Data clear of degeneracy with slack directions: the path far out, the flow from 0."""
        draw, size, found = lambda: self.clear(rng), (self.n, self.K, self.d), []
        for _ in range(self.runs):
            problem = Resting(drawn(draw, slack_directions, "n, K, d", size, most=100))
            split, fin = problem.split, problem.fin
            path = regularization_path(split, [80.0, 160, 320, 640])
            flow = gradient_flow(split, 0 * fin.x, 0 * problem.w, [1.0, 1e3, 1e4])
            found.append(Followed(problem, path, flow))
        return found

    @claim("<=", 0.01, "limit", atol=1e-5)
    def angle_constant(self) -> float:
        r"""$R$ times the sine of the angle to $W^{svm}$, extrapolated, against $\sqrt{\lVert
        W^{fin}\rVert^2+\lVert\rho^\star_\perp\rVert^2}$: largest relative error, @{runs} data
        sets"""

        def error(problem: Resting, path: Path) -> float:
            off = np.linalg.norm(np.c_[path.x, problem.off(path.z)], axis=1)
            R = lengths(path)
            limit = (off[-1] * R[-1] - off[-2] * R[-2]) / (R[-1] - R[-2])  # no term of order 1/R
            wanted = np.linalg.norm(np.r_[problem.fin.x, problem.off(problem.rest.rho)])
            return abs(limit / wanted - 1)

        return maximum(error(problem, path) for problem, path, _ in self.far)

    @claim("<=", 1e-6, "limit", atol=1e-7)
    def path_slack(self) -> float:
        """slack directions: what the path keeps at $s=640$, largest"""

        def kept(problem: Resting, z: Array) -> np.floating:
            return np.linalg.norm(problem.off(z) - problem.tight(problem.off(z)))

        return maximum(kept(problem, path.z[-1]) for problem, path, _ in self.far)

    def flow_slack(self) -> float:
        """Slack directions: what the flow from 0 keeps, largest."""

        def kept(problem: Resting, z: Array) -> np.floating:
            return np.linalg.norm(z - problem.tight(z))

        return maximum(kept(problem, flow.z[-1] - 1e4 * problem.w) for problem, _, flow in self.far)

    without = group()

    @control("H1", "<=", 1e-6, atol=1e-7)
    def infeasible(self, rng: Generator) -> float:
        """an embedding between two that must both beat it: growth of the path from $s=40$ to
        $80$"""
        rows = gaussian_embeddings(3, 3, rng)
        rows[2] = (rows[0] + rows[1]) / 2
        data = from_sequences([[0, 2], [1, 2], [0, 2]], [0, 1, 0], rows, independent=False)
        early, late = lengths(regularization_path(Problem(data).split, [40.0, 80.0]))
        return late - early

    @once
    def absent(self, rng: Generator) -> list[Any]:
        """A label outside its input: cosines of W to the Graph-SVM without this row, with it."""
        data = from_sequences(
            [[0, 1, 3], [1, 2, 3], [1, 3], [2, 0, 3]],
            [0, 1, 1, 1],  # the last label is not in its input, and says that 1 beats 0
            orthonormal_embeddings(4, 4, rng),
            realizable=False,
        )
        start = 0.01 * rng.normal(size=(4, 4))
        end = descended(start, data, 3.0, 5_000, loss=FLOORED)
        return [cosine(end, Problem(part).svm.W) for part in (data.only([0, 1, 2]), data)]

    @control("H2", "<", -0.05, rtol=1e-2)
    def label_absent(self) -> float:
        r"""a label outside its input, the loss floored at $-\log10^{-6}$ to be finite: after
        descent, cosine to the Graph-SVM of all samples minus that to the Graph-SVM without this
        sample"""
        return self.absent[1] - self.absent[0]

    @control("H3", "==", True, kind="symbolic")
    def linear_loss_cycle(self) -> Facts:
        r"""$\ell(u)=1-u$, one pair (H4 gone too), share $p$ of the labels for the first: the loss
        has slope $-(2p-1)\sigma'(g)$ in the score gap $g$, so for $p>\frac12$ no finite gap is
        best"""
        share, gap = sp.symbols("p g", positive=True)
        sigma = 1 / (1 + sp.exp(-gap))
        loss = share * (1 - sigma) + (1 - share) * (1 - 1 / (1 + sp.exp(gap)))
        return sp.Derivative(loss, gap), -(2 * share - 1) * sp.Derivative(sigma, gap)

    @control("H4", "<=", 1e-10, kind="identity")
    def nothing_ordered(self) -> np.floating:
        """nothing ordered: distance of the path's end to $W^{fin}$"""
        return np.linalg.norm(regularization_path(Problem(EVEN).split, [40.0]).gap)
