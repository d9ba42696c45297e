"""Remark 1: what its rows measure.  The chapter: ``book/scan-snap/lemma_05.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy.special import softmax

from checks.scan_snap.lemma_05 import M, Parameters, eta
from ledgerbook import claim, erratum, finding, once, step
from lib.arrays import Array
from lib.measure import relative_error
from lib.scan_snap.decoder import h_star, zeta
from lib.scan_snap.decoder_training import decoder_ascent, decoder_epochs
from lib.scan_snap.equal_overlaps import equal_overlap_gram, equal_overlap_rounds
from lib.scan_snap.overlaps import feature_ascent, gram

e, K, rho, a, b, c = sp.symbols("e K rho a b c", real=True)
SUM = 1, K - 1, M - K  # how many entries of each kind: n, its rivals, the unused tokens


def probabilities() -> list[Any]:
    """Softmax at n, at a rival, at an unused token, of the entries a, b, c."""
    masses = [sp.exp(entry) for entry in (a, b, c)]
    total = sum(count * mass for count, mass in zip(SUM, masses, strict=True))
    return [mass / total for mass in masses]


def round_of(p: sp.Expr, q: sp.Expr, r: sp.Expr) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
    """What a round adds at n, at a rival, at an unused token: own error + rho x the others'."""
    at_own = (1 - p) + rho * (K - 1) * (-q)
    at_rival = -q + rho * ((1 - p) + (K - 2) * (-q))
    at_unused = -r + rho * (K - 1) * (-r)
    return at_own, at_rival, at_unused


def whole() -> tuple[sp.Expr, int]:
    """The probabilities' sum, and what it should be."""
    return sum(count * share for count, share in zip(SUM, probabilities(), strict=True)), 1


def first_round() -> list[Any]:
    """What the first round adds at the three kinds of entries."""
    zero = {a: 0, b: 0, c: 0}
    return [eta * sp.simplify(value.subs(zero)) for value in round_of(*probabilities())]


def equal_vectors(classes: int, vocabulary: int, overlap: float) -> Array:
    """Unit vectors f_n (K, M), every two with inner product ``overlap``."""
    root = np.linalg.cholesky(equal_overlap_gram(classes, overlap))
    return np.pad(root, ((0, 0), (0, vocabulary - classes)))


def rounds(classes: int, vocabulary: int, overlap: float, rate: float, count: int) -> Array:
    """Rows F^T Y after ``count`` rounds of (7), every class once a round, all errors seen first."""
    F = equal_vectors(classes, vocabulary, overlap)
    Y = np.zeros((vocabulary, vocabulary))
    for _ in range(count):
        Y += rate * F.T @ (np.eye(classes, vocabulary) - softmax(F @ Y, axis=1))
    return F @ Y


@dataclass
class Wide:
    """Three classes of a large vocabulary, well inside Assumption 2, after 2000 rounds."""

    M: int = 10**4
    rho: float = 0.15

    @once
    def run(self) -> Array:
        """Rows after the rounds, (3, M)."""
        return decoder_epochs(2000, self.M, 0.5, equal_overlap_gram(3, self.rho))

    @once
    def scale(self) -> float:
        """(M - 1) h* after the rounds, at the full rate."""
        return (self.M - 1) * h_star(2000, self.M, 0.5)[-1]

    def off(self, overlap: float, rate: float) -> float:
        """1 - p by the three-number recursion."""
        entries = equal_overlap_rounds(2000, 3, self.M, overlap, rate)
        return 1 - softmax(np.repeat(entries, [1, 2, self.M - 3]))[0]


@dataclass
class Remark01(Parameters):
    """Remark 1: overlapping classes."""

    tag = "scan-snap.remark-01"
    parts = {
        "(40)–(42)": ("equation-40",),
        "(43), fewer classes than tokens, in rounds": ("kernel-three-numbers",),
        "(43), as many classes as tokens, in rounds": ("kernel-effective-rate-all-classes",),
    }
    kernel_theorems = {
        "three_numbers": dict(equation="(43), second equality", concludes=True),
        "effective_rate_all_classes": dict(equation="(43), second equality", concludes=True),
        "sum_of_zetas_refuted": dict(equation="(43), second equality"),
        "sum_of_zetas_all": dict(equation="(43), second equality"),
        "equation_43_some_classes_refuted": dict(equation="(43), second equality"),
        "equation_43_all_classes_refuted": dict(equation="(43), second equality"),
        "first_round": dict(equation="(43), second equality"),
    }
    wide = Wide()

    @step("symbolic", "(40)–(42)", as_printed=True)
    def equation_40(self) -> Facts:
        r"""$e_n+(I+E)E'e_n=F^\top f_n$ with $E'=E(I+E)^{-1}$, all $K$, all $E$; the
        entries are 1 and the overlaps, $\rho$ in (41), (42)"""
        return 1 + (1 + e) * (e / (1 + e)), 1 + e

    @step("symbolic", "(43), second equality")
    def first_gaps(self) -> Facts:
        r"""probabilities that add to 1: the first round opens the gap to a rival at
        $(1-\rho)\eta_Y$, to an unused token at $\eta_Y$, all $K<M$"""
        own, rival, unused = first_round()
        return whole(), (own - rival, eta * (1 - rho)), (own - unused, eta)

    @claim("<=", 1e-11, "identity", "(40)", as_printed=True)
    def coupled_rows(self, rng: Generator) -> float:
        r"""(40): the rows $F^\top Y$ of a run of (7), random overlapping classes, random order"""
        F = rng.random((self.K, self.M))
        F /= np.linalg.norm(F, axis=1, keepdims=True)
        labels = rng.integers(self.K, size=60)
        rows = decoder_ascent(labels, self.M, self.eta_y, gram(F))[0][-1]
        return relative_error(F @ feature_ascent(labels, F, self.eta_y, F), rows)

    def line(self, rate: float) -> Array:
        """(M - 1) h* zeta_0 at the end, with h* at some rate."""
        return (self.M - 1) * h_star(self.steps, self.M, rate)[-1] * zeta(0, self.M)

    def run(self, classes: int) -> Array:
        """Row of class 0 after all rounds of (7)."""
        return rounds(classes, self.M, self.rho, self.eta_y, self.steps)[0]

    @claim("<=", 0.01, "limit", "(43), second equality", as_printed=True)
    def some_classes(self) -> float:
        """(43) for $K=@{K}$, $M=@{M}$, @{steps} rounds"""
        return relative_error(self.run(self.K), (1 - self.rho) * self.line(self.eta_y))

    @claim("<=", 1e-3, "limit", "(43), first equality, large $M$, in rounds", as_printed=True)
    def middle_member(self) -> float:
        r"""(43), $(M-1)h^*(\zeta_n+\rho\sum_{n'\ne n}\zeta_{n'})$ for $K=3$, $M=10^4$, $\rho=0.15$,
        $\eta_Y=\frac12$, 2000 rounds"""
        own, *others = (zeta(n, self.wide.M) for n in range(3))
        return relative_error(
            self.wide.run[0], self.wide.scale * (own + self.wide.rho * sum(others))
        )

    @claim("==", [True, True], "inequality")
    def middle_member_off(self) -> list[bool]:
        r"""(43), its middle member for $K=6$, $M=50$, $\rho=0.3$, $\eta_Y=\frac12$: equal to the
        row after the first round of (7), and off by more than a hundredth after 400"""

        def off(count: int) -> float:
            scale = 49 * h_star(count, 50, 0.5)[-1]
            own, *others = (zeta(n, 50) for n in range(6))
            middle = scale * (own + 0.3 * sum(others))
            return relative_error(rounds(6, 50, 0.3, 0.5, count)[0], middle)

        return [off(1) <= 1e-12, off(400) > 0.01]

    @claim("<=", 1e-10, "identity", "(43), second equality")
    def three_numbers(self) -> float:
        """a run in rounds with $K<M$ has three kinds of entries and follows the three-number
        recursion"""
        entries = equal_overlap_rounds(self.steps, self.K, self.M, self.rho, self.eta_y)
        kinds = [1, self.K - 1, self.M - self.K]
        return relative_error(self.run(self.K), np.repeat(entries, kinds))

    @claim("<=", 0.01, "limit", "(43), second equality", as_printed=True)
    def all_classes(self) -> float:
        """(43) for $K=M=@{M}$, @{steps} rounds"""
        return relative_error(self.run(self.M), (1 - self.rho) * self.line(self.eta_y))

    @claim("<=", 1e-10, "identity", "(43), second equality")
    def all_classes_slower(self) -> float:
        r"""for $K=M$ the run in rounds is $(M-1)h^*\zeta_n$ with $h^*$ at the rate
        $(1-\rho)\eta_Y$"""
        return relative_error(self.run(self.M), self.line((1 - self.rho) * self.eta_y))

    @once
    def off_rival(self) -> float:
        """1 - p of the wide classes under (7)."""
        return self.wide.off(self.wide.rho, 0.5)

    @once
    def off_slow(self) -> float:
        """1 - p without overlaps at the rate (1 - rho) eta."""
        return self.wide.off(0, 0.5 * (1 - self.wide.rho))

    @once
    def off_full(self) -> float:
        """1 - p without overlaps at the full rate, by (31) and (32)."""
        return 1 - softmax(self.wide.scale * zeta(0, self.wide.M))[0]

    @claim("<=", 0.005, "limit")
    def full_rate(self) -> float:
        r"""$K=3$, $M=10^4$, $\rho=0.15$, 2000 rounds: $1-p$ under (7), against that of classes
        without overlaps at the full $\eta_Y$"""
        return relative_error(self.off_rival, self.off_full)

    @erratum(
        "E3",
        "Remark 1, Eq. (43), $K<M$",
        r"$w_n(N)=(1-\rho)(M-1)h^*(N/K)\zeta_n$, since $\sum_{n'\ne n}\zeta_{n'}=-\zeta_n$",
        fails="some-classes",
        holds="three-numbers",
        reach="changes a conclusion",
    )
    def e3(self) -> dict[str, Any]:
        r"""the sum vanishes over all $M$ tokens, not over $K<M$ classes; the middle member of (43)
        stands where $M\gg K^2$, well before $(\rho M)^{1/\rho}/(M\eta_Y)$ rounds. With every
        class once in each round, all at once, $w_n$ has an entry $a$ at $n$, $b$ at the other
        classes, $c$ at all other tokens, with $\Delta a=\eta_Y[1-p-\rho(K-1)q]$, $\Delta
        b=\eta_Y[-q+\rho(1-p-(K-2)q)]$, $\Delta c=-\eta_Y[1+\rho(K-1)]r$ ($p,q,r$ their
        softmax). So no single rate is effective: $(1-\rho)\eta_Y$ moves the lead over rivals
        alone, above tokens that are never predicted $w_n$ grows there at the full $\eta_Y$, and
        with it $1-p$ falls: @{off_rival:.5f} below, @{off_full:.5f} without overlaps at that rate,
        @{off_slow:.5f} at $(1-\rho)\eta_Y$. A sentence after Theorem 1 leans on this: E14. The
        numbers are a rival's entry, $b$, for $K=3$, $M=10^4$, $\rho=0.15$, $\eta_Y=\frac12$, 2000
        rounds."""
        rival = equal_overlap_rounds(2000, 3, self.wide.M, self.wide.rho, 0.5)[1]
        printed = (1 - self.wide.rho) * self.wide.scale * zeta(0, self.wide.M)[1]
        return dict(printed=printed, corrected=rival, measured=self.wide.run[0, 1])

    @erratum(
        "E4",
        "Remark 1, Eq. (43), $K=M$",
        r"$(1-\rho)$ multiplies $h^*$ run at the rate $\eta_Y$",
        fails="all-classes",
        holds="all-classes-slower",
        reach="harmless",
    )
    def e4(self) -> dict[str, Any]:
        r"""$K=M$, outside $M\gg K^2$, is the one case in which (43)'s sum vanishes (E3). There
        $w_n=(M-1)h^*\zeta_n$ with $h^*$ run at the rate $(1-\rho)\eta_Y$ and no factor in front,
        as the remark's own words 'effective rate' say, for every class once in each round, all at
        once. The numbers are $w_{nn}$ for $K=M=5$, $\rho=\frac12$, $\eta_Y=1$, ten rounds."""
        full, slow = (h_star(10, 5, rate)[-1] for rate in (1.0, 0.5))
        measured = rounds(5, 5, 0.5, 1.0, 10)[0, 0]
        return dict(printed=2 * full, corrected=4 * slow, measured=measured)

    @finding("first-gaps", "full-rate")
    def two_rates(self) -> None:
        r"""For $K<M$ there is no single effective rate: $(1-\rho)\eta_Y$ against rival classes, the
        full $\eta_Y$ at first against tokens that are never predicted."""
