"""The direction of snapping: what its rows measure.

The chapter: ``book/bridge/snapping_direction.ipynb``.
"""

from dataclasses import dataclass

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy import stats

from checks.bridge.snapping_draws import (
    SnappingDraws,
    classes_alike,
    kept_misses,
    near,
    of_own_tokens,
    off,
)
from ledgerbook import chapter, claim, control, group, step, textbook
from lib.arrays import Array
from lib.bridge.basin import rows_apart
from lib.bridge.joint_training import features, joint_descent, joint_flow, one_hot_data
from lib.bridge.late_runs import (
    BASIN,
    LATE,
    MOMENTS,
    QUICKLY,
    FewLabels,
    own_winners,
    pushes_on_clock,
    steepness,
    zeros,
)
from lib.bridge.slow_direction import (
    late_pushes,
    losers,
    mixed_draw,
    shared_label_draw,
    winner_svm,
    winners,
)
from lib.decide import follows
from lib.measure import furthest, maximum, minimum

C, omega, eta, delta = sp.symbols("C omega eta_Y delta", positive=True)
SETTLED = (C - 1) / (C * eta)  # weight times delta t, margin = ln t


def off_line(one: FewLabels, Z: Array) -> float:
    """The distance of Z from W ln T at ln t = ``BASIN``."""
    return float(np.linalg.norm(Z - one.svm.Z * np.log(BASIN)))


@dataclass
class SnappingDirection(SnappingDraws):
    """The direction of snapping: the max-margin problem of whoever wins."""

    tag = "bridge.snapping-direction"
    hypotheses = {
        "H1": "every sample keeps one token, its winner",
        "H2": "on one scale $T$ all forces on losers stay between two positive constants",
        "H3": "gradient flow of attention",
    }
    parts = {
        "(a)": ("nothing-lost", "ahead", "behind", "kernel-drift", "kernel-direction"),
        "(b)": (
            "limits-of-pushes",
            "rows-of-one-label",
            "direction-and-size",
            "limits-reached",
            "limits-shared",
            "two-and-one",
            "ally-slope",
            "ally-pushes",
            "kernel-leaks-are-forgotten",
        ),
        "(c)": ("support-slope",),
        "(d)": ("leads-grow", "rows-part", "lead-bound", "losers-stay", "class-clock"),
        "(e)": (
            "half-a-power",
            "forces-between",
            "leak-of-a-row",
            "leaks-end",
            "kernel-row-stays",
            "kernel-forever",
        ),
    }
    standing = "ours"
    kernel_theorems = {
        "pair_bound": {},
        "drift": dict(concludes=True),
        "direction": dict(concludes=True),
        "leaks_are_forgotten": {},
        "forever": dict(concludes=True),
        "fading_leaks_are_forgotten": {},
        "row_stays": dict(concludes=True),
    }
    trusts = (
        chapter("mechanics.graph-svm", "its conditions of optimality"),
        chapter("bridge.frozen-decoder", "beside a fixed decoder the margins are 1", "(b)"),
        textbook("a difference whose velocity is nonnegative while it is nonnegative stays so"),
    )

    @step("symbolic", concludes=True)
    def nothing_lost(self) -> Facts:
        r"""what losers lose the winner gains: $\sum_ls_l(h_l-\bar h)=0$ for $\sum s=1$, any number
        of losers"""
        # A: sum over losers of s_l h_l
        s_o, h_o, A = sp.symbols("s_o h_o A", real=True)
        mean = s_o * h_o + A
        return A - (1 - s_o) * mean, -s_o * (h_o - mean)

    @step("decided", concludes=True)
    def ahead(self) -> bool:
        r"""$y(\beta e^{-y}-\lambda)\le\frac Be$ for a pair ahead, $y\ge0$, from
        $ye^{-y}\le\frac1e$"""
        y, E, beta, B, lam, inv_e = z3.Reals("y E beta B lambda e")  # E for e^-y, e for 1/e
        return follows(
            y * (beta * E - lam) <= B * inv_e,
            *(beta > 0, beta <= B, lam >= 0, inv_e > 0, E > 0, y >= 0, y * E <= inv_e),
        )

    @step("decided", concludes=True)
    def behind(self) -> bool:
        r"""$4eb\,y(\beta e^{-y}-\lambda)\le\lambda^2$ for a pair behind, $y<0$, from
        $e^{-y}\ge-ey$; equal where that is and $\lambda=2be^{-y}$"""
        y, E, beta, b, lam, inv_e = z3.Reals("y E beta b lambda e")  # E for e^-y, e for 1/e
        pushed = 4 * b * y * (beta * E - lam)
        inside = b > 0, beta >= b, lam >= 0, inv_e > 0, E > 0, y < 0
        attained = E * inv_e == -y, beta == b, 2 * b * E == lam
        return follows(pushed <= lam**2 * inv_e, *inside, E * inv_e >= -y) and follows(
            pushed == lam**2 * inv_e, *inside, *attained
        )

    @step("symbolic")
    def limits_of_pushes(
        self,
    ) -> Facts:
        r"""(b): $h_o=-\delta\tau$ for the winner, $h_l=\frac{\delta\tau}{C-1}$ for another label's,
        $w\delta t=\frac{C-1}{C\eta_Y}$ where the margin is $\ln t$; both limits of $\beta$, all
        $C$"""
        tau = sp.symbols("tau", positive=True)
        own, rest = tau * (1 - 1 / C), -tau / C  # winner's row, margin tau
        h_winner = delta * (-own + rest)
        h_other = delta * (-rest + (own + (C - 2) * rest) / (C - 1))  # another label's winner
        return (
            (h_winner, -delta * tau),
            (h_other, delta * tau / (C - 1)),
            ((eta * delta * C / (C - 1)).subs(delta, SETTLED), 1),  # the margin gains 1 per ln t
            ((-h_winner / tau).subs(delta, SETTLED), (C - 1) / (C * eta)),
            (((h_other - h_winner) / tau).subs(delta, SETTLED), 1 / eta),
        )

    @step("symbolic", concludes=True)
    def rows_of_one_label(
        self,
    ) -> Facts:
        r"""(b): two rows of one label that samples of weights $\Omega_o,\Omega_l$ see alone,
        $\dot v=\frac{C\eta_Y}{C-1}\Omega\delta$: $e^v+(C-1)v-1=C\eta_Y\Omega t$, so
        $v_o-v_l\to\ln\frac{\Omega_o}{\Omega_l}$, and $h_l-h_o=\delta(v_o-v_l)$; all $C$, weights"""
        n, v, elapsed, ratio = sp.symbols("n v s r", positive=True)  # n = C - 1, s = C eta_Y t
        v_o, v_l = sp.symbols("v_o v_l", real=True)
        left = sp.exp(v) + n * v - 1
        residual = n / (n + sp.exp(v))
        speed = (n + 1) / n * eta * omega * residual  # omega for the weight
        row = lambda height: delta * (-height * (1 - 1 / C) - height / C)  # (e_y - 1/C) height . r
        share = (C - 1) / (C * eta) * omega  # w_i delta t, omega the sample's part of Omega_o
        return (
            (sp.Derivative(left, v) * speed, (n + 1) * eta * omega),
            (left.subs(v, 0), 0),
            # e^v / s goes to the weight: the height in between is at most ln of a line in s
            (sp.Limit(n * sp.log(1 + ratio * elapsed) / elapsed, elapsed, sp.oo), 0),
            (row(v_l) - row(v_o), delta * (v_o - v_l)),
            (share * (v_o - v_l) * eta, (C - 1) / C * omega * (v_o - v_l)),
        )

    @step("decided", concludes=True)
    def leads_grow(self) -> bool:
        r"""(d): $s_o(v_o-\bar v)-s_l(v_l-\bar v)\ge s_l(v_o-v_l)$ while $s_o\ge s_l$ and
        $v_o\ge\bar v$"""
        s_o, s_l, v_o, v_l, mean = z3.Reals("s_a s_b v_a v_b vbar")
        return follows(
            s_o * (v_o - mean) - s_l * (v_l - mean) >= s_l * (v_o - v_l),
            *(s_o >= s_l, v_o >= mean, s_l >= 0),
        )

    @step("decided", concludes=True)
    def rows_part(self) -> bool:
        r"""(d): $s_o-s_l\ge\sigma(1-\varrho)$ while $s_o\ge\sigma$ and $z_o\ge z_l$, equal at the
        start, so $v_o-v_l\ge\alpha\sigma(1-\varrho)D$; $v_o\ge\alpha\sigma D$ gives
        $\bar v\ge s_ov_o\ge\alpha\sigma^2D$"""
        sigma, part, alpha, D, grown = z3.Reals("sigma varrho alpha D e_lead")  # e^(z_o - z_l)
        s_o, s_l, v_o, mean = z3.Reals("s_a s_b v_a vbar")
        begun = sigma > 0, part > 0, alpha > 0, D >= 0, s_o >= sigma, grown >= 1
        below = s_l * grown == part * s_o  # s_l = varrho e^-(z_o - z_l) s_o
        least = sigma * (1 - part)
        return (
            follows(s_o - s_l >= least, *begun, part < 1, below)
            and follows(s_o - s_l == least, s_o == sigma, grown == 1, below)
            and follows(
                mean >= alpha * sigma * sigma * D,
                *(*begun, mean >= s_o * v_o, v_o >= alpha * sigma * D),
            )
        )

    @step("decided", concludes=True)
    def lead_bound(self) -> bool:
        r"""(d): with these $\frac d{dD}e^{z_o-z_l}\ge2cD$ with the statement's $c$, for an own
        token and for a shared one; from $e^0$ on, so, $e^{z_o-z_l}\ge1+cD^2$"""
        sigma, part, alpha, D, S, grown = z3.Reals("sigma varrho alpha D S e_lead")
        s_o, s_l, v_o, v_l, mean = z3.Reals("s_a s_b v_a v_b vbar")
        begun = sigma > 0, part > 0, alpha > 0, D >= 0, s_o >= sigma, grown >= 1
        below = s_l * grown == part * s_o
        lead = s_o * (v_o - mean)  # velocities are over eta_Z, and so are both c
        own = alpha * sigma**2 * part * (1 - part) / 2
        shared = S * alpha * sigma**3 * part / 2  # may be more frequent than the winner
        apart = v_o - v_l >= alpha * sigma * (1 - part) * D
        return follows(
            grown * (lead - s_l * (v_l - mean)) >= 2 * own * D,
            *(*begun, part < 1, below, v_o >= mean, apart),
        ) and follows(
            grown * (lead + S * s_l * mean) >= 2 * shared * D,
            *(*begun, below, v_o >= mean, mean >= alpha * sigma**2 * D, S > 0),
        )

    @step("symbolic", concludes=True)
    def losers_stay(self) -> Facts:
        r"""(d): a loser's row grows by at most
        $\alpha\varrho\int_0^\infty\frac{dD}{1+cD^2}=\frac{\pi\alpha\varrho}{2\sqrt c}$, and what it
        takes from $\bar v$, at most $\frac{\alpha\varrho D}{1+cD^2}$, goes to 0"""
        alpha, part, D, c = sp.symbols("alpha varrho D c", positive=True)
        push = alpha * part / (1 + c * D**2)
        return (
            (sp.Integral(push, (D, 0, sp.oo)), sp.pi * alpha * part / (2 * sp.sqrt(c))),
            (sp.Limit(push * D, D, sp.oo), 0),
        )

    @step("symbolic", concludes=True)
    def class_clock(
        self,
    ) -> Facts:
        r"""(d): at a margin $\alpha D-\kappa$, $t\frac{dD}{dt}\to\frac1\alpha$: so
        $w\delta t\to\frac{C-1}{C\eta_Y}$, all $C$, $\kappa$, weights; and $h_l=-\delta v_l$"""
        # E = e^(alpha D - kappa), n = C - 1
        E, E_0, n, kappa, v = sp.symbols("E E_0 n kappa v_l", positive=True)
        alpha = eta * (n + 1) / n
        residual = n / (n + E)
        elapsed = ((sp.log(E) + kappa) / alpha + (E - E_0) / (alpha * n)) / omega  # inverse, summed
        error = v * (1 - 1 / C) * -delta + (C - 1) * (-v / C) * delta / (C - 1)
        return (
            (sp.Derivative(elapsed, E) * alpha * E, 1 / (omega * residual)),
            (elapsed.subs({E: E_0, kappa: -sp.log(E_0)}), 0),  # from D = 0
            (sp.Limit(elapsed * omega * residual, E, sp.oo), SETTLED.subs(C, n + 1)),
            (error, -delta * v),
        )

    @step("decided", concludes=True)
    def half_a_power(self) -> bool:
        r"""(e): $2\sqrt{Rx}\le2R+\frac x2$, so that by (a) a loser keeps at most
        $\varrho e^{\sqrt2M+2R}\,T^{-p}\sqrt{T/T_0}$ of the attention; equal at $x=4R$"""
        R, x, root = z3.Reals("R x root")
        given = R >= 0, x >= 0, root >= 0, root * root == R * x
        return follows(2 * root <= 2 * R + x / 2, *given) and follows(
            2 * root == 2 * R + x / 2, *given, x == 4 * R
        )

    @step("decided", concludes=True)
    def forces_between(self) -> bool:
        r"""(e): leads $v_o$, $v_l$ over a wrong label that are off by $\frac\Gamma4$ at most, and
        leaks of at most $\frac\Gamma4$: $v_o-v_l$ less the leak is at least $\frac\Gamma4$ for an
        ally, for each other loser between $\frac T2$ and $5T$"""
        ratio, gain, off, other, leak, T, H, M, height, row = z3.Reals("L G a b d T H M h r")
        within = lambda one, most: z3.And(-most <= one, one <= most)
        given = [within(one, gain / 4) for one in (off, other, leak)]
        given += [gain > 0, gain <= 2, M >= 0, T >= 2 * (H + 2 * M + 2)]
        # ln(C eta_Y Omega), and a lead of a row of length M + 1 by that times the root of 2
        given += [within(height, H - 1), within(row, (M + 1) * 3 / 2)]
        lead = T + height + off - leak
        others = lead - row, lead - 2 * other, lead + T + height + other
        return follows(ratio + off - other - leak >= gain / 4, *given, ratio >= gain) and all(
            follows(z3.And(2 * one >= T, one <= 5 * T), *given) for one in others
        )

    @step("decided", concludes=True)
    def leak_of_a_row(self) -> bool:
        r"""(e): $|s\,q\,e^{-\lambda}-1|\le\sigma+\delta+2\Lambda$ for $s\ge1-\sigma$,
        $q\ge1-\delta$, $|\lambda|\le\Lambda\le1$, from $1-\Lambda\le e^{-\lambda}\le1+2\Lambda$"""
        s, q, E, sigma, delta_, leak = z3.Reals("s q E sigma delta Lambda")
        given = [1 - sigma <= s, s <= 1, 1 - delta_ <= q, q <= 1, sigma <= 1, delta_ <= 1]
        given += [s >= 0, q >= 0, leak >= 0, leak <= 1, 1 - leak <= E, E <= 1 + 2 * leak]
        off, most = s * q * E - 1, sigma + delta_ + 2 * leak
        return follows(z3.And(off <= most, -off <= most), *given)

    @step("symbolic", concludes=True)
    def leaks_end(self) -> Facts:
        r"""(e): leaks $\epsilon=A(TT_0)^{-1/2}$ fade at the rate $\frac1{2T}$, which is at most
        $\frac1{4C}$ from $T=2C$ on; $8C^3\epsilon^2=\frac{\Gamma^2}{128}$ at
        $T_0=\frac{32C^{3/2}A}\Gamma$; and $\int_{T_0}^\infty\frac{dT}{T\sqrt{TT_0}}=\frac2{T_0}$,
        which is what a token that wins nowhere is given to learn, up to a factor"""
        T, T_0, A, gain = sp.symbols("T T_0 A Gamma", positive=True)
        eps = A / sp.sqrt(T * T_0)
        at = 32 * C ** sp.Rational(3, 2) * A / gain
        return (
            (sp.Derivative(eps, T), -eps / (2 * T)),
            ((8 * C**3 * eps**2).subs(T, T_0).subs(T_0, at), gain**2 / 128),
            (sp.Integral(1 / (T * sp.sqrt(T * T_0)), (T, T_0, sp.oo)), 2 / T_0),
        )

    random_draws = group()

    @claim("<=", 0.02, "rate", rtol=1e-2, concludes=True)
    def direction_and_size(self) -> float:
        r"""(b): slope of $Z$ in $\ln\ln t$ against $2W^{svm}$, last decade of $\ln t$, @{draws}
        draws (median relative error)"""
        return np.median([off(steepness(one.path), 2 * one.svm.W.T) for one in self.sets])

    @claim("<=", 0.005, "limit", atol=1e-4, concludes=True)
    def limits_reached(self) -> float:
        r"""(b): forces at $\ln t=10^4$ over their limits, from 1 (largest deviation)"""
        return maximum(
            np.abs(one.pushes[-1] / one.limits[one.losers] - 1).max() for one in self.sets
        )

    @claim(">=", 1e-3, "statistical")
    def counts_drawn(self, rng: Generator) -> float:
        """200 draws of own labels and 200 of few: a token of a context comes once, twice, three or
        four times alike: smaller p-value of two χ² tests (false alarm 2 in 1000)"""
        found = []
        for draw in (mixed_draw, shared_label_draw):
            counts = np.concatenate([draw(rng).counts.ravel() for _ in range(200)]).astype(int)
            found.append(stats.chisquare(np.bincount(counts, minlength=5)[1:]).pvalue)
        return minimum(found)

    @claim("in", [0.995, 1.005], "limit", atol=1e-4, concludes=True)
    def limits_shared(self) -> float:
        r"""(b): forces at $\ln t=10^4$ over their limits, weights 0.5, 0.2, 0.3, two samples with
        one winner, a spare label, rates 0.5 and 2 (furthest from 1)"""
        data = one_hot_data(  # two samples have one winner, a loser of the third wins elsewhere
            [[3, 1, 0, 0, 0, 0], [2, 0, 1, 0, 0, 0], [1, 0, 0, 3, 0, 0]],
            [4, 4, 5],
            [0, 0, 1],
            [0.5, 0.2, 0.3],
        )
        path = joint_flow(data, np.zeros((6, 3)), np.zeros((6, 6)), MOMENTS, eta_y=0.5, eta_z=2.0)
        kept = winners(data, path.Z[-1])
        wanted = late_pushes(data, kept, 3, ratio=0.25)[losers(data, kept)]
        return furthest(2.0 * pushes_on_clock(data, kept, path)[-1] / wanted, 1)

    @claim("in", [0.99, 1.01], "rate", rtol=1e-3)
    def support_slope(self) -> float:
        r"""(c): slope in $\ln T$, $T=\ln t$, over 2 of each pair with a multiplier above 0.05,
        median over draws and pairs"""
        return np.median(np.concatenate([one.support_slopes() for one in self.sets]))

    same_label = group()

    @claim("<=", 0.02, "rate", rtol=1e-2, concludes=True)
    def two_and_one(self) -> float:
        r"""(b): slope of $Z$ in $\ln\ln t$ against $W$ with margins 2 and 1, last decade to
        $\ln t=10^6$, @{shared_draws} draws of few labels in which that is not $2W^{svm}$ of equal
        margins (median relative error)"""
        return np.median([off(steepness(one.path), one.svm.Z) for one in self.shared])

    @claim("in", [0.98, 1.02], "rate", rtol=1e-3, concludes=True)
    def ally_slope(self) -> float:
        r"""(b): slope in $\ln\ln t$ of the pairs of margin 1 with a multiplier above 0.05, median
        over the draws of `two-and-one` and pairs"""
        return np.median(np.concatenate([one.leads_of_allies for one in self.shared]))

    @claim("<=", 0.005, "limit", atol=1e-6, concludes=True)
    def ally_pushes(self) -> float:
        r"""(b): forces on losers of margin 1, on $T=\ln t$ at $\ln t=10^6$, less
        $\frac{\eta_Z}{\eta_Y}\frac{w_i}{\Omega_o}\frac{m_l}{m_o}\frac{C-1}C
        \ln\frac{\Omega_o}{\Omega_l}$,
        over the largest $\frac{w_i}{\Omega_o}$ of these in a draw (largest deviation)"""
        return maximum(one.off_pushes_of_allies for one in self.shared)

    basin = group()

    @claim("in", [-1.02, -0.98], "rate", rtol=1e-2)
    def rows_near(self) -> float:
        r"""distance of a winner's row from $(\ln t+\ln C\eta_Y\Omega_o)(e_y-\frac1C)$: exponent in
        $T=\ln t$ from $10^5$ to $10^6$, all winners of the draws of `two-and-one` (median)"""
        return np.median(np.concatenate([one.fading[0] for one in self.shared]))

    @claim(">=", 0.9, "rate", atol=0.05)
    def leaks_fade(self) -> float:
        r"""share of the draws of `two-and-one` in which the most that a sample leaves to its losers
        fades like $T^{-0.95}$ or faster, $T=\ln t$"""
        return np.mean([one.fading[1] <= -0.95 for one in self.shared])

    @claim(">=", 0.7, "limit", atol=0.1)
    def comes_back(self, rng: Generator) -> float:
        r"""runs from $\ln t=1000$, $Z$ at a distance of 1 from $W\ln T$ and winners' rows of
        $\frac\Gamma8$, one at random for each of the first twenty draws: share of them in which
        each winner's row is at $10^6$ as near as in the run from zero, to a tenth"""
        found = []
        for one in self.shared[:20]:
            Y, Z = one.near_the_limits(rng)
            away = *(rows_apart(one.data, one.kept, Y, BASIN) / near(one)), off_line(one, Z)
            run = joint_flow(one.data, Y, Z, LATE, begin=BASIN, **QUICKLY)
            end = rows_apart(one.data, one.kept, run.Y[-1], LATE[-1])
            back = np.abs(end / one.apart[-1] - 1).max() <= 0.1
            found.append(back and np.allclose(away, 1))
        return np.mean(found)

    several_tokens = group()

    @claim("in", [1.99, 2.01], "rate", rtol=1e-2)
    def normalized_twice(self) -> float:
        r"""normalized, own labels: slope of $Z$ along $W^{svm}$ of the graph *kept over the rest*
        in $\ln\ln t$, last decade to $\ln t=10^6$, median of @{normalized_draws} draws"""
        # the median: a draw that a token leaves late is not there yet
        return np.median([one.slope_over_kept for one in self.normalized])

    data_of_d = group()

    @claim("<=", 0.05, "rate", rtol=1e-2)
    def class_slope(self, rng: Generator) -> float:
        r"""the data of (d), three draws of either kind, none left out: slope of $Z$ in $\ln\ln t$
        against $2W^{svm}$, last decade to $\ln t=10^4$, largest relative error"""
        errors = []
        for data in [make(rng) for make in (of_own_tokens, classes_alike) for _ in range(3)]:
            path = joint_flow(data, *zeros(data), MOMENTS)
            errors.append(off(steepness(path), 2 * winner_svm(data, own_winners(data)).W.T))
        return maximum(errors)

    dropped = group()

    @control("H1", "in", [0.999, 1.001], kind="limit", rtol=1e-4)
    def circle_rests(self) -> float:
        r"""plain, two samples of one query, counts $(2,1)$ and $(2,3)$ of two tokens: odds of the
        first at $\ln t=1000$, from leads 0 and 4, over $\sqrt{2\cdot\frac32}$ (further from 1)"""
        data, odds = one_hot_data([[2, 1, 0], [2, 3, 0]], [2, 2], [0, 1]), []
        for lead in (0.0, 4.0):
            begin = np.zeros((3, 3))
            begin[2, 0] = lead
            path = joint_flow(data, np.zeros((3, 2)), begin, [1000.0])
            share = features(data, path.Z[-1])[0]
            odds.append(share[0] / share[1])
        return furthest(np.array(odds) / np.sqrt(3), 1)

    @control("H2", ">=", 0.5, atol=0.05)
    def margins_alike(self) -> np.floating:
        r"""margin 2 for each pair, though some are on the scale $\ln t$: share of the draws of
        `two-and-one` in which $2W^{svm}$ misses the slope by a tenth or more"""
        return np.mean([off(steepness(one.path), one.two_everywhere) > 0.1 for one in self.shared])

    @control("H2", "<=", 0.01, atol=1e-8)
    def lighter_falls(self) -> float:
        r"""two samples of one label, tokens $(a,b)$ and $(b,c)$, weights 0.2 and 0.5, and one of
        another label, $a$ a lead of 6 ahead at the start: attention of $a$ at $\ln t=10^4$"""
        counts = [[1, 1, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 1, 1, 0]]
        data, begin = one_hot_data(counts, [4, 4, 4], [0, 0, 1], [0.2, 0.5, 0.3]), np.zeros((5, 5))
        begin[4, 0] = 6
        end = joint_flow(data, np.zeros((5, 2)), begin, [1e4])
        return features(data, end.Z[0])[0, 0]

    @control("H2", ">=", 20, rtol=0.05)
    def equal_weights(self) -> float:
        r"""two samples of one label whose winners are allies of equal weight, with queries of their
        own, and one of another label: from leads of 0 both stay at 0; one lead of $\pm10^{-3}$
        decides, and the other winner is behind at $\ln t=10^6$ by (the lesser of both signs)"""
        counts = [[3, 1, 0, 0, 0, 0], [1, 3, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]]
        data, begin = one_hot_data(counts, [3, 4, 5], [0, 0, 1], [0.3, 0.3, 0.4]), np.zeros((6, 2))
        behind = []
        for lead in (0.0, 1e-3, -1e-3):
            Z = np.zeros((6, 6))
            Z[3, 0] = lead
            end = joint_flow(data, begin, Z, [1e6]).Z[0]
            behind.append(maximum(end[3, 1] - end[3, 0], end[4, 0] - end[4, 1]))
        return minimum(*behind[1:]) if abs(behind[0]) < 1e-6 else np.nan

    @control(
        "H1",
        ">",
        0.1,
        rtol=0.1,
        witness="the matrix is the wrong one for these draws, and a slip does not make it right",
    )
    def normalized_few_labels(self, rng: Generator) -> float:
        r"""normalized, ten draws of few labels: $2W^{svm}$ of the graph *kept over the rest* misses
        the slope by, in a quarter of them, at least (runs that stop early, or in which no token
        loses, left out)"""
        misses = [kept_misses(shared_label_draw(rng)) for _ in range(10)]
        return np.quantile([miss for miss in misses if miss is not None], 0.75)

    @control("H3", "<=", 0.1, rtol=1e-3)
    def descent(self) -> float:
        """nearly not needed: 2000 steps of rate 1 and the flow at $t=2000$ differ in $Z$, over its
        norm, by (median of @{draws} draws)"""
        errors = []
        for one in self.sets:
            begin = zeros(one.data)
            walked = joint_descent(one.data, *begin, [2000])
            errors.append(off(walked.Z[-1], joint_flow(one.data, *begin, [np.log(2000)]).Z[-1]))
        return np.median(errors)
