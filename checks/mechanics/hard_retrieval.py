"""Hard retrieval: what its rows measure.  The chapter: ``book/mechanics/hard_retrieval.ipynb``."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import z3
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, chapter, claim, control, group, once, real, seed, step, whole
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum, minimum
from lib.mechanics.attention_layer import linear_loss
from lib.mechanics.automaton import automaton_law, model_law, retrieve
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.limit_paths import gradient_flow, loss_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences
from lib.mechanics.token_priority_graph import PriorityGraph

B, g, lower, ai, aj, si, sj = z3.Reals("B g lower a_i a_j Ls_i Ls_j")
x, y, rest = z3.Reals("x y rest")  # m_j e^{a_j}, m_i e^{a_i}, the others' weights

TINY = from_sequences([[0, 1, 2], [1, 2]], [0, 1], np.eye(3))  # the walk's: 0 beats 1 beats 2
CIRCLE = from_sequences([[0, 1, 3], [1, 2, 3], [2, 0, 3]], [0, 1, 2], np.eye(4))
COMPARABLE = "all tokens of the context were seen with its last token, and one component is on top"


def flow(data: NextTokenData, log_times: list[float], start: Array | None = None) -> Array:
    """W of the log-loss's flow at the log times (times, d, d), from zero unless told."""
    split = Problem(data).split
    start = np.zeros((data.shape[2],) * 2) if start is None else start
    path = gradient_flow(split, *split.coordinates(start), log_times)
    return split.matrix(path.x, path.z) + start - split.matrix(*split.coordinates(start))


def law_at(W: Array, tokens: Sequence[int], k: int, embeddings: Array) -> Array:
    """Attention (K,) of last token k in a context of different tokens."""
    counts = np.isin(np.arange(len(embeddings)), tokens)[None].astype(float)
    return model_law(W, counts, [k], embeddings)[0]


def log_outside(
    W: Array, tokens: Sequence[int], top: list[int], k: int, embeddings: Array
) -> float:
    """log of the attention mass that the context (last token k) leaves outside ``top``."""
    logits = {j: embeddings[j] @ W @ embeddings[k] for j in tokens}
    rest = np.logaddexp.reduce([logits[j] for j in tokens if j not in top])
    return rest - np.logaddexp.reduce(list(logits.values()))


def comparable_contexts(graph: PriorityGraph) -> Iterator[Any]:
    """All (tokens, top component) of the graph's tokens with one on top that is not everything."""
    nodes = sorted(graph.component_of)
    for size in range(2, len(nodes) + 1):
        for tokens in combinations(nodes, size):
            try:
                top = graph.top(tokens)
            except ValueError:
                continue
            if len(top) < len(tokens):
                yield tokens, top


def without_neighbors(chain: list[int]) -> Iterator[Any]:
    """All sets of two tokens or more of a chain, in its order, that hold no two neighbours."""
    for size in range(2, len(chain) + 1):
        for places in combinations(range(len(chain)), size):
            if minimum(np.diff(places)) > 1:
                yield [chain[place] for place in places]


def retrieved(
    graphs: dict[int, PriorityGraph], tokens: list[int], k: int, tokens_in_all: int
) -> Array:
    """The law of hard retrieval (K,), equal shares; nan where the graph refuses."""
    counts = np.isin(np.arange(tokens_in_all), tokens)[None].astype(float)
    try:
        kept = retrieve(graphs, counts, [k])[0]
    except ValueError:
        return np.full(tokens_in_all, np.nan)
    return kept / kept.sum()


def off_chain(order: list[int]) -> float:
    """A chain of which only neighbours meet, asked by a token below all: how far two laws are off.

    Hard retrieval on the graph and the layer at log t = 1e4, against the context's first token, in
    every context without neighbours.  inf where the graph refuses.
    """
    K = len(order) + 1
    pairs = [[i, j, K - 1] for i, j in zip(order, order[1:], strict=False)]
    data = from_sequences([*pairs, [order[-1], K - 1]], order, np.eye(K))
    graphs, (W,) = Problem(data).graphs, flow(data, [1e4])
    off = 0.0
    for tokens in without_neighbors(order):
        laws = retrieved(graphs, tokens, K - 1, K), law_at(W, tokens, K - 1, np.eye(K))
        off = maximum(off, *(np.abs(law - np.eye(K)[tokens[0]]).max() for law in laws))
        off = np.inf if np.isnan(laws[0]).any() else off
    return off


def unseen_beside(rival: int) -> float:
    """Mass of token 3, never seen with last token 2, beside ``rival`` alone, at log t = 1e4."""
    chain = from_sequences([[0, 1, 2], [1, 2]], [0, 1], np.eye(4))  # 0 beats 1 beats 2
    (W,) = flow(chain, [1e4])
    return float(law_at(W, [rival, 3], 2, np.eye(4))[3])


class Followed(NamedTuple):
    """A data set and the flow on it.

    W: (times, d, d).  heaviest: log mass outside the label's component over log t at the end,
    largest of the samples that have any.
    """

    problem: Problem
    W: np.ndarray
    heaviest: float


@dataclass
class HardRetrieval(Checks):
    """Hard retrieval: attention keeps only the top component."""

    tag = "mechanics.hard-retrieval"
    standing = "reconstructed"
    hypotheses = {
        "H1": "$CE^\\top=I$, realizable labels, log-loss: what makes the direction converge",
        "H2": (
            "the context has one top component: its tokens can be compared by the graph of its last"
            " token"
        ),
        "H3": "every token of the context was seen with that last token in training",
    }
    parts = {
        "what is below the top vanishes": ("kernel-retrieval",),
        "the top shares the rest": ("kernel-retrieval",),
    }
    kernel_theorems = {
        "retrieval_by_size": {},
        "retrieval": dict(as_printed=True, concludes=True, equation="retrieval"),
        "retrieval_rate": {},
    }
    trusts = (
        chapter("mechanics.global-convergence", "training grows in the direction of the Graph-SVM"),
        chapter("mechanics.soft-composition", "the odds on top settle", "the top shares the rest"),
        chapter(
            "mechanics.conjecture",
            r"for the rate: on data that are not degenerate the scores stay within a bounded"
            r" distance of $\log t$ times those of the Graph-SVM",
            "beyond the print",
        ),
    )

    K: int = whole(6, 3, 12, holds=(4, 8))
    d: int = dimensions(8, 16, holds=(lambda self: self.K + 1, 12))
    n: int = whole(30, 10, 60)
    runs: int = whole(4, 2, 8, holds=(3, 8))
    log_end: float = real(1e5, 2e4, 1e6)
    seed: int = seed()

    @step("decided")
    def margins_add(self) -> bool:
        r"""along a path of priorities the margins add: at least $g$ so far and an edge of at least
        0 (inside) or 1 (between components) give at least $g$, and $g\ge1$ once one edge lies
        between"""
        grown = z3.And(lower + g >= g, z3.Implies(lower >= 1, lower + g >= 1))
        return follows(grown, g >= 0, z3.Or(lower == 0, lower >= 1))

    @step("decided")
    def score_gap(self) -> bool:
        r"""scores within $B$ of $\log t$ times those of $W^{svm}$, $L=\log t\ge0$: the loser's
        stays below the winner's by $gL-2B$ at least, $gL+2B$ at most"""
        between = z3.And(aj - ai <= 2 * B - lower, aj - ai >= -2 * B - lower)
        near = ai - si <= B, si - ai <= B, aj - sj <= B, sj - aj <= B
        return follows(between, B >= 0, lower == si - sj, *near)

    @step("decided")
    def share(self) -> bool:
        r"""a softmax gives the loser at most its weight over the winner's: $\frac
        x{x+y+r}\le\frac xy$ for all $x,r\ge0$, $y>0$; so its mass is at most
        $\frac{m_j}{m_i}e^{2B}t^{-g}$"""
        return follows(x / (x + y + rest) <= x / y, x >= 0, rest >= 0, y > 0)

    @once
    def log_times(self) -> Array:
        """Where the runs are looked at."""
        return np.r_[10.0, 17.0, np.geomspace(1e3, self.log_end, 4)]

    @once
    def followed(self, rng: Generator) -> list[Followed]:
        """The runs, each on its own data set from a random start."""
        return [self.follow(rng) for _ in range(self.runs)]

    def follow(self, rng: Generator) -> Followed:
        """One of them."""
        problem = Problem(cyclic_draw(rng, n=self.n, K=self.K, d=self.d))
        split, start = problem.split, rng.normal(size=(self.d, self.d))
        path = gradient_flow(split, *split.coordinates(start), self.log_times)
        fixed = start - split.matrix(*split.coordinates(start))
        outside = split.outside_mass(path.x[-1], path.z[-1])[split.outside.any(axis=1)]
        return Followed(problem, split.matrix(path.x, path.z) + fixed, outside.max() / self.log_end)

    @once
    def contexts(self) -> list[Array]:
        """For each run, in every comparable context (contexts, 3), see ``in_context``."""
        return [
            np.array(
                [
                    self.in_context(run, k, tokens, top)
                    for k, graph in run.problem.graphs.items()
                    for tokens, top in comparable_contexts(graph)
                ]
            )
            for run in self.followed
        ]

    def in_context(
        self, run: Followed, k: int, tokens: tuple[int, ...], top: list[int]
    ) -> tuple[float, float, float]:
        """Log mass outside over log t at the end, its exponent plus g, and how far sharing is off.

        The last: masses on top at log t = 17 against those by W_fin, largest relative difference.
        """
        problem, e = run.problem, run.problem.data.embeddings
        masses = [log_outside(W, tokens, top, k, e) for W in run.W[-2:]]
        slope = (masses[1] - masses[0]) / (self.log_times[-1] - self.log_times[-2])
        scores = e @ problem.svm.W @ e[k]
        gap = minimum(scores[top[0]] - scores[j] for j in tokens if j not in top)
        counts = np.isin(np.arange(self.K), tokens)[None].astype(float)
        trained, limit = law_at(run.W[1], tokens, k, e), automaton_law(problem, counts, [k])[0]
        mates = np.abs(trained[top] / limit[top] - 1).max()
        return masses[1] / self.log_end, abs(slope + gap), mates

    @once
    def number_of_contexts(self) -> int:
        """How many comparable contexts the runs have."""
        return sum(map(len, self.contexts))

    @claim("<=", 1e-3, "limit", "retrieval", as_printed=True, atol=1e-5)
    def training_contexts(self) -> float:
        r"""log mass outside the label's component over $\log t$ at $\log t=@{log_end:.0e}$, largest
        of all samples: $-1$, as the least margin is tight; furthest from it in @{runs} data
        sets"""
        return maximum(abs(run.heaviest + 1) for run in self.followed)

    @claim("<=", 1e-3, "limit", "retrieval", as_printed=True, condition=COMPARABLE, atol=1e-5)
    def new_contexts(self) -> float:
        r"""log mass outside the component on top over $\log t$, largest over every comparable
        context, seen or not: furthest from $-1$ in @{runs} data sets"""
        return maximum(abs(found[:, 0].max() + 1) for found in self.contexts)

    @claim("<=", 1e-3, "rate", atol=1e-3)
    def rate(self) -> float:
        """the mass outside the component on top vanishes like $t^{-g}$, $g$ its least margin, in
        every comparable context: largest difference of the measured exponent from $-g$"""
        return maximum(found[:, 1].max() for found in self.contexts)

    @claim("<=", 1e-9, "limit", "retrieval", as_printed=True, condition=COMPARABLE, atol=1e-9)
    def transitive(self, rng: Generator) -> float:
        r"""chains of 3 to 6 tokens in random order, of which only neighbours meet in a sample: in
        every context without neighbours, which a path of priorities alone decides, hard retrieval
        on the graph and the trained layer at $\log t=10^4$ against the first in the chain: largest
        difference of the laws"""
        return maximum(off_chain(rng.permutation(size).tolist()) for size in (3, 4, 5, 6))

    @claim(">", 0, "sign", rtol=0.1)
    def outnumbered(self) -> float:
        r"""tokens that repeat: log of how many times a token has to outnumber one above it to get
        as much attention at $\log t=17$, smallest of all pairs in the graphs"""
        gaps = [
            (run.problem.data.embeddings[i] - run.problem.data.embeddings[j])
            @ run.W[1]
            @ run.problem.data.embeddings[k]
            for run in self.followed
            for k, graph in run.problem.graphs.items()
            for i, j in graph.priority_pairs()
        ]
        return minimum(gaps)

    @once
    def mates(self) -> list[float]:
        """For each run: how far the masses on top are from those by W_fin at log t = 17."""
        return [found[:, 2].max() for found in self.contexts]

    @claim("<=", 1e-3, "limit", "retrieval", as_printed=True, atol=1e-7)
    def shared(self) -> float:
        r"""the trained layer's mass of each token on top at $\log t=17$, over its mass by
        $W^{fin}$: largest relative difference, so no token of the component is lost; median of the
        data sets"""
        return np.median(self.mates)

    without = group()

    @control("H1", "<", 0.01, rtol=1e-2, atol=1e-3)
    def bounded_loss(self, rng: Generator) -> float:
        r"""$\ell(u)=1-u$, a circle of three: the least mass of a token of the top component, at
        $\log t=9$ (the log-loss leaves a third)"""
        end = loss_flow(0.1 * rng.normal(size=(4, 4)), CIRCLE, linear_loss, [9.0])[-1]
        return law_at(end, [0, 1, 2, 3], 3, np.eye(4))[:3].min()

    @control("H2", "in", [0.5 - 1e-6, 0.5 + 1e-9], kind="limit")
    def incomparable(self) -> float:
        r"""two tokens that no sample compares, both on top: the smaller of their masses at $\log
        t=10^4$, even by symmetry"""
        apart = from_sequences([[0, 2], [1, 2]], [0, 1], np.eye(3))  # 0 and 1 both beat 2
        (W,) = flow(apart, [1e4])
        return law_at(W, [0, 1, 2], 2, np.eye(3))[:2].min()

    @once
    def beside(self) -> list[float]:
        """Mass of an unseen token beside each of three in a chain."""
        return [unseen_beside(rival) for rival in range(3)]

    @control("H3", ">", 1 - 1e-9, atol=1e-9)
    def unseen_outranks(self) -> float:
        r"""orthonormal embeddings, $0\Rightarrow1\Rightarrow2$: an unseen token keeps score 0, the
        mean of an order's scores; its mass beside the bottom token"""
        return self.beside[2]
