"""Lemma 17: what its rows measure.  The chapter: ``book/scan-snap/lemma_17.ipynb``."""

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy.linalg import block_diag

from ledgerbook import (
    Checks,
    Sharper,
    claim,
    control,
    finding,
    group,
    once,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum, relative_error
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import e_prime, graph_gram, random_overlap, spectrum

SIZES = np.array([4, 8, 16, 32, 64])  # K


def bound_80(E: Array) -> float:
    """The right-hand side of (80)."""
    top = abs(spectrum(E)[0])
    return top**2 / (1 - top)


def equal(K: int, overlap: float) -> Array:
    """E of equal overlaps."""
    return equal_overlap_gram(int(K), overlap) - np.eye(int(K))


def largest_gap(E: Array) -> float:
    """The largest entry of |E' - E|."""
    return np.abs(e_prime(E) - E).max()


@dataclass
class Lemma17(Checks):
    """Lemma 17: E' is close to E."""

    K_max: int = whole(12, 3, 100)
    seed: int = seed()

    tag = "scan-snap.lemma-17"
    hypotheses = {"H1": r"$\lambda_1<1$ for the eigenvalue of largest modulus"}
    trusts = (
        textbook(
            "Perron–Frobenius: of overlaps, the eigenvalue of largest modulus is positive, so that"
            r" $\lambda_1<1$ is $|\lambda_1|<1$",
            "(80)",
        ),
    )
    kernel_theorems = {
        "lemma_17": dict(concludes=True, equation="(80)", group="proof"),
        "lemma_17_sharper": dict(group="proof"),
        "lemma_17_modulus_refuted": dict(group="proof"),
    }
    parts = {
        "(80)": ("kernel-lemma-17",),
    }
    sharper = (
        Sharper(
            "gap",
            "Eq. (80)",
            r"$\frac{|\lambda_1|^2}{1-|\lambda_1|}$",
            r"$\frac{|\lambda_1|^2}{1-|\lambda_1|^2}$",
            r"$1+|\lambda_1|$",
            upper="kernel-lemma-17-sharper",
            lower="gap-attained",
        ),
    )

    @once
    def cloud(self, rng: Generator) -> np.ndarray:
        """|lambda_1| and the largest gap of 250 random overlaps."""
        tops = np.exp(rng.uniform(np.log(2e-3), np.log(0.95), size=250))
        sizes = rng.integers(3, self.K_max + 1, size=250)
        drawn = [random_overlap(int(K), top, rng) for K, top in zip(sizes, tops, strict=True)]
        return np.array([(abs(spectrum(E)[0]), largest_gap(E)) for E in drawn]).T

    proof = group()

    @step("decided", "(80)", as_printed=True)
    def bound(self) -> bool:
        r"""$\frac{\lambda^2}{1+\lambda}\le\frac{|\lambda_1|^2}{1-|\lambda_1|}$ for all
        $|\lambda|\le|\lambda_1|<1$, reached by $\lambda=-|\lambda_1|$ alone"""
        value, top = z3.Reals("lambda lambda_1")
        inside = (top >= 0, top < 1, -top <= value, value <= top)
        square, most = value**2 * (1 - top), top**2 * (1 + value)
        return follows(z3.And(square <= most, (square == most) == (value == -top)), *inside)

    @step("decided")
    def bound_free(self) -> bool:
        r"""without any condition but independence: $\frac{\lambda^2}{1+\lambda}$ is largest at one
        end of the spectrum, so the larger of the two ends bounds the gap"""
        value, low, high = z3.Reals("lambda low high")
        gap_low, most_low = value**2 * (1 + low), low**2 * (1 + value)
        gap_high, most_high = value**2 * (1 + high), high**2 * (1 + value)
        below = z3.And(gap_low <= most_low, (gap_low == most_low) == (value == low))
        above = z3.And(gap_high <= most_high, (gap_high == most_high) == (value == high))
        inside = (low > -1, low <= 0, high >= 0, low <= value, value <= high)
        return follows(z3.If(value <= 0, below, above), *inside)

    better = group()

    @step("symbolic")
    def gap_attained(self) -> Facts:
        r"""two classes of overlap $\rho=|\lambda_1|$ have the gap $\frac{\rho^2}{1-\rho^2}$, every
        $\rho$"""
        rho = sp.Symbol("rho", positive=True)
        E, one = sp.Matrix([[0, rho], [rho, 0]]), sp.eye(2)
        gap = rho**2 / (1 - rho**2) * sp.Matrix([[1, -rho], [-rho, 1]])
        return zip(E - (one - (one + E).inv()), gap, strict=True)  # entry by entry

    @once
    def edge(self) -> list[Any]:
        """E of equal overlaps at the edge of Assumption 2, by size."""
        return [equal(K, 1 / (K * (K - 1))) for K in SIZES]

    @once
    def relative_gaps(self) -> np.ndarray:
        """(E - E') over E off the diagonal there."""
        return np.array([(E[0, 1] - e_prime(E)[0, 1]) / E[0, 1] for E in self.edge])

    check = group()

    @claim("<=", 1e-12, "identity")
    def true_gap(self) -> float:
        r"""equal overlaps at the edge of Assumption 2: (80)'s bound is the overlap itself, and the
        true relative gap $1-\frac1{(1-\rho)(1+(K-1)\rho)}$, $K$ = 4 to 64"""
        rhos = 1 / (SIZES * (SIZES - 1))
        expected = 1 - 1 / ((1 - rhos) * (1 + (SIZES - 1) * rhos))
        bounds = [bound_80(E) for E in self.edge]
        return maximum(relative_error(self.relative_gaps, expected), relative_error(bounds, rhos))

    @claim("<=", 1e-12, "identity")
    def negative_entry(self) -> float:
        r"""three classes in a row, overlap 0.1: $E'_{AC}=-\frac{\rho^2}{1-2\rho^2}$ while
        $E_{AC}=0$"""
        row = graph_gram(nx.path_graph(3), 0.1) - np.eye(3)
        return relative_error(e_prime(row)[0, 2], -0.01 / 0.98)

    @finding("true-gap")
    def relative_gap(self) -> None:
        r"""With equal overlaps at the edge of Assumption 2 Lemma 17's bound is as large as the
        overlap itself; of many classes the true gap is about $\frac1K$ of it"""

    without = group()

    @control("H1", ">", 50)
    def strong(self) -> float:
        r"""with $\lambda_1=1.5$ (80)'s bound is negative, and its modulus
        $\frac{|\lambda_1|^2}{|1-|\lambda_1||}$ bounds nothing either: four classes of overlap
        $\frac12$ and two of 0.999, gap over that"""
        E = block_diag(equal(4, 0.5), equal(2, 0.999))
        return largest_gap(E) / abs(bound_80(E))
