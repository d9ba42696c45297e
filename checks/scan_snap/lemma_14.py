"""Lemma 14: what its rows measure.  The chapter: ``book/scan-snap/lemma_14.ipynb``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Fact, Facts
from numpy.random import Generator

from ledgerbook import Checks, claim, control, erratum, group, once, seed, step, whole
from lib.arrays import Array
from lib.measure import maximum, relative_error
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import (
    e_prime,
    random_overlap,
    spectrum,
)

e, k = sp.symbols("e k")
PRIME = e / (1 + e)  # E' along an eigenvector of E with eigenvalue e
WEAK = np.array([[0.0, 0.2], [0.2, 0.0]])
HALF = np.array([[0.0, 0.5], [0.5, 0.0]])


def rebuilt(E: Array) -> Array:
    """U^T D' U with lambda' = lambda / (1 + lambda), from the eigenvectors of E."""
    values, vectors = np.linalg.eigh(E)
    return vectors @ np.diag(values / (1 + values)) @ vectors.T


def inverse(E: Array) -> np.ndarray:
    """(I + E)^-1 by elimination, not by ``e_prime``."""
    return np.linalg.inv(np.eye(len(E)) + E)


def printed_term(value: Array, n: int) -> Array:
    """Term n of (76) as printed, along an eigenvector."""
    return -(value**n)


def meant_term(value: Array, n: int) -> Array:
    """Term n of (75)."""
    return (-value) ** n


def summed(E: Array, term: Callable[[Array, int], Array]) -> Array:
    """I + U^T (the sum of term(lambda, n), n = 1..60, for each eigenvalue lambda of E) U."""
    values, vectors = np.linalg.eigh(E)
    total = sum(term(values, n) for n in range(1, 61))
    return np.eye(len(E)) + vectors @ np.diag(total) @ vectors.T


def neumann_misses(E: Array, terms: int) -> Array:
    """What 1, 2, ... terms of the series (75) miss: (terms, K, K)."""
    powers = [np.eye(len(E))]
    for _ in range(terms - 1):
        powers.append(-powers[-1] @ E)
    return np.cumsum(powers, axis=0) - inverse(E)


@dataclass
class Lemma14(Checks):
    """Lemma 14: the inverse of I + E."""

    instances: int = whole(400, 10, 2000)
    K_max: int = whole(12, 3, 40)
    seed: int = seed()

    tag = "scan-snap.lemma-14"
    hypotheses = {
        "H1": r"$E$ is symmetric: $I+E=F^\top F$ is a Gram matrix",
        "H2": r"$|\lambda_1|\le\lambda<1$ for the eigenvalue of $E$ of largest modulus",
    }
    parts = {
        "the inverse of $I+E$, and its eigenvalues": ("kernel-lemma-14",),
        "(75), the series": ("kernel-lemma-14",),
        "beside it": ("eigenvalue", "series-step", "notation-d1", "notation-lemma"),
    }
    kernel_theorems = {
        "lemma_14": dict(as_printed=True, concludes=True, equation="Lemma 14", group="accepted"),
        "appendix_D1_sign_refuted": dict(equation="(77), with the $E'$ of D.1", group="accepted"),
    }

    @step("symbolic", "(77), as meant", as_printed=True)
    def eigenvalue(self) -> Facts:
        r"""$1-\frac1{1+e}=\frac e{1+e}$, hence $(I+E)^{-1}=I-U^\top D'U$, all $K$"""
        return 1 - 1 / (1 + e), PRIME

    @step("symbolic", "(75)", as_printed=True)
    def series_step(self) -> Facts:
        r"""if the first $k$ terms miss $\frac{(-e)^k}{1+e}$, the first $k+1$ miss
        $\frac{(-e)^{k+1}}{1+e}$; and none miss $\frac1{1+e}$"""
        rest = (-e) ** k / (1 + e)
        return (rest - (-e) ** k, rest.subs(k, k + 1)), (rest.subs(k, 0), 1 / (1 + e))

    @step("symbolic", "(26), (40), (70), (79), (92)")
    def all_with_lemma_sign(self) -> Iterator[Fact]:
        """with $E'=I-(I+E)^{-1}$ (26), (40), (70), (79) and (92) hold as fractions in $e$, all
        $K$"""
        yield (1 + e) * (1 - PRIME), 1  # (26)
        yield (1 + e) * PRIME, e  # (40)
        yield 1 - PRIME, 1 / (1 + e)  # (70)
        yield PRIME - e, -(e**2) / (1 + e)  # (79)
        yield e * (1 - PRIME), PRIME  # (92)

    check = group()

    @once
    def cases(self, rng: Generator) -> list[Any]:
        """Random overlaps."""
        return [
            random_overlap(
                int(rng.integers(2, self.K_max + 1)), rng.choice([0.999, 0.5, 1e-3]), rng
            )
            for _ in range(self.instances)
        ]

    @claim("<=", 1e-11, "identity", "(77), with the $E'$ of D.1", as_printed=True)
    def notation_d1(self) -> float:
        r"""with $E'$ as Appendix D.1 introduces it, $(I+E)^{-1}-I=U^\top D'U$"""
        return maximum(relative_error(inverse(E) - np.eye(len(E)), rebuilt(E)) for E in self.cases)

    @claim("<=", 1e-10, "identity", "(75), (76), as meant, (77), as meant")
    def notation_lemma(self) -> float:
        r"""the $E'$ of this book, $I-(I+E)^{-1}$, is $U^\top D'U$: random $E$ with $|\lambda_1|$ =
        0.999, 0.5, 0.001"""
        return maximum(relative_error(e_prime(E), rebuilt(E)) for E in self.cases)

    @erratum(
        "E2",
        "Appendix D.1, definition of $E'$",
        "$E':=(I+E)^{-1}-I$",
        fails="notation-d1",
        holds="all-with-lemma-sign",
        reach="harmless",
        misprint=True,
        proof=True,
    )
    def e2(self) -> dict[str, Any]:
        r"""$E':=I-(I+E)^{-1}$, the sign that Lemma 14, (26), (40), (70) and (86)–(89) use. The
        numbers are the entry $E'_{12}$ for two classes of overlap $\frac12$; measured: (40) solved
        for it, $(I+E)E'=E$"""
        solved = np.linalg.solve(np.eye(2) + HALF, HALF)[0, 1]
        return dict(printed=-2 / 3, corrected=e_prime(HALF)[0, 1], measured=solved)

    def series_error(self, term: Callable[[Array, int], Array]) -> float:
        """Largest relative error of the summed series, where 60 terms are enough."""
        few = [E for E in self.cases if abs(spectrum(E)[0]) < 0.9]
        return maximum(relative_error(summed(E, term), inverse(E)) for E in few)

    @claim("<=", 1e-11, "identity", "(76), as printed", as_printed=True)
    def sum_printed(self) -> float:
        r"""(76): $(I+E)^{-1}=I+U^\top\big(\sum_{n\ge1}(-D^n)\big)U$, random $E$ with
        $|\lambda_1|$ = 0.5, 0.001"""
        return self.series_error(printed_term)

    @claim("<=", 1e-11, "identity", "(76), as meant")
    def sum(self) -> float:
        r"""(76) with $(-D)^n$: $(I+E)^{-1}=I+U^\top\big(\sum_{n\ge1}(-D)^n\big)U$, random $E$ with
        $|\lambda_1|$ = 0.5, 0.001"""
        return self.series_error(meant_term)

    @erratum(
        "E54",
        "Lemma 14, proof, (76)",
        r"$\sum_{n\ge1}(-D^n)$, which is $-D(I-D)^{-1}$",
        fails="sum-printed",
        holds="sum",
        reach="harmless",
        misprint=True,
        proof=True,
    )
    def e54(self) -> dict[str, Any]:
        r"""$\sum_{n\ge1}(-D)^n=-D(I+D)^{-1}$, as (75) and (77) have it. The numbers are the
        diagonal of $(I+E)^{-1}$ for two classes of overlap 0.2; measured: the inverse"""
        printed, meant = (summed(WEAK, term)[0, 0] for term in (printed_term, meant_term))
        return dict(printed=printed, corrected=meant, measured=inverse(WEAK)[0, 0])

    without = group()

    @control("H1", ">", 0.5)
    def not_symmetric(self) -> float:
        """a non-symmetric $E$ with eigenvalues 0: $I+E$ is invertible, but $E'$ has eigenvalues 0
        and is not 0; its largest entry"""
        return np.abs(e_prime(np.array([[0.0, 1.0], [0.0, 0.0]]))).max()

    @control("H2", "<=", 1e-11, kind="identity")
    def strong_overlap(self) -> float:
        r"""not needed for the formula: equal overlaps with $\lambda_1$ from 1.5 to 13.5,
        $(I+E)^{-1}=I-U^\top D'U$"""
        strong = [equal_overlap_gram(K, r) - np.eye(K) for K in (4, 8, 16) for r in (0.5, 0.9)]
        return maximum(relative_error(np.eye(len(E)) - rebuilt(E), inverse(E)) for E in strong)

    @control("H2", "in", [1.49, 1.51])
    def series_diverges(self) -> np.floating:
        r"""needed for the series: its error grows per term by $\lambda_1=1.5$"""
        misses = neumann_misses(equal_overlap_gram(4, 0.5) - np.eye(4), 40)
        late, earlier = (np.linalg.norm(misses[n], 2) for n in (-1, -11))
        return (late / earlier) ** 0.1
