"""The remark: what tells the four sets apart."""

from dataclasses import dataclass

import numpy as np
from ledgerbook.ledger.checks import Checks, claim, control
from quartet.points import SETS


@dataclass
class Look(Checks):
    """The second and the fourth set."""

    tag = "anscombe.look"
    hypotheses = {"H1": "a line is fitted, no curve"}
    standing = "established"

    @claim("==", 1, "exact")
    def lever(self):
        """in the fourth set one point alone has its x"""
        return int((SETS[3][0] != 8).sum())

    @claim("in", [1 - 1e-9, 1 + 1e-9], "inequality")
    def leverage(self):
        """that point's leverage is 1: the line passes through it, wherever it lies"""
        off = SETS[3][0] - SETS[3][0].mean()
        return (1 / len(off) + off**2 / (off**2).sum()).max()

    @control("H1", ">=", 0.999)
    def curve(self):
        """a parabola explains the second set"""
        x, y = SETS[1]
        return 1 - (y - np.polyval(np.polyfit(x, y, 2), x)).var() / y.var()
