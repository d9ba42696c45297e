"""What the plain gradient (7) makes of Theorem 1, in symbols and for three classes.

The chapter: ``book/scan-snap/theorem_01.ipynb``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from checks.scan_snap.messages import Messages
from ledgerbook import once
from lib.arrays import Array
from lib.scan_snap.backprop_expansion import repulsion_ratio
from lib.scan_snap.equal_overlaps import equal_overlap_gram

K, M, rho = sp.symbols("K M rho", positive=True)
tilt = sp.symbols("tilt", positive=True)  # e^{eta_Y rho}
ONE_ROUND = tilt / ((K - 1) * tilt + M - K)
Q, R, q, r = sp.symbols("Q R q r", positive=True)  # past and present errors of a class
SHARED = (1 - rho) * (1 + (K - 1) * rho)  # of both sums, positive
REPELS = K * Q * q + (M - K) * (Q * r + R * (q - r))
UNUSED = (M - K) * R * r

ROUNDS = np.unique(np.geomspace(1, 2000, 12).astype(int))
EQUAL, EQUAL_M = equal_overlap_gram(3, 0.165), 1400  # meets Assumption 2


def own_errors(rival: Any, never: Any) -> Any:
    """A class's error on its own token, negated, by those on a rival's and on an unused one."""
    return (K - 1) * rival + (M - K) * never


MOVES = own_errors(Q, R) * own_errors(q, r) + (K - 1) * Q * q + UNUSED


def products_with_error() -> tuple[Any, Any]:
    """Row n and row n' under (7), equal overlaps, times the error of class n."""
    past, present = own_errors(Q, R), own_errors(q, r)
    at_own = past - rho * (K - 1) * Q
    at_rival = -Q + rho * (past - (K - 2) * Q)
    at_unused = -(1 + rho * (K - 1)) * R
    idle = (M - K) * at_unused * r
    x = at_own * present - (K - 1) * at_rival * q - idle
    y = at_rival * present - at_own * q - (K - 2) * at_rival * q - idle
    return x, y


def theorem_ratio() -> Any:
    """beta / iota of Theorem 1 for equal overlaps: (I + E) c = [q_1, q_0, ...]."""
    own, rival = sp.symbols("own rival")
    found = sp.solve(
        [
            own + (K - 1) * rho * rival - M / (M - 1),
            rho * own + (1 + (K - 2) * rho) * rival + M / (M - 1) ** 2,
        ],
        [own, rival],
    )
    return sp.simplify(-found[rival] / found[own])


@dataclass
class PlainGradient(Messages):
    """The ratio beta / iota of the theorem, and along a run of (7)."""

    @once
    def theorem_ratio(self) -> Any:
        """beta / iota of the theorem for equal overlaps, in symbols."""
        return theorem_ratio()

    @once
    def predicted(self) -> float:
        """The same for K = 3, rho = 0.165, M = 1400."""
        at = {K: 3, M: EQUAL_M, rho: sp.Rational(165, 1000)}
        return float(self.theorem_ratio.subs(at))

    @once
    def original_path(self) -> Array:
        """The same under (7), after each of ROUNDS."""
        found = [repulsion_ratio(EQUAL, EQUAL_M, self.eta_y, int(t), False) for t in ROUNDS]
        return np.array(found)
