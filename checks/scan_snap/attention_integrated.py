"""What Theorem 4 is compared with: the simplified equations and Lemma 4, both integrated.

The chapter: ``book/scan-snap/theorem_04.ipynb``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from checks.scan_snap.scanning_and_snapping import K, Parameters
from ledgerbook import once
from lib.arrays import Array
from lib.scan_snap.one_common_token import (
    OneCommonToken,
    RatesAtZero,
    ScanningGrowth,
    rates_at_zero,
    scanning_growth,
)
from lib.scan_snap.phase_transition import gain
from lib.scan_snap.simplified_attention import Setting, first_member, simplified_flow

MOMENTS = np.logspace(0, 4, 9)
AT_100 = 4  # the moment t = 100
GAMMA = np.logspace(-6, 12, 19)
# Overlaps e^(2z) / rho_0^2 = 0.025 at z = 0, so C_0 = rho_0^4 / K = 400: within Assumption 2.
INSIDE = Setting(10**6, 4, 0.5, 0.05, 0.025**-2 / 4)
SLOW = Setting(10**6, 10, 0.5, 0.05, 1000.0)  # overlaps 0.01, within Assumption 2

q, S, D = sp.symbols("q S D", positive=True)
DQ_DB = -2 * (S * D + 1) * q * (1 - q) ** 2 / D
OVERLAP_PUSH = (K - 1) * q**2 / ((1 - q) * (1 + (K - 1) * q))  # xi, E' of equal overlaps q


def late_slope(push: Any) -> Any:
    """d ln(dGamma/dB) / dB as the overlap q goes to 0, for a push xi over gamma."""
    return sp.Limit(-sp.diff(sp.log(push), q) * DQ_DB, q, 0)


@dataclass
class Integrated(Parameters):
    """Paths of both at the chapter's parameters and at some of their own."""

    @once
    def run(self) -> tuple[Array, Array]:
        """Gamma and B of the system."""
        return simplified_flow(MOMENTS, self.point)

    @once
    def weak(self) -> tuple[Array, Array]:
        """The same within Assumption 2."""
        return simplified_flow(MOMENTS, INSIDE)

    @once
    def frozen_member(self) -> float:
        """The first integral of (124) with Gamma(t) under it, t = 100."""
        clock = self.weak[0][AT_100]
        return clock / (INSIDE.c0 + 4 * clock)

    @once
    def running_member(self) -> float:
        """The same with Gamma(t')."""
        return first_member(100, INSIDE)

    @once
    def reached(self) -> float:
        """ln(M eta_Y t / K) where 4 Gamma = C_0, by (131)."""
        return np.sqrt(SLOW.c0 * SLOW.ratio / (2 * SLOW.K))

    @once
    def at_zero(self) -> RatesAtZero:
        """-dz_ml and xi_n of Lemma 4 for K classes that share a token of little weight."""
        return rates_at_zero(self.K)

    @once
    def tied_cases(self) -> list[OneCommonToken]:
        """Two on one query, two on their own, five on one query, two with five tied tokens."""
        kinds = [0, 0], [0, 1], [0] * 5
        alone = [OneCommonToken(groups, [1.0], GAMMA) for groups in kinds]
        return [*alone, OneCommonToken([0, 0], [1.0] * 5, GAMMA, tied=5)]

    @once
    def dominated(self) -> OneCommonToken:
        """Two on one query, each with five distinct tokens of which one is the most frequent."""
        return OneCommonToken([0, 0], [0.2, 0.4, 0.6, 0.8, 1.0], GAMMA)

    @once
    def scanning(self) -> ScanningGrowth:
        """The growth of the distinct token of five classes on one query up to M h = ln M."""
        return scanning_growth(self.M)

    @once
    def formula(self) -> Array:
        """B_n of the theorem, constant corrected, for two classes: rho_0^4 = 4, K = 2."""
        return gain(GAMMA, 4.0 / 2)
