"""The table: four sets of points, one line."""

from dataclasses import dataclass

from ledgerbook.ledger.checks import Checks, claim, control, erratum, once
from ledgerbook.ledger.fields import whole
from quartet.points import SETS, line


def furthest(values, printed):
    """The value that lies furthest from what is printed."""
    return max(values, key=lambda value: abs(value - printed))


def printed_as(value):
    """The limits of a printed value at the digits that are read."""
    return lambda self: [value - self.half, value + self.half]


@dataclass
class Table(Checks):
    """What the four sets share, to so many digits."""

    digits: int = whole(3, 2, 3, holds=(3, 3))

    tag = "anscombe.table"
    hypotheses = {"H1": "every one of the eleven points counts"}
    standing = "established"

    @property
    def half(self):
        """Half a unit of the last digit."""
        return 0.5 * 10.0**-self.digits

    @once
    def lines(self):
        """Slopes, offsets, shares of the variance of the four sets."""
        return list(zip(*(line(x, y) for x, y in SETS), strict=True))

    @claim("in", printed_as(9.0), "reproduction", as_printed=True)
    def mean_x(self):
        """mean of x"""
        return furthest([x.mean() for x, _ in SETS], 9.0)

    @claim("in", [7.495, 7.505], "reproduction", as_printed=True)
    def mean_y(self):
        """mean of y, to two digits"""
        return furthest([y.mean() for _, y in SETS], 7.5)

    @claim("in", printed_as(0.5), "reproduction", as_printed=True)
    def slope(self):
        """slope of the line"""
        return furthest(self.lines[0], 0.5)

    @claim("in", [2.995, 3.005], "reproduction", as_printed=True)
    def offset(self):
        """offset of the line, to two digits"""
        return furthest(self.lines[1], 3.0)

    @claim("in", printed_as(0.667), "reproduction", as_printed=True)
    def squares(self):
        """share of the variance, to three digits"""
        return furthest(self.lines[2], 0.667)

    @claim("in", [0.665, 0.675], "reproduction")
    def two_digits(self):
        """share of the variance, to two digits"""
        return min(self.lines[2])

    @erratum(
        "E1",
        "the table's last line",
        "0.667 for all four sets",
        fails="squares",
        holds="two-digits",
        reach="harmless",
    )
    def e1(self):
        """0.67; to three digits 0.666 for the second and the third"""
        return dict(printed=0.667, corrected=0.666, measured=self.lines[2][1])

    @control("H1", ">=", 0.999)
    def outlier(self):
        """without one point the third set lies on a line"""
        x, y = SETS[2]
        kept = y < 12
        return line(x[kept], y[kept])[2]
