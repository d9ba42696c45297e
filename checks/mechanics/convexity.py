"""Convexity: what its rows measure.  The chapter: ``book/mechanics/convexity.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import torch
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, claim, control, group, once, seed, step, whole
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum, minimum
from lib.mechanics.attention_layer import (
    Loss,
    attention,
    linear_loss,
    log_loss,
    risk,
    squared_softmax_loss,
)
from lib.mechanics.draws import cyclic_draw, random_draw
from lib.mechanics.samples import NextTokenData, gaussian_embeddings

SQUARED = squared_softmax_loss()  # the authors'


def hessian(W: Array, data: NextTokenData) -> np.ndarray:
    """(d*d, d*d) Hessian of the log-loss: weighted covariances of the rank-one features."""
    mass, total = attention(W, data), np.zeros((W.size, W.size))
    for s, query, weight in zip(mass, data.queries, data.weight, strict=True):
        features = (data.embeddings[:, :, None] * query).reshape(len(s), -1)  # (K, d*d)
        centered = features - s @ features
        total += weight * (centered * s[:, None]).T @ centered
    return total


def explicit(flat: torch.Tensor, data: NextTokenData) -> torch.Tensor:
    """The log-loss from X itself, in torch, with nothing of ``lib``; flat: (d*d,)."""
    E = torch.as_tensor(data.embeddings)
    C = torch.as_tensor(data.head)
    W, total = flat.reshape(E.shape[1], -1), 0
    for counts, k, y in zip(data.counts.astype(int), data.last, data.label, strict=True):
        X = E[np.repeat(np.arange(len(counts)), counts)]
        total = total - torch.log(C[y] @ (X.T @ torch.softmax(X @ W @ E[k], dim=0)))
    return total / len(data.counts)


def smoothness(data: NextTokenData) -> float:
    """The bound mean |x|^2 max |e_i - e_j|^2 / 4 on the Hessian, from tokens of one context."""
    total = 0.0
    for counts, query, weight in zip(data.counts, data.queries, data.weight, strict=True):
        rows = data.embeddings[counts > 0]
        spread = ((rows[:, None] - rows[None]) ** 2).sum(axis=2).max()
        total += weight * (query @ query) * spread / 4
    return total


def half_and_half(data: NextTokenData) -> Array:
    """W that shares the attention of one context between its two tokens furthest apart."""
    here, E, query = np.flatnonzero(data.counts[0]), data.embeddings, data.queries[0]
    apart = ((E[here][:, None] - E[here]) ** 2).sum(axis=-1)
    pair = here[list(np.unravel_index(apart.argmax(), apart.shape))]
    wanted = np.where(np.isin(np.arange(len(E)), pair), 0.0, -80.0) - data.log_counts[0].clip(0)
    return np.outer(np.linalg.lstsq(E, wanted, rcond=None)[0], query) / (query @ query)


@dataclass
class Convexity(Checks):
    """Convexity of the log-loss, and its smoothness."""

    n: int = whole(6, 3, 12)
    T: int = whole(4, 2, 8, holds=(2, 4))
    K: int = whole(
        6, lambda self: self.T, 12, holds=(5, 8), why="a sequence shows T different tokens"
    )
    d: int = dimensions(8, 16, holds=(lambda self: self.K, 10))
    instances: int = whole(150, 40, 300, holds=(40, 200))
    seed: int = seed()

    tag = "mechanics.convexity"
    hypotheses = {
        "H1": r"the head inverts the embedding, $CE^\top=I_K$, so that the loss sees the mass of"
        " the label",
        "H2": r"labels are realizable, $y_i\in X_i$",
        "H3": "the loss is the log-loss",
    }
    parts = {
        "convex": ("kernel-convex",),
        "its curvature": ("kernel-second-derivative",),
        "its flat directions": ("kernel-flat-directions",),
        "beside it": ("popoviciu",),
    }
    standing = "reconstructed"
    kernel_theorems = {
        "convex": dict(as_printed=True, concludes=True, equation="convex"),
        "second_derivative": dict(as_printed=True, equation="the curvature"),
        "flat_directions": dict(as_printed=True, equation="the flat directions"),
    }
    unknown = {"H2": "without the label in the input the log-loss is infinite at every W"}

    @step("symbolic", "the curvature", as_printed=True)
    def variance(self) -> Facts:
        r"""$\frac{d^2}{d\epsilon^2}\log\sum_jm_je^{a_j+\epsilon v_j}=\sum_js_j(v_j-\bar v)^2$, any
        number of tokens and any multiplicities"""
        epsilon, m1, m2 = sp.symbols("epsilon m1 m2", real=True)
        Z = sp.Function("Z")(epsilon)  # sum_j m_j e^{a_j + epsilon v_j}, any number of tokens
        moments = {  # Z'/Z and Z''/Z are the mean of v and of v^2 under the masses
            sp.Derivative(Z, (epsilon, 2)): m2 * Z,
            sp.Derivative(Z, epsilon): m1 * Z,
        }
        second = sp.diff(sp.log(Z), epsilon, 2).subs(moments)
        # sum_j s_j (v_j - m1)^2 multiplied out, with sum_j s_j = 1
        return second, m2 - 2 * m1 * m1 + m1**2 * 1

    @step("decided", "the flat directions", as_printed=True)
    def terms(self) -> bool:
        r"""each term $s_j(v_j-\bar v)^2$ with $s_j>0$ is $\ge0$, and 0 only for $v_j=\bar v$: the
        curvature vanishes only along $V$ that lift all tokens of each context alike"""
        s, v = z3.Reals("s v")
        return follows(z3.And(s * v * v >= 0, z3.Implies(s * v * v == 0, v == 0)), s > 0)

    @step("decided")
    def popoviciu(self) -> bool:
        r"""scores that differ by at most $b$ have variance at most $b^2/4$: $\overline{v^2}\le
        b\bar v$ for $0\le v_j\le b$, and $b\bar v-\bar v^2\le b^2/4$. So the gradient is
        Lipschitz"""
        v, mean, square, top = z3.Reals("v mean square top")
        bounded = follows(square - mean * mean <= top * top / 4, square <= top * mean)
        return bounded and follows(v * v <= top * v, v >= 0, v <= top)

    second_derivatives = group()

    def draw(self, rng: Generator) -> NextTokenData:
        """The authors' samples."""
        return random_draw(rng, self.n, self.T, self.K, d=self.d)

    @once
    def differentiated(self, rng: Generator) -> list[Any]:
        """(data, W, the Hessian there by automatic differentiation through X), W of any size.

        Every other data set has cycles.
        """

        def by_torch(data: NextTokenData, W: Array) -> Array:
            flat = torch.as_tensor(W.ravel())
            loss, options = lambda w: explicit(w, data), {"vectorize": True}
            return torch.autograd.functional.hessian(loss, flat, **options).numpy()

        def instance(number: int) -> tuple[NextTokenData, Array, Array]:
            cyclic = cyclic_draw(rng, n=12, T=self.T, K=self.K, d=self.d) if number % 2 else None
            data = cyclic or self.draw(rng)
            W = 10 ** rng.uniform(-2, 0.7) * rng.normal(size=(self.d, self.d))
            return data, W, by_torch(data, W)

        return [instance(number) for number in range(self.contexts)]

    @claim("<=", 1e-11, "identity")
    def hessian(self) -> float:
        """the covariance form against second derivatives by automatic differentiation through $X$:
        largest difference times the least mass of a label, @{contexts} data sets (a head that
        inverts to 1e-16 magnifies rounding by one over that mass)"""

        def gap(data: NextTokenData, W: Array, auto: Array) -> float:
            least = attention(W, data)[np.arange(len(data.label)), data.label].min()
            return least * np.abs(auto - hessian(W, data)).max()

        return maximum(gap(*each) for each in self.differentiated)

    @property
    def steepest(self) -> float:
        """Largest eigenvalue over the bound, of the differentiated instances."""
        return maximum(
            np.linalg.eigvalsh(auto)[-1] / smoothness(data) for data, _, auto in self.differentiated
        )

    @property
    def contexts(self) -> int:
        return self.instances // 4

    @claim("<=", 1e-9, "identity")
    def smooth(self) -> float:
        r"""largest eigenvalue over $\frac14\,\overline{|\bar x|^2\max|e_i-e_j|^2}$, one context
        each, @{contexts} of them, half of the mass on each of the two tokens furthest apart: 1,
        furthest from it"""

        def ratio(data: NextTokenData) -> float:
            alone = data.only([int(np.argmax((data.counts > 0).sum(axis=1)))])
            return np.linalg.eigvalsh(hessian(half_and_half(alone), alone))[-1] / smoothness(alone)

        return maximum(abs(ratio(data) - 1) for data, _, _ in self.differentiated)

    along_chords = group()

    @property
    def points(self) -> int:
        return 10 * self.instances

    @claim("<=", 1e-12, "inequality", "convex", as_printed=True)
    def chords(self, rng: Generator) -> float:
        r"""$\mathcal L$ at a mixture minus the mixture of $\mathcal L$, relative, largest of
        @{points} points"""

        def excess(data: NextTokenData, ends: Array, share: float) -> Array:
            chord = (1 - share) * risk(ends[0], data) + share * risk(ends[1], data)
            return risk((1 - share) * ends[0] + share * ends[1], data) / chord - 1

        worst = []
        for _ in range(self.instances):
            data = cyclic_draw(rng, n=10, T=self.T, K=self.K, d=self.d)
            ends = 10 ** rng.uniform(-1, 1.5) * rng.normal(size=(2, self.d, self.d))
            worst += [excess(data, ends, share) for share in rng.uniform(size=10)]
        return maximum(worst)

    without = group()

    def least_curvature(
        self, rng: Generator, loss: Loss, data: NextTokenData | None = None
    ) -> float:
        """Smallest second difference quotient of a loss along 300 random lines."""

        def curvature(h: float = 1e-3) -> Array:
            sample = data or self.draw(rng)
            W, V = 3 * rng.normal(size=(2, *(sample.shape[2],) * 2))
            below, here, above = (risk(W + way * V, sample, loss) for way in (-h, 0, h))
            return (below - 2 * here + above) / h**2

        return minimum(curvature() for _ in range(300))

    @control("H1", "==", True, kind="symbolic")
    def mixing_head(self) -> Facts:
        r"""$-\log(\alpha p+\beta)$, what a mixing head makes of the label's mass $p$: its curvature
        in the label's score is $\frac{\alpha p(1-p)}{u^2}(\alpha p^2-\beta(1-2p))$, $u=\alpha
        p+\beta$; for any $\beta>0$ negative as $p\to0$"""
        own, alpha, beta, mass = sp.symbols("a alpha beta p", positive=True)
        p = 1 / (1 + sp.exp(-own))
        u, bracket = alpha * p + beta, lambda p: alpha * p**2 - beta * (1 - 2 * p)
        stated = alpha * p * (1 - p) / u**2 * bracket(p)
        small = sp.Limit(bracket(mass), mass, 0)
        return (sp.Derivative(-sp.log(u), (own, 2)), stated), (small, -beta)

    @control("H1", "<", -0.01, rtol=1e-3)
    def authors_local_loss(self, rng: Generator) -> float:
        r"""$(1-\mathrm{softmax}(Ef)_y)^2$: least curvature along random lines"""
        return self.least_curvature(rng, SQUARED)

    @control("H1", ">=", -1e-8, rtol=1, atol=1e-6)
    def crowded(self, rng: Generator) -> float:
        """$K=@{K}$ tokens in $d=3$ dimensions, loss of the mass: still convex, least curvature
        along random lines"""
        data = random_draw(rng, 20, self.T, self.K, d=self.d)
        crowd = data.with_embeddings(gaussian_embeddings(self.K, 3, rng), independent=False)
        return self.least_curvature(rng, log_loss, crowd)

    @control("H3", "<", -0.01, rtol=1e-3)
    def linear_loss(self, rng: Generator) -> float:
        r"""$\ell(u)=1-u$: least curvature along random lines"""
        return self.least_curvature(rng, linear_loss)
