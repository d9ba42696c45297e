"""The setting: what its rows measure.  The chapter: ``book/mechanics/setting.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

from checks.mechanics.ranges import dimensions
from ledgerbook import Checks, claim, control, group, once, seed, whole
from lib.arrays import Array, Ids
from lib.measure import maximum, relative_error
from lib.mechanics.attention_layer import (
    attention,
    floored_loss,
    gradient,
    layer_output,
    linear_loss,
    mixing_loss,
    risk,
    squared_softmax_loss,
)
from lib.mechanics.samples import NextTokenData, from_sequences, gaussian_embeddings

FLOORED = floored_loss(1e-3)
SQUARED = squared_softmax_loss()  # the authors'
OF_MASS = (
    (linear_loss, lambda u: 1 - u),
    (FLOORED, lambda u: -np.log(u + 1e-3)),
    (mixing_loss(0.1), lambda u: -np.log(0.1 + 0.9 * u)),
)


def positional_output(W: Array, sequence: Ids, E: Array) -> Array:
    """f_W(X) from the definition, position by position, without lib; works for complex W."""
    X = E[sequence]
    weights = np.exp(X @ W @ X[-1])
    return X.T @ (weights / weights.sum())


def masses_by_position(
    W: Array, sequences: list[Ids], labels: list[int], E: Array, C: Array
) -> Array:
    """(n,): what the head reads off that output for the labels."""
    pairs = zip(sequences, labels, strict=True)
    return np.array([C[y] @ positional_output(W, x, E) for x, y in pairs])


def positional_risk(
    W: Array, sequences: list[Ids], labels: list[int], E: Array, C: Array
) -> np.number:
    """The log-loss of that output."""
    return -np.mean(np.log(masses_by_position(W, sequences, labels, E, C)))


def positional_square(W: Array, sequences: list[Ids], labels: list[int], E: Array) -> np.number:
    """The authors' squared loss of that output, their head C = E."""
    short = []
    for x, y in zip(sequences, labels, strict=True):
        odds = np.exp(E @ positional_output(W, x, E))
        short.append(1 - odds[y] / odds.sum())
    return np.mean(np.square(short))


@dataclass
class Setting(Checks):
    """Score-space form of the layer and its log-loss."""

    tag = "mechanics.setting"
    standing = "reconstructed"
    hypotheses = {
        "H1": "the head inverts the embedding, $CE^\\top=I_K$",
        "H2": "labels are realizable, $y_i\\in X_i$",
        "H3": "tokens carry no position",
    }
    parts = {
        "the mass": ("kernel-layer-by-token", "kernel-head-reads-mass"),
        "the gradient of the log-loss": ("kernel-gradient-correct",),
    }
    kernel_theorems = {
        "layer_by_token": dict(as_printed=True, concludes=True, equation="the mass"),
        "head_reads_mass": dict(as_printed=True, concludes=True, equation="the mass"),
        "gradient_correct": dict(as_printed=True, concludes=True, equation="the gradient"),
    }

    n: int = whole(6, 1, 30, holds=(3, 30))
    T: int = whole(4, 2, 8)
    K: int = whole(
        6,
        lambda self: self.T,
        12,
        holds=(lambda self: maximum(self.T, 4), 10),
        why="a sequence shows T different tokens",
    )
    d: int = dimensions(8, 16, holds=(lambda self: self.K + 2, 14))
    instances: int = whole(100, 10, 300)
    seed: int = seed()

    by_position = group()

    @once
    def longest(self) -> int:
        """The longest sequence drawn."""
        return 3 * self.T - 1

    def instance(self, rng: Generator) -> tuple[float, Any, Any, float]:
        """Errors of mass, slope, and other losses with their slopes, against the layer from X."""
        E = gaussian_embeddings(self.K, self.d, rng)
        lengths = rng.integers(1, self.longest + 1, size=self.n)
        sequences = [rng.integers(self.K, size=length) for length in lengths]
        labels = [rng.choice(sequence) for sequence in sequences]
        data = from_sequences(sequences, labels, E)
        W, V = rng.normal(size=(2, self.d, self.d))
        outputs = np.array([positional_output(W, sequence, E) for sequence in sequences])
        head = np.linalg.solve(E @ E.T, E)
        aside = W + 1e-30j * V
        slope = positional_risk(aside, sequences, labels, E, head).imag / 1e-30
        square = positional_square(aside, sequences, labels, E)
        return (
            relative_error(outputs @ head.T, attention(W, data)),
            abs((gradient(W, data) * V).sum() - slope) / np.linalg.norm(V),
            maximum(
                abs((gradient(W, data, SQUARED) * V).sum() - square.imag / 1e-30)
                / np.linalg.norm(V),
                abs(risk(W, data, SQUARED) - square.real),
            ),
            self.of_mass(aside, V, data, masses_by_position(aside, sequences, labels, E, head)),
        )

    def of_mass(self, aside: Array, V: Array, data: NextTokenData, masses: Array) -> float:
        """The larger error of value and slope along V, of three losses of the label's mass."""
        off = []
        for loss, ell in OF_MASS:
            wanted, W = np.mean(ell(masses)), aside.real
            slope = (gradient(W, data, loss) * V).sum() - wanted.imag / 1e-30
            off += [abs(risk(W, data, loss) - wanted.real), abs(slope) / np.linalg.norm(V)]
        return maximum(off)

    @once
    def worst(self, rng: Generator) -> Array:
        """The largest of these over all instances."""
        return np.max([self.instance(rng) for _ in range(self.instances)], axis=0)

    @claim("<=", 1e-10, "identity", "the mass", as_printed=True)
    def mass_is_output(self) -> float:
        r"""$c_y^\top f_W(X)=s_y$, output from $X$ by position, repeated tokens: @{instances} random
        sets, lengths 1 to @{longest}"""
        return self.worst[0]

    @claim("<=", 1e-12, "identity")
    def gradient(self) -> float:
        r"""$\nabla_W\mathcal L=\frac1nE^\top(S-Y)^\top Q$ against complex-step derivatives of the
        layer built from $X$"""
        return self.worst[1]

    @claim("<=", 1e-12, "identity")
    def squared_gradient(self) -> float:
        r"""the authors' squared loss, $(1-\mathrm{softmax}(Ef_W(X))_y)^2$ on average, and its
        gradient, against the layer built from $X$ and the same derivatives (larger error)"""
        return self.worst[2]

    @claim("<=", 1e-12, "identity")
    def losses_of_mass(self) -> float:
        r"""$1-u$, $-\log(u+\frac1{1000})$ and $-\log(0.1+0.9u)$ of the label's mass $u$, on
        average, and their gradients, against the layer built from $X$ and the same derivatives
        (largest error)"""
        return self.worst[3]

    precision = group()

    @claim("<=", 1e-12, "identity")
    def saturated(self) -> float:
        """at a score gap of 200 the gradient still has full relative precision"""
        pair = from_sequences([[0, 1]], [0], np.eye(2))
        found = gradient(np.array([[0, 200.0], [0, 0]]), pair)
        return relative_error(found, np.array([[0, -1.0], [0, 1]]) * np.exp(-200))

    without = group()

    @control("H1", ">", 0.05)
    def head_is_E(self, rng: Generator) -> float:
        r"""$C=E$, unit Gaussian rows: the largest difference between $c_j^\top f_W$ and the
        mass"""
        E, W = gaussian_embeddings(self.K, self.d, rng), rng.normal(size=(self.d, self.d))
        sequences = [rng.integers(self.K, size=self.longest) for _ in range(self.n)]
        data = from_sequences(sequences, [sequence[0] for sequence in sequences], E)
        return np.abs(layer_output(W, data) @ E.T - attention(W, data)).max()

    @control("H2", "==", 0.0, kind="identity")
    def label_absent(self, rng: Generator) -> float:
        r"""label not in the input: the log-loss is infinite, and floored at $-\log10^{-3}$ to be
        finite it does not pull at all: largest entry of the gradient"""
        absent = from_sequences([[0, 1]], [2], np.eye(3), realizable=False)
        W = rng.normal(size=(3, 3))
        pull = np.abs(gradient(W, absent, FLOORED)).max()
        return pull if np.isinf(risk(W, absent)) else np.inf

    @control("H3", "<=", 1e-12, kind="identity")
    def positions(self) -> float:
        r"""two words in both orders, the first the label, a position added to each embedding: the
        loss where the first leads by $g=4$ is $\log(1+2e^{-g})$, not $\log2$ or more (relative
        error)"""
        word, place, lead = np.eye(6)[:3], np.eye(6)[3:], 4.0  # of the score of what stands first
        at = (0, 0), (1, 1), (1, 0), (0, 1), (2, 2)
        placed = np.array([word[x] + place[t] for x, t in at])
        both_orders = from_sequences([[0, 1, 4], [2, 3, 4]], [0, 2], placed, independent=False)
        first = np.outer(place[0], placed[4]) / (placed[4] @ placed[4])
        return abs(risk(lead * first, both_orders) / np.log1p(2 * np.exp(-lead)) - 1)
