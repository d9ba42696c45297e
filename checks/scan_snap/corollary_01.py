"""Corollary 1: what its rows measure.  The chapter: ``book/scan-snap/corollary_01.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy import stats

from ledgerbook import (
    Checks,
    Sharper,
    chapter,
    claim,
    control,
    finding,
    once,
    real,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array, Ids
from lib.decide import follows
from lib.measure import maximum, relative_error
from lib.scan_snap.decoder import h, h_star, speed, time_at_height, zeta
from lib.scan_snap.overlaps import feature_ascent, shortfall
from lib.scan_snap.sequence_classes import normalized_attention, random_classes

size, rate, goal = sp.symbols("M eta epsilon", positive=True)
top = sp.Symbol("E", positive=True)  # e^{M h}
KAPPA = sp.sqrt(size / (size - 1))  # the length of zeta_n
POWER = (size - 1) * (KAPPA / goal - 1)  # e^{M h} at the goal
CLOSED = (POWER - 1 + (size - 1) * sp.log(POWER)) / (size * rate)  # (45) solved for t

m, kappa, eps, w, log_w, log_goal = z3.Reals("m kappa eps w log_w log_goal")
REACHED = (
    *(m >= 2, kappa > 0, kappa**2 * (m - 1) == m, eps > 0, eps < 1),
    *(w == (m - 1) * (kappa / eps - 1), w > 0),
)
SCALED = (w - 1 + (m - 1) * log_w) / m  # eta_Y S
WRITTEN_OUT = kappa * (m - 1) / m / eps - 1 + (1 - 1 / m) * log_w

needed, level, root, bound = z3.Reals("needed level root bound")
COUNT = needed + level + root  # S + L + sqrt(L^2 + 2 S L)
COUNTED = needed > 0, level > 0, root >= 0, root**2 == level**2 + 2 * needed * level


def visits_needed(epsilon: float, size: int, rate: float) -> float:
    """S(epsilon): the time at which the error norm of a class reaches epsilon, by (45)."""
    kappa = np.sqrt(size / (size - 1))
    return time_at_height(np.log((size - 1) * (kappa / epsilon - 1)) / size, size, rate)  # type: ignore[return-value]


def error_norm(height: float | Array, size: int) -> Any:
    """Norm of x_{T+1} - alpha_n at the clock's height, Eq. (71)."""
    return np.sqrt(size / (size - 1)) * (size - 1) * speed(height, size)


def visits_by_steps(goal: float, size: int, rate: float) -> int:
    """Smallest number of steps of (33) after which the error norm is at most ``goal``."""
    clock = h_star(int(visits_needed(goal, size, rate)) + 2, size, rate)
    return int(np.argmax(error_norm(clock, size) <= goal))


def off_by(goal: float, size: int, rate: float) -> float:
    """How far those steps over S are off 1."""
    return abs(visits_by_steps(goal, size, rate) / visits_needed(goal, size, rate) - 1)


def sigma_quantile(N: int, classes: int, size: int, rate: float, level: float) -> float:
    """Exact 1 - level quantile of |sigma| of one class after N steps."""
    k = np.arange(N + 1)
    g = speed(h(k, size, rate), size)
    sigma = np.abs(g / g[int(np.ceil(N / classes))] - 1)
    order = np.argsort(sigma)
    reach = np.cumsum(stats.binom.pmf(k, N, 1 / classes)[order])
    return sigma[order][np.minimum(np.searchsorted(reach, 1 - level), N)]


def around_the_turn(size: int, rate: float, level: float, share: float) -> float:
    """That quantile over the printed bound, K = 2, at so many times ln(M) / eta visits."""
    N = 2 * int(np.ceil(share * np.log(size) / rate))
    printed = rate * np.sqrt(N / 2 * np.log(2 / level))
    return sigma_quantile(N, 2, size, rate, level) / printed


def miss_union(N: int, classes: int, needed: float) -> float:
    """Union bound over classes of the exact P(N_n < needed)."""
    return classes * stats.binom.cdf(np.ceil(needed) - 1, N, 1 / classes)


def sufficient(classes: int, needed: float, level: float) -> int:
    """K (S + L + sqrt(L^2 + 2 S L)) with L = ln(K / delta)."""
    L = np.log(classes / level)
    return int(np.ceil(classes * (needed + L + np.sqrt(L**2 + 2 * needed * L))))


def least_steps(classes: int, needed: float, level: float) -> int:
    """Smallest N with union-bounded exact failure probability <= level, by bisection."""
    low, high = int(classes * needed), 2 * sufficient(classes, needed, level)
    while low < high:
        middle = (low + high) // 2
        enough = miss_union(middle, classes, needed) <= level
        low, high = (low, middle) if enough else (middle + 1, high)
    return low


def share_needed(classes: int, needed: float, level: float) -> float:
    """Of the steps beyond K S that are sufficient, the share without which it fails."""
    fair = classes * needed
    least, enough = (count(classes, needed, level) for count in (least_steps, sufficient))
    return (least - fair) / (enough - fair)


@dataclass
class Corollary01(Checks):
    """Corollary 1: how fast the prediction error falls."""

    M: int = whole(60, 30, 150, holds=(40, 150))
    K: int = whole(6, 2, 12, holds=(2, 8))
    eta_y: float = real(0.5, 0.1, 1, holds=(0.1, 0.9))
    steps: int = whole(
        3000,
        lambda self: maximum(1000, 10 * self.K**2),
        6000,
        holds=(lambda self: maximum(1000, 10 * self.K**2), 5000),
    )
    delta: float = real(0.05, 1e-6, 0.5)
    seed: int = seed()

    tag = "scan-snap.corollary-01"
    hypotheses = {
        "H1": "the setting of Theorem 5: $Y(0)=0$, update (26), uniform random classes",
        "H2": r"$M\gg100$",
        "H3": r"$M^{-0.99}\ll\eta_Y<1$",
        "H4": r"$N\gg K^2$",
        "H5": (
            r"for the small $\sigma$: $N\gg"
            r" K\big(\sqrt{N\ln\frac1\delta}+\frac{2(1+\omega_1)\ln M}{\eta_Y}\big)$"
        ),
        "H6": "$h^*$ may be replaced by $h$",
    }
    parts = {
        "(71)": ("shortfall-all",),
        r"the bounds on $\sigma$": ("sigma-all",),
        "the number of steps": (
            "closed-form",
            "height",
            "slow",
            "visits",
            "all-classes",
            "printed-count",
        ),
        "the rate": ("rate",),
    }
    trusts = (
        chapter("scan-snap.lemma-07", "$h^*$ is the discrete clock, $h$ close to it"),
        chapter(
            "scan-snap.lemma-10",
            "the counts of all classes at once",
            *(r"the bounds on $\sigma$", "the number of steps"),
        ),
        textbook("Chernoff's inequality", "the number of steps"),
        textbook(r"$\ln w\ge1-1/w$", "the number of steps"),
    )
    sharper = (
        Sharper(
            "steps",
            "Corollary 1",
            r"$O\big(\frac K{\epsilon\eta_Y}\ln\frac M\epsilon\big)$, a product",
            r"$\frac1{\eta_Y}\big(\frac1\epsilon+\ln\frac M\epsilon\big)$ visits of a class, a sum",
            r"the smaller of $\frac1\epsilon$ and $\ln\frac M\epsilon$, up to 2",
            upper="visits",
            lower="sum-not-product",
        ),
    )

    @step("symbolic", "(71)", as_printed=True, concludes=True)
    def shortfall_all(self) -> Facts:
        r"""(71): $e_n-\alpha_n$ is $\frac{M-1}{M-1+e^{Mh}}$ at $n$ and $-\frac1{M-1}$ of it
        elsewhere, all $M$"""
        own, other = 1 - top / (top + size - 1), -1 / (top + size - 1)
        return (own, (size - 1) / (size - 1 + top)), (other, -own / (size - 1))

    @step("symbolic", concludes=True)
    def closed_form(self) -> Facts:
        r"""at $e^{Mh}=(M-1)(\frac\kappa\epsilon-1)$ the error is $\epsilon$ and the speed
        $\frac{\eta_Y\epsilon}{\kappa(M-1)}$"""
        return [
            (KAPPA**2, 1 + (size - 1) / (size - 1) ** 2),
            (KAPPA * (size - 1) / (size - 1 + POWER), goal),
            (rate / (size - 1 + POWER), rate * goal / (KAPPA * (size - 1))),
            (POWER + (size - 1) * sp.log(POWER), size * rate * CLOSED + 1),
        ]

    @step("decided", "(72)", as_printed=True, concludes=True)
    def height(self) -> bool:
        r"""(72): $(1-\frac1M)(1-\epsilon)\frac M\epsilon\le e^{Mh(S)}<\frac M\epsilon$, all
        $M\ge2$, $\epsilon<1$"""
        return follows(z3.And(w * eps < m, w * eps >= (m - 1) * (1 - eps)), *REACHED)

    @step("decided", "(73)", as_printed=True, concludes=True)
    def slow(self) -> bool:
        r"""(73): $S\le\kappa\frac{h(S)(M-1)}{\eta_Y\epsilon}$ with $\kappa\le\sqrt2$, all
        $M\ge2$, $\epsilon<1$"""
        slow_bound = kappa * (m - 1) * log_w / m / eps
        reached = (SCALED == slow_bound) == (log_w * w == w - 1)
        goals = SCALED == WRITTEN_OUT, SCALED <= slow_bound, reached, kappa**2 <= 2
        return follows(z3.And(*goals), *REACHED, log_w * w >= w - 1)  # ln w >= 1 - 1/w

    @step("decided", "Corollary 1, number of steps", as_printed=True, concludes=True)
    def visits(self) -> bool:
        r"""$S<\frac1{\epsilon\eta_Y}\ln\frac M\epsilon$, and
        $S<\frac1{\eta_Y}(\frac1\epsilon+\ln\frac M\epsilon)$, all $M\ge2$, $\epsilon<1$"""
        product, total = kappa * (m - 1) * log_w / m < log_goal, SCALED < 1 / eps + log_goal
        goals = z3.And(product, SCALED == WRITTEN_OUT, total)
        return follows(goals, *REACHED, log_w <= log_goal, log_w > 0)

    @step("decided", concludes=True)
    def all_classes(self) -> bool:
        r"""Chernoff's exponent $\frac{(\mu-S)^2}{2\mu}$ is at least $L=\ln\frac K\delta$ exactly
        from $\mu=S+L+\sqrt{L^2+2SL}$ on, $\mu\ge S$, all $S$, $L$"""
        mean = z3.Real("mean")
        enough = (mean - needed) ** 2 >= 2 * mean * level
        return follows(enough == (mean >= COUNT), *COUNTED, mean >= needed)

    @step("decided", "Corollary 1, number of steps", as_printed=True, concludes=True)
    def printed_count(self) -> bool:
        r"""$L\le cS_0$ and $S\le S_0=\frac1{\epsilon\eta_Y}\ln\frac M\epsilon$ make
        $(1+c+\sqrt{c^2+2c})KS_0$ steps enough for all classes;
        $c=\frac12+\frac{\ln(1/\delta)}{\ln2}$ will do where $M\ge K^2$, $\epsilon<1$, $\eta_Y<1$: a
        constant of $\delta$ alone"""
        share, share_root = z3.Reals("share share_root")
        log_2, log_k, log_m, log_d, log_e, product = z3.Reals("log_2 log_K log_M log_d log_e S_0")
        enough = follows(
            COUNT <= (1 + share + share_root) * bound,
            *(*COUNTED, needed <= bound, share > 0, level <= share * bound),
            *(share_root >= 0, share_root**2 == share**2 + 2 * share),
        )
        return enough and follows(
            log_k + log_d <= (z3.Q(1, 2) + log_d / log_2) * product,
            *(log_2 > 0, log_d > 0, log_k >= log_2, log_m >= 2 * log_k, log_e > 0),
            product >= log_m + log_e,
        )

    @step("decided", "Corollary 1, bounds on σ", as_printed=True, concludes=True)
    def sigma_all(self) -> bool:
        r"""$|\sigma|\le\eta_Y\Delta$, and $|\sigma|\le2\Delta/N_n$ where $e^{Mh}\ge(M-1)Mh$ at
        $N_n$; for too few visits and for too many"""
        e_u, e_v, gap, lost, left = z3.Reals("e_u e_v gap lost left")  # gap = u - v, eta Delta
        more, fewer = (e_u - e_v) / (m - 1 + e_v), (e_u - e_v) / (m - 1 + e_u)
        changed = (
            *(m >= 2, e_v >= 1, e_u >= e_v, gap >= 0, lost >= 0, left > 0),
            e_u - e_v + (m - 1) * gap == m * lost,
        )
        sharp = z3.And(more == lost, fewer == lost / (1 + lost))
        return (
            follows(z3.And(more <= lost, fewer <= lost), *changed)
            and follows(sharp, *changed, gap == 0, e_v == 1)
            and follows(more <= 2 * lost / left, *changed, 2 * e_v >= m * left + 1)
            and follows(fewer <= 2 * lost / left, *changed, 2 * e_u >= m * left + 1)
        )

    @step("symbolic", "rate O(1/N)", as_printed=True)
    def rate(self) -> Facts:
        r"""error times $\eta_YS$ tends to $\sqrt{1-\frac1M}$ as $\epsilon\to0$: the rate $O(1/N)$,
        all $M$"""
        return sp.Limit(goal * rate * CLOSED, goal, 0) ** 2, 1 - 1 / size

    @step("symbolic")
    def sum_not_product(self) -> Facts:
        r"""$\eta_YS-\ln M\to\frac1\epsilon-1+\ln(\frac1\epsilon-1)$ as $M\to\infty$, all
        $\epsilon$; and
        $\eta_YS-(1-\frac1M)(\frac\kappa\epsilon+\ln\frac1\epsilon)\to(1-\frac1M)\ln((M-1)\kappa)-1$
        as $\epsilon\to0$, all $M$"""
        leading = (1 - 1 / size) * (KAPPA / goal + sp.log(1 / goal))
        constant = (1 - 1 / size) * sp.log((size - 1) * KAPPA) - 1
        many = sp.Limit(rate * CLOSED - sp.log(size), size, sp.oo)
        exact = sp.Limit(rate * CLOSED - leading, goal, 0)
        return (many, 1 / goal - 1 + sp.log(1 / goal - 1)), (exact, constant)

    @once
    def F(self, rng: Generator) -> Array:
        """Rows f_n of random classes at random attention, (K, M)."""
        classes = random_classes(self.K, self.M, rng, density=0.6)
        return normalized_attention(classes, rng.normal(size=(self.M, self.M)))

    @once
    def labels(self, rng: Generator) -> Ids:
        """Random classes, one a step."""
        return rng.integers(self.K, size=self.steps)

    @once
    def visits_so_far(self) -> np.ndarray:
        """N_n after each step, (steps, K)."""
        return np.cumsum(self.labels[:, None] == np.arange(self.K), axis=0)

    @once
    def clocks(self) -> Array:
        """h* of each class after each step, (steps, K)."""
        return h_star(int(self.visits_so_far.max()), self.M, self.eta_y)[self.visits_so_far]

    def by_71(self, heights: Array) -> Array:
        """The shortfalls (71) of all classes at these heights of their clocks, (K, M)."""
        zetas = np.array([zeta(n, self.M) for n in range(self.K)])
        return (self.M - 1) * speed(heights, self.M)[:, None] * zetas

    @once
    def errors(self) -> np.ndarray:
        """Shortfalls of all classes after a run with (26) in the full space of Y, (K, M)."""
        Y = feature_ascent(self.labels, self.F, self.eta_y)
        return np.array([shortfall(Y, self.F, n) for n in range(self.K)])

    @once
    def flow_off(self) -> Array:
        """|error of (71) with h over that with h* - 1| after each number of visits of the run."""
        visits = np.arange(self.visits_so_far.max() + 1)
        flow, steps = h(visits, self.M, self.eta_y), h_star(visits[-1], self.M, self.eta_y)
        return np.abs(speed(flow, self.M) / speed(steps, self.M) - 1)

    @claim("<=", 1e-11, "identity", "(71)")
    def shortfall(self) -> float:
        r"""$x_{T+1}-\alpha_n=\frac{M-1}{M-1+e^{Mh^*(N_n)}}\zeta_n$ for each class of the run, with
        the discrete $h^*$"""
        return relative_error(self.errors, self.by_71(self.clocks[-1]))

    @claim("<=", 0.15, "inequality", "(71)", as_printed=True, rtol=1e-4)
    def shortfall_printed(self) -> float:
        r"""by how much of itself the error of (71) is another one with the flow's $h$ than with the
        steps' $h^*$, over $\eta_Y$: largest over the visits of the run"""
        return self.flow_off.max() / self.eta_y

    @claim("<=", 1, "inequality", "Corollary 1, bounds on σ", as_printed=True, rtol=1e-3)
    def sigma_wide(self) -> float:
        r"""exact $1-\delta$ quantile of $|\sigma|$ over $\eta_Y\sqrt{\frac N2\ln\frac2\delta}$
        around the turn, $K=2$: the largest of 36"""
        return maximum(
            around_the_turn(size, 0.9, level, share)
            for size in (100, 10**6, 10**15)
            for level in (0.5, 0.05, 1e-4)
            for share in (0.5, 1.0, 1.4, 2.0)
        )

    @claim("<=", 1, "inequality", rtol=1e-3)
    def least_steps(self) -> float:
        r"""the least number of steps by exact tails, added over the classes, less $KS$, over
        $K(L+\sqrt{L^2+2SL})$: largest of nine cases, $S$ from 36 to $1.1\cdot10^6$, $\delta$ down
        to $10^{-60}$"""
        cases = [(10, 0.1, 1000, 0.5), (1000, 0.03, 10**4, 0.9), (100, 1e-6, 10**6, 0.9)]
        return maximum(
            share_needed(classes, visits_needed(*case), level)
            for classes, *case in cases
            for level in (0.05, 1e-12, 1e-60)
        )

    @control("H1", ">", 0.9)
    def rare_class(self) -> float:
        r"""one class ten times rarer than the fair share: exact probability that it lacks visits
        after $K(S+L+\sqrt{L^2+2SL})$ steps"""
        S = visits_needed(0.05, 1000, 0.5)
        enough = sufficient(self.K, S, self.delta)
        return stats.binom.cdf(np.ceil(S) - 1, enough, 0.1 / self.K)

    @control("H2", "<=", 0.01)
    def small_vocabulary(self) -> float:
        r"""not needed: at $M=2$, $\eta_Y=0.02$, steps of (33) until the error is 0.1, over $S$, off
        1 by"""
        return off_by(0.1, 2, 0.02)

    @control("H3", ">", 1)
    def large_rate(self) -> float:
        r"""$\eta_Y=5$: $h$ is no longer $h^*$; largest relative difference of the error"""
        fast = np.arange(1, 60)
        flow, steps = h(fast, 1000, 5.0), h_star(60, 1000, 5.0)[fast]
        return (speed(flow, 1000) / speed(steps, 1000) - 1).max()

    @once
    def shares_of_square(self) -> dict[Any, Any]:
        """Steps that are enough, and that are needed, for 5000 classes, over their square."""
        S = visits_needed(0.01, 10**8, 0.9)
        enough, least = (count(5000, S, self.delta) for count in (sufficient, least_steps))
        return dict(enough=enough / 5000**2, least=least / 5000**2)

    @control("H4", "<", 0.1)
    def below_K_squared(self) -> float:
        """not needed: $K=5000$ and @{shares_of_square.enough:.2f}$K^2$ steps reach all classes; the
        exactly least number over $K^2$"""
        return self.shares_of_square["least"]

    @control("H5", ">", 1)
    def at_the_turn(self) -> float:
        r"""at the turn, $K=2$, $M=10^{15}$: exact 95 % quantile of $|\sigma|$ over $\frac
        K{\sqrt N}\sqrt{\ln\frac1\delta}$"""
        N = 2 * int(np.ceil(1.1 * np.log(1e15) / 0.9))
        return sigma_quantile(N, 2, 10**15, 0.9, 0.05) / (2 / np.sqrt(N) * np.sqrt(np.log(20)))

    @control("H6", ">", 0.01, rtol=1e-4)
    def flow_gap(self) -> float:
        """the replacement is not exact: largest relative difference of the error of (71) with $h$
        for $h^*$ over the visits of the run"""
        return self.flow_off.max()

    @finding("visits", "sum-not-product")
    def sum(self) -> None:
        r"""The logarithm is a summand: $S<\frac1{\eta_Y}(\frac1\epsilon+\ln\frac M\epsilon)$, where
        the printed count multiplies $\frac1\epsilon$ and $\ln\frac M\epsilon$."""

    @once
    def least_over_printed(self) -> dict[Any, Any]:
        """The least number of steps over the printed count, at two failure probabilities."""
        S, printed = visits_needed(0.1, 1000, 0.5), 10 / (0.1 * 0.5) * np.log(1000 / 0.1)
        levels = dict(usual=0.05, tiny=1e-60)
        return {name: least_steps(10, S, level) / printed for name, level in levels.items()}

    @finding("least-steps")
    def delta_needed(self) -> None:
        r"""No count without $\delta$ can do for every $\delta$, as chance may leave a class out:
        for $K=10$, $M=1000$, $\epsilon=0.1$, $\eta_Y=0.5$ the least number of steps is
        @{least_over_printed.usual:.2f} of the printed one (constant 1) at $\delta=0.05$,
        @{least_over_printed.tiny:.2f} at $\delta=10^{-60}$."""
