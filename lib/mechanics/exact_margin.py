"""A max-margin problem with whole-number rows, certified in rationals.

    minimize |w|  with  rows @ w >= 1:   w = rows^T multipliers, multipliers >= 0, 0 where slack

A floating-point solution only guesses which rows are tight; all else is exact.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np

from lib.arrays import Array, ArrayLike
from lib.mechanics.graph_svm import least_norm
from lib.validation import require


class Certificate(NamedTuple):
    """holds: signs and margins are right, so w is the solution.  w: (p,), multipliers: (m,)."""

    holds: bool
    w: list
    multipliers: list

    @property
    def square(self) -> Fraction:
        """|w|^2, which is also the sum of the multipliers."""
        return sum((x * x for x in self.w), Fraction(0))


def certificate(rows: ArrayLike, names: Sequence[Any] | None = None) -> Certificate:
    """The ``Certificate`` of whole-number rows (m, p).

    names: (k, i, j) of each row for the error.  Raises ``InfeasibleGraphSVM``.
    """
    rows = np.asarray(rows, dtype=float)
    require((rows == np.round(rows)).all(), "rows", "other numbers", "whole numbers")
    active = np.flatnonzero(least_norm(rows, names)[1] > 1e-9).tolist()
    gram = (rows[active] @ rows[active].T).astype(int).tolist()
    size = len(active)
    solved = flint.fmpq_mat(size, size, sum(gram, [])).solve(flint.fmpq_mat(size, 1, [1] * size))
    multipliers = [Fraction(0)] * len(rows)
    for place, r in enumerate(active):
        multipliers[r] = Fraction(int(solved[place, 0].p), int(solved[place, 0].q))
    w = _combine(rows, multipliers)
    margins = (sum(int(a) * x for a, x in zip(row, w, strict=True) if a) for row in rows)
    holds = min(multipliers) >= 0 and all(margin >= 1 for margin in margins)
    return Certificate(holds, w, multipliers)


def _combine(rows: Array, multipliers: list[Fraction]) -> list[Fraction]:
    """rows^T multipliers, exactly."""
    total = [Fraction(0)] * rows.shape[1]
    for row, weight in zip(rows, multipliers, strict=True):
        for place in np.flatnonzero(row if weight else 0 * row).tolist():
            total[place] += weight * int(row[place])
    return total
