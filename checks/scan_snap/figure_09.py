"""Figure 9: what its rows measure.  The chapter: ``book/scan-snap/figure_09.ipynb``."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from checks.scan_snap.figure_03 import bend
from ledgerbook import Checks, claim, erratum, group, once, whole
from lib.arrays import Array
from lib.measure import maximum, minimum
from lib.roots import root
from lib.scan_snap.decoder import h, h_star, stages
from lib.scan_snap.phase_transition import big_gamma, gain, gain_at

MARGIN = 0.05  # matplotlib's: what it leaves beyond the data, unless told otherwise


class Panel(NamedTuple):
    """What a panel of the figure prints: M, the pairs of rates, and where its axes end."""

    M: int
    eta_z: np.ndarray
    eta_y: np.ndarray
    end: float
    top: float

    def curves(self, times: Array, K: int = 1, c0: float = 1.0) -> Array:
        """B of Theorem 4, a row for each pair of rates."""
        pairs = zip(self.eta_y, self.eta_z, strict=True)
        return np.array([gain_at(times, self.M, K, y, z, c0) for y, z in pairs])

    def dots(self) -> np.ndarray:
        """Times and heights of the dots, K = C_0 = 1: (2, rates)."""
        t0 = np.array([stages(self.M, float(y))[1] for y in self.eta_y])
        return np.array([t0, np.diag(self.curves(t0))])

    def last_dot(self, K: int) -> float:
        """t_0 of the slowest curve, over the length of the t axis."""
        return stages(self.M, float(self.eta_y.min()), K)[1] / self.end

    def last_dot_without(self, K: int) -> float:
        """The same with o(1) = 0 in t_0."""
        return 2 * K * np.log(self.M) / self.eta_y.min() / self.end

    def constant(self, K: int, level: float) -> float:
        """The C_0 with which the highest curve ends at ``level``: a larger one lowers it."""
        fastest = self.M, K, self.eta_y.max(), self.eta_z.max()
        above = lambda power: float(gain_at(self.end, *fastest, 10.0**power)) - level
        return 10 ** root(above, -8, 8)

    def solved(self) -> np.ndarray:
        """Time of the bend, B there, B at the end of the axis; K = C_0 = 1: (rates, 3)."""
        pairs = zip(self.eta_y, self.eta_z, strict=True)
        found = np.array([bend(self.M, 1, y, z, self.end) for y, z in pairs])
        found[:, 1:] = np.log1p(4 * found[:, 1:]) / 4
        return found


RATES = np.array([0.5, 1, 2, 4, 8])
LEFT, RIGHT = Panel(100, RATES, 10 * RATES, 5.0, 0.8), Panel(10_000, RATES, RATES, 50.0, 1.6)
PANELS = {"left": LEFT, "right": RIGHT}


def filling(K: int) -> tuple[float, float]:
    """Smallest and largest C_0 with which the highest curves end in both top margins."""
    least = maximum(panel.constant(K, panel.top) for panel in PANELS.values())
    return least, minimum(panel.constant(K, panel.top / (1 + MARGIN)) for panel in PANELS.values())


@dataclass
class Figure09(Checks):
    """Figure 9: the gain drawn again to its axes."""

    K_most: int = whole(20, 2, 100)

    tag = "scan-snap.figure-09"

    axes = group()

    @once
    def measured(self) -> dict[Any, Any]:
        """``Panel.solved`` of both panels."""
        return {name: panel.solved() for name, panel in PANELS.items()}

    @once
    def late(self) -> dict[Any, Any]:
        """By what share of its time each dot comes later than the bend."""
        return {n: panel.dots()[0] / self.measured[n][:, 0] - 1 for n, panel in PANELS.items()}

    @claim(
        "in",
        [round(1 / (1 + MARGIN), 4), 1.0],
        "reproduction",
        "Figure 9",
        as_printed=True,
        cases={name: dict(name=name, top=panel.top) for name, panel in PANELS.items()},
    )
    def axis(self, case: dict[str, Any]) -> float:
        """@{case.name} panel, $K=C_0=1$: the highest curve ends at this share of the axis' top
        @{case.top}, no further below than the margin that a program leaves"""
        return self.measured[case["name"]][:, 2].max() / case["top"]

    @claim("<=", 1.5, "limit", "Figure 9", as_printed=True)
    def dots(self) -> float:
        r"""the dots that are drawn are the measured bends, to $(1+\frac1{2u})/M$ with $u>1$:
        largest relative deviation of $t_0$, times $M$"""
        return maximum(panel.M * abs(self.late[name]).max() for name, panel in PANELS.items())

    @claim("==", 2, "reproduction", "Figure 9", as_printed=True)
    def dots_inside(self) -> int:
        """$K=1$: both panels hold the dots of all their curves"""
        return sum(panel.last_dot(1) <= 1 for panel in PANELS.values())

    @claim(">", 1, "reproduction")
    def only_one_class(self) -> float:
        r"""last dot over the end of the axis, worse panel, smallest over $K=2\ldots@{K_most}$, even
        with $o(1)=0$ in $t_0$"""
        worse = lambda K: maximum(panel.last_dot_without(K) for panel in PANELS.values())
        return minimum(worse(K) for K in range(2, self.K_most + 1))

    @claim(">", 0, "sign", "Figure 9", as_printed=True)
    def larger_rates(self) -> float:
        """larger rates at a fixed ratio give a larger $B_n$ at the end of the axis (smallest
        difference of neighbours)"""
        return minimum(np.diff(rows[:, 2]).min() for rows in self.measured.values())

    @claim("<=", 1, "limit", "(131)", as_printed=True)
    def height(self) -> float:
        """(131): $B_n$ at each measured bend is the height of the first drawn dot of its panel; the
        dots come later and lie higher by at most half of that (largest difference over half the
        relative deviation of $t_0$)"""
        higher = {n: panel.dots()[1, 0] - self.measured[n][:, 1] for n, panel in PANELS.items()}
        return maximum(abs(2 * higher[name] / self.late[name]).max() for name in PANELS)

    @claim("==", 10.0, "reproduction", "Figure 9, caption", as_printed=True)
    def caption(self) -> float:
        r"""caption: $\nu=\eta_Z/\eta_Y$ is 10 in the left panel"""
        return LEFT.eta_z[0] / LEFT.eta_y[0]

    @claim("==", 0.0, "reproduction")
    def caption_text(self) -> float:
        r"""the text's $\nu=\eta_Y/\eta_Z$ in the five curves of the left panel (largest difference
        from 10)"""
        return abs(LEFT.eta_y / LEFT.eta_z - 10).max()

    @erratum(
        "E26",
        "Figure 9, caption",
        r"$\nu=\eta_Z/\eta_Y$",
        fails="caption",
        holds="caption-text",
        reach="harmless",
        misprint=True,
    )
    def e26(self) -> dict[str, Any]:
        r"""$\nu=\eta_Y/\eta_Z$, as in the text of Appendix F. The numbers are $\nu$ for the left
        panel's first curve, $\eta_Z=0.5$, $\eta_Y=5$; measured: the panel's title"""
        first = LEFT.eta_y[0], LEFT.eta_z[0]
        return dict(printed=first[1] / first[0], corrected=first[0] / first[1], measured=10)

    recursion = group()

    @once
    def stepped(self) -> Array:
        """B of the curve eta_Y = 80 at steps 0 to 5, with the recursion h*."""
        return gain(big_gamma(h_star(5, LEFT.M, 80.0), LEFT.M, 1, 10.0), 1.0)

    @once
    def smooth(self) -> Array:
        """The same with the flow h."""
        return gain(big_gamma(h(np.arange(6.0), LEFT.M, 80.0), LEFT.M, 1, 10.0), 1.0)

    @claim(">", LEFT.top, "inequality")
    def steps(self) -> float:
        r"""with the recursion $h^*$ the curve $\eta_Y=80$ leaves the axis ($0.8$) after one step:
        $B_n(1)$"""
        return float(self.stepped[1])
