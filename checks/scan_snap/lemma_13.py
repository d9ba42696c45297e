"""Lemma 13: what its rows measure.  The chapter: ``book/scan-snap/lemma_13.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from ledgerbook import Checks, claim, control, once, seed, step, textbook, whole
from lib.measure import maximum, minimum, relative_error
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import e_prime, random_overlap, spectrum

TOP = 0.9  # |lambda_1| of the random overlaps


@dataclass
class Lemma13(Checks):
    """Lemma 13: no overlap exceeds the largest eigenvalue."""

    instances: int = whole(400, 10, 1000)
    K_max: int = whole(12, 3, 30)
    seed: int = seed()

    tag = "scan-snap.lemma-13"
    hypotheses = {"H1": "$E$ is symmetric"}
    trusts = (textbook("Cauchy's interlacing theorem", "beyond the print"),)
    kernel_theorems = {
        "lemma_13": dict(as_printed=True, concludes=True, equation="(74)"),
        "lemma_13_quadratic_form": {},
    }
    parts = {
        "(74)": ("kernel-lemma-13",),
    }

    @once
    def weak(self, rng: Generator) -> list[Any]:
        """Random overlaps of 2 to K_max classes, |lambda_1| = 0.9."""
        sizes = rng.integers(2, self.K_max + 1, size=self.instances)
        return [random_overlap(int(K), TOP, rng) for K in sizes]

    @step("symbolic")
    def both_ends(self) -> Facts:
        r"""the block of two classes that overlap by $\rho$ has the eigenvalues $\rho$ on $(1,1)$
        and $-\rho$ on $(1,-1)$; interlacing keeps one of $E$ above and one below"""
        rho = sp.symbols("rho", positive=True)
        block = sp.Matrix([[0, rho], [rho, 0]])
        even, odd = sp.Matrix([1, 1]), sp.Matrix([1, -1])
        return (block * even, rho * even), (block * odd, -rho * odd)

    @claim("<=", 1e-12, "identity")
    def pair_of_e_prime(self) -> float:
        r"""for a pair of overlap $\rho$ the eigenvalue of largest modulus of $E'$ is
        $-\frac\rho{1-\rho}$, the other $\frac\rho{1+\rho}$: worst of both, $\rho$ = 0.1, 0.5,
        0.9"""
        found = lambda rho: spectrum(e_prime(equal_overlap_gram(2, rho) - np.eye(2)))
        wanted = lambda rho: [-rho / (1 - rho), rho / (1 + rho)]
        return maximum(relative_error(found(rho), wanted(rho)) for rho in (0.1, 0.5, 0.9))

    @control("H1", ">=", lambda self: TOP / (self.K_max - 1) - 1e-12)
    def one_sided(self) -> float:
        r"""each overlap counted on one side only, $E_{ij}$ for $i<j$: all eigenvalues are 0;
        $\max|E|-|\lambda_1|$ over random overlaps that had $|\lambda_1|=0.9$, smallest, which
        Gershgorin's circles keep above $\frac{0.9}{K-1}$, $K\le@{K_max}$"""
        halves = [np.triu(E) for E in self.weak]
        return minimum(np.abs(E).max() - np.abs(np.linalg.eigvals(E)).max() for E in halves)
