"""Section 7, positions: what the rows measure.

The chapter: ``book/scan-snap/positional_bias.ipynb``.
"""

from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
import torch
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator

from ledgerbook import Checks, claim, control, finding, group, once, real, seed, step, whole
from lib.arrays import Array
from lib.measure import furthest, power_law
from lib.scan_snap.attention_flow import block_classes, flow, leading_beta, relative_gain
from lib.scan_snap.positions import (
    attend_with_bias,
    effective_length,
    sample_by_position,
    weighted_law,
)
from lib.scan_snap.sequence_classes import SequenceClasses


def no_bias(t: Array) -> Array:
    """None."""
    return 0 * t


def ramp(t: Array) -> Array:
    """From 0 to 4: the last position is read 55 times as eagerly as the first."""
    return 4 * t / t[-1]


def wave(t: Array) -> Array:
    """A sine of the position."""
    return 2 * np.sin(t)


def recency(t: Array, slope: float) -> Array:
    """A slope for each step into the past."""
    return -slope * (t[-1] - t)


class Wins(NamedTuple):
    """The distinct tokens of a class, by frequency, and its flow.

    flow: from some start; start: Z(0), the prior; winner, loser: two of its tokens.
    """

    flow: object
    start: np.ndarray
    winner: int
    loser: int


@dataclass
class PositionalBias(Checks):
    """Section 7: an additive positional bias."""

    num_tokens: int = whole(6, 3, 40)
    log2_longest: int = whole(
        15, 8, 16, holds=(13, 16), why="a trend needs three lengths, from 2^6 on"
    )
    draws: int = whole(48, 24, 96)
    slope: float = real(0.5, 0.1, 3)
    seed: int = seed()

    tag = "scan-snap.positional-bias"
    hypotheses = {
        "H1": r"no position keeps a share: $\sum_tw_t^2\to0$ as $T\to\infty$",
        "H2": (
            "the bias can see the token: through its own index, or through a law that changes along"
            " with it"
        ),
        "H3": "the bias is fixed while $Z$ is trained",
    }
    parts = {
        "a bias of the token": ("kernel-token-bias-is-a-prior",),
        "a bias of the position": (
            "kernel-position-bias",
            "kernel-position-bias-as-prior-refuted",
        ),
        "in long sequences": ("weighted-law", "drifting-law", "no-effect"),
        "another start": ("same-as-start", "winner"),
    }
    kernel_theorems = {
        "token_bias_is_a_prior": dict(
            as_printed=True,
            condition="the bias belongs to the token, or the tokens' law changes along with it",
            concludes=True,
            equation="Section 7, positions",
            group="proof",
        ),
        "constant_bias_drops_out": dict(group="proof"),
        "position_bias": dict(concludes=True, group="proof"),
        "position_bias_as_prior_refuted": dict(concludes=True, group="proof"),
    }

    @property
    def biases(self) -> dict[Any, Any]:
        """The four, functions of the positions 0 .. T - 2."""
        late = partial(recency, slope=self.slope)
        return {"none": no_bias, "ramp": ramp, "wave": wave, "recency": late}

    @once
    def P(self, rng: Generator) -> Array:
        """One law for all positions."""
        return rng.dirichlet(np.ones(self.num_tokens))

    @once
    def z(self, rng: Generator) -> Array:
        """Logits of the query's row."""
        return rng.normal(size=self.num_tokens)

    @once
    def limit(self) -> Array:
        """c_n of Eq. (5), without a bias."""
        weights = self.P * np.exp(self.z)
        return weights / weights.sum()

    @once
    def lengths(self) -> np.ndarray:
        """Lengths of the sequences."""
        return 2 ** np.arange(6, self.log2_longest + 1)

    @once
    def errors(self, rng: Generator) -> dict[Any, list[Any]]:
        """Mean distance from the limit by bias and length."""
        found = {name: [] for name in self.biases}
        for T in self.lengths:
            tokens = rng.choice(self.num_tokens, (self.draws, T), p=self.P)
            for name, bias in self.biases.items():
                seen = attend_with_bias(self.z, tokens, bias(np.arange(float(T))))
                found[name].append(np.linalg.norm(seen - self.limit, axis=1).mean())
        return found

    @once
    def times(self) -> Array:
        """Moments of the flows, in units of 1 / gamma."""
        return np.r_[0, np.geomspace(1, 1e8, 50)]

    @once
    def classes(self) -> SequenceClasses:
        """Two classes of three distinct tokens and a common one."""
        return block_classes(np.full((2, 1), 0.8), [[1.0, 0.8, 0.5], [0.9, 0.7, 0.6]])

    @once
    def wins(self) -> tuple[Wins, Wins]:
        """The flow without a prior, and with one on the rarest token."""
        m, own = self.classes.query[0], self.classes.distinct_tokens(0)
        start = np.zeros((self.classes.vocab_size,) * 2)
        favor = start.copy()
        favor[m, own[2]] = 1.0  # a head start for the rarest token
        run = lambda Z: flow(self.classes, Z, self.times, leading_beta)
        return Wins(run(start), start, own[0], own[2]), Wins(run(favor), favor, own[2], own[0])

    proof = group()

    @step("symbolic")
    def recency_window(self) -> Facts:
        r"""with $r=e^{-s}$: $T_{\rm eff}=\frac{1+r}{1-r}\cdot\frac{1-r^T}{1+r^T}\to\coth(s/2)$"""
        r, s = sp.symbols("r s", positive=True)
        T = sp.symbols("T", integer=True, positive=True)
        weights, squares = (1 - r**T) / (1 - r), (1 - r ** (2 * T)) / (1 - r**2)  # geometric sums
        closed = (1 + r) / (1 - r) * (1 - r**T) / (1 + r**T)
        window = closed.subs(r**T, 0).subs(r, sp.exp(-s))  # r^T goes to 0
        return (weights**2 / squares, closed), (window, sp.coth(s / 2).rewrite(sp.exp))

    @step("symbolic", concludes=True)
    def weighted_law(self) -> Facts:
        r"""a bias on positions replaces $\mathbb P(l)$ by $\sum_tw_tP_t(l)$: the first position
        gives $w_1$ where it holds $l$, on average $w_1P_1(l)$, and each further one adds
        $w_tP_t(l)$; any laws and weights, by induction"""
        so_far, w_t, law_t = sp.symbols("S w P")  # mean of the positions before; weight, P_t(l)
        one_more = law_t * (so_far + w_t) + (1 - law_t) * so_far  # l stands there, or it does not
        return (one_more.subs(so_far, 0), w_t * law_t), (one_more, so_far + w_t * law_t)

    check = group()

    @claim("<=", 1e-12, "identity", "Section 7, positions")
    def places_are_no_prior(self) -> float:
        r"""a bias on positions is not one factor $e^{z_0}$: mean attention on the second of two
        tokens, two positions with laws $(\frac45,\frac15)$, $(\frac15,\frac45)$, bias $\ln3$ on the
        second, is $\sum_tw_tP_t=\frac{13}{20}$, and a common factor would leave $\frac12$;
        error, summed over the four sequences"""
        laws, every = np.array([[0.8, 0.2], [0.2, 0.8]]), np.array(list(product((0, 1), repeat=2)))
        seen = attend_with_bias(np.zeros(2), every, np.log([1.0, 3.0]))[:, 1]
        return abs(np.prod(laws[[0, 1], every], axis=1) @ seen - 13 / 20)

    @claim("in", [-0.56, -0.44], "rate", concludes=True, rtol=1e-3)
    def no_effect(self) -> float:
        r"""ramp and wave, one law: distance of $X^\top b_T$ from the unbiased limit (5), exponent
        of $T$, the further from $-\frac12$"""
        fits = [power_law(self.lengths, self.errors[name]) for name in ("ramp", "wave")]
        return furthest([fit.exponent for fit in fits], -0.5)

    @claim("in", [0.88, 1.12], "statistical", rtol=1e-3)
    def as_many_positions(self) -> float:
        r"""ramp and wave, one law: distance of $X^\top b_T$ from its limit over that without a
        bias, times $\sqrt{T_{\rm eff}/T}$, $T_{\rm eff}=1/\sum_tw_t^2$, mean over the lengths (4
        standard errors of 24 draws: 0.12)"""
        times = [np.arange(float(T)) for T in self.lengths]
        return np.mean(
            [
                np.array(self.errors[name])
                / self.errors["none"]
                * np.sqrt([effective_length(self.biases[name](t)) / len(t) for t in times])
                for name in ("ramp", "wave")
            ]
        )

    def drifting(self, T: int) -> Array:
        """Laws (T, tokens) that move linearly from P to its reverse."""
        late = np.linspace(0, 1, T)[:, None]
        return (1 - late) * self.P + late * self.P[::-1]

    prior = group()

    @claim("<=", 1e-6, "identity", concludes=True)
    def same_as_start(self) -> float:
        r"""the flow with the prior in the logits, $\mathbb P(l|n)\,e^{z_{0,l}}$ in place of
        $\mathbb P(l|n)$, from $Z(0)=0$, against the one from $Z(0)=z_0$: largest difference of the
        shares"""
        run, start, *_ = self.wins[1]
        weights = self.classes.conditional * np.exp(start[self.classes.query])
        weights /= weights.sum(axis=1, keepdims=True)
        heavier = replace(self.classes, conditional=weights)
        inside = flow(heavier, np.zeros_like(start), self.times, leading_beta)
        return np.abs(inside.F - run.F).max()

    @claim("<=", 1e-6, "identity", concludes=True)
    def winner(self) -> float:
        r"""without a prior the most frequent distinct token wins, with it the rarest: the lead $r$
        over the other, by $\mathbb P(l|n)\,e^{z_{0,l}}$ at first, grows as
        $\chi_l=e^{2(z_l-z_{0,l})}$ of the winner (largest relative error), and $r>0$,
        $\chi_l>1$"""
        m, off = self.classes.query[0], []
        for run, start, one, other in self.wins:
            weights = self.classes.conditional[0] * np.exp(start[m])
            first, growth = (weights[one] / weights[other]) ** 2 - 1, run.growth(m, one)
            lead = relative_gain(run.F[:, 0], one, other) / growth
            wins = growth[-1] > 1 and first > 0
            off.append(np.abs(lead / first - 1).max() if wins else np.nan)
        return np.max(off)

    without = group()

    @control("H1", "in", [-0.05, 0.05], kind="rate", atol=0.001)
    def recency(self) -> float:
        """recency bias: exponent of $T$ in the distance from the limit (no convergence)"""
        return power_law(self.lengths, self.errors["recency"]).exponent

    @once
    def strong(self, rng: Generator) -> Array:
        """A wild bias on the positions of the longest sequences."""
        return rng.normal(0, 1.5, self.longest)

    @property
    def longest(self) -> int:
        """The longest sequences."""
        return self.lengths[-1]

    @property
    def read(self) -> float:
        """How many positions the wild bias reads."""
        return effective_length(self.strong)

    @control("H2", "<=", 0.01, kind="limit", rtol=1e-2)
    def same_law(self, rng: Generator) -> float:
        r"""one law at each position, a strong random bias ($T=@{longest}$, $T_{\rm
        eff}=@{read:.0f}$): no prior (largest change of the attention)"""
        tokens = rng.choice(self.num_tokens, (self.draws, self.longest), p=self.P)
        blind = attend_with_bias(self.z, tokens, self.strong).mean(axis=0)
        return np.abs(blind - self.limit).max()

    def bias_gradient(self, laws: Array, batch: int, rng: Generator) -> Array:
        """Mean gradient of g times the attention direction with respect to the bias, by automatic
        differentiation.
        """
        tokens = torch.tensor(sample_by_position(laws, batch, rng))
        a = torch.tensor(wave(np.arange(float(len(laws)))), requires_grad=True)
        b = torch.softmax(torch.tensor(self.z)[tokens] + a, dim=1)
        attended = torch.zeros(batch, self.num_tokens, dtype=torch.float64)
        attended = attended.scatter_add(1, tokens, b)
        direction = attended / torch.linalg.vector_norm(attended, dim=1, keepdim=True)
        g = torch.tensor(self.P[::-1] - self.P)  # tells late tokens from early ones
        return torch.autograd.grad((direction @ g).mean(), a)[0].numpy()

    @claim("<=", 5, "statistical", concludes=True, rtol=1e-3, atol=0.1)
    def drifting_law(self, rng: Generator) -> float:
        r"""the drifting laws of `trained-bias`, $Z=0$, ramp: mean attention of 8000 sequences
        against $\sum_tw_tP_t$ (largest difference in standard errors)"""
        laws, bias = self.drifting(256), ramp(np.arange(256.0))
        tokens = sample_by_position(laws, 8_000, rng)
        seen = attend_with_bias(np.zeros(self.num_tokens), tokens, bias)
        off = seen.mean(axis=0) - weighted_law(laws, bias)
        return np.abs(off / seen.std(axis=0)).max() * np.sqrt(len(seen))

    @control("H3", "<", 0.2, kind="limit", rtol=1e-3)
    def trained_bias(self, rng: Generator) -> Array:
        """interchangeable tokens: the mean gradient of a position bias over that with drifting laws
        ($T=256$, twice 8000 sequences)"""
        sizes = []
        for laws in (np.tile(self.P, (256, 1)), self.drifting(256)):
            # of the product of two samples' gradients noise has mean 0
            one, other = (self.bias_gradient(laws, 8_000, rng) for _ in range(2))
            sizes.append(np.sqrt(abs(one @ other)))
        return sizes[0] / sizes[1]

    @finding("places-are-no-prior", "weighted-law")
    def two_readings(self) -> None:
        r"""$\exp(z_{ml}+z_0)=\exp(z_{ml})\exp(z_0)$ carries no index at $z_0$, and what it says
        depends on which it is: true for a bias of the token; for one of positions with
        $\sum_tw_t^2\to0$, $w_t$ the share of position $t$, $\mathbb P(l|n)$ becomes
        $\sum_tw_tP_t(l|n)$, which is
        $\mathbb P(l|n)$ itself where all positions have one law, as in the paper. A fixed slope
        $s$, as in the ALiBi that the section names, has $\sum_tw_t^2\to\tanh\frac s2$: attention
        keeps a window, and Lemma 2 has no limit."""
