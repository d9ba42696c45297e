"""What Theorem 4 and its insights share: letters, the two stages in symbols, parameters.

The chapter: ``book/scan-snap/theorem_04.ipynb``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import z3

from ledgerbook import Checks, once, real, seed, whole
from lib.arrays import Array
from lib.scan_snap.decoder import h_star, speed, stages
from lib.scan_snap.phase_transition import gain
from lib.scan_snap.simplified_attention import Setting
from lib.validation import require

t, K, M, eta_y, eta_z, C, G = sp.symbols("t K M eta_Y eta_Z C_0 Gamma", positive=True)
L, a, nu = sp.symbols("L a nu", positive=True)  # L = ln(M tau), a = 2 K (M-1)^2 / (M^2 nu)
GAIN = sp.log(1 + 4 * G / C) / 4
height = sp.Function("h")(t / K)
RATE = eta_y / (M - 1 + sp.exp(M * height))  # h'(t/K), (44)
SPEED = (M - 1) ** 2 * height / (M - 1 + sp.exp(M * height))  # (85)
CLOCK = eta_z / eta_y * K * (M - 1) ** 2 * height**2 / 2  # (128)
LOGIT = -sp.log(4 * G / C + 1) / 4  # (122)
PUSH = 1 / (C + 4 * G)  # (123) over gamma
LATE = [sp.log(1 + a * (L - lost) ** 2 / C) / 4 for lost in (0, sp.log(2))]  # both bounds of B_n

U, X, TAU, SIZE, LOG = z3.Reals("u X tau M ln_M")  # X for e^u
ON_45 = (SIZE > 1, U >= 0, X >= 1 + U, X + (SIZE - 1) * U == SIZE * TAU + 1)


def late_limits() -> Iterator[Any]:
    """e^{4 B_n} over L^2 and what is left of it after its limit, at both bounds of B_n."""
    wanted = 0, -2 * sp.log(2) * a / C
    for bound, rest in zip(LATE, wanted, strict=True):
        over = sp.exp(4 * bound) / L**2
        yield sp.Limit(over, L, sp.oo), a / C
        yield sp.Limit(L * (over - a / C), L, sp.oo), rest


@dataclass
class Parameters(Checks):
    """What the theorem and its insights are asked at."""

    M: int = whole(1000, 100, 2000)
    K: int = whole(10, 3, 50)
    eta_y: float = real(0.5, 0.1, 1)
    eta_z: float = real(0.5, 0.1, 1)
    c0: float = real(4.0, 0.5, 10)
    seed: int = seed()

    def validate(self) -> None:
        """The accumulated push has to pass C_0 while the decoder learns."""
        allowed = "C_0 eta_Y / eta_Z <= 2 K, so that 4 Gamma is well above C_0 at t_0'"
        require(self.c0 * self.nu <= 2 * self.K, "c0", self.c0, allowed)

    @property
    def nu(self) -> float:
        """eta_Y / eta_Z."""
        return self.eta_y / self.eta_z

    @property
    def point(self) -> Setting:
        """The parameters in the order of ``gain_at``."""
        return Setting(self.M, self.K, self.eta_y, self.eta_z, self.c0)

    @property
    def ends(self) -> tuple[float, float]:
        """(t_0', t_0)."""
        return stages(self.M, self.eta_y, self.K)

    @once
    def runs(self) -> dict[Any, Any]:
        """h* round by round, for four rates of the decoder in steps."""
        return {
            rate: h_star(int(60 * np.log(self.M) / rate), self.M, rate)
            for rate in (0.1, 0.2, 0.4, 0.8)
        }

    def returned(self, rate: float) -> Array:
        """The error that such a decoder returns, gamma of (85) with h*, round by round."""
        return (self.M - 1) ** 2 * self.runs[rate] * speed(self.runs[rate], self.M)

    def stepped_gain(self, rate: float, eta_z: float) -> Array:
        """B_n round by round, summed from the decoder's own steps."""
        return gain(self.K * eta_z * np.cumsum(self.returned(rate)), self.c0)
