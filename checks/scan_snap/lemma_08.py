"""Lemma 8: what its rows measure.  The chapter: ``book/scan-snap/lemma_08.ipynb``."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Fact
from mpmath import iv

from ledgerbook import Checks, Sharper, claim, control, group, once, step, whole
from lib.measure import maximum, minimum
from lib.roots import root
from lib.scan_snap.decoder import crossings, omegas

SIZES = [4, 5, 10, 53, 100, 10**3, 10**4, 10**6, 10**9, 10**12]

u, M, x = sp.symbols("u M x", positive=True)
OMEGA_0_BOUND = (1 + sp.E) / ((M - 1) * sp.log(M))


def certified_minimum(
    function: Callable[[Any], Any], low: float, high: float, pieces: int = 4000
) -> float:
    """A rigorous lower bound of ``function`` (on intervals) over [low, high]."""
    cuts = [low + (high - low) * k / pieces for k in range(pieces + 1)]
    return minimum(
        float(function(iv.mpf(list(ends))).a) for ends in zip(cuts, cuts[1:], strict=False)
    )


def beyond_three_halves(L: Any) -> Any:
    """A lower bound of f(3L/2) > 0 at L = ln M, an interval: L/2 - ln(3/2) - ln L - ln(1 - 1/M)."""
    return L / 2 - iv.log(1.5) - iv.log(L) - iv.log(1 - iv.exp(-L))


def crossings_60_digits(size: int) -> tuple[mp.mpf, mp.mpf]:
    """Both roots of e^u = (M-1) u by bracketing, 60 digits: knows no W and no omega."""
    with mp.workdps(60):
        f = lambda v: v - mp.log((size - 1) * v)
        bottom, solve = mp.log(size - 1), {"solver": "anderson", "tol": mp.mpf(10) ** -100}
        low = mp.findroot(f, (mp.mpf(1) / size, minimum(bottom, 1)), **solve)
        return low, mp.findroot(f, (bottom, 2 * mp.log(size) + 1), **solve)


@dataclass
class Parameters(Checks):
    """What both statements of the chapter are asked at."""

    M: int = whole(1000, 4, 10**12)


@dataclass
class Lemma08(Parameters):
    """Lemma 8: where the exponential overtakes the line."""

    tag = "scan-snap.lemma-08"
    hypotheses = {"H1": "the vocabulary is large; two crossings exist from $M=4$ on"}

    kernel_theorems = {
        "zeros_exist": dict(as_printed=True, equation="Lemma 8", concludes=True),
        "lemma_8": dict(as_printed=True, equation="Lemma 8", concludes=True),
        "equation_50": dict(as_printed=True, equation="(50)", concludes=True),
        "equation_51": dict(as_printed=True, equation="(51)", concludes=True),
        "omega_0_small": dict(as_printed=True, equation="(50)", concludes=True),
        "omega_0_hundredth": dict(as_printed=True, equation="Lemma 8", concludes=True),
        "omega_1_upper": dict(as_printed=True, equation="Lemma 8", concludes=True),
        "omega_1_lower": dict(as_printed=True, equation="Lemma 8", concludes=True),
    }
    parts = {
        "between and beyond the crossings": ("kernel-zeros-exist", "kernel-lemma-8"),
        r"$\omega_0$": ("kernel-equation-50", "kernel-omega-0-small", "kernel-omega-0-hundredth"),
        r"$\omega_1$": ("kernel-equation-51", "kernel-omega-1-upper", "kernel-omega-1-lower"),
    }
    sharper = (
        Sharper(
            "c-prime",
            "Eq. (51)",
            r"$c'\in(0.5,2)$",
            r"$c'\in(1,\frac32)$, and up to 1.48",
            "3, the width",
            upper="c-prime-sharper",
            lower="c-prime-reached",
        ),
        Sharper(
            "omega-1",
            "Lemma 8",
            r"$\omega_1=\Theta\big(\frac{\ln\ln M}{\ln M}\big)$",
            r"$\frac{\ln L}L\le\omega_1\le\frac{\ln L}{L-1}$, $L=\ln M$: the constant is 1",
            "an order becomes its constant",
            upper="theta",
            lower="theta",
        ),
        Sharper(
            "omega-0",
            "Lemma 8",
            r"$\omega_0\lesssim\frac1{M^{0.99}\ln M}$",
            r"$\omega_0=\frac{2+o(1)}{M\ln M}$",
            r"$\frac12M^{0.01}$: better from $M=2^{100}$ on",
            upper="omega-0-two",
            lower="omega-0-two",
        ),
    )

    @step("symbolic", "(51), Lemma 8", as_printed=True)
    def theta(self) -> Iterator[Fact]:
        r"""$\frac{\ln L}L\le\omega_1\le\frac{\ln L}{L-1}$ from $M=5$ on: $\omega_1L=\ln
        L+\ln(1+\omega_1)+\ln(1-\frac1M)$, $\ln(1+\omega_1)\le\omega_1$, $f\big(\frac
        M{M-1}L\big)<0$"""
        first = x - sp.log(1 + x)
        room = sp.log(sp.log(M)) - sp.log(M) / (M - 1)  # f(M L / (M - 1)) < 0 if it is positive
        rest = 1 - (1 - x) * sp.exp(x)  # of the slope of ``room`` in x = L
        yield first.subs(x, 0), 0
        yield sp.Derivative(first, x), x / (1 + x)
        yield room.subs(M, 4) < 0
        yield room.subs(M, 5) > 0
        slope = sp.Derivative(sp.log(x) - x / (sp.exp(x) - 1), x)
        yield slope, 1 / x + rest / (sp.exp(x) - 1) ** 2
        yield rest.subs(x, 0), 0
        yield sp.Derivative(rest, x), x * sp.exp(x)

    @step("symbolic", "(50), Lemma 8", as_printed=True)
    def omega_0(self) -> Iterator[Fact]:
        r"""$0<\omega_0\le\frac{1+e}{(M-1)\ln M}$, below $0.01$ from $M=85$ on: $f(1)<0$ gives
        $u<1$, so $u=\frac{e^u}{M-1}<\frac e{M-1}$, and $\ln\frac M{M-1}\le\frac1{M-1}$"""
        hundredth = sp.Rational(1, 100)
        yield sp.E - 3 < 0
        yield sp.Limit(OMEGA_0_BOUND * M * sp.log(M), M, sp.oo), 1 + sp.E
        yield OMEGA_0_BOUND.subs(M, 84) > hundredth
        yield OMEGA_0_BOUND.subs(M, 85) < hundredth

    better = group()

    @claim(">", 0, "certified", "(51)", role="step")
    def c_prime_sharper(self) -> float:
        r"""$c'<\frac32$: smallest value of the certificate over $M\ge4$"""
        # beyond L = 4 the first three terms rise and are enough
        near = certified_minimum(beyond_three_halves, float(iv.log(4).a), 4.01)
        return minimum(near, float(2 - iv.log(1.5).b - iv.log(4).b))

    sizes = group()

    @claim("<", 0.0, "certified", role="step")
    def c_prime_reached(self) -> float:
        r"""$c'>1.48$ at $M=12$: $e^u-(M-1)u$ is negative at $u=1.48\ln12$ (its upper end)"""
        there = iv.mpf("1.48") * iv.log(iv.mpf(12))
        return float((iv.exp(there) - 11 * there).b)

    @step("symbolic")
    def omega_0_two(self) -> Iterator[Fact]:
        r"""$\omega_0\ln M=\ln\frac M{M-1}+u_0$ lies between $\frac2M$ and
        $\frac{1+e^{e/(M-1)}}{M-1}$, as $\frac1{M-1}\le u_0=\frac{e^{u_0}}{M-1}$ and
        $u_0<\frac e{M-1}$: so $\omega_0M\ln M\to2$"""
        inverse = x / (1 + x)  # 1/M at x = 1/(M-1)
        least = sp.log(1 + x) + inverse
        most = x + x * sp.exp(sp.E * x)
        yield sp.Limit(least / inverse, x, 0), 2
        yield sp.Limit(most / inverse, x, 0), 2
        yield 1 / (1 / inverse - 1), x
        yield sp.Derivative(least - 2 * inverse, x), x / (1 + x) ** 2

    check = group()

    @once
    def bracketed(self) -> dict[Any, Any]:
        """Both crossings of every size with 60 digits."""
        return {size: crossings_60_digits(size) for size in SIZES}

    @claim("<=", 1e-13, "identity")
    def lambert(self) -> float:
        r"""both crossings by the Lambert function against 60 digits, $M=4$ to $10^{12}$"""
        return maximum(
            abs(float(found / true - 1))
            for size, both in self.bracketed.items()
            for found, true in zip(crossings(size), both, strict=True)
        )

    @claim("<=", 1e-12, "identity")
    def powers(self) -> float:
        r"""$M^{\omega_0-1}$ and $(1+\omega_1)\ln M$ against both crossings with 60 digits, $M=4$ to
        $10^{12}$"""
        found = {size: omegas(size) for size in SIZES}
        lower = lambda size: float(size ** (found[size][0] - 1) / self.bracketed[size][0] - 1)
        upper = lambda size: float(
            (1 + found[size][1]) * np.log(size) / self.bracketed[size][1] - 1
        )
        return maximum(abs(end(size)) for end in (lower, upper) for size in SIZES)

    @claim(">", 16, "limit", rtol=1e-4)
    def omega_1_slow(self) -> float:
        r"""from $M=5$ on $\omega_1<0.1$ needs a vocabulary of more than $10^{16}$ tokens: decimal
        logarithm of the first such $M$"""
        return root(lambda digits: omegas(int(10**digits))[1] - 0.1, 12, 18)

    without = group()

    @control("H1", ">", 0.1)
    def no_crossing(self) -> float:
        """for $M=3$ the exponential stays above the line: smallest difference"""
        grid = np.linspace(-2, 6, 8001)
        return float(np.min(np.exp(grid) - 2 * grid))
