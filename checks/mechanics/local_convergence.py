"""Local convergence: what its rows measure.

The chapter: ``book/mechanics/local_convergence.ipynb``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, claim, control, group, once, real, seed, step, whole
from lib.arrays import Array, ArrayLike, Ids, Mask
from lib.decide import follows
from lib.measure import minimum, relative_error
from lib.mechanics.attention_layer import (
    Loss,
    attention,
    linear_loss,
    log_loss,
    mass_loss,
    squared_softmax_loss,
)
from lib.mechanics.descent import cosine, descended, initial_weights, sine
from lib.mechanics.draws import acyclic_with_priorities, authors_draw, drawn, random_draw
from lib.mechanics.graph_svm import graph_svm
from lib.mechanics.limit_paths import loss_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import DataBatch, NextTokenData, from_sequences, stack
from lib.mechanics.token_priority_graph import priority_graphs
from lib.validation import require

SQUARED = squared_softmax_loss()  # the authors'
PLAIN_SQUARE = mass_loss(lambda u: (1 - u) ** 2, lambda u: -2 * (1 - u))

CHAIN = from_sequences([[4, 0], [3, 4, 0], [2, 3, 0], [1, 2, 0]], [4, 3, 2, 1], np.eye(5))
OUTVOTED = from_sequences([[1, 2, 0]] * 4, [1, 2, 2, 2], np.eye(3))
CIRCLE = from_sequences([[0, 1, 3], [1, 2, 3], [2, 0, 3]], [0, 1, 2], np.eye(4))
ASKED = (
    "the squared loss, in the median of the runs whose local graph is acyclic and that give a label"
    " up (`furthest`: not all are close); for $1-s_y$ contexts that gave up their label do not"
    " count"
)
LATE = np.r_[10, np.geomspace(30, 600, 8)]  # log times at which the chain is looked at


def run(W: Array, batch: DataBatch, rate: float, steps: int, loss: Loss) -> Array:
    """W after normalized steps."""
    return descended(W, batch, rate, steps, normalized=True, loss=loss)


def with_survivors(data: NextTokenData, survivors: Sequence[int]) -> Array:
    """The Graph-SVM's matrix of the local graph with one pseudo-label, (n,), in each context."""
    kept = np.eye(data.shape[1], dtype=bool)[np.asarray(survivors)]
    return graph_svm(data, priority_graphs(data, kept)).W


def by_kept(data: NextTokenData, kept: Mask) -> Array:
    """The Graph-SVM's matrix of the contexts that keep their label; kept (n, K), the survivors."""
    own = (kept & (data.one_hot > 0)).any(axis=1)
    part = data.only(own)
    return graph_svm(part, priority_graphs(part, kept[own])).W


def global_svm(sets: list[NextTokenData]) -> Array:
    """The Graph-SVMs' matrices of data sets, (trials, d, d)."""
    return np.stack([Problem(data).svm.W for data in sets])


@dataclass(frozen=True, eq=False)
class Ends:
    """Where runs on some data sets ended, and what their local graphs say."""

    sets: list
    W: np.ndarray
    kept_mass: float  # a token survives with this share of the heaviest one's mass

    @cached_property
    def survivors(self) -> Mask:
        """The pseudo-labels, (trials, n, K) booleans."""
        mass = attention(self.W, stack(self.sets))
        return mass > self.kept_mass * mass.max(axis=-1, keepdims=True)

    @cached_property
    def graphs(self) -> list[Any]:
        """The local graphs."""
        return [priority_graphs(*each) for each in zip(self.sets, self.survivors, strict=True)]

    @cached_property
    def svm(self) -> np.ndarray:
        """The local graphs' Graph-SVM matrices, (trials, d, d)."""
        return np.stack(
            [graph_svm(data, each).W for data, each in zip(self.sets, self.graphs, strict=True)]
        )

    @cached_property
    def acyclic(self) -> np.ndarray:
        """Which local graphs have no cycle."""
        single = lambda graph: all(len(members) == 1 for members in graph.components)
        return np.array([all(map(single, each.values())) for each in self.graphs])

    @cached_property
    def given_up(self) -> Mask | np.bool_:
        """Contexts without their label among the survivors, (trials, n)."""
        return ~(self.survivors & (stack(self.sets).one_hot > 0)).any(axis=-1)

    @cached_property
    def chosen(self) -> np.ndarray:
        """Numbers of the runs that H2 speaks of and that gave a label up."""
        found = np.flatnonzero(self.acyclic & self.given_up.any(axis=-1))
        allowed = "so many that a run with an acyclic local graph gives a label up"
        require(len(found), "trials", len(self.sets), allowed)
        return found


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of one loss: ``path`` at the start, at the steps, twice and four times as many."""

    path: list
    ends: Ends
    aims: Any  # of the chosen runs, where they should go

    @property
    def chosen(self) -> Ids:
        return self.ends.chosen

    @property
    def count(self) -> int:
        return len(self.chosen)

    @property
    def total(self) -> int:
        return len(self.ends.sets)

    @cached_property
    def cosines(self) -> Array:
        """Of the chosen runs at the end with their aims."""
        return cosine(self.path[3][self.chosen], self.aims)

    @cached_property
    def exponents(self) -> Array:
        """Of the angle to the aim in the length of W, over the last doubling of steps."""
        late = [W[self.chosen] for W in self.path[2:]]
        angle, length = (
            np.log([measure(W) for W in late])
            for measure in (
                lambda W: sine(W, self.aims),
                lambda W: np.linalg.norm(W, axis=(1, 2)),
            )
        )
        return (angle[1] - angle[0]) / (length[1] - length[0])

    @cached_property
    def to_global(self) -> np.floating:
        """Median cosine of the chosen runs with the global Graph-SVMs."""
        return np.median(cosine(self.path[3], global_svm(self.ends.sets))[self.chosen])

    @property
    def far(self) -> Array:
        """1 minus the cosine with the local Graph-SVM, of all runs."""
        return 1 - cosine(self.path[3], self.ends.svm)


@dataclass
class LocalConvergence(Checks):
    """Local convergence: runs of bounded losses and the graphs of what keeps mass."""

    K: int = whole(6, 4, 12, holds=(4, 8), why="a sequence shows four different tokens")
    d: int = dimensions(8, 16, holds=(lambda self: self.K, 10))
    trials: int = whole(40, 20, 80, holds=(40, 80))
    rate: float = real(0.1, 0.05, 0.2, holds=(0.1, 0.12))
    steps: int = whole(2000, 1000, 4000, holds=(1500, 2200))
    kept_mass: float = real(0.01, 0.003, 0.03)
    seed: int = seed()

    tag = "mechanics.local-convergence"
    hypotheses = {
        "H1": "the graph counts the tokens that keep mass as labels, not the labels",
        "H2": "the local graph has no cycles: one token of each context keeps all the mass",
        "H3": "the graph is read off the run itself, not fixed by the data",
    }
    parts = {
        "the direction": ("direction-squared", "direction-linear"),
    }
    standing = "reconstructed"

    @step("decided")
    def no_new_order(self) -> bool:
        """log-loss: an edge from a mate of the label to a token of its context joins two tokens
        that a path joins already, so the local graph has the components and the order of the
        global one"""
        token = z3.DeclareSort("token")
        leads = z3.Function("reach", token, token, z3.BoolSort())
        label, mate, rival, a, b, c = z3.Consts("y i j a b c", token)
        transitive = z3.Implies(z3.And(leads(a, b), leads(b, c)), leads(a, c))
        known = leads(mate, label), leads(label, mate), leads(label, rival)
        return follows(leads(mate, rival), z3.ForAll([a, b, c], transitive), *known)

    @step("symbolic")
    def quarrel_is_flat(self) -> Facts:
        r"""$\ell(u)=1-u$: two samples that contradict each other over two tokens have
        $1-s_0+1-s_1=1$ at every score gap, and a single one pulls with $s_0s_1$ only"""
        gap = sp.Symbol("g", real=True)
        first, second = 1 / (1 + sp.exp(-gap)), 1 / (1 + sp.exp(gap))
        return ((1 - first) + (1 - second), 1), (sp.Derivative(first, gap), first * second)

    @once
    def sets(self, rng: Generator) -> list[Any]:
        """The authors' data sets."""
        return [authors_draw(rng, K=self.K, d=self.d) for _ in range(self.trials)]

    @once
    def batch(self) -> DataBatch:
        """The same as one batch."""
        return stack(self.sets)

    @once
    def start(self, rng: Generator) -> Array:
        """Where the runs on them start."""
        return initial_weights(self.trials, self.d, rng)

    @once
    def authors(self) -> Ends:
        """Where the authors' runs end, after the steps."""
        return Ends(self.sets, self.squared.path[1], self.kept_mass)

    @once
    def squared(self) -> Runs:
        """The runs of the authors' loss, four times as long."""
        path = self.path(self.start, self.sets, SQUARED)
        ends = Ends(self.sets, path[3], self.kept_mass)
        return Runs(path, ends, ends.svm[ends.chosen])

    @once
    def linear(self, rng: Generator) -> Runs:
        """Runs of 1 - s on acyclic data: more of them, for it seldom gives a label up here."""
        draw = lambda: random_draw(rng, d=self.d, K=self.K)
        size, count = (self.K, self.d), 3 * self.trials
        sets = [drawn(draw, acyclic_with_priorities, "K, d", size, most=1000) for _ in range(count)]
        path = self.path(initial_weights(count, self.d, rng), sets, linear_loss)
        ends = Ends(sets, path[3], self.kept_mass)
        aims = np.stack([by_kept(sets[run], ends.survivors[run]) for run in ends.chosen])
        return Runs(path, ends, aims)

    def path(self, start: Array, sets: list[NextTokenData], loss: Loss) -> list[Array]:
        """W at the start, after the steps, after twice and four times as many."""
        path, batch = [start], stack(sets)
        for further in (self.steps, self.steps, 2 * self.steps):
            path.append(run(path[-1], batch, self.rate, further, loss))
        return path

    @property
    def longest(self) -> int:
        """Steps of the longest runs."""
        return 4 * self.steps

    runs = group()

    @claim("<=", 1e-3, "limit", as_printed=True, condition=ASKED, rtol=0.2)
    def direction_squared(self) -> float:
        """squared loss, acyclic local graphs with a label given up (@{squared.count} of
        @{squared.total} runs), Graph-SVM of the local graph: 1 minus the median cosine after
        @{longest} steps"""
        return 1 - np.median(self.squared.cosines)

    @claim("<=", 0.3, "inequality", rtol=0.5)
    def furthest(self) -> float:
        """squared loss, acyclic local graphs with a label given up (@{squared.count} runs): 1 minus
        the cosine with the local Graph-SVM after @{longest} steps of the run furthest from it"""
        return 1 - self.squared.cosines.min()

    @claim("in", [-1.02, -0.98], "rate", rtol=5e-3)
    def rate_squared(self) -> float:
        """squared loss, acyclic local graphs with a label given up: exponent of the angle to the
        local Graph-SVM in the length of $W$, last doubling of steps, median of @{squared.count}
        runs"""
        return np.median(self.squared.exponents)

    @claim("<=", 1e-3, "limit", rtol=0.2)
    def direction_linear(self) -> float:
        """linear loss, acyclic local graphs with a label given up (@{linear.count} of
        @{linear.total} runs), Graph-SVM of the contexts that keep their label: 1 minus the least
        cosine after @{longest} steps"""
        return 1 - self.linear.cosines.min()

    left = group()

    @once
    def two_chains(self) -> tuple[Array, Array]:
        """Two chains and a context given up; the local Graph-SVM, what W gains per log t."""
        pairs = [[2, 3], [3, 4], [4, 0], [5, 6], [6, 7], [1, 2, 5]]  # behind 8; the last wants 1
        held = np.array([[int(token in tokens) for token in range(9)] for tokens in pairs])
        labels = np.array([2, 3, 4, 5, 6, 1])
        data = NextTokenData(held, np.full(6, 8), labels, np.eye(9), complete=False)
        local = with_survivors(data, [2, 3, 4, 5, 6, 2])
        half, end = loss_flow(5 * local, data, linear_loss, [1.0, 300.0, 600.0])[1:]
        return local, (end - half) / 300

    @claim("<=", 1e-6, "limit", atol=1e-6)
    def unsupported(self) -> float:
        r"""two chains and a context given up, from five times the *local* Graph-SVM: what $W$
        gains per unit of $\log t$, from 300 to 600, against the scores by hand: relative
        difference"""
        by_hand = np.outer([-1.5, 0, 1.5, 0.5, -0.5, 1, 0, -1, 0], np.eye(9)[8])
        return relative_error(self.two_chains[1], by_hand)

    @once
    def chain(self) -> tuple[Array, Array]:
        """The chain's global Graph-SVM, and the local one where its last context settled on 2."""
        return Problem(CHAIN).svm.W, with_survivors(CHAIN, [4, 3, 2, 2])

    def from_local(self, size: float, loss: Loss, log_times: ArrayLike) -> Array:
        """The flow on the chain from ``size`` times the local solution."""
        return loss_flow(size * self.chain[1], CHAIN, loss, log_times)

    @once
    def settled(self) -> Array:
        """The flow of 1 - s from five times the local solution, at 1 and at ``LATE``."""
        return self.from_local(5.0, linear_loss, [1.0, *LATE])[1:]

    @claim("<=", 1e-6, "limit", atol=1e-9)
    def left_behind(self) -> Array:
        r"""chain, $\ell(u)=1-u$, from $5\,W_{local}$: 1 minus the cosine with the *local*
        Graph-SVM at $\log t=600$"""
        return 1 - cosine(self.settled[-1], self.chain[1])

    @once
    def far(self) -> Array:
        """The four contexts of which one is outvoted, at log time 300 from zero."""
        return loss_flow(np.zeros((3, 3)), OUTVOTED, linear_loss, [1.0, 300.0])[-1]

    @claim("<=", 1e-6, "limit", atol=1e-9)
    def returns_from_three(self) -> Array:
        r"""chain, $\ell(u)=1-u$, from $3\,W_{local}$ training returns: 1 minus the cosine with the
        *global* Graph-SVM at $\log t=600$"""
        return 1 - cosine(self.from_local(3.0, linear_loss, [1.0, *LATE])[-1], self.chain[0])

    @claim("<=", 1e-5, "limit", atol=1e-7)
    def outvoted(self) -> Array:
        r"""$\ell(u)=1-u$, from 0: a better token left behind at a margin of exactly 1, outvoted by
        three contexts: 1 minus the cosine with the *local* Graph-SVM at $\log t=300$"""
        return 1 - cosine(self.far, with_survivors(OUTVOTED, [2] * 4))

    @claim("in", [-1.51, -1.49], "rate", rtol=1e-3)
    def left_behind_voice(self) -> float:
        r"""chain, $\ell(u)=1-u$, from $5\,W_{local}$: exponent in $t$ of the label's mass in the
        context given up, $\log t$ from 10 to 46"""
        mass = attention(self.settled[:3], CHAIN)[:, 3, 1]
        return np.polyfit(LATE[:3], np.log(mass), 1)[0]

    @claim("<=", 1e-4, "limit", atol=1e-6)
    def log_loss_returns(self) -> Array:
        r"""chain, log-loss, from $5\,W_{local}$: 1 minus the cosine with the *global* Graph-SVM at
        $\log t=600$"""
        end = self.from_local(5.0, log_loss, [1.0, *LATE])[-1]
        return 1 - cosine(end, self.chain[0])

    circle = group()

    @once
    def nearby(self, rng: Generator) -> Array:
        """A start near zero; the last token itself is out of the way."""
        start = 0.1 * rng.normal(size=(4, 4))
        start[3, 3] = -8
        return start

    def off_labels(self, loss: Loss, wanted: Sequence[float]) -> float:
        """Attention to the circle's labels, sorted, after 10,000 plain steps: off ``wanted``."""
        end = descended(self.nearby, CIRCLE, 1.0, 10_000, loss=loss)
        return np.abs(np.sort(attention(end, CIRCLE)[range(3), range(3)]) - wanted).max()

    @claim("<=", 1e-3, "limit", atol=1e-6)
    def circle_square(self) -> float:
        """three contexts in a circle, $(1-s)^2$, from near 0: attention to the labels, furthest
        from 0.5, 0.5, 0.5 after 10,000 plain steps"""
        return self.off_labels(PLAIN_SQUARE, (0.5, 0.5, 0.5))

    @claim("<=", 1e-3, "limit", atol=1e-5)
    def circle_linear(self) -> float:
        """three contexts in a circle, $1-s$, from near 0: attention to the labels, furthest from
        0, 1, 1 after 10,000 plain steps"""
        return self.off_labels(linear_loss, (0, 1, 1))

    without = group()

    @control("H1", ">", 0, kind="sign", rtol=0.2)
    def global_graph(self) -> float:
        """acyclic local graphs with a label given up: median cosine with the local Graph-SVM
        (linear loss: that of the contexts that keep their label), less that with the global one;
        the smaller of the two losses'"""
        lead = lambda runs: np.median(runs.cosines) - runs.to_global
        return minimum(lead(self.squared), lead(self.linear))

    @control("H2", ">", 3, rtol=0.5)
    def cyclic_local(self) -> float:
        """squared loss, runs whose local graph has a cycle: median of 1 minus the cosine with the
        local Graph-SVM, over that of the others"""
        free, far = self.squared.ends.acyclic, self.squared.far
        return np.median(far[~free]) / np.median(far[free])

    @control("H3", ">", 0.02, atol=0.07)
    def other_starts(self, rng: Generator) -> float:
        """squared loss: share of data sets in which an independent start, twice as large, ends with
        another pseudo-label in a context where both runs have only one"""
        start = 2 * initial_weights(self.trials, self.d, rng)
        W = run(start, self.batch, self.rate, self.steps, SQUARED)
        ends = self.authors, Ends(self.sets, W, self.kept_mass)
        first, second = (each.survivors for each in ends)
        decided = (first.sum(axis=-1) == 1) & (second.sum(axis=-1) == 1)
        return (decided & (first != second).any(axis=-1)).any(axis=-1).mean()
