"""Bias of a linear decoder: what its rows measure.

The chapter: ``book/bridge/decoder_bias.ipynb``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import cvxpy as cp
import networkx as nx
import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy.special import log_softmax

from checks.bridge.frozen_decoder import EXAMPLE, NOTHING  # the running example
from ledgerbook import (
    Checks,
    claim,
    control,
    group,
    once,
    real,
    seed,
    step,
    textbook,
    unproved,
    whole,
)
from lib.arrays import Array
from lib.bridge.decoder_bias import (
    decoder_data,
    decoder_of,
    entropy,
    modified_direction,
    tight_multipliers,
)
from lib.bridge.joint_training import features, joint_flow
from lib.decide import follows
from lib.measure import maximum, relative_error
from lib.mechanics.attention_layer import risk
from lib.mechanics.descent import cosine, descend
from lib.mechanics.exact_margin import certificate
from lib.mechanics.graph_svm import InfeasibleGraphSVM
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import graph_gram, random_supports, vectors_with_gram

M, K, rho = sp.symbols("M K rho", positive=True)
INVERSE_OWN = (1 + (K - 2) * rho) / ((1 - rho) * (1 + (K - 1) * rho))  # of G, equal overlaps
INVERSE_OTHER = -rho / ((1 - rho) * (1 + (K - 1) * rho))
BETWEEN = np.array([[1.0, 0], [0, 1], [0.5, 0.5]])


def random_law(rng: Generator, size: int, V: int) -> Array:
    """(size, V): next-token laws, supports of one to three tokens."""
    law = np.zeros((size, V))
    for row in law:
        chosen = rng.choice(V, rng.integers(1, 4), replace=False)
        row[chosen] = rng.dirichlet(np.full(len(chosen), 3.0))
    return law


def random_vectors(rng: Generator, size: int) -> Array:
    """Independent contexts, (size, size + 2)."""
    return rng.normal(size=(size, size + 2)) / np.sqrt(size)


def flow_to(problem: Problem, times: Sequence[float], start: float | Array = 0.0) -> Array:
    """W at the log times, from a matrix."""
    split, shape = problem.split, problem.svm.W.shape
    path = gradient_flow(split, *split.coordinates(np.broadcast_to(start, shape)), times)
    return np.array([split.matrix(x, z) for x, z in zip(path.x, path.z, strict=True)])


def classes_problem(F: Array, V: int, weight: Array | None = None) -> Problem:
    """``Problem`` of one next token for each class, contexts F."""
    return Problem(decoder_data(F, np.eye(len(F), V), weight))


def rival_over_unused(
    overlap: float, size: int, V: int, log_time: float, weight: Array | None = None
) -> float:
    """Probability left on a rival over that on an unused token, equal overlaps, plain gradient."""
    F = vectors_with_gram(equal_overlap_gram(size, overlap), V)
    end = flow_to(classes_problem(F, V, weight), [log_time])[0]
    left = F[0] @ decoder_of(end, V).T
    return np.exp(left[1] - left[-1])


def predicted_ratio(overlap: float, V: int) -> float:
    """What (iii) says that tends to."""
    return 1 + V * overlap / (1 - overlap)


@dataclass(frozen=True, eq=False)
class Contexts:
    """Fixed contexts, their laws and how often they come."""

    vectors: np.ndarray
    law: np.ndarray
    weight: np.ndarray

    @cached_property
    def data(self) -> NextTokenData:
        """As samples of the attention layer."""
        return decoder_data(self.vectors, self.law, self.weight)

    @cached_property
    def problem(self) -> Problem:
        """What Part II makes of it."""
        return Problem(self.data)

    def loss_error(self, W: Array) -> float:
        """Of Part II's log-loss at W, relative to the cross-entropy of the decoder in it."""
        return float(abs(risk(W, self.data) / self.cross_entropy(W) - 1))

    def cross_entropy(self, W: Array) -> float:
        """Of the decoder in W, against the laws."""
        logs = log_softmax(self.vectors @ decoder_of(W, self.law.shape[1]).T, axis=1)
        return float(-(self.weight @ (self.law * logs).sum(axis=1)))

    def finite_error(self, W: Array) -> float:
        """Distance of the projection of W to W*."""
        return np.abs(self.problem.split.coordinates(W)[0] - self.problem.fin.x).max()

    def turned(self, W: Array) -> Array:
        """1 minus the cosine with W^mm."""
        return 1 - cosine(W, self.problem.svm.W)

    @cached_property
    def by_definition(self) -> tuple[Array, Array]:
        """(W*, W^mm): least-norm solution of the log-odds equations; conic solution of the margin.

        Knows no graphs, on purpose: a second way to what ``Problem`` gives.
        """
        V = self.law.shape[1]
        W, rules, rows, odds = cp.Variable((V, self.vectors.shape[1])), [], [], []
        for h, p in zip(self.vectors, self.law, strict=True):
            first, *others = np.flatnonzero(p)
            score = W @ h
            rules += [score[first] - score[z] == 0 for z in others]
            rules += [score[first] - score[z] >= 1 for z in np.flatnonzero(p == 0)]
            for z in others:
                rows.append(np.outer(np.eye(V)[first] - np.eye(V)[z], h).ravel())
                odds.append(np.log(p[first] / p[z]))
        tight = dict(tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
        cp.Problem(cp.Minimize(cp.sum_squares(W)), rules).solve(solver=cp.CLARABEL, **tight)
        finite = np.linalg.lstsq(np.array(rows), np.array(odds), rcond=None)[0]
        return finite.reshape(V, -1), W.value


class Design(NamedTuple):
    """solved: the exact solution is certified; holds: the criterion of (ii) does; same: it is where
    the modified update goes, by the formula's multipliers; equal: the classes overlap equally."""

    solved: bool
    holds: bool
    same: bool
    equal: bool

    @property
    def disagrees(self) -> bool:
        """Whether the criterion and the exact solution do, or equal overlaps miss it."""
        return not self.solved or self.holds != self.same or (self.equal and not self.holds)


def judged(supports: Array, equal: bool) -> Design:
    """The ``Design`` of contexts of zeros and ones, as many ones in each."""
    size, columns = supports.shape
    pairs = [(n, v) for n in range(size) for v in range(columns) if v != n]
    e = np.eye(columns)
    rows = np.array([np.outer(e[n] - e[v], supports[n]).ravel() for n, v in pairs])
    found = certificate(rows, [(n, n, v) for n, v in pairs])
    length = np.sqrt(supports.sum(axis=1, keepdims=True))  # of rows of zeros and ones
    formula = tight_multipliers(supports / length, columns) / length**2  # of rows of that length
    formula = formula[~np.eye(size, columns, dtype=bool)]
    apart = np.abs(formula - [float(x) for x in found.multipliers]).max()
    goes = modified_direction(supports / length, columns) / length[0]  # of margin 1 on the supports
    apart = maximum(apart, np.abs(goes.ravel() - [float(x) for x in found.w]).max())
    return Design(found.holds, bool(formula.min() > -1e-12), bool(apart < 1e-12), equal)


def equal_supports(own: int, rng: Generator) -> Array:
    """Three contexts of ``own`` tokens of their own and one common token, (3, 9)."""
    supports = np.zeros((3, 9))
    supports[:, 8] = 1
    for n in range(3):
        supports[n, rng.permutation([2 * n, 2 * n + 1])[:own]] = 1
    return supports


def most_classes(tokens: int) -> int:
    """How many classes fit: every two share a token, and each has one of its own."""
    return int((np.sqrt(8 * tokens + 1) - 1) / 2)


@dataclass
class DecoderBias(Checks):
    """Bias of a linear decoder over fixed contexts, after Thrampoulidis."""

    vocabulary: int = whole(12, 6, 24, holds=(10, 16))
    contexts: int = whole(5, 2, 10, holds=(3, 7))
    classes: int = whole(
        4,
        2,
        lambda self: most_classes(self.vocabulary),
        holds=(3, lambda self: most_classes(self.vocabulary)),
        why="K classes that overlap in pairs need K (K + 1) / 2 tokens",
    )
    rho: float = real(
        0.3,
        0.02,
        lambda self: 1 / (self.classes - 1),
        why="the overlaps of a class add up to 1 at most",
    )
    log_time: float = real(1e4, 5000, 20000, holds=(5000, 1e4))
    seed: int = seed(3000)

    tag = "bridge.decoder-bias"
    hypotheses = {
        "H1": "the data are separable: some $W$ has margin 1 from the support outwards",
        "H2": "the data are compatible: some $W$ has all log-odds",
        "H3": "the contexts are fixed: attention is frozen",
    }
    parts = {
        "the loss": ("entropy", "reached"),
        "the finite part": ("finite-limit", "dependent"),
        "the direction": ("direction", "dependent"),
        "in steps": ("descent",),
        "(i)": ("one-loss", "log-odds", "margin"),
        "the modified update": ("rows-close", "equal-inverse", "equal-ratio", "equal-signs"),
        "the error left": ("residual-ratio",),
    }
    standing = "read"
    trusts = (
        textbook(
            r"the constraints $(e_n-e_v)f_n^\top$ are linearly independent for independent $f_n$,"
            r" so that the multipliers are unique and a negative one rules the direction out",
            "the modified update",
        ),
        textbook("Gibbs: no cross-entropy is below the entropy", "the loss"),
        unproved(
            "the flow's rescaled errors converge to the multipliers (Soudry et al. 2018 for this"
            " kind of loss), where the constraints are linearly independent",
            *("the direction", "the error left"),
        ),
    )

    @step("symbolic", concludes=True)
    def rows_close(self) -> Facts:
        r"""$\sum_{v\ne n}\lambda_{nv}=g_{nn}-r_n/M$: with these multipliers the modified direction
        is $\sum\lambda_{nv}(e_n-e_v)f_n^\top$, all $K$, $M$, $G$"""
        r, g = sp.symbols("r g", positive=True)  # r - g: the rest of row n of G^-1
        return (M - 1) * r / M - (r - g), g - r / M

    @step("symbolic", concludes=True)
    def equal_inverse(self) -> Facts:
        r"""equal overlaps: $G^{-1}$ has $\frac{1+(K-2)\rho}{(1-\rho)(1+(K-1)\rho)}$ on the diagonal
        and $\frac{-\rho}{(1-\rho)(1+(K-1)\rho)}$ elsewhere"""
        return (
            (INVERSE_OWN + (K - 1) * rho * INVERSE_OTHER, 1),
            (rho * INVERSE_OWN + (1 + (K - 2) * rho) * INVERSE_OTHER, 0),
        )

    @step("symbolic", concludes=True)
    def equal_ratio(self) -> Facts:
        r"""equal overlaps: $\lambda_{\rm rival}/\lambda_{\rm unused}=1+\frac{M\rho}{1-\rho}$, all
        $K<M$"""
        unused = (INVERSE_OWN + (K - 1) * INVERSE_OTHER) / M
        rival = unused - INVERSE_OTHER
        return rival / unused, 1 + M * rho / (1 - rho)

    @step("decided", concludes=True)
    def equal_signs(self) -> bool:
        r"""equal overlaps: $\lambda_{\rm rival}$ and $\lambda_{\rm unused}$ are positive for
        $0\le\rho<1$, so that the modified update has the direction $W^{mm}$"""
        size, count, overlap = z3.Reals("M K rho")
        together = size * (1 + (count - 1) * overlap)
        unused = 1 / together
        rival = (1 - overlap + size * overlap) / ((1 - overlap) * together)
        sizes = count >= 2, size > count
        # below 0 the second turns where 1 + (M - 1) rho does, before the first
        turned = (rival * unused > 0) == ((1 + (size - 1) * overlap > 0) == (overlap < 1))
        signs = z3.And((unused > 0) == ((count - 1) * overlap > -1), turned)
        poles = overlap != 1, (count - 1) * overlap != -1, (size - 1) * overlap != -1
        return follows(
            z3.And(unused > 0, rival > 0), *(overlap >= 0, overlap < 1), *sizes
        ) and follows(signs, *poles, *sizes)

    same_problem = group()

    @once
    def shown(self, rng: Generator) -> Contexts:
        """The data of the picture: answers 0 and 1 four times to one in context 0."""
        law = random_law(rng, self.contexts, self.vocabulary)
        law[0] = 0
        law[0, [0, 1]] = 0.8, 0.2
        size = self.contexts
        return Contexts(random_vectors(rng, size), law, np.full(size, 1 / size))

    @once
    def equal(self) -> Array:
        """Contexts that overlap equally, (K, V)."""
        return vectors_with_gram(equal_overlap_gram(self.classes, self.rho), self.vocabulary)

    @once
    def chain_contexts(self) -> Array:
        """Contexts that overlap with their neighbours, (K, V)."""
        return vectors_with_gram(graph_gram(nx.path_graph(self.classes), 0.4), self.vocabulary)

    @once
    def sets(self, rng: Generator) -> list[Contexts]:
        """Four data sets, each with one context that has two answers."""
        found, size, V = [], self.contexts, self.vocabulary
        for _ in range(4):
            law = random_law(rng, size, V)
            law[0] = np.eye(V)[[0, 1]].mean(axis=0)
            found.append(
                Contexts(random_vectors(rng, size), law, rng.dirichlet(np.full(size, 2.0)))
            )
        return found

    @once
    def ends(self, rng: Generator) -> list[Any]:
        """(data set, W) at the last log time from a random start."""
        begin = lambda one: rng.normal(size=one.problem.svm.W.shape)
        return [(one, flow_to(one.problem, [self.log_time], begin(one))[0]) for one in self.sets]

    @claim("<=", 1e-12, "identity")
    def one_loss(self, rng: Generator) -> float:
        """(i) cross-entropy of the decoder against Part II's log-loss with the whole vocabulary in
        every input, random $W$, four data sets, uneven weights: largest relative difference"""
        return maximum(
            one.loss_error(rng.normal(size=one.problem.svm.W.shape)) for one in self.sets
        )

    def apart(self, W: Array, by_definition: Array) -> float:
        """Largest entry between the decoder in W and one from its definition."""
        return np.abs(decoder_of(W, self.vocabulary) - by_definition).max()

    @claim("<=", 1e-8, "identity")
    def log_odds(self) -> float:
        """(i) $W^*$ from the log-odds' equations against $W^{fin}$ of Part II's code, largest
        entry"""
        return maximum(self.apart(one.problem.fin.W, one.by_definition[0]) for one in self.sets)

    @claim("<=", 1e-5, "identity")
    def margin(self) -> float:
        """(i) $W^{mm}$ from its definition by a conic solver against $W^{svm}$, largest entry"""
        return maximum(self.apart(one.problem.svm.W, one.by_definition[1]) for one in self.sets)

    @claim("<=", 1e-10, "identity", as_printed=True, concludes=True)
    def entropy(self) -> float:
        """infimum of the loss over the laws' entropy, less 1, independent contexts"""
        return maximum(abs(s.problem.fin.loss / entropy(s.law, s.weight) - 1) for s in self.sets)

    @claim("<=", 1e-10, "limit", as_printed=True, concludes=True, atol=1e-10)
    def reached(self) -> float:
        r"""flow from a random start at $\ln t=@{log_time:g}$: loss over the laws' entropy, less 1,
        independent contexts"""
        return maximum(
            abs(one.cross_entropy(W) / entropy(one.law, one.weight) - 1) for one, W in self.ends
        )

    @claim("<=", 1e-8, "limit", as_printed=True, concludes=True, atol=1e-8)
    def finite_limit(self) -> float:
        r"""flow from a random start at $\ln t=@{log_time:g}$: projection onto $\mathcal F$ against
        $W^*$"""
        return maximum(one.finite_error(W) for one, W in self.ends)

    @claim("<=", 1e-4, "limit", as_printed=True, concludes=True, atol=1e-8)
    def direction(self) -> float:
        r"""flow from a random start at $\ln t=@{log_time:g}$: 1 minus the cosine with $W^{mm}$"""
        return maximum(one.turned(W) for one, W in self.ends)

    @claim("<=", 1e-4, "limit", as_printed=True, concludes=True, atol=1e-9)
    def dependent(self, rng: Generator) -> float:
        r"""contexts that depend, $h_3=h_1+h_2$ with $p_3\propto p_1p_2$, and their mean with both
        answers, uneven weights: distance of the projection to $W^*$, and 1 minus the cosine with
        $W^{mm}$, at $\ln t=@{log_time:g}$, larger"""
        total, off = np.array([1.0, 1]), []
        product = np.array([[0.8, 0.2], [0.3, 0.7], [0.8 * 0.3, 0.2 * 0.7]])  # log-odds add up
        halves = np.array([[1.0, 0], [0, 1], [0.9, 0.1]])  # each has an answer, the mean has both
        for last, odds in ((total, product), (total / 2, halves)):
            law = np.zeros((3, self.vocabulary))
            law[:, :2] = odds / odds.sum(axis=1, keepdims=True)
            one = Contexts(np.vstack([np.eye(2), last]), law, np.array([0.05, 0.15, 0.8]))
            start = rng.normal(size=one.problem.svm.W.shape)
            W = flow_to(one.problem, [self.log_time], start)[0]
            off += [one.finite_error(W), one.turned(W)]
        return maximum(off)

    @claim("<", 0.5, "rate", as_printed=True, concludes=True, rtol=1e-3)
    def descent(self) -> float:
        """plain gradient descent, step 1: distance of the projection to $W^*$ after 3000 steps over
        that after 300"""
        one, shape = self.sets[-1], self.sets[-1].problem.svm.W.shape
        walk = lambda steps: descend(np.zeros(shape), one.data, 1.0, steps, observe=lambda W: {})[0]
        return one.finite_error(walk(3000)) / one.finite_error(walk(300))

    criterion_of_ii = group()

    @once
    def designs(self, rng: Generator) -> list[Any]:
        """Twelve ``Design``s, by turns of equal overlaps and at random."""
        found = []
        while len(found) < 12:
            number = len(found)
            if number % 2:
                supports = np.rint(random_supports(3, 9, 4, rng) * 2)
            else:
                supports = equal_supports(1 + number // 6, rng)
            if np.linalg.matrix_rank(supports) == 3:
                found.append(judged(supports, number % 2 == 0))
        return found

    @claim("==", 0, "exact")
    def criterion(self) -> int:
        """designs in which the criterion and the exact max-margin solution disagree about the
        modified update's direction, or that overlap equally and miss the criterion"""
        return sum(one.disagrees for one in self.designs)

    @once
    def example_contexts(self) -> Array:
        """What the running example's decoder sees at the start, (4, 15)."""
        return features(EXAMPLE, NOTHING, normalize=True)

    @once
    def example_best(self) -> Array:
        """W^mm of these."""
        return decoder_of(classes_problem(self.example_contexts, 15).svm.W, 15)

    @once
    def example_trained(self) -> np.ndarray:
        """The running example's decoder, attention frozen, at ln t = 100 and at the end."""
        moments = [100.0, self.log_time]
        return joint_flow(EXAMPLE, NOTHING, NOTHING, moments, eta_z=0, normalize=True).Y

    @claim("<=", 1e-6, "limit", atol=1e-8)
    def scan_and_snap(self) -> Array:
        r"""the decoder of *Scan and Snap*, attention frozen at its start, running example, at
        $\ln t=@{log_time:g}$: 1 minus the cosine with $W^{mm}$"""
        return 1 - cosine(self.example_trained[-1].T, self.example_best)

    @claim("<=", 1e-6, "limit", atol=1e-7)
    def residual_ratio(self, rng: Generator) -> float:
        r"""equal overlaps $\rho$ of $K$ classes, uneven weights, plain gradient: probability left
        on a rival over that on an unused token against $1+\frac{M\rho}{1-\rho}$, three pairs of $K$
        and $\rho$, largest relative difference"""
        V, worst = self.vocabulary, 0.0
        for size, overlap in ((self.classes, self.rho), (2, self.rho), (3, self.rho / 3)):
            mass = rng.dirichlet(np.ones(size))
            found = rival_over_unused(overlap, size, V, self.log_time, mass)
            worst = maximum(worst, relative_error(found, predicted_ratio(overlap, V)))
        return worst

    dropped = group()

    @control("H1", "==", True, kind="exact")
    def not_separable(self) -> bool:
        """a context between two others of one answer that wants another: the margin problem has no
        solution"""
        try:
            Problem(decoder_data(BETWEEN, np.eye(self.vocabulary)[[0, 0, 1]])).svm  # noqa: B018
        except InfeasibleGraphSVM:
            return True
        return False

    @control("H2", "in", [1 - 1e-8, 1 + 1e-8], kind="identity")
    def not_compatible(self) -> float:
        r"""a context between two others of equal odds, four to one, that has the opposite odds:
        infimum of the loss less the entropy, over the
        $\frac35\ln\frac53+\frac25\ln\frac52-\frac45\ln\frac54-\frac15\ln5>0$ that all three laws
        at their mean give"""
        law = np.zeros((3, self.vocabulary))
        law[:, :2] = [[0.8, 0.2], [0.8, 0.2], [0.2, 0.8]]
        more = Problem(decoder_data(BETWEEN, law)).fin.loss - entropy(law, np.full(3, 1 / 3))
        mean, each = np.array([0.6, 0.4]), np.array([0.8, 0.2])
        return more / (each @ np.log(each) - mean @ np.log(mean))

    @control("H3", ">", 10, rtol=1e-2)
    def attention_moves(self) -> Array:
        r"""running example, attention trained too: 1 minus the cosine of the decoder with $W^{mm}$
        of the first contexts, over that with attention frozen, at $\ln t=100$"""
        moving = joint_flow(EXAMPLE, NOTHING, NOTHING, [100.0], normalize=True).Y[-1]
        off = lambda Y: 1 - cosine(Y.T, self.example_best)
        return off(moving) / off(self.example_trained[0])
