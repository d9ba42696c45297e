"""The automaton: what its rows measure.  The chapter: ``book/mechanics/automaton.ipynb``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from scipy import stats

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, chapter, claim, control, finding, group, once, seed, whole
from lib.arrays import Array, Ids
from lib.measure import maximum, relative_error
from lib.mechanics.automaton import automaton_law, generate, model_law, retrieve
from lib.mechanics.draws import ChoiceLaw, choice_draw, drawn, random_law
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences, gaussian_embeddings

LOG_TIMES = [1.0, 6.0, 8.0, 10.0, 12.0, 14.0, 17.0, 20.0, 23.0]
LATE = LOG_TIMES.index(17.0)
COMPARABLE = "contexts that the graph of their last token can compare"


class Winners(NamedTuple):
    """Two winners that nobody compares: samples of the first for one of the second, its share."""

    copies: int
    share: float


def well_apart(embeddings: Array) -> bool:
    """Whether they are far from dependent: a layer with nearly dependent ones takes ages."""
    return np.linalg.svd(embeddings, compute_uv=False)[-1] > 0.1


def all_contexts(K: int, T: int) -> tuple[Ids, Ids]:
    """Counts and last token of every sequence of T tokens, without repetition."""
    sequences = np.stack(np.meshgrid(*[np.arange(K)] * T, indexing="ij"), axis=-1).reshape(-1, T)
    counts = np.stack([(sequences == j).sum(axis=1) for j in range(K)], axis=1)
    unique = np.unique(np.c_[counts, sequences[:, -1]], axis=0)
    return unique[:, :K], unique[:, K]


def generated(
    law: Callable[[Ids, Ids], Array], rng: Generator, tokens: int, K: int, T: int, length: int = 8
) -> tuple[Ids, ...]:
    """Steps of text written by ``law``, restarted every ``length``: counts, last, next tokens."""
    rows = []
    for _ in range(-(-tokens // length)):
        text = generate(law, K, rng.integers(K, size=T).tolist(), length, rng)
        rows += [
            (np.bincount(text[s : s + T], minlength=K), text[s + T - 1], text[s + T])
            for s in range(length)
        ]
    return tuple(map(np.array, zip(*rows, strict=True)))


def largest_score(law: Callable[[Ids, Ids], Array], counts: Ids, last: Ids, came: Ids) -> float:
    """Largest |z| of the martingale sums, over tokens and last tokens; infinite if an impossible
    token came.
    """
    p = law(counts, last)
    if (p[np.arange(len(came)), came] == 0).any():
        return np.inf
    K = p.shape[1]
    surprise, variance = np.eye(K)[came] - p, p * (1 - p)
    sums = [(surprise[last == k].sum(axis=0), variance[last == k].sum(axis=0)) for k in range(K)]
    return maximum(np.abs(s[v > 5] / np.sqrt(v[v > 5])).max(initial=0) for s, v in sums)


def layer_after(copies: int, counts: list[list[int]]) -> Array:
    """Attention at log t = 1000 on the inputs ``counts`` (m, 4), with ``copies`` of {1, 0} -> 1."""
    small = Problem(from_sequences([[1, 0]] * copies + [[2, 0]], [1] * copies + [2], np.eye(4)))
    ways = small.split
    run = gradient_flow(ways, *ways.coordinates(np.zeros((4, 4))), [1.0, 17.0, 1e3])
    W = ways.matrix(run.x[-1], run.z[-1])
    return model_law(W, np.array(counts), np.zeros(len(counts), dtype=int), np.eye(4))


@dataclass
class Automaton(Checks):
    """Next tokens from the graph and W_fin alone."""

    tag = "mechanics.automaton"
    standing = "reconstructed"
    hypotheses = {
        "H1": "hard retrieval: the graphs decide which tokens may come",
        "H2": "soft composition: $W^{fin}$ decides the odds among them",
        "H3": "training went on long enough",
        "H4": (
            "every context that generation runs into can be compared by the graph of its last token"
        ),
    }
    parts = {
        "the law": ("kernel-automaton-law",),
    }
    kernel_theorems = {
        "automaton_law": dict(
            as_printed=True, condition=COMPARABLE, concludes=True, equation="the law"
        ),
        "same_law": {},
        "law_by_size": {},
    }
    trusts = (
        chapter("mechanics.hard-retrieval", "what is below the top vanishes"),
        chapter("mechanics.soft-composition", "the law on top"),
    )

    K: int = whole(5, 2, 10, holds=(4, 5))
    d: int = dimensions(6, 12, holds=(lambda self: self.K + 1, 8))
    T: int = whole(4, 2, 8, holds=(3, 5))
    n: int = whole(500, 250, 1000, holds=(500, 1000))
    tokens: int = whole(4000, 2000, 8000)
    seed: int = seed(1)

    # -- the layer

    @once
    def truth(self, rng: Generator) -> ChoiceLaw:
        """The hidden automaton."""
        return random_law(self.K, 2, rng)

    @once
    def data(self, rng: Generator) -> NextTokenData:
        """What it says."""
        draw = lambda: gaussian_embeddings(self.K, self.d, rng)
        embeddings = drawn(draw, well_apart, "K, d", (self.K, self.d), most=100)
        return choice_draw(rng, self.truth, self.n, self.T, embeddings)

    @once
    def problem(self) -> Problem:
        """What training on it comes down to."""
        return Problem(self.data)

    @once
    def contexts(self) -> tuple[Ids, Ids]:
        """Counts and last tokens of all contexts."""
        return all_contexts(self.K, self.T)

    @once
    def limit(self) -> Array:
        """The automaton's laws in all contexts."""
        return self.automaton(*self.contexts)

    @once
    def trained(self, rng: Generator) -> Array:
        """W at the log times and at 1000."""
        split, start = self.problem.split, rng.normal(size=(self.d, self.d)) / np.sqrt(self.d)
        path = gradient_flow(split, *split.coordinates(start), [*LOG_TIMES, 1e3])
        return split.matrix(path.x, path.z) + start - split.matrix(*split.coordinates(start))

    def automaton(self, counts: Ids, last: Ids) -> Array:
        """The automaton's law."""
        return automaton_law(self.problem, counts, last)

    def layer(self, counts: Ids, last: Ids) -> Array:
        """The trained layer's law, at log t = 1000."""
        return model_law(self.trained[-1], counts, last, self.data.embeddings)

    def young_layer(self, counts: Ids, last: Ids) -> Array:
        """The law of the layer at t = e."""
        return model_law(self.trained[0], counts, last, self.data.embeddings)

    def no_graph(self, counts: Ids, last: Ids) -> Array:
        """All present tokens compete."""
        return model_law(self.problem.fin.W, counts, last, self.data.embeddings)

    def flat(self, counts: Ids, last: Ids) -> Array:
        """Retrieval alone."""
        kept = retrieve(self.problem.graphs, counts, last)
        return kept / kept.sum(axis=1, keepdims=True)

    laws = group()

    @once
    def variation(self) -> list[Any]:
        """Largest total variation between layer and automaton at each time."""
        laws = (model_law(W, *self.contexts, self.data.embeddings) for W in self.trained)
        return [np.abs(law - self.limit).sum(axis=1).max() / 2 for law in laws]

    @claim("<=", 1e-3, "limit", "the law", as_printed=True, condition=COMPARABLE, atol=1e-6)
    def same_law(self) -> float:
        r"""largest total variation between layer and automaton over all contexts, at $\log
        t=17$"""
        return self.variation[LATE]

    written = group()

    @once
    def text(self, rng: Generator) -> tuple[Ids, ...]:
        """Text of the trained layer: counts, last tokens, next tokens."""
        return generated(self.layer, rng, self.tokens, self.K, self.T)

    @once
    def quantile(self) -> float:
        """Of the largest score, false alarm 1 in 1000."""
        return float(stats.norm.isf(0.001 / (2 * self.K * self.K)))

    @claim(
        "<=",
        lambda self: self.quantile,
        "statistical",
        "the law",
        as_printed=True,
        condition=COMPARABLE,
        rtol=1e-3,
    )
    def indistinguishable(self) -> float:
        r"""text of the layer trained to $\log t=10^3$ under the automaton's law: largest z-score
        (false alarm 1 in 1000)"""
        return largest_score(self.automaton, *self.text)

    outside = group()

    @claim("<=", 1e-6, "limit", atol=1e-6)
    def unseen_score(self) -> float:
        r"""a token not seen with the last token: its log odds beside the loser and beside a winner
        against $\frac23\log\frac32t$ and $-\frac13\log\frac32t$ at $\log t=10^3$: relative
        difference"""
        law = layer_after(1, [[1, 0, 0, 1], [1, 1, 0, 1]])  # beside the loser, beside a winner
        odds, gap = np.log(law[[0, 1], 3] / law[[0, 1], [0, 1]]), 1e3 + np.log(1.5)
        return relative_error(odds, [2 / 3 * gap, -gap / 3])

    without = group()

    @control("H1", ">", lambda self: self.quantile, kind="statistical", rtol=1e-3)
    def no_retrieval(self) -> float:
        """without retrieval the test of the text's z-scores rejects: largest z-score"""
        return largest_score(self.no_graph, *self.text)

    @control("H2", ">", lambda self: self.quantile, kind="statistical", rtol=1e-3)
    def no_composition(self) -> float:
        """without strengths the test of the text's z-scores rejects: largest z-score"""
        return largest_score(self.flat, *self.text)

    @control("H3", ">", 0.01, kind="statistical", rtol=1e-3)
    def too_early(self, rng: Generator) -> float:
        """a layer trained to $t=e$: share of its tokens that the automaton calls impossible"""
        *seen, came = generated(self.young_layer, rng, self.tokens, self.K, self.T)
        return (self.automaton(*seen)[np.arange(len(came)), came] == 0).mean()

    @control(
        "H4",
        "<=",
        1e-6,
        kind="limit",
        cases={"1": Winners(1, 0.5), "3": Winners(3, 0.75)},
        atol=1e-7,
    )
    def incomparable(self, winners: Winners) -> float:
        """incomparable winners, @{case.copies} samples against 1: probability of the first minus
        @{case.share:g}"""
        return abs(layer_after(winners.copies, [[1, 1, 1, 0]])[0, 1] - winners.share)

    @finding("unseen-score")
    def outside_the_table(self) -> None:
        """With orthonormal embeddings a token never seen with the last token keeps its score and
        outranks every token whose score sinks without bound."""
