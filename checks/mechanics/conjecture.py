"""The conjecture: what its rows measure.  The chapter: ``book/mechanics/conjecture.ipynb``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, chapter, claim, control, group, once, real, seed, step, whole
from lib.arrays import Array, ArrayLike
from lib.measure import maximum, minimum, relative_error
from lib.mechanics.attention_layer import linear_loss
from lib.mechanics.descent import cosine, descend, descended, sine
from lib.mechanics.draws import authors_draw, crowded_draw, cyclic_draw, drawn, random_draw
from lib.mechanics.graph_svm import least_norm
from lib.mechanics.limit_offset import unsupported
from lib.mechanics.limit_paths import Path, gradient_flow, slow_flow
from lib.mechanics.problem import Problem, Resting, slack_directions
from lib.mechanics.samples import (
    NextTokenData,
    from_sequences,
    gaussian_embeddings,
    orthonormal_embeddings,
)
from lib.mechanics.token_priority_graph import has_cycle

STAR = from_sequences([[1, 0], [1, 0], [2, 0]], [0, 0, 0], np.eye(3))
STAR_TIMES = np.r_[np.linspace(0.1, 12, 60), 17, 100]
TIED = from_sequences([[1, 3, 0], [2, 0]], [1, 0], np.eye(4))  # degenerate
LOG_FAR = np.r_[20.0, np.geomspace(1e2, 1e7, 11)]
ABOVE = from_sequences([[0, 1], [0, 1], [0, 1], [2, 1]], [0, 0, 1, 1], np.eye(3))
PAIR = from_sequences([[0, 1]] * 3, [0, 0, 1], np.eye(2))
EARLY = np.arange(1.0, 18)


class Parts(NamedTuple):
    """Along a path: C - log t, the offset's distance from rho* in the tight span, the rest of it.

    shift, distance: (m,).  slack: (m, q).
    """

    shift: np.ndarray
    distance: np.ndarray
    slack: np.ndarray


@dataclass(frozen=True, eq=False)
class Solved(Resting):
    """A data set with its Graph-SVM in coordinates z and the offset predicted, and flows on it."""

    def flow(self, start: Array, log_times: ArrayLike, **tolerances: Any) -> Path:
        """The flow from W = ``start``; rtol and atol as told."""
        return gradient_flow(self.split, *self.split.coordinates(start), log_times, **tolerances)

    def parts(self, path: Path) -> Parts:
        """``Parts`` along a path."""
        rho = path.z - path.log_time[:, None] * self.w
        tight = self.tight(rho)
        distance = np.linalg.norm(tight - self.rest.rho, axis=1)
        return Parts(rho @ self.w / (self.w @ self.w), distance, rho - tight)


def degenerate_rows(data: NextTokenData) -> Array:
    """The tight rows of a data set that no multipliers use."""
    solved = Solved(data)
    rows = unsupported(solved.leaks, solved.w)
    return rows[rows.any(axis=1)]


def finite_part_not_small(data: NextTokenData) -> np.bool_:
    """Whether the finite part is tested."""
    return np.linalg.norm(Problem(data).fin.W) > 0.5


def bowl_decides(data: NextTokenData) -> bool:
    """An eigenvalue of the Hessian is least, by far."""
    rest = Solved(data).rest
    return 0.1 < rest.rates[0] < 0.5 * minimum(rest.excess, 1)


def margin_decides(data: NextTokenData) -> bool:
    """A slack margin's excess is least, by far, of the other slack margins' too."""
    solved = Solved(data)
    excess, rest = solved.leaks.rows @ solved.w - 1, solved.rest
    next_one = np.min(excess[excess > rest.excess + 1e-8], initial=np.inf)
    return 0.1 < rest.excess < 0.5 * minimum(rest.rates[0], next_one)


def two_cyclic_dimensions(data: NextTokenData) -> bool:
    """The finite part has a direction of its own, and no direction is slack."""
    return len(Problem(data).fin.x) > 1 and not Solved(data).has_slack


def has_offset(data: NextTokenData) -> bool:
    """Whether the Graph-SVM is feasible and the data are not degenerate."""
    try:
        Solved(data).rest  # noqa: B018
    except ValueError:
        return False
    return True


def acyclic_and_fast(data: NextTokenData) -> bool:
    """No cycle, and e^(-alpha C) < 0.03 after 4000 steps of 0.01."""
    if has_cycle(data):
        return False
    solved = Solved(data)
    return solved.rest.exponent * 0.01 * 4000 > 3.5 * solved.svm.norm


def ordered_draw(embeddings: Array, rng: Generator) -> NextTokenData:
    """Six samples of three tokens with last token 0, labels by a random order of the tokens."""
    K = len(embeddings)
    order = rng.permutation(K)
    sequences = [
        [*rng.choice(np.arange(1, K), size=2, replace=False).tolist(), 0] for _ in range(6)
    ]
    labels = [min(sequence, key=order.__getitem__) for sequence in sequences]
    return from_sequences(sequences, labels, embeddings)


class Flow(NamedTuple):
    """A flow of a data set to log t = 30/alpha, and its parts."""

    path: Path
    parts: Parts


class Descended(NamedTuple):
    """Plain descent on a data set: its start and its end."""

    solved: Solved
    start: np.ndarray
    end: np.ndarray


@dataclass
class Conjecture(Checks):
    """The conjecture W(t) = C(t) W_svm + W_fin, with its remainder."""

    K: int = whole(6, 4, 12, holds=(6, 7), why="a sequence shows four different tokens")
    d: int = dimensions(8, 16, holds=(lambda self: self.K, 10))
    n: int = whole(20, 10, 40, holds=(20, 30))
    runs: int = whole(2, 1, 4, holds=(1, 3))
    draws: int = whole(200, 100, 400, holds=(200, 300))
    steps: int = whole(4000, 2000, 8000, holds=(2000, 6000))
    eta: float = real(1.0, 0.5, 2, holds=(0.5, 1.0))
    seed: int = seed()

    tag = "mechanics.conjecture"
    hypotheses = {
        "H1": r"the embeddings are linearly independent ($CE^\top=I_K$)",
        "H2": "labels are realizable",
        "H3": "the loss is the log-loss",
        "H4": r"something is ordered, $W^{svm}\ne0$",
        "H5": "the data are not degenerate",
        "H6": "plain gradient steps, small enough",
    }
    parts = {
        "the direction": ("direction-limit",),
        "$C(t)$": ("c-of-t",),
        "the remainder": ("bounded-remainder", "inside-cycles", "slack-memory", "not-zero"),
        "its rate": ("rate-bowl", "rate-margin"),
        "degenerate data": ("log-log",),
        "descent in steps": ("descent",),
    }
    trusts = (
        chapter(
            "mechanics.global-convergence",
            "training grows in the direction of the Graph-SVM",
            "the direction",
        ),
    )
    standing = "reconstructed"
    unknown = {
        "H2": "without the label in the input the log-loss is infinite at every W: there is no"
        " descent"
    }

    @step("symbolic", as_printed=True, concludes=True)
    def direction_limit(self) -> Facts:
        r"""the squared sine of the angle of $V+C\,W^{svm}$ and $W^{svm}$ is $(\lVert
        V\rVert^2-\langle V,W^{svm}\rangle^2/\lVert W^{svm}\rVert^2)/\lVert
        V+C\,W^{svm}\rVert^2\to0$ as $C\to\infty$, for every $V$: with [global
        convergence](global_convergence.ipynb) the conjecture holds as a direction, for $W^{fin}$
        as for any other matrix in its place"""
        C, size, v = sp.symbols("C n v", positive=True)  # |W_svm|, |V|
        product = sp.Symbol("p", real=True)  # <V, W_svm>
        length = v**2 + 2 * C * product + C**2 * size**2  # |V + C W_svm|^2
        sine = 1 - (product + C * size**2) ** 2 / (size**2 * length)
        stated = (v**2 - product**2 / size**2) / length
        return (sine, stated), (sp.Limit(stated, C, sp.oo), 0)

    offset = group()

    def tested_draw(self, rng: Generator) -> NextTokenData:
        """Data with cycles whose finite part is not small."""
        draw = lambda: cyclic_draw(rng, n=self.n, K=self.K, d=self.d)
        size = self.n, self.K, self.d
        return drawn(draw, finite_part_not_small, "n, K, d", size, most=1000)

    def tested(
        self, rng: Generator, wanted: Callable[[NextTokenData], bool], most: int = 1000
    ) -> Solved:
        """The same, and as wanted, solved."""
        draw, size = lambda: self.tested_draw(rng), (self.n, self.K, self.d)
        return Solved(drawn(draw, wanted, "n, K, d", size, most=most))

    def random_start(self, rng: Generator) -> Array:
        """A start W, (d, d)."""
        return rng.normal(size=(self.d, self.d))

    @once
    def walked(self, rng: Generator) -> tuple[Solved, Path]:
        """Data with slack directions, and a flow on them from a random start."""
        solved = self.tested(rng, slack_directions)
        times = np.r_[EARLY, np.arange(18, 60, 3), 70, 85, 100, 150, 200, 300, 1000]
        return solved, solved.flow(self.random_start(rng), times, rtol=1e-10, atol=1e-11)

    @once
    def data_sets(self, rng: Generator) -> list[Solved]:
        """The data sets that are followed, the first with slack directions."""
        first = self.tested(rng, slack_directions)
        return [first, *(Solved(self.tested_draw(rng)) for _ in range(self.runs - 1))]

    @once
    def flows(self, rng: Generator) -> list[list[Flow]]:
        """Of each of them two flows, the second from further out."""
        # what is left inside the cycles is of size 1e-7 and less: it must not be the solver's error
        fine, found = dict(rtol=1e-12, atol=1e-14), []
        for solved in self.data_sets:
            end = maximum(60, 30 / solved.rest.exponent)
            times = np.r_[EARLY, np.linspace(18, end, 40)[1:]]
            starts = [size * self.random_start(rng) for size in (0.1, 3.0)]
            paths = [solved.flow(start, times, **fine) for start in starts]
            found.append([Flow(path, solved.parts(path)) for path in paths])
        return found

    def each_flow(self) -> list[tuple[Solved, Flow]]:
        """(data set, flow) of all flows."""
        both = zip(self.data_sets, self.flows, strict=True)
        return [(solved, flow) for solved, flows in both for flow in flows]

    @property
    def flow_count(self) -> int:
        return 2 * self.runs

    @claim("<=", 1e-10, "limit", condition="data that are not degenerate", atol=1e-10)
    def bounded_remainder(self) -> float:
        r"""$W-\log t\,W^{svm}-W^{fin}$ settles where $\Phi$ says: distance to $\rho^\star$ in the
        span of the tight constraints at the later of $\log t=30/\alpha$ and 60, largest of
        @{flow_count} flows"""
        return maximum(flow.parts.distance[-1] for _, flow in self.each_flow())

    @claim("<=", 1e-11, "limit", atol=1e-11)
    def c_of_t(self) -> float:
        r"""$C(t)-\log t$ against the predicted $c$ at the later of $\log t=30/\alpha$ and 60,
        largest difference"""
        return maximum(abs(flow.parts.shift[-1] - solved.c) for solved, flow in self.each_flow())

    def rate(self, solved: Solved, start: Array) -> float:
        """Measured exponent of the distance to rho* from a start, over -alpha."""
        times = np.linspace(1, 30 / solved.rest.exponent, 120)
        # far below the window's lower end: else the solver's error is fitted, not the flow
        distance = solved.parts(solved.flow(start, times, rtol=1e-12, atol=1e-13)).distance
        window = (distance < 1e-6) & (distance > 1e-9)
        slope = np.polyfit(times[window], np.log(distance[window]), 1)[0]
        return -slope / solved.rest.exponent

    # what falls twice as fast is a thousandth of it where the window begins
    @claim("in", [0.995, 1.005], "rate", rtol=2e-3)
    def rate_bowl(self, rng: Generator) -> float:
        r"""an eigenvalue of $\nabla^2\Phi(\rho^\star)$ least, at most half of 1 and of each slack
        margin's excess: measured exponent of the distance to $\rho^\star$ over $-\alpha$"""
        return self.rate(self.tested(rng, bowl_decides), self.random_start(rng))

    @claim("in", [0.995, 1.005], "rate", rtol=1e-3)
    def rate_margin(self, rng: Generator) -> float:
        r"""the excess of a slack margin least, at most half of the other margins' and of the
        eigenvalues: measured exponent of the distance to $\rho^\star$ over $-\alpha$"""
        return self.rate(self.tested(rng, margin_decides), self.random_start(rng))

    @once
    def clocks(self, rng: Generator) -> Array:
        """alpha of data of the authors' kind: lowest tenth, median, highest tenth."""
        draws = [Solved(authors_draw(rng, K=6, d=8)).rest.exponent for _ in range(self.draws)]
        return np.quantile(draws, [0.1, 0.5, 0.9])

    @claim("<=", 5e-4, "limit", atol=1e-6)
    def inside_cycles(self) -> float:
        r"""inside $\mathcal S_{fin}$ the remainder vanishes as the losers do that pull on it: it is
        $-H^{-1}\nabla(\text{leak})$, the leak being the losers' part of the loss and $H$ the cyclic
        part's Hessian at $W^{fin}$, of order $t^{-g}$, $g\ge1$ the least margin that pulls;
        relative distance at $\log t=16$, largest"""

        def off(solved: Solved, path: Path) -> float:
            at = int(np.flatnonzero(path.log_time == 16)[0])  # its x is not yet slaved to z
            slaved = slow_flow(solved.split, solved.fin.x, path.z[at], path.log_time[at : at + 1])
            return relative_error(path.gap[at], slaved.x[0] - solved.fin.x)

        def pushed(path: Path) -> bool:
            late = np.linalg.norm(path.gap[path.log_time > 50], axis=1)
            return not late.max() <= 1e-290  # else no leak pushes on it

        return maximum(
            off(solved, flow.path) for solved, flow in self.each_flow() if pushed(flow.path)
        )

    def remainders(self) -> list[Any]:
        """Lengths of R in the data span, of all flows."""
        ends = ((own, flow.parts.slack[-1]) for own, flow in self.each_flow())
        return [np.linalg.norm(own.off(own.rest.rho) + slack) for own, slack in ends]

    @once
    def aside(self) -> list[Array]:
        """Of each data set, where the two flows end apart in slack directions, (q,)."""
        return [first.parts.slack[-1] - second.parts.slack[-1] for first, second in self.flows]

    @once
    def star(self) -> Array:
        """Gaps of the winner over the star's two losers along the flow from 0, (times, 2)."""
        solved = Solved(STAR)
        path = solved.flow(np.zeros((3, 3)), STAR_TIMES, rtol=1e-10, atol=1e-11)
        scores = solved.split.matrix(path.x, path.z)[:, :, 0]
        return scores[:, :1] - scores[:, 1:]

    @claim("in", [-1e-7, 1e-7], "limit", atol=1e-7)
    def not_zero(self) -> float:
        r"""the remainder does not vanish as a whole: where 0 beats 1 twice and 2 once, the two
        gaps, alike under $W^{svm}$, differ by $\log2$ at $\log t=100$: difference from $\log2$"""
        return self.star[-1, 0] - self.star[-1, 1] - np.log(2)

    @claim("<=", 1e-7, "limit", atol=1e-7)
    def slack_memory(self) -> float:
        r"""slack directions (the first data set is chosen to have some) remember: a start on
        $W^{fin}+C\,W^{svm}$, far out, and 1 aside in them is 1 aside in the end: distance less
        1"""

        def moved(solved: Solved, aside: Array) -> np.floating:
            far = 30 / minimum(solved.rest.excess, 1)  # out there the slack leaks are dead
            start = far * solved.w + aside / np.linalg.norm(aside)
            end = gradient_flow(solved.split, solved.fin.x, start, [1.0, 10 * far]).z[-1]
            return abs(np.linalg.norm(end - solved.tight(end)) - 1)

        pairs = zip(self.data_sets, self.aside, strict=True)
        return maximum(moved(solved, aside) for solved, aside in pairs if solved.has_slack)

    ratios = group()

    @once
    def ridges(self, rng: Generator) -> list[tuple[str, Any, Any, Any, Any]]:
        """For four V: name, 1 - cosine with V + R W_svm at log t = 17, 1000, sine log t, predicted.

        One flow from 0; the sine at log t = 1e6.
        """
        solved = self.tested(rng, two_cyclic_dimensions, most=200)
        split, svm, fin = solved.split, solved.svm, solved.fin
        path = solved.flow(0 * svm.W, np.r_[1.0, 17, 1e3, 1e4, 1e5, 1e6])
        W = split.matrix(path.x, path.z)
        other = rng.normal(size=fin.x.shape)
        other = split.matrix(other / np.linalg.norm(other) * np.linalg.norm(fin.x), 0 * solved.w)  # type: ignore[assignment]
        remainder = split.matrix(0 * fin.x, solved.off(solved.rest.rho))
        reach = ((W * svm.W).sum(axis=(1, 2)) / svm.norm**2)[:, None, None]
        found = []
        for name, V in {"W_fin": fin.W, "0": 0 * fin.W, "-W_fin": -fin.W, "random": other}.items():
            ridge = V + reach * svm.W
            predicted = np.linalg.norm(remainder + fin.W - V) / svm.norm
            close = 1 - cosine(W, ridge)
            constant = sine(W[-1], ridge[-1]) * path.log_time[-1]
            found.append((name, close[1], close[2], constant, predicted))
        return found

    @claim("<=", 1e-4, "limit", atol=1e-7)
    def sine_constant(self) -> float:
        r"""each of four candidates in the place of $W^{fin}$ passes as a direction, and with what
        constant: sine times $\log t$ at $10^6$ against $\lVert R_\infty+W^{fin}-V\rVert/\lVert
        W^{svm}\rVert$, largest relative error"""
        return maximum(abs(found / predicted - 1) for *_, found, predicted in self.ridges)

    ties = group()

    @once
    def degenerate_draws(self, rng: Generator) -> dict[Any, Any]:
        """How many random data sets are degenerate, by their embeddings."""

        def count(embeddings: Callable[[int, int, Generator], Array]) -> int:
            draws = (ordered_draw(embeddings(self.K, self.d, rng), rng) for _ in range(self.draws))
            return sum(len(degenerate_rows(data)) > 0 for data in draws)

        makers = {"Gaussian": gaussian_embeddings, "orthonormal": orthonormal_embeddings}
        return {name: count(make) for name, make in makers.items()}

    @once
    def creep(self) -> Array:
        """The Graph-SVM of the tied data's unsupported constraints, in coordinates z."""
        return least_norm(degenerate_rows(TIED))[0]

    @once
    def tied(self) -> Array:
        """The remainder of the tied data along the flow from 0, at ``LOG_FAR``, (m, q)."""
        solved = Solved(TIED)
        return solved.flow(np.zeros((4, 4)), LOG_FAR).z - LOG_FAR[:, None] * solved.w

    @claim("<=", 1e-3, "rate", atol=1e-6)
    def log_log(self) -> np.floating:
        r"""the two samples: slope of the remainder in $\log\log t$, $\log t$ from $10^5$ to
        $10^7$, against the Graph-SVM of the unsupported constraints: relative error"""
        slope = (self.tied[-1] - self.tied[-5]) / np.log(LOG_FAR[-1] / LOG_FAR[-5])
        return np.linalg.norm(slope - self.creep) / np.linalg.norm(self.creep)

    steps_taken = group()

    @once
    def descended(self, rng: Generator) -> Descended:
        """Plain descent on data with cycles from a random start."""
        data = cyclic_draw(rng, n=self.n, K=self.K, d=self.d)
        start = self.random_start(rng)
        end = descended(start, data, self.eta, self.steps)
        return Descended(Solved(data), start, end)

    def left_over(self) -> np.floating:
        """How far its end is from rho*, over the length of that."""
        solved, _, end = self.descended
        z, log_t = solved.split.coordinates(end)[1], np.log(self.eta * self.steps)
        away = solved.tight(z - log_t * solved.w) - solved.rest.rho
        return np.linalg.norm(away) / np.linalg.norm(solved.rest.rho)

    @claim("<=", 5e-3, "limit", atol=1e-4)
    def descent(self) -> np.floating:
        r"""plain descent after $\tau=@{steps}$ steps, data with cycles: its distance from the flow
        at $t=\eta\tau$ over the length of $\rho^\star$"""
        solved, start, end = self.descended
        path = solved.flow(start, [np.log(self.eta * self.steps)])
        here = np.r_[solved.split.coordinates(end)]
        there = np.r_[path.x[0], path.z[0]]
        return np.linalg.norm(here - there) / np.linalg.norm(solved.rest.rho)

    without = group()

    @control("H1", "<", 1e-6, atol=1e-6)
    def crowded(self, rng: Generator) -> float:
        r"""a draw with $K=@{K}>d=4$ and a feasible Graph-SVM does without independence: distance to
        $\rho^\star$ at the later of $\log t=30/\alpha$ and $10^4$"""
        draw = lambda: crowded_draw(rng, 4, n=12, K=self.K, d=self.d)
        solved = Solved(drawn(draw, has_offset, "K, d", (self.K, self.d), most=200))
        end = maximum(1e4, 30 / solved.rest.exponent)
        path = solved.flow(np.zeros((4, 4)), [1.0, 17, end], rtol=1e-10, atol=1e-11)
        return solved.parts(path).distance[-1]

    @control("H3", "in", [0.9, 1.1], kind="rate", rtol=1e-3)
    def linear_loss(self) -> float:
        r"""$\ell(u)=1-u$, two labels against one, a token below them: slope of the gap inside
        $\mathcal S_{fin}$ in $\log t$ (log-loss: 0)"""
        observe = lambda block: {"gap": block[:, 0, 1] - block[:, 1, 1]}
        _, seen = descend(np.zeros((3, 3)), ABOVE, 5.0, 2000, loss=linear_loss, observe=observe)
        return (seen["gap"][-1] - seen["gap"][200]) / np.log(10)

    @control("H4", "<=", 1e-9, kind="identity")
    def nothing_ordered(self) -> np.floating:
        r"""no priorities: $\lVert W-W^{fin}\rVert_F$ from 0, after 500 steps"""
        end = descended(np.zeros((2, 2)), PAIR, 1.0, 500)
        return np.linalg.norm(end - Problem(PAIR).fin.W)

    @control("H5", ">", 0.5, rtol=1e-3)
    def degenerate(self) -> np.floating:
        r"""the two samples: growth of the remainder from $\log t=10^5$ to $10^7$"""
        return np.linalg.norm(self.tied[-1]) - np.linalg.norm(self.tied[-5])

    @once
    def normalised_run(self, rng: Generator) -> tuple[Solved, Array, Array]:
        """Normalized steps of 0.01 on acyclic data from 0: the data, the last W, C at each step."""
        draw = lambda: random_draw(rng, d=self.d, K=self.K)
        solved = Solved(drawn(draw, acyclic_and_fast, "K, d", (self.K, self.d)))
        svm, data = solved.svm, solved.data
        observe = lambda block: {"C": (block * svm.W).sum(axis=(1, 2)) / svm.norm**2}
        end, seen = descend(0 * svm.W, data, 0.01, 4000, normalized=True, observe=observe)
        return solved, end, seen["C"]

    @control("H6", "<=", 1, kind="rate", rtol=0.5)
    def normalised(self) -> float | None:
        r"""normalized steps, acyclic data: in the second half of the steps $C$ grows in proportion
        to their number, by a step's length over $\lVert W^{svm}\rVert$ each, but for the square of
        the sine of the angle halfway (twice that of the end); what is missing, over that"""
        solved, end, C = self.normalised_run
        gained = (C[-1] - C[2000]) * solved.svm.norm / 0.01 / 2000
        return (1 - gained) / (2 * sine(end, solved.svm.W)) ** 2 if gained <= 1 + 1e-9 else None
