"""Assumption 1: what its rows measure.  The chapter: ``book/scan-snap/assumption_01.ipynb``."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import Generator
from scipy.special import softmax

from ledgerbook import Checks, choice, claim, control, group, once, real, seed, whole
from lib.arrays import Array, Ids
from lib.measure import furthest, maximum, power_law
from lib.scan_snap.attention_flow import row_velocity
from lib.scan_snap.decoder import stages
from lib.scan_snap.engine.train import train
from lib.scan_snap.equal_overlaps import equal_overlap_rounds
from lib.scan_snap.mean_ascent import MeanAscent, mean_ascent
from lib.scan_snap.sequence_classes import normalized_attention, syn_small, token_counts
from lib.scan_snap.yz_transformer import attend, gradients, layer_norm, sequence_gradients

CLASSES = syn_small()
K, M = CLASSES.num_classes, CLASSES.vocab_size
NOTHING = np.zeros((M, M))
F0 = normalized_attention(CLASSES, NOTHING)
SHARED = float(F0[0] @ F0[1])
CHANCE = CLASSES.conditional[0]  # of the tokens of class 0
OFF_F = np.eye(M) - np.outer(F0[0], F0[0])  # the projector off its f
LENGTHS = np.array([17, 33, 65, 128, 257, 513, 1025, 2049, 4097])
PAPER = 3  # the place of the paper's T = 128
RATIOS = np.array([0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 1e5])  # the last: F stands still
SMALL = slice(4, 9)  # ratios 10 to 1000, where F moves little


class Orders(NamedTuple):
    """Sequences, and the same with their tokens shuffled; ``query``, ``label``: (B,)."""

    tokens: np.ndarray
    shuffled: np.ndarray
    query: torch.Tensor
    label: torch.Tensor


def share_moved(moved: Array, reference: Array) -> Array:
    """Norm of what matrices (..., M, M) have moved from a reference, over the reference's."""
    return np.linalg.norm(moved - reference, axis=(-2, -1)) / np.linalg.norm(reference)


def biased_attention(tokens: Ids, slope: float) -> Array:
    """LN(X^T b) at Z = 0 with a logit of -slope per position of distance."""
    logits = -slope * np.arange(tokens.shape[1])[::-1]
    mass = np.zeros((len(tokens), M))
    np.add.at(mass, (np.arange(len(tokens))[:, None], tokens), np.exp(logits)[None])
    return mass / np.linalg.norm(mass, axis=1, keepdims=True)


def spread_of(f: Array) -> Array:
    """Covariance, off f, of what one token of class 0 adds to sqrt(T-1) LN(X^T b): (M, M)."""
    off_f = np.eye(M) - np.outer(f, f)
    return off_f @ np.diag(np.divide(f**2, CHANCE, out=np.zeros(M), where=CHANCE > 0)) @ off_f


def blur_of(covariance: Array, sequences: int) -> float:
    """Relative standard error of a root mean square of so many Gaussians of this covariance."""
    return np.sqrt((covariance**2).sum() / (2 * sequences)) / np.trace(covariance)


def band(slack: float) -> list[float]:
    """From 1 - slack to 1 + slack."""
    return [round(float(1 - slack), 4), round(float(1 + slack), 4)]


@dataclass
class Assumption01(Checks):
    """Assumption 1: which data and rates satisfy it, and whether training preserves it."""

    eta_y: float = real(0.2, 0.05, 1)
    sequences: int = whole(2000, 500, 4000)
    bias_slope: float = real(0.05, 0.01, 1)
    seed: int = seed()
    dtype: str = choice("float64", ("float64", "float32"))

    tag = "scan-snap.assumption-01"
    hypotheses = {
        "H1": "(a) there is no positional encoding",
        "H2": "(b) the sequence is infinitely long, $T\\to\\infty$",
        "H3": "(c) the decoder is much faster than attention, $\\eta_Y\\gg\\eta_Z$",
    }

    rates = group()

    @once
    def Z_trained(self) -> Array:
        """Z after 100 steps of SGD."""
        trained = train(CLASSES, 1.0, 1.0, steps=100, seeds=(self.seed,), dtype=self.dtype)
        Z = NOTHING.copy()
        Z[trained.layout.queries] = trained.z[0, 0, 0]
        return Z

    def scatter(self, Z: Array, T: int, rng: Generator) -> float:
        """Root mean square distance of LN(X^T b_T) from f over sampled sequences of class 0."""
        chosen = np.zeros(self.sequences, dtype=int)
        counts = CLASSES.sample_counts(self.sequences, T, rng, chosen).counts
        rows = torch.as_tensor(Z[CLASSES.query[0]]).expand(self.sequences, -1)
        seen = layer_norm(attend(rows, torch.as_tensor(counts, dtype=torch.float64))).numpy()
        spread = seen - normalized_attention(CLASSES, Z)[0]
        return float(np.sqrt((spread**2).sum(axis=1).mean()))

    @once
    def noise(self, rng: Generator) -> dict[Any, Any]:
        """Scatter at each of the lengths, at the start and after training."""
        at = {"start": NOTHING, "trained": self.Z_trained}
        return {
            name: np.array([self.scatter(Z, T, rng) for T in LENGTHS]) for name, Z in at.items()
        }

    @once
    def moments(self) -> list[Any]:
        """Steps t_0', t_0 and 10 t_0."""
        scanning_until, snapping_from = stages(M, self.eta_y, K)
        return [int(scanning_until), int(snapping_from), 10 * int(snapping_from)]

    @once
    def population(self) -> MeanAscent:
        """Joint training at the moments, all ratios."""
        return mean_ascent(CLASSES, self.eta_y, self.eta_y / RATIOS, self.moments)

    @once
    def drift(self) -> Array:
        """Share by which F has moved, (moments, ratios)."""
        moved = [[normalized_attention(CLASSES, z) for z in Z] for Z in self.population.Z]
        return share_moved(np.array(moved), F0)

    @once
    def off(self) -> np.ndarray:
        """Share by which Y is off that of the last ratio, (moments, ratios)."""
        return np.array([share_moved(Y, Y[-1]) for Y in self.population.Y])

    @once
    def thresholds(self) -> np.ndarray:
        """Ratios from which on F moves by less than 1 % until the moments."""
        at = lambda row: np.interp(np.log(0.01), np.log(row[::-1]), np.log(RATIOS[::-1]))
        return np.exp([at(row) for row in self.drift])

    @claim("in", [-0.53, -0.47], "rate", rtol=1e-3)
    def noise_rate(self) -> float:
        """(b): the scatter around $f_n$ falls as $T^{-1/2}$ from $T=65$ to 4097 (exponent)"""
        return power_law(LENGTHS[2:], self.noise["start"][2:]).exponent

    @once
    def covariance(self) -> Array:
        """Of one token's count, off f."""
        return OFF_F @ np.diag(CHANCE) @ OFF_F

    @once
    def needed(self) -> int:
        """The length at which sequences scatter by 1 %."""
        return int(np.trace(self.covariance) / (CHANCE @ CHANCE) / 0.01**2)

    @claim(
        "in",
        lambda self: band(4 * blur_of(self.covariance, self.sequences)),
        "statistical",
        rtol=1e-3,
    )
    def length_for_one_percent(self, rng: Generator) -> float:
        r"""(b): by the counts' covariance 1 % asks for
        $T=(1-\sum_lc_lf_l^2)\,(0.01\,\|c\|)^{-2}$, @{needed:.2g}: the scatter of sequences drawn
        there over 1 %, within four standard errors"""
        return self.scatter(NOTHING, self.needed, rng) / 0.01

    met = group()

    def decoder_pull(self, step: int) -> tuple[Array, float]:
        """At fixed F, by the decoder's three numbers: its error at a class, and what that pulls
        along the other f, off its own.
        """
        a, b, c = equal_overlap_rounds(step, 2, M, SHARED, self.eta_y / 2)  # a step: half a round
        scores = np.r_[a, b, np.full(M - 2, c)]
        error = np.eye(M)[0] - softmax(scores)
        return error, (np.r_[b, a, scores[2:]] - SHARED * scores) @ error

    @once
    def first_order(self) -> float:
        """Share by which F moves until t_0, times eta_Y / eta_Z, to first order."""
        pulls = sum(self.decoder_pull(step)[1] for step in range(self.moments[1]))
        turn = F0[0] * row_velocity(F0[0], F0[1])  # of f, from that of z
        aside = float(np.linalg.norm(turn - F0[0] * (F0[0] @ turn)))
        return self.eta_y / 2 * abs(pulls) / (1 - SHARED**2) * aside

    @once
    def least_ratio(self) -> float:
        """From which on that is 1 %."""
        return self.first_order / 0.01

    @once
    def orders(self, rng: Generator) -> Orders:
        """Four sequences of forty tokens, in order and shuffled."""
        drawn = CLASSES.sample(4, 40, rng)
        which = torch.as_tensor(drawn.query), torch.as_tensor(drawn.next_token)
        return Orders(drawn.tokens, rng.permuted(drawn.tokens, axis=1), *which)

    @claim(
        "<=",
        1e-13,
        "identity",
        subject="training without positions (all of the paper's synthetic data)",
        met=True,
    )
    def counts(self, rng: Generator) -> float:
        """(a): the gradients from token counts are those from the sequence, in order and
        shuffled"""
        tokens, shuffled, *which = self.orders
        Y, Z = (torch.as_tensor(rng.normal(size=(M, M)) / np.sqrt(M)) for _ in range(2))
        in_order = sequence_gradients(Y, Z, torch.as_tensor(tokens), *which)
        others = (
            sequence_gradients(Y, Z, torch.as_tensor(shuffled), *which),
            gradients(Y, Z, torch.as_tensor(token_counts(tokens, M)), *which),
        )
        return maximum(
            float((a - b).abs().max())
            for other in others
            for a, b in zip(in_order, other, strict=True)
        )

    @claim(
        "<=",
        0.01,
        "inequality",
        subject="sequences of $T=128$ (Figures 4 to 6, 11, 12)",
        met=False,
        rtol=1e-3,
        witness="the scatter is so many times the one that would meet the assumption that a slip in"
        " a formula does not bring it there",
    )
    def meets_length(self) -> float:
        """(b) to within 1 %: the scatter of a sequence around $f_n$"""
        return self.noise["start"][PAPER]

    def moved_at(self, ratio: int) -> float:
        """Share by which F has moved at t_0."""
        return self.drift[1, list(RATIOS).index(ratio)]

    @claim(
        "<=",
        0.01,
        "inequality",
        subject=r"the ratio $\eta_Y/\eta_Z=1$ (the paper's are 1 to 10)",
        met=False,
        rtol=1e-5,
        witness="$F$ has moved so many times as far as would meet the assumption that a slip in a"
        " formula does not bring it there",
    )
    def meets_ratio_1(self) -> float:
        """(c) to within 1 %: the share by which $F$ has moved at $t_0$"""
        return self.moved_at(1)

    @claim(
        "<=",
        0.01,
        "inequality",
        subject=r"the ratio $\eta_Y/\eta_Z=10$ (the paper's are 1 to 10)",
        met=False,
        rtol=1e-5,
    )
    def meets_ratio_10(self) -> float:
        """(c) to within 1 %: the share by which $F$ has moved at $t_0$"""
        return self.moved_at(10)

    @claim(
        "in",
        [0.999, 1.001],
        "limit",
        subject=r"ratios $\eta_Y/\eta_Z$ above @{least_ratio:.0f}",
        met=True,
    )
    def meets_ratio(self) -> float:
        r"""(c) to within 1 %: the share by which $F$ has moved at $t_0$ over @{first_order:.4f}
        $\eta_Z/\eta_Y$, what the decoder's three numbers say to first order; the largest at ratios
        from 10 to 1000"""
        return (self.drift[1, SMALL] * RATIOS[SMALL]).max() / self.first_order

    kept = group()

    @once
    def fixed_speed(self) -> Array:
        """|dZ| / eta_Z over |dY| / eta_Y at the moments, F still where it was."""
        return self.population.speed[:, -1]

    @once
    def grown(self) -> float:
        """How it grows from t_0' to 10 t_0."""
        return self.fixed_speed[2] / self.fixed_speed[0]

    def speed_by_numbers(self, step: int) -> float:
        """The same at fixed F, up to a constant, from the decoder's three numbers."""
        error, moves = self.decoder_pull(step)
        other = np.r_[error[1], error[0], error[2:]]  # of the other class, by symmetry
        return abs(moves) / np.sqrt(error @ error + SHARED * error @ other)

    @claim("in", [0.999, 1.001], "limit")
    def speed_grows(self) -> float:
        r"""(c) erodes: from $t_0'$ to $10\,t_0$ attention's speed relative to the decoder's grows
        @{grown:.1f}-fold, over what the decoder's three numbers say at fixed $F$"""
        early, _, late = map(self.speed_by_numbers, self.moments)
        return self.grown / (late / early)

    @once
    def spreads(self) -> list[Any]:
        """Covariances of a token's share at the start and after training."""
        return [spread_of(normalized_attention(CLASSES, Z)[0]) for Z in (NOTHING, self.Z_trained)]

    @once
    def less(self) -> float:
        """How far sequences scatter after training, by the covariances."""
        before, after = map(np.trace, self.spreads)
        return float(np.sqrt(after / before))

    @claim(
        "in",
        lambda self: band(4 * np.hypot(*(blur_of(s, self.sequences) for s in self.spreads))),  # type: ignore[call-overload]
        "statistical",
        rtol=1e-3,
    )
    def scatter_trained(self) -> float:
        r"""(b) is kept: after 100 steps sequences scatter @{less:.2f} times as far as at the start
        by the covariance $\sum_l\frac{f_l^2}{\mathbb P(l)}(1-f_l^2)$; measured at $T=4097$ over
        this, within four standard errors"""
        return self.noise["trained"][-1] / self.noise["start"][-1] / self.less

    @once
    def per_move(self) -> float:
        """Rise of the largest growth factor over F's share moved, by (10) at the start."""
        rise = -row_velocity(F0[0], F0[1])  # where (10) takes z at the start, and with it f
        return 2 * rise.max() / np.linalg.norm(F0[0] * rise - F0[0] * (F0[0] @ (F0[0] * rise)))

    @claim("in", [0.997, 1.003], "limit")
    def nothing_snaps(self) -> float:
        """while $F$ moves by 1 % the largest growth factor $e^{2z}$ rises by @{per_move:.2f} %, by
        (10) at the start: its rise until $t_0$ per move of $F$, over this, ratios 100 to 1000,
        furthest from 1"""
        growth = np.expm1(2 * self.population.Z[1].max(axis=(1, 2)))  # at t_0, by ratio
        return furthest(growth[6:9] / self.drift[1, 6:9] / self.per_move, 1)

    dropped = group()

    @control("H1", ">", 0.1)
    def positions(self) -> float:
        """with a positional logit, shuffling moves the attended vector by"""
        tokens, shuffled = self.orders.tokens, self.orders.shuffled
        seen, moved = (biased_attention(ids, self.bias_slope) for ids in (tokens, shuffled))
        return np.linalg.norm(seen - moved, axis=1).max()

    @control(
        "H2",
        ">",
        0.5,
        rtol=1e-3,
        witness="the attended vector is off by most of its length, and a slip in a formula leaves"
        " it far off",
    )
    def short(self) -> float:
        """at $T=17$ the attended vector is off $f_n$ by"""
        return self.noise["start"][0]

    @control("H3", ">", 0.05, rtol=1e-5)
    def fast_attention(self) -> float:
        r"""at $\eta_Y/\eta_Z=0.1$ the frozen-attention decoder is off at $t_0$ by"""
        return self.off[1, 0]
