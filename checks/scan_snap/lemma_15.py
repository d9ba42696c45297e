"""Lemma 15: what its rows measure.  The chapter: ``book/scan-snap/lemma_15.ipynb``."""

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import z3
from numpy.random import Generator
from scipy.linalg import block_diag

from ledgerbook import Checks, claim, control, group, once, seed, step, whole
from lib.arrays import Array
from lib.decide import follows
from lib.measure import maximum
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import e_prime, graph_gram, random_overlap, spectrum


def pair(rho: float) -> Array:
    """E of two classes that overlap by rho."""
    return graph_gram(nx.Graph([(0, 1)]), rho) - np.eye(2)


def largest(E: Array) -> float:
    """The largest |eigenvalue| of E' of a symmetric E."""
    return np.abs(spectrum(e_prime(E))).max()


@dataclass
class Lemma15(Checks):
    """Lemma 15: how large E' can be."""

    K_max: int = whole(12, 3, 40)
    seed: int = seed()

    tag = "scan-snap.lemma-15"
    hypotheses = {
        "H1": "$E$ is symmetric",
        "H2": r"$|\lambda_1|\le\lambda$",
        "H3": r"$\lambda<1$",
    }
    parts = {
        "the bound (78) on the eigenvalues of $E'$": (
            "kernel-eigenvalues-of-e-prime",
            "kernel-lemma-15",
        ),
        "beside it": ("bound-90",),
    }
    kernel_theorems = {
        "eigenvalues_of_E_prime": dict(as_printed=True, equation="(78)", group="accepted"),
        "lemma_15": dict(as_printed=True, concludes=True, equation="(78)", group="accepted"),
        "lemma_15_sharp": dict(group="accepted"),
    }

    @step("decided", "(90)", as_printed=True)
    def bound_90(self) -> bool:
        r"""$\frac{|\lambda_1|}{1-1/K}<\frac1{K-1}$ exactly when $|\lambda_1|<\frac1K$, all $K\ge2$;
        the left side is (78) at $\lambda=\frac1K$, which by [Lemma 13](lemma_13.ipynb) bounds
        each $|E'_{kn}|$"""
        K, top = z3.Reals("K lambda_1")
        return follows((top / (1 - 1 / K) < 1 / (K - 1)) == (top * K < 1), K >= 2, top >= 0)

    check = group()

    @claim("in", [1 - 1e-12, 1 + 1e-12], "identity", atol=1e-12)
    def attained_by_a_part(self) -> float:
        r"""a pair of overlap 0.5 beside a triangle of 0.1 attains the bound:
        $\max|\lambda_i(E')|$"""
        mixed = graph_gram(nx.disjoint_union(nx.path_graph(2), nx.complete_graph(3)), 1.0)
        mixed -= np.eye(5)
        mixed[:2, :2] *= 0.5
        mixed[2:, 2:] *= 0.1
        return largest(mixed)

    without = group()

    @once
    def lopsided(self, rng: Generator) -> list[Any]:
        """200 random matrices, not symmetric, with complex eigenvalues of modulus up to 0.9."""
        found = [rng.normal(size=(size, size)) for size in rng.integers(2, 9, size=200)]
        return [B * (0.9 / np.abs(np.linalg.eigvals(B)).max()) for B in found]

    @control("H1", "in", [1 - 1e-9, 1 + 1e-9])
    def not_symmetric(self) -> float:
        """not needed for eigenvalues: non-symmetric, complex eigenvalues of modulus up to 0.9,
        ratio to the bound 9, which is met"""
        return maximum(np.abs(np.linalg.eigvals(e_prime(B))).max() for B in self.lopsided) / 9

    @control("H1", ">", 1)
    def stretched(self) -> float:
        """symmetry is needed for a bound on what $E'$ does to a vector: non-symmetric matrices with
        eigenvalues of modulus up to 0.9, largest norm of $E'$ over the bound 9"""
        return maximum(np.linalg.norm(e_prime(B), 2) for B in self.lopsided) / 9

    @control("H2", ">", 1)
    def lambda_too_small(self) -> float:
        r"""with $\lambda=0.8|\lambda_1|$ the bound fails for two classes of overlap 0.5:
        $\max|\lambda_i(E')|$ over it"""
        top = abs(spectrum(pair(0.5))[0])
        return largest(pair(0.5)) / (top / (1 - 0.8 * top))

    @control("H3", "in", [333 - 1e-6, 333 + 1e-6])
    def lambda_above_one(self) -> float:
        r"""with $\lambda_1=1.5$ the bound is negative, and its modulus 3 bounds nothing either:
        four classes of overlap $\frac12$ beside two of 0.999, whose $\max|\lambda_i(E')|$ is 999;
        over it"""
        blocks = equal_overlap_gram(4, 0.5), equal_overlap_gram(2, 0.999)
        return largest(block_diag(*blocks) - np.eye(6)) / abs(1.5 / (1 - 1.5))

    @once
    def cloud(self, rng: Generator) -> tuple[Array, list[float]]:
        """(|lambda_1|, largest |eigenvalue| of E') of 300 random overlaps of 3 to K_max classes."""
        tops = rng.uniform(0.02, 0.95, size=300)
        sizes = rng.integers(3, self.K_max + 1, size=len(tops))
        drawn = zip(sizes, tops, strict=True)
        return tops, [largest(random_overlap(int(size), top, rng)) for size, top in drawn]
