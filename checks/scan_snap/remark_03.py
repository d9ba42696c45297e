"""Remark 3: what its rows measure.  The chapter: ``book/scan-snap/lemma_08.ipynb``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Fact

from checks.scan_snap.lemma_08 import OMEGA_0_BOUND, SIZES, M, Parameters, u
from ledgerbook import Sharper, claim, control, erratum, group, once, step
from lib.measure import maximum
from lib.scan_snap.decoder import crossings, time_at_height

BIG = [100, 300, 1000, 10**4, 10**5]


def omega_0_by_iteration(size: int) -> float:
    """omega_0 by iterating (50)."""
    found = 0.0
    for _ in range(50):
        found = (np.log(size / (size - 1)) + size ** (found - 1)) / np.log(size)
    return found


@dataclass
class Remark03(Parameters):
    """Remark 3: one step carries the decoder past the lower end."""

    tag = "scan-snap.remark-03"
    hypotheses = {"H2": r"$M\gg100$ and $1>\eta_Y\gg M^{-0.99}$"}
    kernel_theorems = {
        "first_step": dict(
            as_printed=True, equation="Remark 3, first step", concludes=True, group="accepted"
        ),
        "past_the_end": dict(equation="Remark 3, lower end", concludes=True, group="accepted"),
        "twice_is_enough": dict(
            as_printed=True, equation="Remark 3, lower end", concludes=True, group="accepted"
        ),
        "chain_refuted": dict(equation="Remark 3, chain", concludes=True, group="accepted"),
    }
    parts = {
        "the first step": ("kernel-first-step",),
        "the lower end is passed": ("kernel-past-the-end", "kernel-twice-is-enough"),
        "the order of the two rates": ("kernel-chain-refuted",),
    }
    sharper = (
        Sharper(
            "first-step",
            "Remark 3",
            r"$h(1)\gtrsim\frac{\eta_Y}M$",
            r"$\frac{\eta_Y}{M+e-2}\le h(1)\le\frac{\eta_Y}M$",
            "an order becomes its constant, 1",
            upper="first-step",
            lower="first-step",
        ),
        Sharper(
            "rate-needed",
            "Remark 3",
            r"$\eta_Y\gg M^{-(1-\omega_0)}$",
            r"$\eta_Y\ge(1+o(1))\,M^{-(1-\omega_0)}$",
            "a large factor becomes 1",
            upper="threshold-exact",
            lower="threshold-exact",
        ),
    )

    @step("symbolic", "Remark 3, first step", as_printed=True)
    def first_step(self) -> Iterator[Fact]:
        r"""$\frac{\eta_Y}{M+e-2}\le h(1)\le\frac{\eta_Y}M$ for $\eta_Y\le1$:
        $M\eta_Y-Mu=e^u-1-u$, between $0$ and $(e-2)u$ on $[0,1]$"""
        convex = sp.exp(u) - 1 - u  # 0 at 0 and e - 2 at 1
        yield sp.exp(u) + (M - 1) * u - 1 - M * u, convex
        yield sp.Derivative(convex, u, 2), sp.exp(u)
        yield convex.subs(u, 0), 0
        yield sp.diff(convex, u).subs(u, 0), 0
        yield convex.subs(u, 1), sp.E - 2

    @step("symbolic", "Remark 3, chain")
    def chain_reversed(self) -> Iterator[Fact]:
        r"""$M^{-(1-\omega_0)}<M^{-0.99}$ as soon as $\omega_0<0.01$, which `omega-0` proves from
        $M=100$ on"""
        omega_0, hundredth = sp.Symbol("omega_0", positive=True), sp.Rational(1, 100)
        ratio = M ** (omega_0 - 1) / M ** (hundredth - 1)
        yield sp.log(ratio), sp.log(M) * (omega_0 - hundredth)
        yield OMEGA_0_BOUND.subs(M, 100) < hundredth

    better = group()

    @step("symbolic")
    def threshold_exact(self) -> Iterator[Fact]:
        r"""$h(1)$ is past the lower end exactly for $\eta_Y\ge\frac{2e^{u_0}-1}M$; over
        $M^{-(1-\omega_0)}=u_0$ this is $\frac{2e^u-1}{e^u+u}$ with $M-1=\frac{e^u}u$, which
        tends to 1 as $M\to\infty$"""
        ratio = (2 * sp.exp(u) - 1) / (sp.exp(u) + u)
        yield ((2 * sp.exp(u) - 1) / M / u).subs(M, 1 + sp.exp(u) / u), ratio
        yield sp.Limit(ratio, u, 0), 1

    check = group()

    @once
    def ratios(self) -> dict[Any, Any]:
        """M^-(1 - omega_0), the lower crossing, over M^-0.99."""
        return {size: size**0.99 * crossings(size)[0] for size in BIG + SIZES[7:]}

    @claim(">", 1.0, "inequality", "Remark 3, chain", as_printed=True)
    def chain_printed(self) -> float:
        r"""$M^{-(1-\omega_0)}>M^{-0.99}$: largest ratio of the two, $M=100$ to $10^{12}$"""
        return maximum(self.ratios.values())

    @erratum(
        "E7",
        r"Remark 3, the chain for $\eta_Y$",
        r"$\eta_Y\gg\frac1{M^{1-\omega_0}}>\frac1{M^{0.99}}$",
        fails="chain-printed",
        holds="chain-reversed",
        reach="harmless",
        misprint=True,
    )
    def e7(self) -> dict[str, Any]:
        r"""$\eta_Y\gg\frac1{M^{0.99}}>\frac1{M^{1-\omega_0}}$, because $\omega_0<0.01$. The
        numbers are $M^{-(1-\omega_0)}$ over $M^{-0.99}$ at $M=1000$: what it should exceed as
        printed, by (50), and from the lower crossing itself."""
        by_50 = 1000 ** (omega_0_by_iteration(1000) - 0.01)
        return dict(printed=1.0, corrected=by_50, measured=self.ratios[1000])

    without = group()

    @control("H2", "in", [1 - 1e-9, 1 + 1e-9])
    def slow_rate(self) -> float:
        r"""with $\eta_Y=0.1/M$ one step does not reach $J_1$: it takes $10\,(2e^u-1)$, $u$ the
        lower crossing; the number of steps over this"""
        low = crossings(self.M)[0]
        steps = float(time_at_height(low / self.M, self.M, 0.1 / self.M))
        return steps / (10 * (2 * np.exp(low) - 1))
