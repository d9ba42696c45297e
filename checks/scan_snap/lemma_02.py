"""Lemma 2: what its rows measure.  The chapter: ``book/scan-snap/lemma_02.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import torch
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy import stats
from scipy.special import softmax

from ledgerbook import (
    Checks,
    chapter,
    claim,
    control,
    finding,
    group,
    once,
    real,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array, Ids
from lib.measure import maximum, power_law, relative_error
from lib.scan_snap.concentration import (
    attention_covariance,
    effective_share,
    worst_attention_gap,
)
from lib.scan_snap.sequence_classes import (
    limiting_attention,
    random_classes,
    syn_medium,
    syn_small,
    token_counts,
)
from lib.scan_snap.yz_transformer import attend

CLASSES, N = syn_small(), 0  # the data set and the class that is looked at
LAW = CLASSES.conditional[N]
SUPPORT = np.flatnonzero(LAW > 0)
SHARED = syn_medium(1, 2)  # two classes, one query
LENGTHS = np.array([10, 10**2, 10**3, 10**4, 10**5, 10**6, 10**7])
THREE, TILT = np.array([0.5, 0.3, 0.2]), np.exp([0.0, 1.5, -1.0])
C_THREE = THREE * TILT / (THREE @ TILT)


def attention_of(counts: Ids, z: Array) -> Array:
    """X^T b from counts (B, M) and one row of logits z (M,), by the library's forward pass."""
    counts = torch.as_tensor(counts, dtype=torch.float64)
    return attend(torch.as_tensor(z).expand(counts.shape), counts).numpy()


def rms(error: Array) -> float:
    """Root mean square length of rows."""
    return np.sqrt((error**2).sum(axis=1).mean())


def total_variation(counts: Ids, z: Array) -> float:
    """Between the attention of a sequence and its limit."""
    limit = LAW * np.exp(z - z[LAW > 0].max())
    return 0.5 * np.abs(attention_of(counts[None], z)[0] - limit / limit.sum()).sum()


def worst_logits(counts: Ids) -> Array:
    """The z of the proof: mass on the two tokens with the extreme ratios, nothing elsewhere."""
    ratios = counts[SUPPORT] / LAW[SUPPORT]
    high, low = SUPPORT[ratios.argmax()], SUPPORT[ratios.argmin()]
    z = np.full(len(LAW), -60.0)
    z[high] = -np.log(LAW[high])
    z[low] = -np.log(LAW[low]) + 0.5 * np.log(ratios.max() / ratios.min())
    return z


def over_all_counts(length: int) -> Array:
    """(T-1) times covariance and mean of sum_t b_t^2 over all counts of three tokens.

    From the definition, without lib.
    """
    first, second = np.indices((length + 1, length + 1)).reshape(2, -1)
    counts = np.stack([first, second, length - first - second])[:, first + second <= length].T
    chance = stats.multinomial(length, THREE).pmf(counts)
    spent = counts @ TILT
    error = counts * TILT / spent[:, None] - C_THREE
    bias = chance @ error
    covariance = (error.T * chance) @ error - np.outer(bias, bias)
    squares = chance @ (counts @ TILT**2 / spent**2)
    return np.r_[covariance.ravel(), squares] * length


def exactly(rng: Generator) -> tuple[float, float, float]:
    """Errors of (20), (22) and (21) on one random sequence: positions against counts."""
    family = random_classes(3, 12, rng)
    T, z, Z = int(rng.integers(2, 60)), rng.normal(size=12) * 3, rng.normal(size=(12, 12))
    drawn = family.sample(1, T, rng)
    X = np.eye(12)[drawn.tokens[0]]
    b, p_X = softmax(X @ z), np.exp(X @ z)
    from_counts = attention_of(token_counts(drawn.tokens, 12), z)[0]
    by_22 = X.T @ np.diag(p_X) @ X / (np.ones(12) @ (X.T @ p_X))
    by_21 = [
        [P * np.exp(Z[m, l]) for l, P in enumerate(probabilities)]
        for m, probabilities in zip(family.query, family.conditional, strict=True)
    ]
    return (
        relative_error(from_counts, X.T @ b),
        relative_error(by_22, np.diag(from_counts)),
        relative_error(limiting_attention(family, Z), [np.divide(r, sum(r)) for r in by_21]),
    )


@dataclass
class Lemma02(Checks):
    """Lemma 2: long sequences forget their randomness."""

    tag = "scan-snap.lemma-02"
    hypotheses = {
        "H1": "query and next token are both given, $x_T=m$, $x_{T+1}=n$",
        "H2": "the contextual tokens are independent draws from $\\mathbb P(\\cdot\\mid m,n)$",
        "H3": "$T\\to\\infty$",
        "H4": "vocabulary and probabilities stay the same while $T$ grows",
        "H5": "the attention logits $z_m$ are fixed, finite numbers",
    }
    parts = {
        r"limit of $X^\top b_T$": ("exact-error",),
        r"limit of $X^\top\mathrm{diag}(b_T)X$": ("exact-error",),
        "beside it": ("quotient", "diagonal", "limit-formula"),
    }
    trusts = (
        textbook("the law of large numbers for frequencies"),
        chapter(
            "scan-snap.lemma-18",
            r"(135): $X^\top\mathrm{diag}(b)X$ is the diagonal of $X^\top b$",
            r"limit of $X^\top\mathrm{diag}(b_T)X$",
        ),
    )

    z_scale: float = real(1.0, 0.1, 2)
    draws: int = whole(400, 200, 800)
    seed: int = seed()

    def drawn(self, length: int, rng: Generator, size: int | None = None) -> Ids:
        """Counts of sequences of the class with so many contextual tokens, (size, M)."""
        size = size or self.draws
        chosen = np.full(size, N)
        return CLASSES.sample_counts(size, int(length) + 1, rng, classes=chosen).counts

    @once
    def at_z(self, rng: Generator) -> tuple[Array, Array]:
        """(the row of logits of the class's query, its limit c)."""
        Z = rng.normal(scale=self.z_scale, size=(CLASSES.vocab_size,) * 2)
        return Z[CLASSES.query[N]], limiting_attention(CLASSES, Z)[N]

    def off_limit(self, counts: Ids) -> Array:
        """How far attention on some sequences is from the limit, (size, M)."""
        z, c = self.at_z
        return attention_of(counts, z) - c

    @once
    def errors(self, rng: Generator) -> np.ndarray:
        """Root mean square distance to the limit at each length."""
        return np.array([rms(self.off_limit(self.drawn(T, rng))) for T in LENGTHS])

    @once
    def predicted(self) -> Array:
        """The distance by the covariance."""
        return np.sqrt(np.trace(attention_covariance(self.at_z[1], LAW)) / LENGTHS)

    @once
    def worst(self, rng: Generator) -> list[Any]:
        """Mean largest total variation over all logits at each length."""
        gaps = (worst_attention_gap(self.drawn(T, rng) / T, LAW) for T in LENGTHS)
        return [gap.mean() for gap in gaps]

    @once
    def mixed(self, rng: Generator) -> np.ndarray:
        """Root mean square distance to the mixture's c at each length, the query alone given."""
        z, mixture = rng.normal(size=SHARED.vocab_size), SHARED.prior @ SHARED.conditional
        c = mixture * np.exp(z) / (mixture @ np.exp(z))
        counts = (SHARED.sample_counts(self.draws, int(T) + 1, rng).counts for T in LENGTHS)
        return np.array([rms(attention_of(each, z) - c) for each in counts])

    @step("symbolic", "(6), (21), (23)", as_printed=True, concludes=True)
    def exact_error(self) -> Facts:
        r"""$X^\top b_T-c=\frac1{\sum_kq_kp_k}\sum_k(q_k-\mathbb P(k))\,p_k\,(e_k-c)$, any $M$, any
        $T$: so $q\to\mathbb P$ gives (21) and (23)"""
        q, P, p, S, S_P = sp.symbols("q_l P_l p_l S S_P", positive=True)
        c = P * p / S_P  # S_P = sum_k P_k p_k, S = sum_k q_k p_k
        return q * p / S - c, ((q - P) * p - c * (S - S_P)) / S  # entry l

    @step("symbolic")
    def worst_odds(self) -> Facts:
        r"""the largest rise is $(\sqrt\rho-1)/(\sqrt\rho+1)$, at $x=1/(1+\sqrt\rho)$: what is
        missing from it elsewhere is a square"""
        x, s = sp.symbols("x s", positive=True)  # s = sqrt(rho)
        rise = s**2 * x / (s**2 * x + 1 - x) - x
        missing = ((s + 1) * x - 1) ** 2 * (s - 1) / ((s + 1) * (s**2 * x + 1 - x))
        return (s - 1) / (s + 1) - rise, missing

    identities = group()

    @once
    def exact(self, rng: Generator) -> Array:
        """Largest errors of (20), (22) and (21) on sixty random sequences."""
        return np.max([exactly(rng) for _ in range(60)], axis=0)

    @claim("<=", 1e-13, "identity", "(20)", as_printed=True)
    def quotient(self) -> float:
        r"""the softmax over positions, $X^\top b_T$, is (20) from counts alone, 60 random
        sequences"""
        return self.exact[0]

    @claim("<=", 1e-13, "identity", "(22)", as_printed=True)
    def diagonal(self) -> float:
        r"""(22) is $\mathrm{diag}(X^\top b_T)$ at every $T$"""
        return self.exact[1]

    @claim("<=", 1e-13, "identity", "(5), (21)", as_printed=True)
    def limit_formula(self) -> float:
        """the library's $c_{m,n}$ is (21), entry by entry, random $Z$"""
        return self.exact[2]

    @claim("<=", 1e-3, "limit", "(6), (21)", as_printed=True, rtol=1e-4)
    def limit(self, rng: Generator) -> float:
        r"""largest entry of $\lvert X^\top b_T-c_n\rvert$ over all draws at $T-1=10^8$,
        Syn-Small with weights of our choice"""
        return np.abs(self.off_limit(self.drawn(10**8, rng))).max()

    @claim("in", [-0.52, -0.48], "rate", rtol=1e-4)
    def rate(self) -> float:
        """exponent of the root mean square error in $T-1$, from $10^3$ to $10^7$"""
        return power_law(LENGTHS[2:], self.errors[2:]).exponent

    sums = group()

    @once
    def summed(self) -> list[np.ndarray]:
        """Covariance and mean of squares over all sequences, extrapolated."""
        each = [over_all_counts(length) for length in (200, 400, 800)]
        return np.split((each[0] - 6 * each[1] + 8 * each[2]) / 3, [9])

    @claim("<=", 1e-5, "limit", atol=1e-7)
    def covariance(self) -> float:
        r"""$(T-1)$ times the exact covariance against $\sum_k\frac{c_k^2}{\mathbb
        P(k)}(e_k-c)(e_k-c)^\top$, three tokens and one of probability 0, $T\to\infty$: relative
        error"""
        formula = attention_covariance([*C_THREE, 0], [*THREE, 0])[:3, :3].ravel()
        return np.abs(self.summed[0] / formula - 1).max()

    @claim("<=", 1e-5, "limit", atol=1e-8)
    def share(self) -> float:
        r"""$(T-1)$ times the exact mean of $\sum_tb_t^2$ against $\sum_k\frac{c_k^2}{\mathbb
        P(k)}$, three tokens, $T\to\infty$: relative error"""
        return np.abs(self.summed[1] * effective_share(C_THREE, THREE) - 1).max()

    every = group()

    @claim("<=", 1e-9, "identity")
    def uniform(self, rng: Generator) -> float:
        r"""largest total variation over the $z$ tried, the proof's among them, is
        $\tanh(\frac14\ln\rho)$: relative difference"""

        def off(counts: Ids) -> float:
            sizes = 10 ** rng.uniform(-1, 2, size=20)
            tried = [worst_logits(counts), *(rng.normal(size=len(LAW)) * one for one in sizes)]
            most = maximum(total_variation(counts, z) for z in tried)
            return abs(most / worst_attention_gap(counts / counts.sum(), LAW) - 1)

        return maximum(map(off, self.drawn(3999, rng, 50)))

    @finding("worst-odds", "uniform")
    def uniform_in_z(self) -> None:
        r"""The limit is uniform over all attention logits: the worst total variation is
        $\tanh(\frac14\ln\rho)$, in which $z$ does not occur."""

    without = group()

    @control("H1", "in", [-0.05, 0.05], kind="rate", rtol=1e-3, atol=1e-5)
    def query_only(self) -> float:
        """given the query alone: exponent of the root mean square distance to the mixture's $c$,
        $T-1=10^4..10^7$"""
        return power_law(LENGTHS[3:], self.mixed[3:]).exponent

    def sticky_counts(self, length: int, stay: float, rng: Generator) -> Ids:
        """Counts of sequences whose tokens repeat the last one with probability ``stay``."""
        fresh = rng.random((self.draws, length)) >= stay
        fresh[:, 0] = True
        chosen = np.full(self.draws, N)
        tokens = CLASSES.sample(self.draws, length + 1, rng, classes=chosen).tokens
        latest = np.maximum.accumulate(np.where(fresh, np.arange(length), 0), axis=1)
        return token_counts(np.take_along_axis(tokens, latest, axis=1), CLASSES.vocab_size)

    @once
    def sticky_errors(self, rng: Generator) -> dict[Any, Any]:
        """{probability to stay: root mean square error at T - 1 = 2000}."""
        return {
            stay: rms(self.off_limit(self.sticky_counts(2000, stay, rng))) for stay in (0.0, 0.9)
        }

    @control("H2", "in", [0.8, 1.25], kind="limit", rtol=1e-4)
    def sticky(self) -> float:
        r"""not needed in full: sticky sequences, $s=0.9$, $T-1=2000$, squared error over the
        independent one, times $\frac{1-s}{1+s}$"""
        return (self.sticky_errors[0.9] / self.sticky_errors[0.0]) ** 2 * 0.1 / 1.9

    @control("H3", ">", 0.05, rtol=1e-4)
    def finite_length(self, rng: Generator) -> np.floating:
        r"""at the experiments' $T=128$, weights of our choice: root-mean-square error over
        $\lVert c_n\rVert_2$"""
        return rms(self.off_limit(self.drawn(127, rng))) / np.linalg.norm(self.at_z[1])

    def rare_error(self, length: int, rng: Generator) -> float:
        """Mean error of a token with probability 1/T and logit ln T."""
        law, z = np.array([1 - 1 / length, 1 / length]), np.array([0.0, np.log(length)])
        c = law * np.exp(z) / (law @ np.exp(z))
        drawn = rng.multinomial(int(length), law, size=self.draws)
        return np.abs(attention_of(drawn, z)[:, 1] - c[1]).mean()

    @control("H4", ">", -0.05, kind="rate", rtol=1e-3, atol=1e-4)
    def rare_token(self, rng: Generator) -> float:
        r"""a token with $\mathbb P=1/T$, $z=\ln T$: exponent of the mean error in $T$"""
        return power_law(LENGTHS[1:], [self.rare_error(T, rng) for T in LENGTHS[1:]]).exponent

    @control("H5", "<=", 5e-3, kind="limit", rtol=1e-4)
    def logits_after(self) -> float:
        """not needed: the worst logits for each sequence, mean total variation at $T-1=10^7$"""
        return self.worst[-1]
