"""The winners' graph: what its rows measure.  The chapter: ``book/bridge/frozen_decoder.ipynb``."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy.stats import binomtest

from ledgerbook import Checks, claim, control, group, once, real, seed, step, textbook, whole
from lib.arrays import Array, Mask
from lib.bridge.frozen_decoder import (
    kept_tokens,
    sharp_winners,
    winner_leaks,
)
from lib.bridge.joint_training import JointPath, joint_flow, log_attention, one_hot_data
from lib.decide import follows
from lib.measure import maximum
from lib.mechanics.descent import cosine
from lib.mechanics.draws import drawn
from lib.mechanics.graph_svm import graph_svm
from lib.mechanics.limit_offset import Leaks, Offset, offset
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import priority_graphs
from lib.scan_snap.four_classes import CONTEXT, NEXT_TOKENS, QUERIES
from lib.validation import require

ALL_WORDS = len(NEXT_TOKENS + CONTEXT + QUERIES)
COUNTS = np.zeros((4, ALL_WORDS), dtype=int)
for n in range(4):  # "play" four times, the class's own two words five and three times
    COUNTS[n, [4, 5 + 2 * n, 6 + 2 * n]] = 4, 5, 3
EXAMPLE = one_hot_data(COUNTS, [13, 13, 14, 14], range(4))  # behind "band" and "team"
NOTHING = np.zeros((ALL_WORDS, ALL_WORDS))
FACE = one_hot_data([[1, 1, 1]], [0], [0])
GAME = np.array(
    [[0, -4.0, 0], [0, 0, -4.0], [0, 0, 0]]
)  # token 0 excludes label 1, token 1 label 2
CHAIN = one_hot_data(
    [[1, 0, 0, 0, 1], [1, 0, 0, 1, 1], [1, 0, 1, 1, 0], [1, 1, 1, 0, 0]], [0] * 4, [4, 3, 2, 1]
)


def frozen_run(
    data: NextTokenData, Y: Array, Z: Array, times: list[float], normalize: bool = False
) -> JointPath:
    """Attention alone from (Y, Z) on."""
    return joint_flow(data, Y, Z, times, eta_y=0, normalize=normalize)


def winners_svm(data: NextTokenData, winners: Mask) -> Array:
    """The Graph-SVM of the winners' graph, as Z."""
    return graph_svm(data, priority_graphs(data, winners)).W.T


def random_data(rng: Generator, samples: int, tokens: int) -> NextTokenData:
    """Contexts of three different tokens, queries 0 to 2, any label."""
    counts = np.zeros((samples, tokens), dtype=int)
    for row in counts:
        row[rng.choice(tokens, 3, replace=False)] = 1
    return one_hot_data(counts, rng.integers(0, 3, samples), rng.integers(0, tokens, samples))


@dataclass(frozen=True, eq=False)
class Frozen:
    """Random data whose decoder is frozen at ln t = 8, attention runs on to ``log_time``."""

    data: Any
    log_time: float

    @cached_property
    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Neither half has learned anything."""
        return (np.zeros((self.data.counts.shape[1],) * 2),) * 2

    @cached_property
    def trained(self) -> tuple[Array, Array]:
        """Both halves at ln t = 8, where the decoder is frozen: (Y, Z)."""
        path = joint_flow(self.data, *self.start, [8.0], rtol=1e-6, atol=1e-8)
        return path.Y[0], path.Z[0]

    @cached_property
    def best(self) -> Mask:
        """The sharp winners of the frozen decoder, (n, K)."""
        return sharp_winners(self.data, self.trained[0])

    @property
    def ordered(self) -> bool:
        """Whether each context has one winner, with most attention, and their graph no cycle."""
        graphs = priority_graphs(self.data, self.best).values()
        single = all(len(members) == 1 for graph in graphs for members in graph.components)
        leads = log_attention(self.data, self.trained[1]).argmax(axis=1)
        leading = self.best[np.arange(len(leads)), leads].all()
        return bool((self.best.sum(axis=1) == 1).all() and leading) and single

    @cached_property
    def run(self) -> JointPath:
        """The frozen run at half the log time and at all of it."""
        times = [self.log_time / 2, self.log_time]
        return frozen_run(self.data, *self.trained, times)

    @property
    def growth(self) -> Array:
        """Of the logits per unit of ln t, over the last half."""
        return 2 * (self.run.Z[1] - self.run.Z[0]) / self.log_time

    @cached_property
    def svm(self) -> Array:
        """Z^svm of the winners' graph."""
        return winners_svm(self.data, self.best)

    @cached_property
    def leaks(self) -> Leaks:
        """Of the losers under the frozen decoder."""
        return winner_leaks(self.data, self.trained[0], self.best)

    @property
    def off_labels(self) -> float:
        """1 minus the cosine with the Graph-SVM of the labels' graph, at the end."""
        of_labels = graph_svm(self.data, priority_graphs(self.data)).W.T
        return float(1 - cosine(self.run.Z[-1], of_labels))

    def normalized(self, moment: float) -> tuple[float, float]:
        """Normalized, frozen at this log time: share of contexts with a sharp winner, and how far
        a logit moves from ln t = 12 to 16.
        """
        path = joint_flow(self.data, *self.start, [moment], normalize=True, rtol=1e-6)
        sharp = sharp_winners(self.data, path.Y[0], normalize=True).any(axis=1).mean()
        run = frozen_run(self.data, path.Y[0], path.Z[0], [12.0, 16.0], normalize=True)
        return sharp, np.abs(run.Z[1] - run.Z[0]).max()


def one_sharp_winner(data_and_decoder: tuple[NextTokenData, Array]) -> bool:
    """Whether the context has exactly one token at which the others cost."""
    data, Y = data_and_decoder
    return sharp_winners(data, Y, normalize=True).sum() == 1


def quarrel_growth(weight: float, Y: Array) -> float:
    """Growth of the gap per unit of ln t, 20 to 40, of two equal contexts with two labels."""
    data = one_hot_data([[1, 1], [1, 1]], [0, 0], [0, 1], [weight, 1 - weight])
    run = frozen_run(data, Y, np.zeros((2, 2)), [20.0, 40.0])
    return float((run.Z[1] - run.Z[0])[0] @ [1, -1]) / 20


@dataclass
class FrozenDecoder(Checks):
    """What takes the place of the token-priority graph under a frozen decoder."""

    tokens: int = whole(8, 4, 16, holds=(8, 10))
    samples: int = whole(
        6, 2, 8, holds=(4, 8), why="with more, hardly a draw has winners without a cycle"
    )
    draws: int = whole(20, 8, 40, holds=(12, 24))
    log_time: float = real(1e4, 2000, 20000, holds=(2000, 1e4))
    seed: int = seed(1000)

    tag = "bridge.frozen-decoder"
    hypotheses = {
        "H1": "each context has a sharp winner: every other of its tokens has a positive slope",
        "H2": "the winners' graph has no cycle",
        "H3": "at some moment the loss is within a known distance of its value at the winners",
        "H4": "the decoder stays frozen",
    }
    parts = {
        r"$Z/\ln t$ tends to $Z^{svm}$": (
            "pushes",
            "what-is-left-pushes",
            "stays",
            "pushes-positive",
            "two-speeds",
            "squeeze",
            "one-direction",
        ),
    }
    standing = "ours"
    trusts = (
        textbook("the logarithm of a sum of exponentials is convex"),
        textbook("Grüss: a covariance is at most a quarter of the product of the ranges"),
        textbook("a smooth gradient flow that stays in bounded slopes exists for all times"),
    )

    @once
    def together(self) -> JointPath:
        """The running example learning up to ln t = 6."""
        return joint_flow(EXAMPLE, NOTHING, NOTHING, np.linspace(-2, 6, 33))

    @once
    def frozen_at(self) -> tuple[Array, Array]:
        """(Y, Z) of the running example at ln t = 6."""
        return self.together.Y[-1], self.together.Z[-1]

    @once
    def example_winners(self) -> Mask:
        """Of the running example."""
        return sharp_winners(EXAMPLE, self.frozen_at[0])

    @once
    def example_svm(self) -> Array:
        """Z^svm of the running example."""
        return winners_svm(EXAMPLE, self.example_winners)

    @once
    def example_leaks(self) -> Leaks:
        """Of the running example."""
        return winner_leaks(EXAMPLE, self.frozen_at[0], self.example_winners)

    @once
    def example_rest(self) -> Offset:
        """Where the running example comes to rest beside ln t Z^svm."""
        return offset(self.example_leaks, self.example_svm.ravel())

    def example_run(self, times: list[float]) -> JointPath:
        """The running example, decoder frozen at ln t = 6."""
        return frozen_run(EXAMPLE, *self.frozen_at, times)

    proof = group()

    @step("symbolic", concludes=True)
    def pushes(self) -> Facts:
        r"""$\sum_{l\ne o}s_l(h_l-\bar h)=s_o(\bar h-h_o)$, any number of tokens: the forces off the
        winner add up to its own"""
        s_o, h_o, others = sp.symbols("s_o h_o A")  # A = sum over l != o of s_l h_l
        mean = s_o * h_o + others
        return others - (1 - s_o) * mean, s_o * (mean - h_o)

    @step("decided", concludes=True)
    def what_is_left_pushes(self) -> bool:
        r"""convexity gives $\bar h-h_o\ge\varphi(s)-\varphi(e_o)=:g$; the forces then add up to at
        least $s_og$, and to at least $(1-\varepsilon)g$ where $s_o\ge1-\varepsilon$"""
        share, drop, mass, gain = z3.Reals("s_o drop off gain")
        return follows(
            share * drop >= (1 - mass) * gain,
            *(drop >= gain, gain >= 0, share >= 1 - mass, mass < 1),
        )

    @step("decided", concludes=True)
    def stays(self) -> bool:
        r"""$g\ge\delta(1-s_o)$ and $wg\le\tilde L\le w\delta\varepsilon$ give
        $1-s_o\le\varepsilon$: as $\tilde L$ falls, attention stays on the winners"""
        share, mass, gain, delta, weight = z3.Reals("s_o off gain delta w")
        left = weight * gain <= weight * delta * mass
        return follows(
            1 - share <= mass,
            *(gain >= delta * (1 - share), left, delta > 0, weight > 0),
        )

    @step("decided", concludes=True)
    def pushes_positive(self) -> bool:
        r"""H3's number: $\varepsilon=\frac\delta{2(\Delta+R)}$, slopes within $R\varepsilon$ of
        $[\delta,\Delta]$ and mass $\varepsilon$ off the winner leave each force at least
        $\frac\delta4$ times its share"""
        mass, delta, most, reach = z3.Reals("off delta Delta R")
        push = delta - reach * mass - mass * (most + reach * mass)
        return follows(
            z3.And(push == delta / 2 - reach * mass**2, push >= delta / 4),
            *(mass * 2 * (most + reach) == delta, delta > 0, most >= delta, reach >= 0),
        )

    @step("decided", concludes=True)
    def two_speeds(self) -> bool:
        r"""where $\|\nabla L\|\ge k\tilde L$ the speeds of $-\ln\tilde L$ and $\tilde L^{-1}$ along
        the flow are bounded: $\|\nabla L\|^2/\tilde L\ge k\|\nabla L\|$,
        $\|\nabla L\|^2/\tilde L^2\ge k^2$"""
        slope, left, rate = z3.Reals("slope L k")
        both = z3.And(slope**2 >= rate * slope * left, slope**2 >= rate**2 * left**2)
        return follows(both, slope >= rate * left, left > 0, rate > 0)

    @step("decided", concludes=True)
    def squeeze(self) -> bool:
        r"""$x=-\ln\tilde L$ within $c$ of $\ln t$, $x\ge\gamma(1-\varepsilon)R-c$, gap $\ge x-c$,
        gap $\le\gamma R+c$ give $\ln t-3c\le\gamma R\le(\ln t+2c)/(1-\varepsilon)$"""
        x, length, log_t, gap, c, gamma, eps = z3.Reals("x R lnt gap c gamma eps")
        return follows(
            z3.And(log_t - 3 * c <= gamma * length, gamma * length * (1 - eps) <= log_t + 2 * c),
            *(x <= log_t + c, x >= log_t - c, x >= gamma * (1 - eps) * length - c),
            *(gap >= x - c, gap <= gamma * length + c, eps > 0, eps < 1, gamma > 0, c > 0),
        )

    @step("decided", concludes=True)
    def one_direction(self) -> bool:
        r"""a matrix of length 1 with margin $\gamma(1-\varepsilon)$ is within $2\sqrt\varepsilon$
        of the best: $4-4(1-\frac\varepsilon2)^2\le4\varepsilon$"""
        eps = z3.Real("eps")
        apart = 4 - 4 * (1 - eps / 2) * (1 - eps / 2)
        return follows(z3.And(apart == 4 * eps - eps**2, apart <= 4 * eps), eps > 0, eps < 1)

    frozen_runs = group()

    @once
    def sets(self, rng: Generator) -> list[Any]:
        """Random data, each with its frozen run."""
        draw = lambda: random_data(rng, self.samples, self.tokens)
        return [Frozen(draw(), self.log_time) for _ in range(self.draws)]

    @once
    def usable(self) -> list[Any]:
        """Those with a winner in all contexts that has most attention there, and no cycle."""
        found = [one for one in self.sets if one.ordered]
        require(found, "draws", self.draws, "so many that one has winners without a cycle")
        return found

    @once
    def usable_draws(self) -> int:
        """How many they are."""
        return len(self.usable)

    @claim("==", 1, "limit")
    def keeps_winners(self) -> float:
        r"""share of @{usable_draws} runs to $\ln t=@{log_time:g}$ with a winner in each context
        that has most attention there at the start, and no cycle, that keep exactly the winners"""
        return np.mean([(kept_tokens(s.data, s.run.Z[-1]) == s.best).all() for s in self.usable])

    @claim("<=", 1e-3, "limit", atol=1e-4)
    def direction(self) -> float:
        r"""decoder frozen, the runs of `keeps-winners`: growth of a logit per unit of $\ln t$ over
        the last half, against $Z^{svm}$ of the winners' graph, largest difference"""
        return maximum(np.abs(one.growth - one.svm).max() for one in self.usable)

    @claim(">", 0.1, "limit", rtol=1e-3)
    def label_graph(self) -> float:
        """decoder frozen, the runs of `keeps-winners`: 1 minus the cosine of the run with the
        Graph-SVM of the labels' graph, median"""
        return np.median([one.off_labels for one in self.usable])

    @claim("<=", 1e-6, "limit", atol=1e-7)
    def example(self) -> float:
        r"""running example: growth of *strum*, *play*, *chord* against
        $\frac35,-\frac25,-\frac25$"""
        run = self.example_run([self.log_time / 2, self.log_time])
        speed = 2 * (run.Z[1] - run.Z[0])[13, [5, 4, 6]] / self.log_time
        return np.abs(speed - [0.6, -0.4, -0.4]).max()

    normalized = group()

    @once
    def stopping(self) -> dict[float, tuple[Any, Any]]:
        """By the moment of the freeze: mean share of contexts with a sharp winner, normalized, and
        share of data sets whose attention stops.
        """
        found = {}
        for moment in (2.0, 8.0):
            sharp, moved = np.transpose([one.normalized(moment) for one in self.sets])
            found[moment] = sharp.mean(), (moved < 1e-3).mean()
        return found

    @claim(">", 0.5, "statistical", atol=0.06)
    def normalized_stops(self) -> float:
        r"""normalized, decoder of joint training at $\ln t=2$: most data sets' attention moves by
        less than $10^{-3}$ from $\ln t=12$ to 16, where a token that harms moves like $\ln t$ and a
        neutral one half as fast; lower 95 % limit of the share"""
        stopped = round(self.stopping[2.0][1] * self.draws)
        return binomtest(stopped, self.draws, alternative="greater").proportion_ci(0.95).low

    @claim("in", [0.499, 0.501], "rate", rtol=1e-4)
    def half_speed(self) -> float:
        r"""two classes, one common token, labels only those two: the common token's slope is 0, and
        the growth of its gap per unit of $\ln t$"""
        data = one_hot_data([[1, 0, 1], [0, 1, 1]], [2, 2], [0, 1])  # token 2 is common
        path = joint_flow(data, np.zeros((3, 2)), np.zeros((3, 3)), [3.0], normalize=True)
        run = frozen_run(data, path.Y[0], path.Z[0], [100.0, 200.0], normalize=True)
        moved = (run.Z[1] - run.Z[0])[2]
        return (moved[0] - moved[2]) / 100

    @claim("<=", 1e-6, "limit", atol=1e-6)
    def normalized_direction(self, rng: Generator) -> float:
        """normalized, Gaussian decoders under which the one context has exactly one sharp winner,
        start close to it: growth of the logits against $Z^{svm}$ of that winner, largest
        difference"""
        K, errors = self.tokens, []
        draw = lambda: (random_data(rng, 1, K), rng.normal(size=(K, K)))
        for _ in range(6):
            data, Y = drawn(draw, one_sharp_winner, "tokens", K)
            best = sharp_winners(data, Y, normalize=True)
            far = 4.0 * best[0] * (np.arange(K) == data.last[0])[:, None]
            run = frozen_run(data, Y, far, [self.log_time / 2, self.log_time], normalize=True)
            moved = 2 * (run.Z[1] - run.Z[0]) / self.log_time
            errors.append(np.abs(moved - winners_svm(data, best)).max())
        return maximum(errors)

    games = group()

    @claim("<=", 0.1, "statistical")
    def twenty_samples(self, rng: Generator) -> float:
        """thirty data sets of twenty samples of three of eight tokens: share in which every context
        has one sharp winner under the trained decoder"""
        sets = [Frozen(random_data(rng, 20, 8), self.log_time) for _ in range(30)]
        return np.mean([(one.best.sum(axis=1) == 1).all() for one in sets])

    @control("H1", "<=", 1e-3, kind="limit", atol=1e-6)
    def face(self) -> float:
        r"""no sharp winner: two tokens keep half the mass each, growth per unit of $\ln t$ against
        $\frac13,\frac13,-\frac23$ of the kept tokens' graph"""
        run = frozen_run(FACE, GAME, np.zeros((3, 3)), [10.0, 20.0])
        svm = winners_svm(FACE, kept_tokens(FACE, run.Z[-1]))
        return np.abs((run.Z[1] - run.Z[0])[0] / 10 - svm[0]).max()

    @control("H2", "<=", 1e-3, kind="limit", atol=1e-4)
    def cycle(self) -> float:
        r"""two equal contexts that want each other's loser, of equal weight: the gap goes to a
        finite point, here 0, at $\ln t=15$"""
        data = one_hot_data([[1, 1], [1, 1]], [0, 0], [0, 1])
        run = frozen_run(data, 2 * np.eye(2), np.array([[3.0, -3], [0, 0]]), [5.0, 15.0])
        return abs(run.Z[-1][0, 0] - run.Z[-1][0, 1])

    @control("H2", "in", [0.99, 1.01], kind="rate", rtol=1e-3)
    def cycle_lighter(self) -> float:
        r"""two contexts that want each other's loser: the *lighter* side, of weight 0.36, wins
        where its slope is steep, $Y$ with the rows $(0,0,0)$ and $(-5,1,0.9)$: growth of the gap
        per unit of $\ln t$"""
        return quarrel_growth(0.36, np.array([[0, 0, 0], [-5, 1, 0.9]]))

    dropped = group()

    @once
    def chain_graphs(self) -> tuple[Array, Array]:
        """Z^svm of the chain's own winners, and with one of them on the wrong token."""
        own = sharp_winners(CHAIN, np.eye(5))
        settled = own.copy()
        settled[3] = np.eye(5, dtype=bool)[2]
        return winners_svm(CHAIN, own), winners_svm(CHAIN, settled)

    def chain_end(self, size: float) -> Array:
        """Where the chain stands at ln t = 300 from ``size`` times the wrong direction."""
        return frozen_run(CHAIN, np.eye(5), size * self.chain_graphs[1], [300.0]).Z[-1]

    @control("H3", "<", 0.99, rtol=1e-3)
    def left_behind(self) -> Array:
        r"""a start on a wrong token: cosine of the run at $\ln t=300$ with the winners'
        Graph-SVM"""
        return cosine(self.chain_end(5.0), self.chain_graphs[0])

    @control("H4", "<", 0.01, rtol=1e-2)
    def learning_on(self) -> float:
        r"""running example, decoder not frozen: growth of *strum* per unit of $\ln t$ from 1000 to
        $@{log_time:g}$, where frozen it is 0.6"""
        on = joint_flow(EXAMPLE, *self.frozen_at, [1000.0, self.log_time])
        return (on.Z[1] - on.Z[0])[13, 5] / (self.log_time - 1000)
