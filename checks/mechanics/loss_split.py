"""The exact split of the log-loss: what its rows measure.

The chapter: ``book/mechanics/loss_split.ipynb``.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, chapter, claim, control, group, once, seed, step, whole
from lib.arrays import Array
from lib.measure import maximum
from lib.mechanics.attention_layer import attention, floored_loss, gradient, risk
from lib.mechanics.draws import authors_draw, cyclic_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences
from lib.mechanics.token_priority_graph import project

FLOORED = floored_loss(0.01)
RING = from_sequences([[0, 1, 3], [1, 2, 3], [2, 0, 3]], [0, 1, 2], np.eye(4))


def right_hand_side(problem: Problem, W: Array) -> float:
    """Lbar(Pi W) + mean log(1 + outside / inside), from the layer alone."""
    data, split, mass = problem.data, problem.split, attention(W, problem.data)
    inside, outside = ((mass * mask).sum(axis=1) for mask in (split.inside, split.outside))
    part = problem.cyclic_data
    cyclic = risk(project(split.finite_basis, W), part) if part else 0.0
    return cyclic + data.weight @ np.log1p(outside / inside)


class Instance(NamedTuple):
    """A random data set and a matrix."""

    problem: Problem
    W: np.ndarray


@dataclass
class LossSplit(Checks):
    """The exact split into a cyclic part and a leak."""

    K: int = whole(6, 4, 12, holds=(4, 8), why="a sequence shows four different tokens")
    d: int = dimensions(8, 16, holds=(lambda self: self.K, 10))
    instances: int = whole(100, 30, 200, holds=(30, 150))
    seed: int = seed()

    tag = "mechanics.loss-split"
    hypotheses = {
        "H1": r"labels are realizable, $y_i\in X_i$",
        "H2": "the loss is the log-loss",
        "H3": "inputs are cut down to whole components, not to some other set of tokens",
    }
    parts = {
        "the split": ("kernel-split",),
        "the infimum": ("kernel-leak-dies", "kernel-same-infimum"),
        "not attained where a token is below its label": ("kernel-not-attained",),
    }
    standing = "reconstructed"
    kernel_theorems = {
        "split": dict(as_printed=True, concludes=True, equation="the split"),
        "leak_dies": dict(as_printed=True, concludes=True, equation="the infimum"),
        "same_infimum": dict(as_printed=True, concludes=True, equation="the infimum"),
        "not_attained": dict(concludes=True),
    }
    trusts = (
        chapter(
            "mechanics.w-fin",
            "the cyclic part's infimum, which is the loss's, is a minimum",
            "the infimum",
        ),
    )
    unknown = {"H1": "without the label in the input the log-loss is infinite at every W"}

    @step("symbolic")
    def split_all(self) -> Facts:
        r"""label's $-\log$ mass = $-\log$ share inside + $\log(1+$ outside over inside$)$, for all
        weights"""
        own, mates, others = sp.symbols("w_y w_in w_out", positive=True)
        whole = -sp.log(own / (own + mates + others))
        return whole, -sp.log(own / (own + mates)) + sp.log(1 + others / (own + mates))

    @step("symbolic")
    def leak_dies(self) -> Facts:
        r"""a leak with margin $\mu>0$ along $W^{svm}$ falls for all $t$ and tends to 0; it is
        positive at every $t$"""
        t, margin, odds = sp.symbols("t mu w", positive=True)  # outside over inside at t = 0
        now = odds * sp.exp(-margin * t)
        leak = sp.log(1 + now)
        falls = -margin * now / (1 + now)
        ends = sp.Limit(leak, t, sp.oo)
        return [(ends, 0), (sp.Derivative(leak, t), falls), -falls > 0, now > 0]

    sides = group()

    @once
    def shown(self, rng: Generator) -> Problem:
        """The data of the picture and of the controls."""
        return Problem(cyclic_draw(rng, K=self.K, d=self.d))

    @once
    def drawn(self, rng: Generator) -> list[Any]:
        """Random data sets, every other one of the authors' kind, each with a matrix."""

        def instance(number: int) -> Instance:
            draw = authors_draw if number % 2 else cyclic_draw
            problem = Problem(draw(rng, K=self.K, d=self.d))
            return Instance(problem, 10 ** rng.uniform(-1, 1) * rng.normal(size=(self.d, self.d)))

        return [instance(number) for number in range(self.instances)]

    @claim("<=", 1e-12, "identity", "the split", as_printed=True)
    def split(self) -> float:
        """the loss against the cyclic part and the leak of the split, from their definitions and
        from the values that training uses, larger relative difference, @{instances} data sets and
        matrices"""

        def off(problem: Problem, W: Array) -> float:
            x, z = problem.split.coordinates(W)
            values = problem.split.leak(x, z).value + problem.split.cyclic(x).value
            sums = np.array([right_hand_side(problem, W), values])
            return np.abs(sums / risk(W, problem.data) - 1).max()

        return maximum(off(*each) for each in self.drawn)

    @claim("<=", 1e-12, "identity")
    def split_gradient(self) -> float:
        r"""the gradients of the two parts against $E^\top(S-Y)^\top Q/n$, largest difference"""

        def gap(problem: Problem, W: Array) -> float:
            split = problem.split
            x, z = split.coordinates(W)
            parts = split.leak(x, z).gradient + np.r_[split.cyclic(x).gradient, np.zeros(len(z))]
            direct = np.concatenate(split.coordinates(gradient(W, problem.data)))
            return np.abs(direct - parts).max()

        return maximum(gap(*each) for each in self.drawn)

    @claim("<=", 1e-12, "identity", "the infimum", as_printed=True)
    def infimum_reached(self) -> float:
        r"""$\mathcal L(W^{fin}+40\,W^{svm})$ against $\bar{\mathcal L}(W^{fin})$, largest
        difference"""

        def gap(problem: Problem) -> Array:
            return abs(risk(problem.fin.W + 40 * problem.svm.W, problem.data) - problem.fin.loss)

        return maximum(gap(each.problem) for each in self.drawn)

    @claim("<=", 1e-3, "rate", atol=1e-5)
    def leak_rate(self) -> float:
        r"""the fall of the leak's logarithm as $W^{svm}$ is added to $W^{fin}+640\,W^{svm}$:
        largest deviation from 1"""

        def decay(problem: Problem) -> float:
            points = [problem.fin.W + size * problem.svm.W for size in (640, 641)]
            early, late = (problem.split.leak(*problem.split.coordinates(W)) for W in points)
            return np.log(early.value / late.value)

        return maximum(abs(decay(each.problem) - 1) for each in self.drawn)

    without = group()

    @control("H2", ">", 0.1)
    def floored_loss(self, rng: Generator) -> float:
        """a floor of 0.01, which a label outside its input would need: largest size of what the
        split leaves over, 20 matrices"""
        data, part, split = self.shown.data, self.shown.cyclic_data, self.shown.split
        return maximum(
            abs(
                risk(W, data, FLOORED)
                - risk(W, part, FLOORED)
                - split.leak(*split.coordinates(W)).value
            )
            for W in 2 * rng.normal(size=(20, self.d, self.d))
        )

    @once
    def mutual(self) -> list[Any]:
        """Pairs of the ring that beat each other directly."""
        graph = Problem(RING).graphs[3].graph
        return [pair for pair in graph.edges if graph.has_edge(*pair[::-1])]

    @property
    def mutual_count(self) -> int:
        return len(self.mutual)

    @control("H3", "<=", 1e-12, kind="identity")
    def direct_rivals(self) -> float:
        r"""a ring $0\to1\to2\to0$: pairs that beat each other directly: @{mutual_count}, so cut to
        these nothing would be left and $\inf\mathcal L=0$; the loss at $W^{fin}+40\,W^{svm}$ is
        $\log2$: difference"""
        ring = Problem(RING)
        loss = risk(ring.fin.W + 40 * ring.svm.W, RING)
        return np.inf if self.mutual else abs(loss - np.log(2))
