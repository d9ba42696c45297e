"""Soft composition: what its rows measure.

The chapter: ``book/mechanics/soft_composition.ipynb``.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import z3
from numpy.random import Generator

from checks.mechanics.hard_retrieval import COMPARABLE, flow
from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, chapter, claim, control, group, once, seed, step, whole
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum
from lib.mechanics.attention_layer import attention, layer_output
from lib.mechanics.automaton import automaton_law, model_law
from lib.mechanics.draws import choice_draw, cyclic_draw, random_law
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences, gaussian_embeddings

x, y, lift, rest = z3.Reals("x y lift rest")

UNEVEN = from_sequences(  # choice sets that differ, all asked by token 3
    [[0, 1, 3]] * 6 + [[1, 2, 3]] * 6 + [[0, 2, 3]] * 2,
    [0] * 4 + [1] * 2 + [1] * 5 + [2] + [2, 0],
    np.eye(4),
)


def trained_law(data: NextTokenData, counts: list[int], log_time: float = 1e3) -> Array:
    """The law that the flow from 0 has reached in the context ``counts`` (K,)."""
    (W,) = flow(data, [log_time])
    return model_law(W, np.array([counts]), data.last[:1], data.embeddings)[0]


class Trained(NamedTuple):
    """A data set, W at log t = 17, the limit law of its contexts."""

    data: NextTokenData
    W: np.ndarray
    limit: np.ndarray


@dataclass
class SoftComposition(Checks):
    """Soft composition: inside the component attention is a fixed mixture."""

    tag = "mechanics.soft-composition"
    standing = "reconstructed"
    hypotheses = {
        "H1": "$CE^\\top=I$, realizable labels, log-loss: what makes the finite part converge",
        "H2": "the context has one top component, and all its tokens were seen with its last token",
        "H3": (
            "all samples offer the same choice set (only for the equality with label frequencies)"
        ),
    }
    parts = {
        "the odds on top": ("kernel-composition",),
        "frequencies, where all samples offer the same": ("kernel-composition-is-frequency",),
    }
    kernel_theorems = {
        "composition_inside": {},
        "composition_by_size": {},
        "composition": dict(
            as_printed=True, condition=COMPARABLE, concludes=True, equation="the limit"
        ),
        "composition_is_frequency": dict(as_printed=True, concludes=True),
    }
    trusts = (
        chapter(
            "mechanics.global-convergence",
            "training grows in the direction of the Graph-SVM",
        ),
        chapter(
            "mechanics.finite-part-convergence",
            "inside the components training settles",
        ),
    )

    K: int = whole(6, 3, 12, holds=(4, 8))
    d: int = dimensions(8, 16, holds=(lambda self: self.K + 1, 12))
    n: int = whole(60, 30, 120)
    runs: int = whole(4, 1, 8)
    seed: int = seed()

    @step("decided")
    def lift_cancels(self) -> bool:
        r"""inside a component $W^{svm}$ lifts all scores alike, whatever its length: the factor
        $e^{C}$ cancels, $\frac{e^Cx}{e^Cx+e^Cy}=\frac x{x+y}$, $y$ the weight of all mates
        together"""
        lifted = lift * x / (lift * x + lift * y)
        return follows(lifted == x / (x + y), x > 0, y >= 0, lift > 0)

    @step("decided")
    def losers_vanish(self) -> bool:
        r"""weight $r$ below the top changes a mass by at most $\frac r{x+y}$, which retrieval sends
        to 0"""
        lost = x / (x + y) - x / (x + y + rest)
        exactly = lost * (x + y) * (x + y + rest) == x * rest
        small = z3.And(lost >= 0, lost <= rest / (x + y), exactly)
        return follows(small, x > 0, y >= 0, rest >= 0)

    layer = group()

    @once
    def trained(self, rng: Generator) -> list[Any]:
        """The runs, each on its own data set from a random start."""
        return [self.train(rng) for _ in range(self.runs)]

    def train(self, rng: Generator) -> Trained:
        """One of them."""
        data = cyclic_draw(rng, n=self.n, K=self.K, d=self.d)
        start = rng.normal(size=(self.d, self.d))
        *_, W = flow(data, [5.0, 9.0, 13.0, 17.0], start)
        return Trained(data, W, automaton_law(Problem(data), data.counts, data.last))

    @claim("<=", 1e-3, "limit", "the limit", as_printed=True, condition=COMPARABLE, atol=1e-6)
    def limit_law(self) -> float:
        r"""attention at $\log t=17$ against $m_{ij}e^{e_j^\top W^{fin}\bar x}$ on the top
        component: largest total variation, @{runs} data sets"""
        off = (np.abs(attention(one.W, one.data) - one.limit) for one in self.trained)
        return maximum(each.sum(axis=1).max() for each in off) / 2

    @claim("<=", 2e-3, "limit", "the limit", as_printed=True, condition=COMPARABLE, atol=1e-6)
    def convex_combination(self) -> float:
        """$f_W(X_i)$ there against the convex combination of unit embeddings: largest distance (at
        most twice a variation)"""

        def apart(one: Trained) -> float:
            hull = one.limit @ one.data.embeddings
            return np.linalg.norm(layer_output(one.W, one.data) - hull, axis=1).max()

        return maximum(map(apart, self.trained))

    without = group()

    def off_when_tied(self, rng: Generator) -> float:
        """Largest difference of trained attention in two dimensions from the law of W_fin."""
        tokens, law = gaussian_embeddings(self.K, self.d, rng), random_law(self.K, 1, rng)
        free = choice_draw(rng, law, self.n, 4, tokens, last_tokens=(0, 1))
        tied = free.with_embeddings(gaussian_embeddings(self.K, 2, rng), independent=False)
        problem = Problem(tied)
        kept = tied.counts * problem.split.inside
        limit = model_law(problem.fin.W, kept, tied.last, tied.embeddings)
        return np.abs(attention(flow(tied, [17.0])[0], tied) - limit).max()

    @control("H1", ">", 0.1, rtol=1e-2)
    def tied_strengths(self, rng: Generator) -> float:
        r"""$K=@{K}>d=2$, 8 draws: trained attention at $\log t=17$ against the law of $W^{fin}$,
        largest difference"""
        return maximum(self.off_when_tied(rng) for _ in range(8))

    @once
    def first_of_two(self) -> list[Any]:
        """Mass of one of two incomparable tokens, seen once and three times."""
        contexts = (([[0, 2]] * times + [[1, 2]], [0] * times + [1]) for times in (1, 3))
        sets = (from_sequences(*samples, np.eye(3)) for samples in contexts)
        return [trained_law(data, [1, 1, 1])[0] for data in sets]

    @control("H2", "in", [0.2499, 0.2501], kind="limit")
    def incomparable(self) -> float:
        """two incomparable top tokens, same graph, same $W^{fin}=0$: the mass of one moves by this
        when its samples are seen three times, from odds 1 : 1 to 3 : 1"""
        once, three_times = self.first_of_two
        return three_times - once

    @once
    def uneven(self) -> tuple[Array, Array]:
        """The law over {0, 1, 2}, and the label frequencies, where choice sets differ."""
        law = automaton_law(Problem(UNEVEN), np.array([[1, 1, 1, 0]]), [3])[0]
        return law, np.bincount(UNEVEN.label, minlength=4) / len(UNEVEN.label)

    @control(
        "H3",
        ">",
        0.03,
        rtol=1e-6,
        witness="its data are fixed, and the difference is so far above the bound that only other"
        " data would make it small",
    )
    def varying_sets(self) -> float:
        r"""choice sets that differ: largest difference of the law over $\{0,1,2\}$ from the label
        frequencies"""
        law, frequency = self.uneven
        return np.abs(law - frequency).max()
