"""The finite part: what its rows measure.  The chapter: ``book/mechanics/w_fin.ipynb``."""

# Where a component has two tokens there are cyclic data.
# mypy: disable-error-code="union-attr"

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import flint
import networkx as nx
import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, chapter, claim, control, group, once, seed, textbook, whole
from lib.arrays import Array, Ids
from lib.measure import maximum, minimum
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.loss_split import SplitLoss
from lib.mechanics.luce_choice import escape_direction, luce_strengths
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences, gaussian_embeddings


def within_components(split: SplitLoss) -> Array:
    """Change of a_ij - a_iy per coordinate of S_fin, 0 outside the label's component: (n, K, r)."""
    return split.finite_features * split.inside[..., None]


def balance(
    scores: list[flint.arb], counts: Array, label: Ids
) -> tuple[flint.arb_mat, flint.arb_mat]:
    """Luce's equations in Arb balls: (expected minus observed wins (m-1,), their derivative).

    scores: of tokens 1, 2, ... against token 0 of one component.  From the counts alone,
    independent of lib.
    """
    m = len(scores) + 1
    force, curve = [flint.arb(0)] * (m - 1), flint.arb_mat(m - 1, m - 1)
    for row, winner in zip(counts.astype(int).tolist(), label.tolist(), strict=True):
        weight = [c * s.exp() for c, s in zip(row, [flint.arb(0), *scores], strict=True)]
        total = sum(weight, flint.arb(0))
        p = [w / total for w in weight[1:]]
        for i in range(m - 1):
            force[i] += p[i] - (winner == i + 1)
            for j in range(m - 1):
                curve[i, j] = curve[i, j] + p[i] * (i == j) - p[i] * p[j]
    return flint.arb_mat(m - 1, 1, force), curve


def contests(problem: Problem) -> Iterator[tuple[Array, Array, Any]]:
    """For each last token and component: scores under W_fin, counts and labels inside it."""
    W, part, e = problem.fin.W, problem.cyclic_data, problem.data.embeddings
    for k, graph in problem.graphs.items():
        for members in (list(m) for m in graph.components if len(m) > 1):
            rows = (part.last == k) & np.isin(part.label, members)
            label = np.searchsorted(members, part.label[rows])
            yield e[members] @ W @ e[k], part.counts[rows][:, members], label


def is_near_a_zero(scores: Array, counts: Array, label: Ids, radius: float = 1e-9) -> bool:
    """Whether the scores lie within ``radius`` of a zero of Luce's equations: interval Newton."""
    middle = [flint.arb(float(s)) for s in scores[1:] - scores[0]]
    box = [flint.arb(float(s), radius) for s in scores[1:] - scores[0]]
    newton = balance(box, counts, label)[1].solve(balance(middle, counts, label)[0])
    return all(abs(newton[i, 0]) < flint.arb(radius) for i in range(len(middle)))


def off_luce(data: NextTokenData) -> float:
    """Largest difference of W_fin's centered scores from Luce's log strengths."""
    found = contests(Problem(data))
    return maximum(
        np.abs(scores - scores.mean() - luce_strengths(counts, label, tolerance=1e-12)).max()
        for scores, counts, label in found
    )


@dataclass
class WFin(Checks):
    """W_fin exists, is finite and unique."""

    tag = "mechanics.w-fin"
    standing = "reconstructed"
    hypotheses = {
        "H1": "the sub-data are cut to strongly connected components",
        "H2": "the embeddings are linearly independent",
        "H3": "the loss is the log-loss",
        "H4": "the loss sees the mass of the label, $CE^\\top=I_K$",
        "H5": "labels occur in their own input, and each sample has a positive weight",
    }
    unknown = {
        "H5": (
            "without the label in the input the log-loss is infinite at every W, and a sample of"
            " weight 0 is none"
        )
    }
    parts = {
        "strictly convex": ("kernel-no-escape",),
        "it grows in every direction": ("kernel-coercive",),
        "existence": ("kernel-coercive",),
        "uniqueness": ("kernel-unique",),
    }
    kernel_theorems = {
        "likelihood_equations": {},
        "unique_inside": {},
        "no_escape": {},
        "coercive": dict(as_printed=True),
        "unique": dict(as_printed=True),
    }
    trusts = (
        chapter(
            "mechanics.convexity",
            "the curvature along a direction, and that it is zero only where all tokens of a"
            " context are lifted alike",
            "strictly convex",
        ),
        textbook(
            "a function whose second derivative along every line is positive is strictly convex",
            "strictly convex",
        ),
        textbook(
            "a convex function that grows along every ray has a bounded set of minimizers"
            " (Rockafellar)",
            "existence",
        ),
    )

    K: int = whole(6, 3, 12, holds=(5, 8))
    d: int = dimensions(8, 16, holds=(lambda self: self.K + 1, 12))
    instances: int = whole(60, 12, 120, holds=(12, 80))
    seed: int = seed()

    one = group()

    @once
    def sets(self, rng: Generator) -> list[Any]:
        """Data sets with cycles: repeated tokens, several last tokens, two or three tiers."""
        return [
            cyclic_draw(
                rng,
                n=int(rng.integers(15, 60)),
                K=self.K,
                d=self.d,
                tiers=int(rng.integers(2, 4)),
                last_tokens=(0, 1, 2)[: 1 + trial % 3],
            )
            for trial in range(self.instances)
        ]

    @once
    def near(self) -> list[Any]:
        """For each component of all data sets, whether it is shown to be near a zero."""
        return [is_near_a_zero(*one) for data in self.sets for one in contests(Problem(data))]

    @claim("==", 0, "certified")
    def certified(self) -> int:
        """components whose scores under $W^{fin}$ are *not* shown to lie within $10^{-9}$ of an
        exact zero of Luce's equations, the only one nearby (interval Newton)"""
        return len(self.near) - sum(self.near)

    @claim("<=", 1e-6, "identity")
    def by_iteration(self) -> float:
        """scores under $W^{fin}$ against Luce's log strengths by an iteration of their own:
        difference, largest of 8 data sets"""
        return maximum(map(off_luce, self.sets[:8]))

    without = group()

    @once
    def escapes(self, rng: Generator) -> tuple[int, list[float], int]:
        """Parts of eleven choices: exceptions to Ford, the most a rival gains, how many are flat.

        A circle of four both ways and three random contexts; the first part is two separate pairs.
        """
        contexts = [[i, (i + 1) % 4] for i in range(4)] + [[(i + 1) % 4, i] for i in range(4)]
        contexts += [rng.permutation(4)[:size].tolist() for size in (2, 3, 4)]
        chosen = [context[0] for context in contexts]
        whole = from_sequences([[*context, 4] for context in contexts], chosen, np.eye(5))
        features, exceptions, gains, flat = within_components(Problem(whole).split), 0, [], 0
        pairs = np.array([0, 2, 4, 6])  # 0 and 1 beat each other, 2 and 3 do, and never meet
        for part in [pairs, *(np.flatnonzero(rng.random(11) < 0.6) for _ in range(self.instances))]:
            beats = nx.DiGraph([(chosen[i], j) for i in part for j in contexts[i]])
            beats.add_nodes_from(range(4))
            escape, broken = escape_direction(features[part]), not nx.is_strongly_connected(beats)
            exceptions += (escape is not None) != broken
            if escape is not None:
                along = features[part] @ escape  # what each rival gains on its label
                gains.append(along.max(initial=0))
                flat += along.min(initial=0) > -1e-9
        return exceptions, gains, flat

    @claim("==", 0, "sign")
    def ford(self) -> int:
        """a circle of four both ways and three random contexts, two separate pairs of them and
        random parts: an escape exists just where the part is not strongly connected; exceptions"""
        return self.escapes[0]

    @control("H1", "<=", 1e-9, kind="identity")
    def no_rival_gains(self) -> float:
        """along the escapes of parts that are not strongly connected: the most that a rival gains
        on its label"""
        return maximum(self.escapes[1])

    @once
    def crowded(self, rng: Generator) -> list[Any]:
        """Twelve of the data sets with embeddings in two dimensions."""
        flat = (gaussian_embeddings(self.K, 2, rng) for _ in range(12))
        pairs = zip(self.sets[:12], flat, strict=True)
        return [data.with_embeddings(E, independent=False) for data, E in pairs]

    @control("H2", "==", 0, kind="identity")
    def crowded_exists(self) -> int:
        """not needed: $K=@{K}>d=2$, escapes found plus non-positive curvatures"""
        found = list(map(Problem, self.crowded))
        escapes = (escape_direction(within_components(one.split)) for one in found)
        least = minimum(one.fin.least_curvature for one in found)
        return sum(escape is not None for escape in escapes) + (least <= 0)

    @control("H2", ">", 0.005, rtol=1e-3)
    def crowded_not_luce(self) -> float:
        """$K=@{K}>d=2$: there are data whose scores under $W^{fin}$ are not Luce's: difference,
        largest of 12 data sets"""
        return maximum(map(off_luce, self.crowded))

    @control("H3", "==", True, kind="symbolic")
    def linear_loss(self) -> Facts:
        r"""$\ell(u)=1-u$ on the circle of three: $\frac12$ at $W=0$, $\frac13$ in the limit of
        gaps $L,L,-2L$, and below $\frac12$ at $L=2$ on the way: one of three equals is given
        up"""
        L = sp.symbols("L", positive=True)
        sigma = lambda gap: 1 / (1 + sp.exp(-gap))
        missing = 1 - (2 * sigma(L) + sigma(-2 * L)) / 3  # 1 - u over the circle
        half = sp.Rational(1, 2)
        at_zero, far = missing.subs(L, 0), sp.Limit(missing, L, sp.oo)
        return (at_zero, half), (far, sp.Rational(1, 3)), missing.subs(L, 2) < half

    @control("H4", "==", True, kind="symbolic")
    def mixing_head(self) -> Facts:
        r"""$CE^\top=(1-\rho)I+\rho\mathbf 1\mathbf 1^\top$, one pair, share $q$ of the labels: the
        loss wants mass $\frac{q(1+\rho)-\rho}{1-\rho}$, which passes 1 at $q=\frac1{1+\rho}$: no
        finite score is best beyond"""
        p, q, rho = sp.symbols("p q rho", positive=True)
        mixed = -q * sp.log((1 - rho) * p + rho) - (1 - q) * sp.log((1 - rho) * (1 - p) + rho)
        best = (q * (1 + rho) - rho) / (1 - rho)
        return [
            (sp.diff(mixed, p).subs(p, best), 0),
            (best.subs(q, 1 / (1 + rho)), 1),
            (sp.Derivative(best, q), (1 + rho) / (1 - rho)),
        ]
