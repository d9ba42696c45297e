"""Theorem 5: what its rows measure.  The chapter: ``book/scan-snap/theorem_05.ipynb``."""

from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy import stats

from checks.scan_snap.lemma_07 import EXCESS, LEVEL, STEP, M, d, eta, rises_from_zero, u
from ledgerbook import (
    Checks,
    chapter,
    claim,
    control,
    erratum,
    finding,
    group,
    once,
    real,
    seed,
    step,
    whole,
)
from lib.arrays import Array, Ids
from lib.decide import follows
from lib.measure import maximum, power_law, relative_error
from lib.scan_snap.concentration import joint_coverage
from lib.scan_snap.decoder import h, h_star, zeta
from lib.scan_snap.equal_overlaps import equal_overlap_gram
from lib.scan_snap.overlaps import (
    dual_vectors,
    feature_ascent,
    graph_gram,
    in_pairs,
    shortfall,
    vectors_with_gram,
)
from lib.validation import require

e = sp.Symbol("e")  # E, and every function of E
E_PRIME = e / (1 + e)
RATES = 0.05, 0.5, 1.0  # of the decoder
VOCABULARIES = 2, 10, 600, 10**6


def steps_for_flow(vocabulary: int, rate: float, visits: Ids) -> Array:
    """s (h*(s)/h(s) - 1) at some visits s, which increase."""
    by_steps = h_star(int(visits[-1]), vocabulary, rate)[visits]
    return visits * (by_steps / h(visits, vocabulary, rate) - 1)


def memory(keys: Array, counts: Ids, clock: Array, common: float, vocabulary: int) -> Array:
    """sum_n key_n (1 + theta_n) wbar_n^T with 1 + theta_n = clock[N_n] / common."""
    rows = (vocabulary - 1) * common * np.array([zeta(n, vocabulary) for n in range(len(keys))])
    return keys.T @ ((clock[counts] / common)[:, None] * rows)


def memory_error(labels: Ids, F: Array, rate: float) -> float:
    """(70), first form, against the decoder built step by step: relative error."""
    keys, (classes, vocabulary) = np.linalg.pinv(F).T, F.shape
    clock, counts = h_star(len(labels), vocabulary, rate), np.bincount(labels, minlength=classes)
    formula = memory(keys, counts, clock, clock[-(-len(labels) // classes)], vocabulary)
    return relative_error(formula, feature_ascent(labels, F, rate))


def stated_radius(N: int, classes: int, delta: float) -> float:
    """The bound on |theta_i|, with the constant 1."""
    return classes / np.sqrt(N) * np.sqrt(np.log(classes / delta))


def coverage(N: int, classes: int, radius: float, rate: float, vocabulary: int) -> float:
    """Exact P(|theta_n| <= radius for all n), theta from h at N_n over ceil(N/K)."""
    values = h(np.arange(N + 1), vocabulary, rate)
    inside = np.flatnonzero(np.abs(values / values[-(-N // classes)] - 1) <= radius)
    return joint_coverage(N, np.full(classes, 1 / classes), inside[0], inside[-1])


def quantile(N: int, classes: int, delta: float, rate: float, vocabulary: int) -> float:
    """Smallest radius whose exact joint coverage reaches 1 - delta, by bisection."""
    low, high = 0.0, stated_radius(N, classes, delta)
    for _ in range(12):
        middle = (low + high) / 2
        enough = coverage(N, classes, middle, rate, vocabulary) >= 1 - delta
        low, high = (low, middle) if enough else (middle, high)
    return high


@dataclass
class Theorem05(Checks):
    """Theorem 5: the decoder after N random steps."""

    M: int = whole(600, 100, 1200, holds=(100, 1000))
    K: int = whole(4, 4, 8, why="two pairs of classes at least")
    rho: float = real(0.2474, 0.02, 0.9)
    eta_y: float = real(0.5, 0.1, 1)
    steps: int = whole(
        400, lambda self: 4 * self.K**2, 800, holds=(lambda self: 4 * self.K**2, 600)
    )
    seed: int = seed()

    tag = "scan-snap.theorem-05"
    hypotheses = {
        "H1": r"Assumption 2: weak overlaps, $|\lambda_1|<1/K$ and $|\lambda_i|\ge6/\sqrt M$",
        "H2": "the decoder starts at $Y(0)=0$",
        "H3": "the classes are sampled uniformly",
        "H4": r"$N\gg K^2$ steps",
        "H5": "the steps are those of the modified update (26)",
        "H6": r"the rate is fixed while $N$ grows, $\eta_Y=O(1)$",
    }
    parts = {
        "(70)": ("kernel-equation-70-exact", "kernel-theorem-5", "keys"),
        r"the bound on $\Theta$, with its probability": (
            "radius",
            "lag-above",
            "flow-for-steps",
            "theta-by-counts",
        ),
    }
    kernel_theorems = {
        "dual_products": {},
        "equation_70_exact": dict(as_printed=True, concludes=True, equation="(70)"),
        "theorem_5": dict(as_printed=True, concludes=True, equation="(70)"),
    }
    trusts = (
        chapter("scan-snap.lemma-14", "the inverse of $I+E$", "(70)"),
        chapter(
            "scan-snap.lemma-10",
            "the counts of all classes at once",
            r"the bound on $\Theta$, with its probability",
        ),
        chapter(
            "scan-snap.lemma-11",
            "a concave clock passes relative errors on without growth",
            r"the bound on $\Theta$, with its probability",
        ),
        chapter(
            "scan-snap.lemma-07",
            r"$0\le h^*-h\le\frac{\eta_Y}M$",
            r"the bound on $\Theta$, with its probability",
        ),
    )

    def validate(self) -> None:
        """Classes form overlapping pairs."""
        require(self.K % 2 == 0, "K", self.K, "an even number: the classes form overlapping pairs")

    @once
    def F(self) -> Array:
        """Rows f_n, (K, M)."""
        return vectors_with_gram(graph_gram(in_pairs(self.K), self.rho), self.M)

    @once
    def labels(self, rng: Generator) -> Ids:
        """Random classes, one a step."""
        return rng.integers(self.K, size=self.steps)

    @once
    def Y(self) -> Array:
        """The decoder under (26)."""
        return feature_ascent(self.labels, self.F, self.eta_y)

    @once
    def plain(self) -> Array:
        """The decoder under (7)."""
        return feature_ascent(self.labels, self.F, self.eta_y, directions=self.F)

    @step("symbolic", "(70)", as_printed=True, concludes=True)
    def keys(self) -> Facts:
        r"""$F(I-E')=F(F^\top F)^{-1}$ and $F^\top F(I-E')=I$: the keys are the columns of
        $(F^\dagger)^\top$ and meet only their own class, all $K$, $M$"""
        classes, width = sp.symbols("K M", integer=True, positive=True)
        F = sp.MatrixSymbol("F", width, classes)
        return [
            (1 - E_PRIME, 1 / (1 + e)),
            ((1 + e) * (1 - E_PRIME), 1),
            (F.T * F * (F.T * F).I, sp.Identity(classes)),
        ]

    @step("decided", "Theorem 5", as_printed=True, concludes=True)
    def radius(self) -> bool:
        r"""the count radius $x=\sqrt{\frac N2\ln\frac{2K}\delta}$ of Hoeffding's inequality, all
        classes at once, with 1 for the rounding of $\bar N$ and $c$ for taking $h$ for $h^*$:
        $\frac KN(x+1+c)\le\frac K{\sqrt N}\sqrt L\big(1+\frac{1+c}{\sqrt{NL}}\big)$,
        $L=\ln\frac K\delta$, all $K\ge2$, $\delta<1$"""
        log_k, log_2, size, many, stray, cost = z3.Reals("log_k log_2 N K stray c")
        root = z3.Real("root")  # sqrt(N L)
        return follows(
            many / size * (stray + 1 + cost) <= many / size * root * (1 + (1 + cost) / root),
            *(size > 0, many >= 2, log_2 > 0, log_k >= log_2, stray >= 0, cost >= 0),
            *(stray**2 * 2 == size * (log_2 + log_k), root > 0, root**2 == size * log_k),
        )

    @step("symbolic", concludes=True)
    def lag_above(self) -> Facts:
        r"""the flow reaches $h^*(s)$ late by at most
        $\frac12e^{\eta_Y}\ln\frac{M-1+e^{Mh^*(s)}}M$: a step $\delta\le\eta_Y$ of $u=Mh^*$ adds
        $e^u(e^\delta-1-\delta)/(M\eta_Y)$, where $e^\delta-1-\delta\le\frac12\delta^2e^\delta$, and
        the logarithm is convex in $u$, all $M$, $\eta_Y$"""
        beyond, slope = sp.exp(d) - 1 - d, sp.Derivative(LEVEL, u)
        return [
            *rises_from_zero(d**2 * sp.exp(d) / 2 - beyond, d, 3),
            (EXCESS / beyond * STEP**2 / 2, slope * STEP / 2),
            (sp.Derivative(LEVEL, (u, 2)), (M - 1) * sp.exp(u) / (M - 1 + sp.exp(u)) ** 2),
            (eta - STEP, STEP * (sp.exp(u) - 1) / M),
        ]

    @step("decided", concludes=True)
    def flow_for_steps(self) -> bool:
        r"""$0\le\frac{h^*(s)}{h(s)}-1\le\frac cs$ for all $s\ge1$, with
        $c=\frac12e^{\eta_Y}(1.37+\eta_Y)$, from (45), $h$ concave and $h^*-h\le\frac{\eta_Y}M$:
        with $u=Mh(s)$, $D=M-1+e^u$ and $S=M\eta_Ys$ it is $\ln\frac DM\cdot S\le1.37\,uD$, and
        $S\le uD$"""
        vocabulary, flow, power, log = z3.Reals("M u exp_u log")  # log = ln(D/M)
        slow, clock = vocabulary - 1 + power, power - 1 + (vocabulary - 1) * flow
        known = [vocabulary > 1, flow > 0, power >= 1 + flow, power - 1 <= flow * power]
        known += log >= 0, log <= flow, vocabulary * log <= z3.Q(37, 100) * slow  # 1/e < 0.37
        first = log * (power - 1) <= flow * (power - 1)
        second = log * (vocabulary - 1) <= z3.Q(37, 100) * slow
        return (
            follows(z3.And(first, second), *known)
            and follows(log * clock <= z3.Q(137, 100) * flow * slow, first, second, *known)
            and follows(clock <= flow * slow, *known)
        )

    @step("decided", concludes=True)
    def theta_by_counts(self) -> bool:
        r"""with $|N_n-\bar N|\le\Delta$, (61), and $h^*\le h\,(1+\frac cs)$:
        $|\theta_n|=\big|\frac{h^*(N_n)}{h(\bar N)}-1\big|\le\frac{\Delta+c}{\bar N}$, since $h^*$
        rises and $\frac{h(s)}s$ falls"""
        at_n, mean_h, steps_n, steps_mean = z3.Reals("at_n mean_h steps_n steps_mean")
        n, mean, off, cost = z3.Reals("n mean off c")
        known = [n > 0, mean > 0, off >= 0, cost >= 0, at_n > 0, mean_h > 0]
        known += at_n <= steps_n, steps_n * n <= at_n * (n + cost)
        known += mean_h <= steps_mean, steps_mean * mean <= mean_h * (mean + cost)
        known += (at_n - mean_h) * mean <= mean_h * off, (mean_h - at_n) * mean <= mean_h * off
        fewer, more = (n <= mean, steps_n <= steps_mean), (n >= mean, at_n * mean <= mean_h * n)
        missed = steps_n - mean_h
        within = z3.And(missed * mean <= mean_h * (off + cost), -missed * mean <= mean_h * off)
        return follows(within, *known, *fewer) and follows(within, *known, *more)

    @claim("<=", 1e-11, "identity", "(70)", as_printed=True)
    def random_instances(self, rng: Generator) -> int:
        """(70), first form, on 20 random overlap graphs, $K=2..6$, $M=30..59$, 1 to 59 steps"""
        worst = 0
        for _ in range(20):
            ends = (2, 7), (30, 60), (1, 60)
            many, vocabulary, length = (int(rng.integers(*each)) for each in ends)
            graph = nx.gnp_random_graph(many, 0.6, seed=int(rng.integers(1000)))
            F = vectors_with_gram(graph_gram(graph, 0.9 / many), vocabulary)
            labels, rate = rng.integers(many, size=length), float(rng.uniform(0.05, 2))
            worst = maximum(worst, memory_error(labels, F, rate))
        return worst

    @claim("<=", 1, "limit", rtol=1e-3, atol=0.04)
    def theta_sharp(self) -> float:
        r"""while $h$ is linear the exact 95 % radius of $\max|\theta_i|$ is $\sqrt{\frac{K-1}N}$
        times the normal quantile $z$ at $\frac{\delta}{2K}$, $K=4,8,16,32$, $N=4000$: how far off,
        over what counts that are whole, their skewness and the joint event allow, largest"""
        sizes = np.array([4, 8, 16, 32])
        exact = np.array([quantile(4000, int(size), 0.05, 1e-3, self.M) for size in sizes])
        z, deviation = stats.norm.isf(0.025 / sizes), np.sqrt(4000 * (sizes - 1)) / sizes
        # in counts: 1, and (z^2 - 1) / 6 by the third moment; then delta^2 / 2 of the union bound
        allowed = (1 + (z**2 - 1) / 6) / (z * deviation) + 0.05 / (2 * z**2)
        return (np.abs(exact / (z * np.sqrt((sizes - 1) / 4000)) - 1) / allowed).max()

    @claim("<=", 1, "inequality", rtol=1e-3)
    def flow_costs(self) -> float:
        r"""$s\,\big(\frac{h^*(s)}{h(s)}-1\big)$ over the $c=\frac12e^{\eta_Y}(1.37+\eta_Y)$ of
        `flow-for-steps`, the largest at 167 $s$ up to $10^5$, for $M=2,10,600,10^6$ and
        $\eta_Y=0.05,\frac12,1$"""
        visits = np.unique(np.geomspace(1, 10**5, 200).astype(int))
        allowed = {rate: np.exp(rate) * (1.37 + rate) / 2 for rate in RATES}
        cases = ((size, rate) for size in VOCABULARIES for rate in RATES)
        return maximum(steps_for_flow(*one, visits).max() / allowed[one[1]] for one in cases)

    @claim("<=", 0.02, "rate")
    def nearly_equal(self) -> float:
        r"""at overlap $1-\epsilon$ the keys of two classes are as long as
        $\frac1{\sqrt2}\epsilon^{-1/2}$: constant and exponent of the power law through four
        $\epsilon$, larger relative error"""
        gaps = np.array([1e-2, 1e-3, 1e-4, 1e-5])
        pairs = [vectors_with_gram(equal_overlap_gram(2, 1 - gap), 40) for gap in gaps]
        law = power_law(gaps, [np.linalg.norm(dual_vectors(F)[0]) for F in pairs])
        return maximum([abs(law.constant * np.sqrt(2) - 1), abs(law.exponent / -0.5 - 1)])

    beside_span = group()

    @claim("==", 0, "exact", "Theorem 5, proof", as_printed=True)
    def beside_printed(self) -> int:
        r"""proof: $\Xi'=\mathrm{span}(f_j;\,K\le j\le M)$ is what is orthogonal to $\Xi$: its
        dimension less that of all vectors orthogonal to $f_1$ to $f_K$"""
        own = np.linalg.matrix_rank(self.completed[self.K - 1 :])
        return int(own) - (self.M - int(np.linalg.matrix_rank(self.F)))

    @claim("<=", 1e-11, "identity", "Theorem 5, proof")
    def beside(self) -> float:
        r"""with $K<j\le M$: the first $K$ rows of $(F')^{-1}$ are the columns $f_n-FE'e_n$ of
        $(F^\dagger)^\top$"""
        return relative_error(np.linalg.inv(self.completed.T)[: self.K], dual_vectors(self.F))

    @once
    def completed(self) -> np.ndarray:
        """Rows f_1 to f_K, then M - K vectors orthogonal to them."""
        return np.vstack([self.F, np.linalg.svd(self.F)[2][self.K :]])

    controls = group()

    @control("H1", "<=", 1e-11, kind="identity")
    def strong_overlap(self, rng: Generator) -> float:
        r"""not needed for (70): overlaps 0.8, $\lambda_1=1.6$, worst relative error"""
        F = np.sqrt(0.2) * np.eye(3, 10, k=1)
        F[:, 0] = np.sqrt(0.8)
        return memory_error(rng.integers(3, size=50), F, 0.7)

    @control("H2", ">", 0.1, rtol=1e-3)
    def random_start(self, rng: Generator) -> np.floating:
        """from a random $Y(0)$ part of $Y$ stays outside the span of the $f_n$: share after 100
        steps"""
        Y, keys = np.outer(rng.normal(size=self.M), zeta(0, self.M)), dual_vectors(self.F)
        for n in rng.integers(self.K, size=100):
            Y += self.eta_y * np.outer(keys[n], shortfall(Y, self.F, n))
        inside = np.linalg.pinv(self.F) @ self.F
        return np.linalg.norm(Y - inside @ Y) / np.linalg.norm(Y)

    @control("H3", ">", 1)
    def skewed(self) -> float:
        r"""probabilities 0.7, 0.1, 0.1, 0.1, $N=10^6$: $\min|\theta_i|$ at the expected counts over
        the stated bound at $\delta=0.05$"""
        visits = np.array([7e5, 1e5, 1e5, 1e5])
        theta = h(visits, self.M, self.eta_y) / h(2.5e5, self.M, self.eta_y) - 1
        return np.abs(theta).min() / stated_radius(10**6, 4, 0.05)

    @control("H4", ">", 0.05)
    def few_steps(self) -> float:
        r"""at $N=K=32$ some class has not been seen, $\theta_i=-1$, with a probability beyond
        $\delta=0.05$"""
        return 1 - joint_coverage(32, np.full(32, 1 / 32), 1, 32)

    @control("H5", ">", 0.1, rtol=1e-3)
    def original_update(self) -> float:
        """under the original update (7) the same counts give another $Y$: relative deviation from
        (70)"""
        return relative_error(self.plain, self.Y)

    @control("H6", ">", 1)
    def large_rate(self) -> float:
        r"""$\eta_Y=50$, $M=50$, $K=2$, each class visited exactly 200 times: $\theta_i$, the steps'
        $h^*$ against $h$ alone, over the stated bound at $\delta=0.05$"""
        theta = h_star(200, 50, 50.0)[-1] / h(200, 50, 50.0) - 1
        return abs(theta) / stated_radius(400, 2, 0.05)

    @erratum(
        "E55",
        "Theorem 5, proof",
        r"$\Xi'=\mathrm{span}(f_j;\,K\le j\le M)$, orthogonal to"
        r" $\Xi=\mathrm{span}(f_j;\,j\le K)$",
        fails="beside-printed",
        holds="beside",
        reach="harmless",
        misprint=True,
        proof=True,
    )
    def e55(self) -> dict[str, Any]:
        r"""$K<j\le M$: $f_K$ lies in $\Xi$. The numbers are the dimension of $\Xi'$ for $K=2$,
        $M=1000$, overlap 0.25; measured: $M$ less the rank of $F$"""
        two = vectors_with_gram(equal_overlap_gram(2, 0.25), 1000)
        measured = 1000 - int(np.linalg.matrix_rank(two))
        return dict(printed=999, corrected=998, measured=measured)

    @finding("theta-sharp")
    def k_log_k(self) -> None:
        r"""$N\gg K\ln K$ steps make all $\theta_i$ small; the paper asks for $N\gg K^2$."""
