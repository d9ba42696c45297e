"""Where weight decay ends: what the rows measure.

The chapter: ``book/bridge/weight_decay.ipynb``.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
from ledgerbook.ledger.facts import Facts
from scipy.stats import binomtest

from checks.bridge.cases import name_of
from checks.bridge.winner import classes
from ledgerbook import Checks, claim, control, finding, group, once, seed, step, whole
from lib.arrays import Array
from lib.bridge.adam import joint_adam
from lib.bridge.joint_training import joint_descent, log_attention
from lib.bridge.two_clocks import class_data
from lib.bridge.weight_decay import late_gap, rest
from lib.measure import maximum

K = 4  # classes, each with a query, a token of its own and a common token
DESIGNS = {"4-4": (4, 4), "4-5": (4, 5), "4-24": (4, 24), "2-4": (2, 4), "2-7": (2, 7)}  # (s, C)
SHOWN = {name: DESIGNS[name] for name in ("4-4", "4-5", "4-24")}  # in the picture
PENALTY = 0.01  # lambda of the runs that are trained
EARLY = np.geomspace(3.0, 1000.0, 28)  # ln(1 / lambda) of the picture and of the exact row
LATE = [1e4, 1e6, 1e8]
BOX = 0.2  # weight decay of AdamW


@dataclass
class WeightDecay(Checks):
    """Where weight decay ends."""

    draws: int = whole(20, 10, 40, holds=(18, 40))
    seed: int = seed()

    tag = "bridge.weight-decay"
    hypotheses = {
        "H1": "classes are alike, each with a query, an own token and one shared by $s$ of them",
        "H2": r"the penalty is $\lambda/2$ times the squared norms of $Y$ and $Z$",
        "H3": r"$\lambda$ goes to zero",
    }
    standing = "ours"
    unknown = {"H1": "other classes are tried for the winner alone"}
    parts = {
        "plain": ("law-plain-4-4", "law-plain-4-24", "law-plain-2-7", "ends-plain"),
        "normalized": (
            "bracket", "exact", "law-normalized-4-5", "law-normalized-4-24",
            "law-normalized-2-7", "ends-normalized",
        ),
    }  # fmt: skip

    @once
    def late(self) -> dict[Any, Any]:
        """``Rest`` at the moments ``LATE``, by form and design."""
        return {
            (form, name): rest(*design, LATE, normalize=form == "normalized")
            for form in ("plain", "normalized")
            for name, design in DESIGNS.items()
        }

    @once
    def early(self) -> dict[Any, Any]:
        """Normalized ``Rest`` at ``EARLY``, by design."""
        return {name: rest(*design, EARLY, normalize=True) for name, design in DESIGNS.items()}

    def trained(
        self, normalize: bool, steps: list[int], spare: int = 3, penalty: float = PENALTY
    ) -> Array:
        """Gap of K alike classes that share one token after descent at rate 1 under a penalty."""
        data, C = class_data(K), K + spare
        start = np.zeros((2 * K + 1, C)), np.zeros((2 * K + 1, 2 * K + 1))
        path = joint_descent(data, *start, steps, normalize=normalize, decay=penalty)
        row = path.Z[:, data.last[0]]
        return row[:, 0] - row[:, K]

    @once
    def winners(self) -> dict[Any, Any]:
        """Of each draw, whether the most frequent own token has most attention after training with
        a penalty of a thousandth: (draws,) by form; classes of ``bridge.winner``."""
        return {
            form: np.array([self.frequent_wins(n, form == "normalized") for n in range(self.draws)])
            for form in ("plain", "normalized")
        }

    def frequent_wins(self, number: int, normalize: bool) -> bool:
        """Whether no own token of one draw's first class is more frequent than the winner."""
        data = classes(np.random.default_rng([self.seed, number]), 1)
        V, counts = data.counts.shape[1], data.counts[0]
        start = np.zeros((V, K)), np.zeros((V, V))
        path = joint_descent(data, *start, [4000], normalize=normalize, decay=1e-3)
        own = (counts > 0) & ((data.counts > 0).sum(axis=0) == 1)
        mass = np.exp(log_attention(data, path.Z[0]))[0]
        return counts[mass.argmax()] == counts[own].max() and own[mass.argmax()]

    @step("symbolic")
    def bracket(self) -> Facts:
        r"""all wrong labels alike, $p_w=p_o=p$: what normalized attention gains on its own token,
        $\delta^2+(s-1)p^2+(C-s)p^2-C(C-s)p^2$, is $C(s-1)p^2$"""
        s, C, p = sp.symbols("s C p", positive=True)
        delta = (C - 1) * p
        left = delta**2 + (s - 1) * p**2 + (C - s) * p**2 - C * (C - s) * p**2
        return left, C * (s - 1) * p**2

    @step("symbolic")
    def exact(self) -> Facts:
        r"""$C=s$, normalized: the stationary equations give $g\,e^{2g}=2m^2(s-1)/s$ at each
        $\lambda$"""
        s, p, g, D = sp.symbols("s p g D", positive=True)
        fd, fc = 1 / sp.sqrt(1 + sp.exp(-2 * g)), 1 / sp.sqrt(1 + sp.exp(2 * g))
        delta = (s - 1) * p
        margin = D * fd**2 * (delta + p)
        use = D * fd * (delta**2 + (s - 1) * p**2)
        gap = 2 * D * fd * fc * fc * use
        return gap * sp.exp(2 * g), 2 * margin**2 * (s - 1) / s

    check = group()

    @claim("<=", 1e-4, "limit", concludes=True, cases=DESIGNS)
    def law_plain(self, case: tuple[int, int]) -> float:
        r"""plain, $(s,C)=@{case}$: $g\,e^g=2m^2(C-1)/C$ at $\ln(1/\lambda)=10^4$, relative error
        of $g$"""
        return self.error("plain", case)

    @claim("<=", 1e-3, "limit", concludes=True, cases=DESIGNS)
    def law_normalized(self, case: tuple[int, int]) -> float:
        r"""normalized, $(s,C)=@{case}$: $g\,e^{2g}=2m^2(s-1)/C$ at $\ln(1/\lambda)=10^4$, relative
        error of $g$"""
        return self.error("normalized", case)

    def error(self, form: str, case: tuple[int, int]) -> float:
        """Relative error of the law at the first late moment."""
        name = name_of(case, DESIGNS)
        found = self.late[form, name]
        law = late_gap(found.margin, *case, normalize=form == "normalized")
        return abs(law[0] / found.gap[0] - 1)

    @claim("<=", 1e-9, "identity")
    def law_exact(self) -> float:
        r"""normalized, $s=C=4$: the law at $\ln(1/\lambda)$ from 3 to 1000, largest relative
        error"""
        found = self.early["4-4"]
        return maximum(np.abs(late_gap(found.margin, 4, 4, normalize=True) / found.gap - 1))

    @claim("<=", 0.06, "rate", concludes=True, cases=SHOWN)
    def pace(self, case: tuple[int, int]) -> float:
        r"""normalized, $(s,C)=@{case}$: slope of the gap in $\ln\ln(1/\lambda)$ between $10^6$ and
        $10^8$ against 1"""
        name = name_of(case, DESIGNS)
        gap = self.late["normalized", name].gap
        return abs((gap[2] - gap[1]) / np.log(100) - 1)

    @claim("<=", 0.05, "limit", concludes=True)
    def constant(self) -> float:
        r"""normalized, $s=4$: what 20 spare labels cost of the gap at $\ln(1/\lambda)=10^8$ against
        $\frac12\ln\frac{24}{4}$, relative error"""
        ends = [self.late["normalized", name].gap[-1] for name in ("4-4", "4-24")]
        return abs((ends[0] - ends[1]) / (0.5 * np.log(24 / 4)) - 1)

    @claim(
        "<=", 1e-6, "limit", concludes=True, atol=1e-9, cases={"plain": False, "normalized": True}
    )
    def ends(self, case: bool) -> float:
        r"""descent at rate 1 with $\lambda=0.01$ and three spare labels: gap after 12,000 steps
        against the stationary one, relative error"""
        gap = rest(K, K + 3, [np.log(1 / PENALTY)], normalize=case).gap[0]
        return abs(self.trained(case, [12_000])[0] / gap - 1)

    @claim(">", 0.8, "statistical", atol=0.1, cases={"plain": "plain", "normalized": "normalized"})
    def winner(self, case: str) -> float:
        r"""@{case}, random classes, $\lambda=0.001$: the most frequent own token has most
        attention at step 4000; share of @{draws} draws, low end of the 95 % interval"""
        hits = self.winners[case]
        return float(binomtest(int(hits.sum()), len(hits)).proportion_ci(0.95, "exact").low)

    @finding("pace-4-5", "pace-4-24", "constant")
    def other_end(self) -> None:
        """The end under weight decay is not the end of descent: labels that answer nothing slow the
        normalized gap of descent, and cost that under decay no more than a constant."""

    without = group()

    @control("H2", "<=", 1e-3, kind="limit", cases={"plain": False, "normalized": True})
    def box(self, case: bool) -> float:
        r"""decoupled decay of 0.2, by AdamW at the rate 0.01, $\beta_2=0.99$, $\epsilon=10^{-30}$,
        one label that answers nothing: the largest gap of the four classes ends at $2/0.2=10$,
        with both of its scores on the border $\pm5$; relative error at step 20,000"""
        data = class_data(K)
        start = np.zeros((2 * K + 1, K + 1)), np.zeros((2 * K + 1, 2 * K + 1))
        path = joint_adam(
            data, *start, [20_000], beta2=0.99, epsilon=1e-30, decay=BOX, normalize=case
        )
        rows = path.Z[0, data.last]  # (K, V); where classes part, rounding decides which
        gaps = np.diagonal(rows[:, :K]) - rows[:, K]
        return abs(maximum(gaps) * BOX / 2 - 1)

    @control("H3", ">", 0.1)
    def large_penalty(self) -> float:
        r"""normalized, $(s,C)=(4,24)$, $\ln(1/\lambda)=3$: relative error of the law"""
        found = self.early["4-24"]
        return abs(late_gap(found.margin[0], 4, 24, normalize=True) / found.gap[0] - 1)
