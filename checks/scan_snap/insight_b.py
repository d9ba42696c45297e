"""Theorem 4, insight (b).  The chapter: ``book/scan-snap/theorem_04.ipynb``."""

from dataclasses import dataclass

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts

from checks.scan_snap.scanning_and_snapping import C, G, L, Parameters, a, eta_z
from ledgerbook import chapter, claim, finding, step
from lib.measure import minimum

c = sp.symbols("c", positive=True)
lead, share = sp.symbols("lead share", positive=True)  # r(0) of the dominant token, its f^2 at 0
POWER = 1 + a * L**2 / C  # e^{4 B_n} late, (131)
LATE_GAIN = sp.log(POWER) / 4
KEPT = 1 / (1 + lead * sp.exp(2 * share * G))  # a loser's f^2 over the winner's, at most; G is B_n


def map_by_gain() -> Facts:
    """How the scores go with the gain, (98), (118), (119), and a loser's f^2 over the winner's."""
    push, score = sp.symbols("gamma z")  # the common token's score
    xi = push * sp.exp(4 * score) / C  # (119)
    over = 1 / (eta_z * xi)  # dt / dB_n
    growth = sp.exp(2 * sp.Function("z_0")(G))  # chi of the winner; G is B_n
    loser = sp.Derivative(1 / (1 + lead * growth), G)  # (11)
    falls = -2 * lead * growth * share / (1 + lead * growth) ** 2
    return [
        (eta_z * share * xi * over, share),  # (98): f^2 of the scores alone
        (-eta_z * push * sp.exp(4 * score) / C * over, -1),  # (118)
        (loser.doit().subs(sp.Derivative(sp.Function("z_0")(G), G), share), falls),
    ]


@dataclass
class InsightB(Parameters):
    """Insight (b): both rates larger, more gain."""

    tag = "scan-snap.insight-b"
    parts = {"larger rates, more gain": ("kernel-insight-b",), "a sparser map": ("sparser",)}
    trusts = (
        chapter("scan-snap.theorem-02", "(98): distinct tokens rise", "a sparser map"),
        chapter("scan-snap.theorem-03", r"(11): a loser's part falls with $\chi$", "a sparser map"),
    )
    kernel_theorems = {
        "insight_b": dict(as_printed=True, concludes=True, equation="Section 6, insight (b)")
    }

    @step("symbolic")
    def no_lead_left(self) -> Facts:
        r"""decoder and attention rates times $c$: the lead in $B_n$ tends to 0, since $e^{4B_n}$
        over $\ln^2(M\tau)$ has the same limit for $c\tau$ and $\tau$; $B_n\to\infty$ for both"""
        return [
            (sp.Limit(POWER.subs(L, L + sp.log(c)) / POWER, L, sp.oo), 1),
            (sp.Limit(POWER, L, sp.oo), sp.oo),
        ]

    @step("symbolic", "Section 6, insight (b), the map", as_printed=True)
    def sparser(self) -> Facts:
        r"""a sparser map: per unit of $B_n$ a distinct token's score moves by $f^2$, (98), and the
        common one's by $-1$, (118), (119), whatever the rates; so two runs from one start have one
        map at one $B_n$, in which a loser's $f^2$ over the winner's, $\frac1{1+r(0)\chi}$ by (11),
        falls as $B_n$ rises"""
        return map_by_gain()

    @step("symbolic")
    def losers_vanish(self) -> Facts:
        r"""as $t\to\infty$ a token that is not dominant keeps nothing: its $f^2$ over the winner's
        is at most $\frac1{1+r(0)e^{2f^2B_n}}\to0$, by (11), (12), (131), while
        $2\,t\ln(M\tau)\,\dot B_n\to1$"""
        pace = sp.diff(LATE_GAIN, L)  # dB_n / d ln t
        return [
            (sp.Limit(LATE_GAIN, L, sp.oo), sp.oo),
            (sp.Limit(KEPT, G, sp.oo), 0),
            (sp.Limit(2 * L * pace, L, sp.oo), 1),
        ]

    @claim(
        ">",
        0,
        "sign",
        "Section 6, insight (b)",
        as_printed=True,
    )
    def lead(self) -> float:
        """both rates doubled (0.4 against 0.2), decoders in steps: the least lead of $B_n$ over all
        rounds that both ran, from the first with a gain on"""
        run = [self.stepped_gain(rate, rate) for rate in (0.4, 0.2)]
        both = minimum(map(len, run))
        return float(np.subtract(*(each[1:both] for each in run)).min())

    @finding("losers-vanish")
    def winner_takes_all(self) -> None:
        r"""Section 6 divides: either $B_n\to\infty$ and the winner takes all, or $B_n$ is bounded
        or rises very slowly and the pattern is snapped. By its own equations Theorem 4 is on both
        sides, because $B_n\simeq\frac12\ln\ln t$ rises very slowly and has no bound. In the limit
        each loser's share goes to 0; that attention does not collapse is a statement about the
        times that one can wait for."""

    @finding("no-lead-left")
    def no_limit(self) -> None:
        r"""Read as a limit, $B_n(t\to\infty)$ is infinite for every rate and the lead is zero; the
        insight is about each finite time."""
