"""What Theorem 1 is compared with: the message of each class after random steps, and symbols.

The chapter: ``book/scan-snap/theorem_01.ipynb``.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from numpy.random import Generator

from ledgerbook import Checks, once, real, seed, whole
from lib.arrays import Array
from lib.scan_snap.backprop_expansion import (
    PairBounds,
    coordinates,
    expansion,
    messages_of,
    pair_bounds,
)
from lib.scan_snap.decoder import h_star
from lib.scan_snap.decoder_training import decoder_epochs
from lib.scan_snap.overlaps import (
    feature_ascent,
    graph_gram,
    in_pairs,
    overlap,
    shortfall,
    vectors_with_gram,
    zeta_products,
)
from lib.validation import require


def read_off() -> tuple[Any, Any, Any, list[Any], Any]:
    """Rows n and n' of (I - E') (I + Theta) [.., q_1, ..], and (86), (88): -, and as printed."""
    others = sp.Symbol("N", integer=True, positive=True)  # K - 2
    one = lambda names: (sp.MatrixSymbol(name, 1, 1) for name in names.split())
    nn, nm, mm, p_n, p_m = one("E_nn E_nm E_mm p_n p_m")  # m for n', p = 1 + theta
    row_n, row_m, p = (sp.MatrixSymbol(name, others, 1) for name in ("E_n", "E_m", "p"))
    block = sp.MatrixSymbol("E_rest", others, others)
    q_1, q_0 = sp.symbols("q_1 q_0")
    weights = sp.BlockMatrix([[q_1 * p_n], [q_0 * p_m], [q_0 * p]])
    E = sp.BlockMatrix([[nn, nm, row_n.T], [nm, mm, row_m.T], [row_n, row_m, block]])
    found = sp.block_collapse(weights - E * weights).blocks
    iota = q_1 * p_n - q_1 * nn * p_n - q_0 * (nm * p_m + row_n.T * p)
    beta = [q_1 * nm * p_n + q_0 * (s * p_m + mm * p_m + row_m.T * p) for s in (-1, 1)]
    return found[0, 0], found[1, 0], iota, beta, 2 * q_0 * p_m


def with_e_prime(E: Any) -> Any:
    """E' of a matrix of symbols."""
    return sp.eye(E.rows) - (sp.eye(E.rows) + E).inv()


class Run(NamedTuple):
    """Random steps of (26): Y, its g for every class and their coordinates over the speeds; by the
    counts g and beta, (88) with -(1 + theta), and beta as printed, with its plus.
    """

    Y: Array
    g: Array
    coordinates: Array
    expanded: Array
    beta: Array
    printed: Array


@dataclass
class Messages(Checks):
    """Classes in pairs, and what their decoder sends back."""

    M: int = whole(600, 100, 1200, holds=(200, 1200))
    K: int = whole(4, 2, 8, holds=(4, 8))
    rho: float = real(0.2474, 0.05, 0.4948, holds=(0.05, 0.4))
    eta_y: float = real(0.5, 0.25, 1, holds=(0.4, 0.9))
    steps: int = whole(
        400, lambda self: 4 * self.K**2, 800, holds=(lambda self: 4 * self.K**2, 600)
    )
    seed: int = seed()

    def validate(self) -> None:
        """The classes form overlapping pairs."""
        require(self.K % 2 == 0, "K", self.K, "an even number: the classes form overlapping pairs")

    @once
    def F(self) -> Array:
        """Classes in pairs that overlap by rho, (K, M)."""
        return vectors_with_gram(graph_gram(in_pairs(self.K), self.rho), self.M)

    @once
    def run(self, rng: Generator) -> Run:
        """The decoder after random steps of (26), and what the formulas make of the counts."""
        labels = rng.integers(self.K, size=self.steps)
        counts, visits = np.bincount(labels, minlength=self.K), -(-self.steps // self.K)
        state = h_star(self.steps, self.M, self.eta_y)
        terms = expansion(counts, overlap(self.F), self.M, state, visits)
        Y = feature_ascent(labels, self.F, self.eta_y)
        g = messages_of(Y, self.F)
        found = coordinates(self.F, g) / terms.speeds[:, None]
        return Run(Y, g, found, terms.messages(self.F), terms.beta, terms.printed_beta(self.M))

    @property
    def off(self) -> Array:
        """Off the diagonal."""
        return ~np.eye(self.K, dtype=bool)

    def off_by(self, beta: Array) -> float:
        """Worst relative error of an entry of beta."""
        return np.abs(beta[self.off] / -self.run.coordinates[self.off] - 1).max()

    def pull(self, rounds: int) -> float:
        """w_0 times its error over q_1 after noiseless rounds: gamma, by the run alone."""
        w, f = decoder_epochs(rounds, self.M, self.eta_y, np.eye(self.K))[0], self.F[0]
        return w @ shortfall(np.outer(f, w) / (f @ f), self.F, 0) / zeta_products(self.M)[0]

    @once
    def pulls(self) -> dict[int, float]:
        """The same after 1000 and 3000 rounds."""
        return {rounds: self.pull(rounds) for rounds in (1000, 3000)}

    @once
    def chain(self) -> PairBounds:
        """A pair of overlap 0.24 and one of 0.2, M = 10^6, visited equally often: the second."""
        return pair_bounds(Fraction(2, 10), Fraction(24, 100), 10**6)
