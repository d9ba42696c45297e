"""Lemma 16: what its rows measure.  The chapter: ``book/scan-snap/lemma_16.ipynb``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Fact
from numpy.random import Generator

from ledgerbook import Checks, claim, control, group, once, seed, step, whole
from lib.arrays import Array
from lib.measure import maximum, minimum, relative_error
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import (
    e_prime,
    graph_gram,
    overlap,
    random_overlap,
    vectors_with_gram,
)
from lib.scan_snap.sequence_classes import random_classes


def angle(F: Array, i: int) -> float:
    """Angle between f_i and the span of the other rows, by least squares."""
    others = np.delete(F, i, axis=0)
    inside = others.T @ np.linalg.lstsq(others.T, F[i], rcond=None)[0]
    return np.arctan2(np.linalg.norm(F[i] - inside), np.linalg.norm(inside))


def cotangents(F: Array) -> Array:
    """Of the angles of all classes."""
    return 1 / np.tan([angle(F, i) for i in range(len(F))])


def three_and_one() -> Array:
    """Classes A, B, C, D: three in a row that overlap by 0.4, D with none; rows of length one."""
    row = nx.Graph([("A", "B"), ("B", "C")])
    row.add_node("D")
    return vectors_with_gram(graph_gram(row, 0.4), 8)


@dataclass
class Lemma16(Checks):
    """Lemma 16: the sign of the diagonal of E'."""

    instances: int = whole(400, 10, 2000)
    K_max: int = whole(10, 3, 50)
    seed: int = seed()

    tag = "scan-snap.lemma-16"
    hypotheses = {
        "H1": r"upper half of Assumption 2, $|\lambda_1|<1/K$",
        "H2": r"lower half of Assumption 2, $|\lambda_i|\ge6/\sqrt M$",
        "H3": "the $f_n$ have length one, so that $E_{ii}=0$",
        "H4": r"for the strict sign: $E_{ki}>0$ for some $k\ne i$",
    }
    parts = {
        "the sign, and when it is strict": ("kernel-lemma-16",),
        "(79)": ("kernel-equation-79",),
    }
    kernel_theorems = {
        "equation_79": dict(as_printed=True, concludes=True, equation="(79)", group="accepted"),
        "lemma_16": dict(as_printed=True, concludes=True, equation="Lemma 16", group="accepted"),
        "lemma_16_two_sided": dict(group="accepted"),
    }

    @step("symbolic")
    def cotangent(self) -> Iterator[Fact]:
        r"""rows of $A$: the others, $G=AA^\top$, $b=Af_i$, $q=b^\top G^{-1}b$. The bordered matrix
        takes $(1,-G^{-1}b)$ to $(1-q,0)$, so its inverse's corner is $\frac1{1-q}$. And
        $A^\top G^{-1}b$ is $f_i$'s part in the span of the others, $q$ its squared length,
        $\cos^2\phi_i$: the corner is $\frac1{\sin^2\phi_i}=1+\cot^2\phi_i$, all $K$"""
        others, width = sp.symbols("m d", integer=True, positive=True)  # m = K - 1
        A, own = sp.MatrixSymbol("A", others, width), sp.MatrixSymbol("f", width, 1)
        b = A * own
        weights = (A * A.T).I * b
        part = A.T * weights  # of f_i, in the span of the others
        phi = sp.Symbol("phi", positive=True)
        yield A * part, b
        yield part.T * part, b.T * weights
        yield 1 / (1 - sp.cos(phi) ** 2), 1 + sp.cot(phi) ** 2

    @once
    def drawn(self) -> int:
        """How many random sets of either kind."""
        return minimum(60, self.instances // 2)

    @once
    def weak(self, rng: Generator) -> list[Any]:
        """Random sets under the upper half of Assumption 2: class vectors."""
        sizes = rng.integers(2, self.K_max + 1, size=self.drawn)
        overlaps = [random_overlap(int(size), 0.999 / size, rng) for size in sizes]
        return [vectors_with_gram(np.eye(len(E)) + E, maximum(120, len(E) ** 2)) for E in overlaps]

    @once
    def arbitrary(self, rng: Generator) -> list[Any]:
        """Arbitrary classes with overlaps as they come: class vectors."""
        sizes = rng.integers(2, self.K_max + 1, size=self.drawn)
        tables = [random_classes(int(K), 3 * self.K_max, rng).conditional for K in sizes]
        return [table / np.linalg.norm(table, axis=1, keepdims=True) for table in tables]

    check = group()

    @claim("<=", 1e-9, "identity")
    def angle(self) -> float:
        r"""$-E'_{ii}=\cot^2\phi_i$, @{drawn} random sets of classes"""
        return maximum(
            relative_error(cotangents(F) ** 2, -np.diag(e_prime(overlap(F))))
            for F in self.arbitrary
        )

    without = group()

    @control("H1", "<", 0, kind="sign")
    def strong(self) -> float:
        r"""not needed: equal overlaps up to 0.999, $\lambda_1$ up to 29; largest $E'_{ii}$"""
        equal = [equal_overlap_gram(K, r) for K in (3, 10, 30) for r in (0.3, 0.9, 0.999)]
        return maximum(np.diag(e_prime(gram - np.eye(len(gram)))).max() for gram in equal)

    @control("H2", "in", [-1 - 1e-6, -1 + 1e-6], kind="limit")
    def zero_eigenvalue(self) -> float:
        r"""not needed: three classes in a row, overlap $10^{-4}$, smallest $|\lambda|$ 0; largest
        $E'_{ii}$, of an end of the row, over the square $10^{-8}$ of its one overlap"""
        faint = graph_gram(nx.path_graph(3), 1e-4) - np.eye(3)
        return np.diag(e_prime(faint)).max() / 1e-8

    @control("H3", ">", 0, kind="sign")
    def not_unit(self) -> float:
        r"""with $\lVert f_1\rVert=1.5$ the sign is lost: $E'_{11}$"""
        lengths = np.diag([1.5, 1.0])
        return e_prime(lengths @ equal_overlap_gram(2, 0.3) @ lengths - np.eye(2))[0, 0]

    @control("H4", "<=", 1e-14, atol=1e-14)
    def alone(self) -> float:
        """a class that overlaps with none has $E'_{ii}=0$"""
        return abs(e_prime(overlap(three_and_one()))[3, 3])
