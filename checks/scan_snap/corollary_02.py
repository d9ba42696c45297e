"""Corollary 2: what its rows measure.  The chapter: ``book/scan-snap/corollary_02.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp
import torch
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

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
from lib.measure import maximum, minimum, relative_error
from lib.scan_snap.attention_flow import (
    Flow,
    attention_velocity,
    block_classes,
    flow,
    leading_beta,
    row_velocity,
)
from lib.scan_snap.decoder import h_star, speed
from lib.scan_snap.overlaps import (
    assumption_2,
    e_prime,
    feature_ascent,
    feature_coefficients,
    overlap,
    softmax_shortfall,
    zeta_products,
)
from lib.scan_snap.sequence_classes import SequenceClasses, normalized_attention
from lib.scan_snap.yz_transformer import gradients

PROFILE, OWN = np.array([1.0, 0.6, 0.3]), np.array([0.9, 0.5])  # weights: common, distinct tokens

a, v, V, B, s, f = sp.symbols("a v V B s f", positive=True)  # B = sum over n' of beta_nn' a_n'
K_, c, sigma, push, rho_l, kappa, kappa_2, z = sp.symbols(
    "K c sigma push rho kappa kappa' z", positive=True
)


def flat(classes: SequenceClasses) -> np.ndarray:
    """Z(0) = 0."""
    return np.zeros((classes.vocab_size,) * 2)


def highest_common_velocity(classes: SequenceClasses, Z0: Array, final: float) -> float:
    """Largest velocity of a common token over the fastest, along the flow; negative: all fall."""
    run = flow(classes, Z0, np.r_[0, np.geomspace(0.1, final, 40)], leading_beta, tolerance=1e-8)
    rows, C = np.unique(classes.query), len(classes.common_tokens)
    rates = np.array([attention_velocity(classes, F, leading_beta(F))[rows, :C] for F in run.F])
    return (rates / np.abs(rates).max(axis=(1, 2), keepdims=True)).max()


def first_velocity(classes: SequenceClasses, Z0: Array | None = None) -> tuple[float, Array]:
    """Velocity of token 0 in the first row over the fastest, and the overlaps."""
    F = normalized_attention(classes, flat(classes) if Z0 is None else Z0)
    row = attention_velocity(classes, F, leading_beta(F))[classes.query[0]]
    return row[0] / np.abs(row).max(), overlap(F)


def proportional_classes(k: int, rng: Generator) -> SequenceClasses:
    """Classes with common weights kappa_n rho_l and unrelated distinct tokens."""
    common = np.outer(np.exp(rng.normal(0, 0.7, k)), rng.uniform(0.1, 1, int(rng.integers(2, 5))))
    return block_classes(common, np.exp(rng.normal(0, 1, (k, 3))))


def common_gradient(classes: SequenceClasses, Y: Array, Z: Array) -> Array:
    """The model's own gradient by the common tokens of the one row of Z."""
    parts = Y, Z, classes.conditional, classes.query, classes.next_token
    by_Z = gradients(*(torch.tensor(part) for part in parts))[1].numpy()
    return by_Z[classes.query[0], : len(classes.common_tokens)]


def proposition_velocity(F: Array, common: int, visits: Ids, rate: float) -> Array:
    """The proposition's velocity of the common tokens after so many visits of each class, (K,)."""
    K, M = F.shape
    heights, E_prime = h_star(np.max(visits), M, rate)[visits], e_prime(overlap(F))
    own, other = zeta_products(M)
    push = -(np.where(np.eye(K), own, other) * E_prime) @ heights  # xi_n over (M - 1)^2 speed
    pull = (M - 1) ** 2 * speed(heights, M) * push / K
    shares = F[:, :common] ** 2
    return -shares[0] / shares[0].sum() * ((1 - shares.sum(axis=1)) * pull).sum()


@dataclass
class Corollary02(Checks):
    """Corollary 2: several common tokens fall together."""

    K: int = whole(3, 2, 6, holds=(3, 6))
    M: int = whole(
        40_000, 2592, 10**6, holds=(lambda self: 72 * (self.K * (self.K - 1)) ** 2, 10**6)
    )
    final: float = real(1e5, 1e3, 1e8)
    seed: int = seed(1)

    tag = "scan-snap.corollary-02"
    hypotheses = {
        "H1": "one query $m_0$ for all classes",
        "H2": (
            "the distinct tokens of any two classes correspond one to one, with equal probabilities"
        ),
        "H3": (
            r"every common token is common to all classes, with $\mathbb P(l|n)=\rho_l$"
            " independent of $n$"
        ),
        "H4": "attention starts flat, $Z(0)=0$",
        "H5": "Assumption 2",
        "H6": (
            "the decoder has been trained by the modified update (26), from zero and on the"
            " mixtures of the moment, with one visit at least"
        ),
    }
    parts = {
        "every common token falls": ("kernel-corollary-2", "any-visits"),
        "beside it": (
            "equal-coefficients",
            "proportional-all",
            "kernel-bracket",
            "kernel-equation-107",
            "kernel-equation-101",
            "kernel-norms-agree",
            "norm",
            "matched",
        ),
    }
    kernel_theorems = {
        "corollary_2_under_assumption_2": dict(
            as_printed=True, concludes=True, equation="Corollary 2"
        ),
        "corollary_2": dict(equation="Corollary 2"),
        "common_velocity": dict(equation="Corollary 2, the velocity"),
        "bracket": dict(equation="(107), for any $a_n$"),
        "equation_107": dict(as_printed=True, equation="(107)"),
        "equation_101": dict(equation="(101)"),
        "norms_agree": dict(equation="(103)–(105)"),
    }
    trusts = (
        chapter("scan-snap.theorem-01", "(9), what the decoder sends back by the update (26)"),
    )

    def one_query(self, profile: Array, distinct: Array | None = None) -> SequenceClasses:
        """Classes of one query with this common profile, and matched distinct tokens."""
        matched = np.array([np.roll(OWN, n) for n in range(self.K)])  # phi is not the identity
        common = np.outer(np.ones(self.K), profile)
        return block_classes(common, matched if distinct is None else distinct)

    @once
    def symmetric(self) -> SequenceClasses:
        """The classes of the corollary."""
        return self.one_query(PROFILE)

    @once
    def times(self) -> Array:
        """The moments of their flow."""
        return np.r_[0, np.geomspace(0.1, self.final, 60)]

    @once
    def path(self) -> Flow:
        """Their flow."""
        return flow(self.symmetric, flat(self.symmetric), self.times, leading_beta)

    @once
    def logits(self) -> Array:
        """Their one row of Z along it, (61, tokens)."""
        return self.path.Z[:, self.symmetric.query[0]]

    @step("symbolic", "(107)")
    def proportional_all(self) -> Facts:
        r"""$f_{nl}(Xf_{nl}-\sum\beta_{nn'}f_{n'l})=-\frac{v_l^2}V(1-a_n^2V)X$ for proportional
        common tokens, all $K$, any number of tokens, any $\beta$; (107) is its case $a_n=1$"""
        X, tax = B * a * V, B * v  # sums over n' of beta_nn' f_n . f_n' and of beta_nn' f_n'l
        bracket = a * v * (X * a * v - tax)
        return (bracket, -(v**2) / V * (1 - a**2 * V) * X), (f * (s * f - f), -(f**2) * (1 - s))

    @step("symbolic")
    def profile_survives(self) -> Facts:
        r"""$\tilde c_{l|n}/\tilde c_{l|n'}=\kappa_n/\kappa_{n'}$ for every common token, whatever
        $z$"""
        return (kappa * rho_l * sp.exp(z)) / (kappa_2 * rho_l * sp.exp(z)), kappa / kappa_2

    @step("symbolic", "Corollary 2", concludes=True)
    def any_visits(self) -> Facts:
        r"""after any visits, by (26): $E'_{nk}=\frac{Va_na_k}{d_nd_k(1+S)}$ for $k\ne n$,
        $d_n=1-a_n^2V$, $S=\sum_j\frac{a_j^2V}{d_j}$, and $E'_{nn}<0$; so $\xi_n$, a positive
        multiple of $-q_1h^*(N_n)E'_{nn}-q_0\sum_{k\ne n}h^*(N_k)E'_{nk}$, is positive once some
        class was seen"""
        a_k, d, d_k, S, rest, y = sp.symbols("a_k d d_k S rest y", positive=True)
        other = V * a * a_k / (d * d_k * (1 + S))
        own = 1 - 1 / d + (1 - d) / (d**2 * (1 + S))  # a_n^2 V = 1 - d_n
        within = own.subs(S, (1 - d) / d + rest).subs(d, 1 / (1 + y))  # rest: the other classes'
        return [
            (V * a * a_k / d_k * (1 - S / (1 + S)), d * other),  # row n of (I + E)(I - E') = I
            (within, -y * rest / (1 + y + rest)),
            other > 0,
        ]

    @step("symbolic", "Corollary 2, proof", as_printed=True)
    def equal_coefficients(self) -> Facts:
        r"""off the diagonal $E'$ is $\frac s{(1-s)(1+(K-1)s)}>0$ where all overlaps are
        $s\in(0,1)$, all $K$"""
        # minus that, with the diagonal that the first equation asks for, is a column of the inverse
        off = -s / ((1 - s) * (1 + (K_ - 1) * s))
        diagonal = 1 - (K_ - 1) * s * off
        return [
            (s * diagonal + (1 + (K_ - 2) * s) * off, 0),
            (-off.subs(s, 1 / (1 + z)), (1 + z) / (z * (K_ + z))),  # s in (0, 1): positive
        ]

    @step("symbolic")
    def common_level(self) -> Facts:
        r"""beyond the paper: where $\dot z_l=-g f_l^2$ and $f_l=\tilde c_{l|n}/\sigma$, $\frac
        d{dt}\tilde c_{l|n}^{-2}=2g/\sigma^2$ for all common tokens of a class, so their differences
        are conserved and they become equal as they vanish"""
        score = -push * (c / sigma) ** 2  # the speed of z_l; that of c~ is c~ times it
        return sp.Derivative(c**-2, c) * c * score, 2 * push / sigma**2

    @once
    def weights(self) -> Array:
        """The weights c~ along the flow, (61, K, tokens)."""
        return self.symmetric.conditional * np.exp(self.logits)[:, None]

    @claim("<=", 1e-11, "identity", "(102), (106)", as_printed=True, atol=1e-6)
    def norm_printed(self) -> float:
        r"""$\tilde c_n/o_n$ with $o_n=\sum_l\tilde c_{l|n}^2$ is the unit vector $f_n$"""
        squares = (self.weights**2).sum(axis=2, keepdims=True)
        return relative_error(self.weights / squares, self.path.F)

    @claim("<=", 1e-11, "identity", "(102), (106)")
    def norm(self) -> float:
        r"""$\tilde c_n/o_n$ with $o_n^2=\sum_l\tilde c_{l|n}^2$ is the unit vector $f_n$"""
        squares = (self.weights**2).sum(axis=2, keepdims=True)
        return relative_error(self.weights / np.sqrt(squares), self.path.F)

    @once
    def drawn(self) -> dict[Any, Any]:
        """Visits of three classes in 900 uniform draws, N = 100 K^2, most and least first."""
        visits = np.random.default_rng(0).multinomial(900, [1 / 3] * 3)  # those that E58 names
        order = [visits.argmax(), visits.argmin()]
        return dict(visits=visits, order=order, most=maximum(visits), least=minimum(visits))

    @once
    def matched_speeds(self) -> tuple[float, float, bool]:
        """What matched distinct tokens move by in the class visited most over that visited least:
        by the trained decoder, by the clocks; whether Assumption 2 holds.
        """
        alike = block_classes(np.full((3, 1), np.sqrt(0.08)), np.full((3, 1), np.sqrt(0.92)))
        F, size, rate = normalized_attention(alike, flat(alike)), 40_000, 0.02
        W, speeds, pulls = np.zeros((3, size)), [], []
        for n in np.repeat(range(3), self.drawn["visits"]):
            W[n] += rate * softmax_shortfall(W[n], n)  # (26), seen in W
        for n in self.drawn["order"]:
            velocity = row_velocity(F[n], feature_coefficients(W, overlap(F), n) @ F)  # Lemma 4
            speeds.append(velocity[alike.distinct_tokens(n)][0])
            level = h_star(self.drawn["visits"][n], size, rate)[-1]
            pulls.append(level * speed(level, size))
        met = assumption_2(overlap(F), size).satisfied
        return speeds[0] / speeds[1], pulls[0] / pulls[1], met

    @claim("<=", 1e-3, "identity", "(101)", as_printed=True)
    def matched_printed(self) -> float:
        """(101): matched distinct tokens move alike; $K=3$ classes alike, overlaps 0.08,
        $M=40{,}000$, decoder trained by (26) on 900 uniform draws: the speed in the class visited
        most (@{drawn.most}) over that in the class visited least (@{drawn.least}), less 1"""
        moved, _, met = self.matched_speeds
        return abs(moved - 1) if met else np.nan

    @claim("<=", 1e-4, "limit", "(101)", atol=1e-6)
    def matched(self) -> float:
        """matched distinct tokens: the speed in the class visited most over that in the class
        visited least, over the same quotient of $h^*(N_n)/(M-1+e^{Mh^*(N_n)})$, less 1"""
        moved, by_clocks, _ = self.matched_speeds
        return abs(moved / by_clocks - 1)

    @claim("<=", 1e-10, "identity")
    def proportional(self, rng: Generator) -> float:
        """the proposition's velocity is the model's own gradient at proportional common tokens:
        random data with 2 to 5 classes, random $Z$, decoder trained by (26) on uneven visits, one
        class without a visit"""
        worst = 0
        for k in (2, 3, 4, 5):
            classes = proportional_classes(k, rng)
            Z = rng.normal(size=(classes.vocab_size,) * 2)
            F = normalized_attention(classes, Z)
            visits = np.r_[0, rng.integers(1, 20, k - 1)]  # and a class without a visit
            labels = rng.permutation(np.repeat(np.arange(k), visits))
            gradient = common_gradient(classes, feature_ascent(labels, F, 0.5), Z)
            formula = proposition_velocity(F, len(classes.common_tokens), visits, 0.5)
            worst = maximum(worst, relative_error(formula, gradient))
        return worst

    not_needed = group()

    @control("H2", "<", 0, kind="sign", rtol=1e-2)
    def any_distinct_tokens(self, rng: Generator) -> float:
        """not needed: with unrelated distinct tokens all common tokens fall (largest velocity over
        fastest)"""
        classes = self.one_query(PROFILE, np.exp(rng.normal(0, 1, (self.K, 2))))
        return highest_common_velocity(classes, flat(classes), self.final)

    @control("H4", "<", 0, kind="sign", rtol=1e-2)
    def any_start(self, rng: Generator) -> float:
        """not needed: with one query, from a random $Z(0)$ all common tokens fall (largest velocity
        over fastest)"""
        Z0 = rng.normal(size=(self.symmetric.vocab_size,) * 2)
        return highest_common_velocity(self.symmetric, Z0, self.final)

    @control("H5", "<", 0, kind="sign", rtol=1e-2)
    def strong_overlap(self) -> float:
        """not needed: at overlap 0.99 all common tokens fall (largest velocity over fastest)"""
        strong = self.one_query(10 * PROFILE)
        return highest_common_velocity(strong, flat(strong), self.final)

    needed = group()

    def within(self, found: tuple[float, Array]) -> float:
        """A first velocity, where its overlaps meet Assumption 2."""
        velocity, E = found
        return velocity if assumption_2(E, self.M).satisfied else np.nan

    @control("H3", ">", 0.01, kind="sign")
    def uneven(self) -> float:
        r"""two common tokens with weights 0.5 and 0.3 in one class, 0.02 and 0.78 in the other,
        under Assumption 2: the first rises (velocity over fastest)"""
        classes = block_classes([[0.5, 0.3], [0.02, 0.78]], np.full((2, 2), 0.574))
        return self.within(first_velocity(classes))

    @once
    def lone(self) -> Ids:
        """Queries of the classes when the last has one of its own."""
        return np.r_[np.zeros(self.K - 1, dtype=int), 1]

    @control("H1", ">", 1, rtol=1e-3)
    def two_queries(self) -> float:
        """common weights 5 and 3, own weights 1 and 0.6, a second query for one class: the largest
        common token of this class rises after a first fall (rise of $z$)"""
        common, distinct = np.outer(np.ones(self.K), [5.0, 3.0]), np.tile([1.0, 0.6], (self.K, 1))
        classes = block_classes(common, distinct, groups=self.lone)
        moments = np.r_[0, np.geomspace(0.01, self.final, 60)]
        apart = flow(classes, flat(classes), moments, leading_beta)
        z = apart.Z[:, classes.query[-1], 0]
        return z[-1] - z.min() if z.min() < -0.02 else 0.0

    @control("H4", ">", 0.01, kind="sign")
    def tilted_start(self) -> float:
        """needed with two queries: two classes with two common tokens of equal weight, the first at
        $z=-3$ in one row, under Assumption 2: it rises in the other (velocity over fastest)"""
        tilted = block_classes([[0.5, 0.5], [0.5, 0.5]], np.ones((2, 2)), groups=[0, 1])
        Z0 = flat(tilted)
        Z0[tilted.query[1], 0] = -3
        return self.within(first_velocity(tilted, Z0))

    @control("H6", ">", 0, kind="sign", rtol=1e-2)
    def random_decoder(self, rng: Generator) -> float:
        """20 random decoders in place of the trained one: a common token rises beside some of them
        (largest velocity over that of the fastest common token)"""
        size, found = self.symmetric.vocab_size, []
        for _ in range(20):
            decoder = rng.normal(size=(size, size))
            gradient = common_gradient(self.symmetric, decoder, flat(self.symmetric))
            found.append(gradient.max() / np.abs(gradient).max())
        return maximum(found)

    @control("H6", "==", 0, kind="identity")
    def no_visit(self, rng: Generator) -> float:
        """before the first visit, at $Y=0$, no common token moves: largest velocity"""
        size = self.symmetric.vocab_size
        Z = rng.normal(size=(size, size))
        return np.abs(common_gradient(self.symmetric, np.zeros((size, size)), Z)).max()

    @erratum(
        "E20",
        "Corollary 2, proof, Eqs. (102), (106)",
        r"$o_n(t')=\sum_l\tilde c_{l|n}^2(t')$",
        fails="norm-printed",
        holds="norm",
        reach="harmless",
        misprint=True,
        proof=True,
    )
    def e20(self) -> dict[str, Any]:
        r"""$o_n^2(t')=\sum_l\tilde c_{l|n}^2(t')$. The numbers are $f_n^\top f_{n'}$ for the
        weights $(0.5,0.3,0.2,0)$ and $(0.5,0.3,0,0.2)$."""
        first, second = np.array([0.5, 0.3, 0.2, 0]), np.array([0.5, 0.3, 0, 0.2])
        product, square = first @ second, first @ first
        apart = first / np.linalg.norm(first) - second / np.linalg.norm(second)
        measured = 1 - np.linalg.norm(apart) ** 2 / 2
        return dict(printed=product / square**2, corrected=product / square, measured=measured)

    @erratum(
        "E58",
        "Corollary 2, proof, Eq. (101)",
        r"$\dot z_{l_1}=\dot z_{l_2}$ for matched distinct tokens, since $\beta_{nn'}$ depends on"
        " no index; hence $o_n^2=o^2$ for all $n$",
        fails="matched-printed",
        holds="matched",
        reach="harmless",
        proof=True,
    )
    def e58(self) -> dict[str, Any]:
        r"""in Theorem 1 the push of class $n$ goes with $\frac{h(N_n)}{M-1+e^{Mh(N_n)}}$: it is
        sure to be the same for all classes only after equally many visits, $\theta_n=\sigma=0$.
        Uniform draws differ by about $\sqrt{K/N}$ of the mean, within the $K/\sqrt N$ that Theorem
        1 announces, so that (101) holds at leading order only; matched logits drift apart, and
        (102)-(106) ask for equality. The corollary stands without (101), and without (2) and (4):
        by (1) and (3) the common tokens have one profile at all times, $f_{nl}=a_nv_l$ with
        $v_l=\rho_le^{z_l}$, whatever the visits. With $V=\sum_lv_l^2$ the bracket of (107) becomes
        $-\frac{v_l^2}V(1-a_n^2V)f_n^\top f_{n'}$ where a class has a distinct token ($a_n^2V<1$),
        and its sum with $\beta_{nn'}$ is $-\frac{v_l^2}V(1-a_n^2V)\frac{\xi_n}\gamma<0$. The
        numbers are the ratio of the speeds of matched distinct tokens, 319 visits against 290,
        $K=3$, overlaps 0.08, $M=40{,}000$, $\eta_Y=0.02$; measured: Lemma 4 with a decoder trained
        by (26)."""
        moved, by_clocks, _ = self.matched_speeds
        return dict(printed=1, corrected=by_clocks, measured=moved)

    @finding("proportional-all", "profile-survives", "any-visits")
    def less_symmetry(self) -> None:
        r"""Of the paper's five hypotheses one query and a common profile on the common tokens are
        enough, after any visits of the classes, since then $\xi_n>0$ by the profile alone. So is
        Theorem 2(b): one common token is a common profile, whatever the queries."""
