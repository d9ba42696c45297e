"""Labels that answer nothing: what the rows measure.

The chapter: ``book/bridge/spare_labels.ipynb``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts

from ledgerbook import Checks, claim, control, finding, group, once, real, step, unproved
from lib.arrays import Array
from lib.bridge.joint_training import joint_flow, one_hot_data
from lib.bridge.spare_labels import Alike, alike_flow, by_clock, gaps, law, pace
from lib.decide import follows
from lib.measure import furthest, maximum

NEAR = {  # end of an id: K, s, C; the pace is reached by ln t = 10^5
    "2-2-3": Alike(2, 2, 3), "4-4-4": Alike(4, 4, 4), "4-4-5": Alike(4, 4, 5),
    "4-4-7": Alike(4, 4, 7), "4-2-5": Alike(4, 2, 5), "10-5-15": Alike(10, 5, 15),
}  # fmt: skip
FAR = {  # it is approached slowly, where (s-1)/(C-1) is near 0 or near 1
    "4-4-24": Alike(4, 4, 24), "4-2-10": Alike(4, 2, 10), "10-10-11": Alike(10, 10, 11),
}  # fmt: skip
OTHERWISE = {  # counts, one query for a group
    "own-thrice": Alike(4, 4, 6, 3, 1), "common-four-times": Alike(4, 4, 6, 1, 4),
    "pairs-one-query": Alike(4, 2, 5, 1, 1, True),
}  # fmt: skip
EARLY, LATE = np.log(1e6), np.log(1e12)  # the moments of the idea
CLOCKS = np.geomspace(1e-3, 1e4, 400)  # errors received, from next to nothing on
UNEVEN = "4-4-5", "4-2-5", "10-5-15"  # kappa is not 1/2, and the limit is near at 10^4


def named(designs: Iterable[str]) -> dict[str, str]:
    """Ends of ids to what a row gets as its case."""
    return {name: name for name in designs}


@dataclass
class SpareLabels(Checks):
    """The pace of the gap where labels answer nothing, and where not all classes share a token."""

    latest: float = real(1e5, 5e4, 2e5)

    tag = "bridge.spare-labels"
    hypotheses = {
        "H1": "classes are alike: weights, counts, groups, and the start $Y=Z=0$",
        "H2": "a class has one token of its own and one that its group of $s\\ge2$ classes shares",
        "H3": "attention is normalized",
        "H4": "training is a gradient flow",
    }
    standing = "ours"
    unknown = {"H4": "steps are not tried"}
    parts = {
        "pace": (
            "late-rows", "late-equations", "clock-equations", "rises", "falls",
            "kernel-common-row-learns", "kernel-spare-labels-slow", "kernel-share-stays",
            "kernel-late-law",
            *(f"near-{name}" for name in NEAR), *(f"far-{name}" for name in FAR),
        ),
    }  # fmt: skip
    kernel_theorems = {
        "common_row_learns": {},
        "spare_labels_slow": {},
        "share_stays": {},
        "late_law": {},
    }
    trusts = (
        unproved(
            "from zero the flow comes to a small share and a large common row, and from then on the"
            " gap's slope in the logarithm of the error received is bounded"
        ),
    )

    @step("symbolic")
    def late_rows(self) -> Facts:
        r"""wrong labels alike: the own row, $D$ times the residual over $\delta$, is of use
        $\frac C{C-1}D\delta$, the common row of $s$ classes, $B$ times the sum of theirs, is of use
        $\frac C{C-1}\kappa B\delta$ with $\kappa=\frac{C-s}{C-1}$"""
        s, C, D, B, d = sp.symbols("s C D B delta", positive=True)
        p = d / (C - 1)
        own = D * d + D / (C - 1) * (C - 1) * p
        inside, outside = B * (1 - (s - 1) / (C - 1)), -B * s / (C - 1)
        common = d * inside - (s - 1) * p * inside - (C - s) * p * outside
        factor = C / (C - 1)
        return (own, factor * D * d), (common, factor * (C - s) / (C - 1) * B * d)

    @step("symbolic")
    def late_equations(self) -> Facts:
        r"""with $\epsilon=e^{-g}$, $dB=\epsilon\,dD$ and
        $dg=2\eta_Z\epsilon(\epsilon\alpha D-\alpha\kappa B)\,dD$: for $y=\epsilon D/B$,
        $\frac{d\ln y}{d\ln D}=1-y-\lambda B^2y(y-\kappa)$, $\lambda=2\eta_Z\alpha$"""
        y, B, D, kappa, rate = sp.symbols("y B D kappa lambda", positive=True)
        e = y * B / D
        slope = -rate * e * (e * D - kappa * B) + 1 / D - e / B
        return D * slope, 1 - y - rate * B**2 * y * (y - kappa)

    @step("symbolic")
    def clock_equations(
        self,
    ) -> Facts:
        r"""no approximation: an outside label $e^{-q}$ times as probable as one of the group, clock
        $dE=\frac{C\eta_Y}Kf_dp\,dt$: $\frac{dQ}{dE}=\epsilon e^{-q}$,
        $\frac{d\Delta}{dE}=\frac{1-e^{-q}}C$, $O=E-(C-s)\Delta$,
        $\frac{dg}{dE}=(1+S)\frac{\eta_Z}{\eta_YC}f_d^2\epsilon(\epsilon h_d-h_c)/p$"""
        s, C, K, q, p, f_d, share = sp.symbols("s C K q p f_d epsilon", positive=True)
        S, eta_y, eta_z, O, P, Q, h_d, h_c = sp.symbols(
            "S eta_Y eta_Z O P Q h_d h_c", positive=True
        )
        away, f_c = p * sp.exp(-q), share * f_d
        delta = (s - 1) * p + (C - s) * away
        per_clock = eta_y / K / (C * eta_y / K * f_d * p)  # of a row's velocity over eta_Y / K
        lead_in, lead_out = f_d * (delta + p), f_d * (delta + away)
        shared = f_c * (C - s) * away + f_c * s * away
        slope_Delta = (lead_in - lead_out) * per_clock
        mean = f_d * h_d + f_c * h_c
        gap = f_d * (h_d - f_d * mean) - S * f_c * (h_c - f_c * mean)
        unit = {f_d: 1 / sp.sqrt(1 + share**2)}
        pull = (1 + S) * eta_z / (eta_y * C) * f_d**2 * share * (share * h_d - h_c) / p
        use = (s - 1) * p * O + (
            C - s
        ) * away * P  # of the own row: p O for each label of the group
        own, wrong, rest = sp.symbols("own wrong rest")
        return (
            (shared * per_clock, share * sp.exp(-q)),
            (slope_Delta, (1 - sp.exp(-q)) / C),
            (lead_in * per_clock, 1 - (C - s) * slope_Delta),
            ((gap * eta_z / K / (C * eta_y / K * f_d * p)).subs(unit), pull.subs(unit)),
            (
                delta * own - (s - 1) * p * wrong - (C - s) * away * rest,
                use.subs({O: own - wrong, P: own - rest}),
            ),
        )

    @step("decided")
    def rises(self) -> bool:
        r"""below $\kappa$: $0<y\le\kappa\le1$ gives
        $1-y-\lambda B^2y(y-\kappa)\ge1-\kappa$, so that $y$ stays above the less of its start and
        $\kappa$, and $B$ has no bound"""
        y, B, kappa, rate = z3.Reals("y B kappa lambda")
        given = (y > 0, y <= kappa, kappa <= 1, B > 0, rate > 0)
        return follows(1 - y - rate * B**2 * y * (y - kappa) >= 1 - kappa, *given)

    @step("decided")
    def falls(self) -> bool:
        r"""above: $y>\kappa>0$ and $\lambda\kappa B^2(y-\kappa)\ge2$ give
        $1-y-\lambda B^2y(y-\kappa)\le-1$, so that $y-\kappa$ is at most $2/(\lambda\kappa B^2)$ in
        the end, which has a finite integral"""
        y, kappa, pull = z3.Reals("y kappa pull")  # pull = lambda B^2
        given = (kappa > 0, y > kappa, pull > 0, pull * kappa * (y - kappa) >= 2)
        return follows(1 - y - pull * y * (y - kappa) <= -1, *given)

    check = group()

    @once
    def paces(self) -> dict[Any, Any]:
        """Slopes of the gap in ln ln t at a tenth of ``latest`` and at ``latest``, by design."""
        every = NEAR | FAR | OTHERWISE
        moments = (self.latest / 10, self.latest)
        return {name: [pace(one, t) for t in moments] for name, one in every.items()}

    def off(self, name: str, when: int = 1) -> float:
        """The slope of a design over the law, minus 1; of the law 0 the slope."""
        design = (NEAR | FAR | OTHERWISE)[name]
        return self.paces[name][when] / law(design.shared, design.labels) - 1

    @claim("<=", 0.01, "rate", concludes=True, cases=named(NEAR))
    def near(self, case: str) -> float:
        r"""$(K,s,C)=@{case}$: slope of the gap in $\ln\ln t$ over $\frac{s-1}{C-1}$, from 1"""
        return abs(self.off(case))

    @claim("<", lambda self, case: abs(self.off(case, 0)), "rate", concludes=True, cases=named(FAR))
    def far(self, case: str) -> float:
        r"""$(K,s,C)=@{case}$: deviation of the slope of the gap in $\ln\ln t$ over
        $\frac{s-1}{C-1}$ from 1, smaller than at a tenth of $\ln t$"""
        return abs(self.off(case))

    @claim("<=", 0.02, "rate", concludes=True, cases=named(OTHERWISE))
    def otherwise(self, case: str) -> float:
        r"""other counts, or one query for a group (@{case}): slope of the gap in $\ln\ln t$ over
        $\frac{s-1}{C-1}$, from 1"""
        return abs(self.off(case))

    @claim("<=", 0.01, "rate", concludes=True, cases={"decoder": 10.0, "attention": 0.1})
    def rates(self, case: float) -> float:
        r"""four classes, seven labels, rates $@{case:g}:1$ of decoder and attention: deviation"""
        return abs(pace(NEAR["4-4-7"], self.latest, eta_y=case) / law(4, 7) - 1)

    @claim("<=", 1e-4, "identity", atol=1e-5)
    def layer(self) -> float:
        r"""the seven numbers against the flow of the whole layer, gap at $\ln t=100$, two designs
        (largest relative error)"""
        found = []
        for design in (NEAR["4-4-7"], NEAR["4-2-5"]):
            data, V = design.data, design.data.counts.shape[1]
            start = np.zeros((V, design.labels)), np.zeros((V, V))
            row = joint_flow(data, *start, [100.0], normalize=True).Z[0, data.last[0]]
            found.append((row[0] - row[design.K]) / gaps(design, [100.0])[0] - 1)
        return maximum(np.abs(found))

    @claim("<=", 1e-5, "identity", atol=1e-6)
    def by_the_clock(self) -> float:
        r"""the gap by the error received, `clock-equations`, against the seven numbers at
        $\ln t=100$, four designs, $\eta_Z$ as large as $\eta_Y$ or twice (largest difference)"""
        found = []
        for name in ("4-4-7", "4-2-5", "pairs-one-query", "own-thrice"):
            design, rates = (NEAR | OTHERWISE)[name], {"eta_z": 1.0 if "7" in name else 2.0}
            own, wrong, rest, _, _, z_d, z_c = alike_flow(design, [100.0], **rates)[0]
            received = own - wrong + (design.labels - design.shared) * (rest - wrong)
            found.append(by_clock(design, [received], **rates).gap[0] - (z_d - z_c))
        return maximum(np.abs(found))

    @claim("in", [0.98, 1.02], "limit", rtol=5e-3)
    def unevenness(self) -> float:
        r"""how much further behind an outside label is, $q$, at $E=10^4$: $\frac{qE}{\epsilon Q}$
        over $C(2\kappa-1)$, three designs (furthest from 1)"""
        found = []
        for design in (NEAR[name] for name in UNEVEN):
            run, C = by_clock(design, [1e4]), design.labels
            kappa = (C - design.shared) / (C - 1)
            found.append(run.uneven[0] * 1e4 / (run.share * run.shared)[0] / (C * (2 * kappa - 1)))
        return furthest(found, 1)

    @claim("<=", 2, "inequality", atol=0.05)
    def bounded_pace(self) -> float:
        r"""slope of the gap in $\ln E$, from zero to $E=10^4$, the twelve designs of `near`, `far`
        and `otherwise`: largest"""
        every = NEAR | FAR | OTHERWISE
        return maximum(np.abs(by_clock(one, CLOCKS).pace).max() for one in every.values())

    @claim("<=", 0.02, "limit")
    def balance(self) -> float:
        r"""four classes, seven labels: $\epsilon D/B$ over $\kappa=\frac12$, from 1"""
        design = NEAR["4-4-7"]
        own, _, _, shared, _, z_d, z_c = alike_flow(design, [self.latest])[0]
        B = shared * (design.labels - 1) / (design.labels - design.shared)
        return abs(np.exp(z_c - z_d) * own / B / 0.5 - 1)

    @once
    def ten(self) -> dict[int, Array]:
        """Gaps of ten classes at the two moments, by the number of labels."""
        return {C: gaps(Alike(10, 10, C), [EARLY, LATE]) for C in (10, 20, 100, 1000)}

    @claim("<", 0.5, "inequality")
    def stalls(self) -> float:
        r"""ten classes: growth of the gap from $t=10^6$ to $10^{12}$ with 1000 labels, over that
        with 10"""
        few, many = (np.diff(self.ten[C])[0] for C in (10, 1000))
        return many / few

    @finding("near-4-4-4", "near-4-4-7", "far-4-4-24", "stalls")
    def a_scale(self) -> None:
        r"""Where classes are alike, whether snapping is a stop depends on the vocabulary. If every
        label is the answer of a class that shares the word, the normalized gap grows like
        $\ln\ln t$. In a vocabulary with many more labels than answers, which is the paper's
        setting, its pace is nearly zero."""

    without = group()

    @control("H1", ">", 0.1)
    def unequal(self) -> float:
        r"""classes of weights 1 to 4, seven labels: slope of a gap in $\ln\ln t$ between
        $\ln t=300$ and 1000, furthest from the law"""
        alike = NEAR["4-4-7"].data
        data = one_hot_data(alike.counts, alike.last, alike.label, np.arange(1.0, 5) / 10)
        V, query = alike.counts.shape[1], alike.last
        path = joint_flow(data, np.zeros((V, 7)), np.zeros((V, V)), [300.0, 1000.0], normalize=True)
        gap = path.Z[:, query, np.arange(4)] - path.Z[:, query, 4]
        return maximum(np.abs(np.diff(gap, axis=0)[0] / np.log(1000 / 300) - law(4, 7)))

    @control("H2", "<=", 1e-6)
    def alone(self) -> float:
        r"""$s=1$, the second token is the class's own, too: how far the two move apart"""
        return abs(gaps(Alike(4, 1, 6), [self.latest])[0])

    @control("H3", "<=", 0.01, kind="rate")
    def plain(self) -> float:
        r"""plain attention: slope over 2, deviation, with 0, 3 and 20 labels that answer nothing"""
        designs = (Alike(4, 4, C) for C in (4, 7, 24))
        return maximum(abs(pace(one, self.latest, normalize=False) / 2 - 1) for one in designs)
