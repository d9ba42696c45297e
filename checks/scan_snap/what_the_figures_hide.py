"""What the figures hide: what its rows measure.

The chapter: ``book/scan-snap/what_the_figures_hide.ipynb``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.random import Generator
from scipy import stats

from ledgerbook import Checks, Consequence, choice, claim, control, group, once, whole
from lib.arrays import Array, ArrayLike, Ids
from lib.measure import maximum, power_law, relative_error
from lib.scan_snap.attention_flow import leading_beta, xi
from lib.scan_snap.decoder_memory import memory, pull
from lib.scan_snap.engine.batches import Layout
from lib.scan_snap.engine.compiled import CompiledAscent
from lib.scan_snap.engine.optimizers import Momentum
from lib.scan_snap.engine.reference import gradients
from lib.scan_snap.engine.state import State
from lib.scan_snap.engine.train import Trajectory, train
from lib.scan_snap.phase_transition import gain_at
from lib.scan_snap.sequence_classes import SequenceClasses, limit_of_rows, syn_medium
from lib.scan_snap.sparsity import distinct_entropy

INFINITE = float("inf")
ENDLESS = dict(T=INFINITE, batch_size=INFINITE, momentum=0.0)
ETA_Z, RATIO = np.repeat([1.0, 3.0], 4), np.tile([1.0, 2.0, 5.0, 10.0], 2)  # the eight cells
MOMENTS = 0, 1, 2, 3, 5, 8, 12, 20, 30, 50, 70, 100, 200, 300, 1000, 3000, 10000
START = distinct_entropy(syn_medium(1).conditional, syn_medium(1))  # entropy of no training
VARIANTS: dict[str, dict[str, Any]] = {
    "momentum 0.9": {},
    "none": {"momentum": 0.0},
    "none, 10 x steps": {"momentum": 0.0, "steps": 1000},
    "none, 10 x rates": {"momentum": 0.0, "scale": 10.0},
}
QUERIES = 1, 3
MEMORY_Z, MEMORY_RATIO = np.array([1.0, 3.0, 1.0]), np.array([1.0, 1.0, 2.0])  # three cells
LATER = 10, 20, 30, 50, 100, 200, 300, 500, 750, 1000
RATES_Y, RATE_Z = np.array([0.5, 1.0, 2.0, 5.0, 10.0]), 0.01  # Theorem 4's own setting


def paths_of_attention(
    momentum: float, seed: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Z of the eight cells, one query, by step; where its velocity alone would lead; losses."""
    layout = Layout.of(syn_medium(1))
    draw = [np.random.default_rng([seed, stream]) for stream in range(2)]
    state = State.initial(layout, len(ETA_Z), "uniform", draw[0], torch.float64)
    rate_y, rate_z = (torch.as_tensor(r)[:, None, None] for r in (ETA_Z * RATIO, ETA_Z))
    up_y, up_z = Momentum(rate_y, momentum), Momentum(rate_z, momentum)
    path, ahead, losses = [state.Z.clone()], [state.Z.clone()], []
    for batch in layout.batches(100, 128, 128, draw[1]):
        grad_y, grad_z, loss = gradients(state, batch)
        up_y.step(state.Y, grad_y)
        up_z.step(state.Z, grad_z)
        losses.append(loss)
        path.append(state.Z.clone())
        ahead.append(state.Z + rate_z * up_z.velocity * momentum / (1 - momentum))
    return torch.stack(path), torch.stack(ahead), torch.stack(losses)


class Coasting(NamedTuple):
    """Per cell: the iteration at which 95 % of the loss is gone, the share of the entropy's fall
    that comes later, and the share of that which the velocity alone would bring.
    """

    when: np.ndarray
    after: np.ndarray
    alone: np.ndarray


def coast(momentum: float) -> Coasting:
    """``Coasting``, from entropies and iterations averaged over three seeds."""
    layout, found, times = Layout.of(syn_medium(1)), [], []
    for seed in range(3):
        path, ahead, losses = paths_of_attention(momentum, seed)
        gone = (losses < 0.05 * losses[0]).int().argmax(dim=0)
        cells = torch.arange(len(gone))
        z = torch.stack([path[0], path[gone, cells], ahead[gone, cells], path[-1]]).numpy()
        attention = limit_of_rows(layout.classes, z[..., layout.query_row, :])
        found.append(distinct_entropy(attention, layout.classes))
        times.append(gone.numpy())
    first, gone, velocity, last = np.mean(found, axis=0)
    return Coasting(
        np.mean(times, axis=0), (gone - last) / (first - last), (gone - velocity) / (gone - last)
    )


def learn(
    state: State, count: int, rng: Generator, attention: bool = True, at: tuple[int, ...] = ()
) -> list[Array]:
    """``count`` iterations from rest, with looks after those in ``at``; the three cells in turn.

    With ``attention=False`` only the decoder learns.
    """
    batches, looks = state.layout.batches(count, 128, 128, rng), []
    rates = (np.resize(r, len(state.Z)) for r in (MEMORY_Z * MEMORY_RATIO, MEMORY_Z * attention))
    ascent = CompiledAscent(state, *rates, 0.9)
    for start, end in pairwise(sorted({0, *at, count})):
        ascent.through(batches, end - start)
        if end in at:
            looks.append(look(state))
    return looks


def look(state: State) -> Array:
    """(3, cells): entropy of attention, entropy of the memory, their cosine, means over classes."""
    seen, classes = memory(state), state.layout.classes
    remembered = np.maximum(seen.remembered, 1e-12)
    entropies = [distinct_entropy(part, classes) for part in (seen.attention, remembered)]
    return np.array([*entropies, seen.cosine.mean(-1)])


def stories(seed: int) -> tuple[dict[str, Array], State]:
    """Looks at iteration 300 and after three interventions there, and the state at 300."""
    draw = lambda stream: np.random.default_rng([seed, stream])
    one = Layout.of(syn_medium(1))
    state = State.initial(one, 3, "uniform", draw(0), torch.float32)
    rng = draw(1)
    seen = {"at 300": learn(state, 300, rng, at=(300,))}
    again = state.copy()
    again.Y.zero_()
    learn(again, 30, rng, attention=False)
    decoders = {
        "left alone": state.Y,
        "decoder halved": state.Y / 2,
        "relearned, halved": again.Y / 2,
    }
    after = State(one, torch.cat(list(decoders.values())), state.Z.repeat(len(decoders), 1, 1))
    looks = np.array(learn(after, 1000, draw(2), at=LATER))  # the three on the same batches
    return seen | dict(zip(decoders, np.split(looks, len(decoders), axis=-1), strict=True)), state


def exact_gap(state: State) -> float:
    """Largest relative difference of ``pull``, of the same from the cosine, and of the loss from
    the memory's errors, and the engine's gradient and loss, no sampling.
    """
    there = State(state.layout, state.Y.double(), state.Z.double())
    batch = next(state.layout.batches(1, INFINITE, INFINITE, np.random.default_rng(0)))
    _, exact, loss = (part.numpy() for part in gradients(there, batch))
    seen, by_cosine = memory(there), np.zeros_like(exact)
    along = seen.cosine * np.linalg.norm(seen.remembered, axis=-1)
    off = seen.remembered - seen.normalized * along[..., None]
    for n, row in enumerate(state.layout.query_row):
        weight = state.layout.classes.prior[n] * seen.error[:, n, None]
        by_cosine[:, row] += weight * seen.normalized[:, n] * off[:, n]
    by_error = -np.log1p(-seen.error) @ state.layout.classes.prior
    pulls = (relative_error(one, exact) for one in (pull(there), by_cosine))
    return maximum([*pulls, relative_error(by_error, loss)])


@dataclass
class WhatTheFiguresHide(Checks):
    """Beyond the figures: momentum, batches, the cut-off and Theorem 4's setting."""

    seeds: int = whole(6, 5, 7)
    many: int = whole(40, 40, 45)
    long_steps: int = whole(3000, 3000, 10000)
    theory_steps: int = whole(3000, 3000, 4500)
    K: int = whole(10, 8, 11)
    dtype: str = choice("float64", ("float64", "float32"))

    tag = "scan-snap.what-the-figures-hide"
    hypotheses = {
        "H1": "SGD has momentum 0.9",
        "H2": "batches hold 128 sequences of 127 contextual tokens",
        "H3": "training stops after 100 iterations",
        "H4": "Theorem 4 describes the training of the figures",
        "H5": "the decoder was learned while attention was still dense",
    }
    consequences = (Consequence("E14", fails="size", holds="size-why"),)

    def entropies(self, queries: int, scale: float = 1.0, **changes: Any) -> Array:
        """Entropy on distinct tokens at the recorded times: (seeds, 8 cells, times)."""
        options = dict(steps=100, init="uniform", seeds=range(self.seeds)) | changes
        run = train(syn_medium(queries), scale * ETA_Z * RATIO, scale * ETA_Z, **options)
        return distinct_entropy(run.attention, run.layout.classes)

    @once
    def times(self) -> list[Any]:
        """Iterations of the long run."""
        return [t for t in MOMENTS if t <= self.long_steps]

    def course(self, queries: int, times: Sequence[int]) -> Array:
        """Mean entropies of two seeds: (8 cells, times)."""
        return self.entropies(queries, steps=times[-1], keep=times, seeds=range(2)).mean(axis=0)

    @once
    def late(self) -> Array:
        """The long run of one query."""
        return self.course(1, self.times)

    @once
    def ends(self) -> dict[Any, Any]:
        """Entropies at the end by variant and queries: (seeds, 8 cells)."""
        return {
            (name, queries): self.entropies(queries, **changes)[..., -1]
            for name, changes in VARIANTS.items()
            for queries in QUERIES
        }

    @once
    def coasts(self) -> Coasting:
        """``Coasting`` with momentum 0.9."""
        return coast(0.9)

    @claim(">", 0.5, "inequality", rtol=0.05)
    def after_learning(self) -> float:
        """with momentum most of the entropy's fall comes when the loss is gone: share after 95 % of
        the loss, smallest of eight cells, one query, means of three seeds"""
        return self.coasts.after.min()

    @claim(">", 1 / 3, "inequality", rtol=0.05)
    def coasting(self) -> float:
        """with momentum more than a third of the entropy's fall after 95 % of the loss the velocity
        alone would bring, with no gradient from then on: mean of eight cells, one query, three
        seeds"""
        return self.coasts.alone.mean()

    @once
    def since_300(self) -> Array:
        """Change of the mean entropies from iteration 300 to the end: (8 cells,)."""
        return self.late[:, -1] - self.late[:, self.times.index(300)]

    @claim("<", 0.005, "inequality", rtol=0.5)
    def freeze(self) -> float:
        """one query: cells with ratio 2 and more stay as they are: largest change of the mean
        entropy from iteration 300 to the end"""
        return np.abs(self.since_300[RATIO > 1]).max()

    @claim(">", 0, "sign", rtol=0.1)
    def dense_again(self) -> float:
        """one query: cells with ratio 1 become denser again: smallest rise of the mean entropy from
        iteration 300 to the end"""
        return self.since_300[RATIO == 1].min()

    @once
    def told(self) -> list[Any]:
        """``stories`` of two seeds."""
        return [stories(seed) for seed in range(2)]

    @once
    def courses(self) -> dict[Any, Any]:
        """Their looks, means over the seeds, by name: (looks, 3, cells)."""
        names = self.told[0][0]
        return {name: np.mean([seen[name] for seen, _ in self.told], axis=0) for name in names}

    def at_end(self, name: str) -> Array:
        """The last of the looks: (3, cells)."""
        return self.courses[name][-1]

    def rise(self, name: str) -> Array:
        """By how much attention's entropy has risen since iteration 300: (cells,)."""
        return self.at_end(name)[0] - self.at_end("at 300")[0]

    @claim("<", 1e-8, "identity", rtol=9)
    def pull(self) -> float:
        r"""the gradient of attention's logits is $p_n\varepsilon_n f\circ(m-f\,f\cdot m)$, no
        sampling, also with $f\cdot m=\lVert m\rVert\cos(f,m)$, and the loss
        $-\sum_np_n\ln(1-\varepsilon_n)$: largest relative difference"""
        return maximum(exact_gap(state) for _, state in self.told)

    @claim(">", 0, "sign", rtol=0.1)
    def memory_dense(self) -> float:
        """what the decoder remembers at iteration 300 is denser than attention: smallest difference
        in entropy, three cells"""
        attention, remembered, _ = self.at_end("at 300")
        return (remembered - attention).min()

    @claim(">", 0, "sign", rtol=0.2)
    def memory_pulls(self) -> float:
        """at ratio 1 attention turns towards what the decoder remembers from iteration 300 on:
        smallest rise of the cosine in 1000 iterations"""
        return (self.at_end("left alone")[2] - self.at_end("at 300")[2])[MEMORY_RATIO == 1].min()

    @once
    def table(self) -> SequenceClasses:
        """One query, K classes, one common token: Theorem 4's setting."""
        return syn_medium(1, self.K, num_common=1)

    @once
    def M(self) -> int:
        """The vocabulary."""
        return self.table.vocab_size

    @once
    def top(self) -> int:
        """The most frequent distinct token of class 0."""
        return self.table.distinct_tokens(0)[-1]

    @once
    def moments(self) -> np.ndarray:
        """The steps at which B is measured."""
        return np.unique(np.r_[0, np.geomspace(1, self.theory_steps, 120).astype(int)])

    def endless(self, rates_y: ArrayLike, keep: Sequence[int] | Ids) -> Trajectory:
        """Training without sampling and momentum, one common token."""
        options = dict(steps=int(keep[-1]), keep=keep, dtype=self.dtype) | ENDLESS
        return train(self.table, rates_y, RATE_Z, **options)

    @once
    def flow(self) -> Trajectory:
        """The run in which B is measured."""
        return self.endless(RATES_Y, self.moments)

    @once
    def measured(self) -> np.ndarray:
        """B of class 0, the sum of dz/f^2 along its most frequent token: (rates, moments)."""
        attention, z = self.flow.attention[0, :, :, 0], self.flow.z[0, :, :, 0, self.top]
        f = attention[..., self.top] / np.linalg.norm(attention, axis=-1)
        parts = np.diff(z, axis=1) / (0.5 * (f[:, 1:] ** 2 + f[:, :-1] ** 2))
        return np.pad(np.cumsum(parts, axis=1), ((0, 0), (1, 0)))

    @once
    def F(self) -> Array:
        """Normalized attention before training."""
        return self.table.conditional / np.linalg.norm(self.table.conditional, axis=1)[:, None]

    def theorem_4(self, times: Sequence[int] | Ids, eta_y: float) -> Array:
        """B by Theorem 4, constant and clock corrected."""
        c0 = 1 / xi(self.F, leading_beta(self.F))[0]
        return gain_at(times, self.M, self.K, eta_y, RATE_Z / self.K, c0)

    @once
    def predicted(self) -> np.ndarray:
        """B by Theorem 4 along the run: (rates, moments)."""
        return np.array([self.theorem_4(self.moments, eta_y) for eta_y in RATES_Y])

    @once
    def share(self) -> Array:
        """Measured over predicted, from the first step on."""
        return self.measured[:, 1:] / self.predicted[:, 1:]

    @once
    def onsets(self) -> Array:
        """K ln M / eta_Y for each rate."""
        return self.K * np.log(self.M) / RATES_Y

    @once
    def peaks(self) -> Array:
        """The moments at which attention leaves the common token fastest."""
        common = self.flow.z[0, :, :, 0, self.table.common_tokens[0]]
        speed = -np.diff(common, axis=1) / np.diff(self.moments)
        middle = np.sqrt(self.moments[1:] * np.maximum(self.moments[:-1], 0.5))
        return middle[speed.argmax(axis=1)]

    @once
    def plain_share(self) -> float:
        """-q_0/E': beta of plain ascent over that of (26), at the start."""
        return self.M / (self.M - 1) ** 2 / leading_beta(self.F)[0, 1]

    @once
    def onset_share(self) -> float:
        """Measured over predicted B of step 2; the first cannot move: t (t - 1), not t^2."""
        z = self.endless(0.01, [1, 2]).z[0, 0, :, 0, self.top]
        moved = np.diff(z)[0] / self.F[0, self.top] ** 2
        return 2 * moved / self.theorem_4([2], 0.01)[0]

    @claim("in", [-1.1, -0.9], "rate", "(14), t_0", as_printed=True, rtol=0.02)
    def clock(self) -> float:
        r"""$K=@{K}$: the moment at which attention moves fastest scales as $\eta_Y^{-1}$:
        exponent"""
        return power_law(RATES_Y, self.peaks).exponent

    @claim("<", 2, "limit", "(14), t_0", as_printed=True, rtol=0.05)
    def clock_size(self) -> float:
        r"""$K=@{K}$: the moment at which attention moves fastest lies within a factor 2 of
        $K\ln M/\eta_Y$: largest factor"""
        return np.exp(np.abs(np.log(self.peaks / self.onsets)).max())

    def plain_ends(self) -> list[Any]:
        """Entropies of plain SGD after 1000 steps, means over seeds: (rates, ratios) by queries."""
        return [self.ends["none, 10 x steps", q].mean(axis=0).reshape(2, 4) for q in QUERIES]

    @claim("==", True, "sign", "(133) (a)", as_printed=True)
    def order_rate(self) -> bool:
        r"""plain SGD, 1000 steps: sparser with the larger $\eta_Z$ at every ratio, one and three
        queries"""
        return all(bool((faster < slower).all()) for slower, faster in self.plain_ends())

    @claim("==", True, "sign", "(133) (b)", as_printed=True)
    def order_ratio(self) -> bool:
        r"""plain SGD, 1000 steps, $\eta_Z=1$: denser at every step of the ratio"""
        return all(bool((np.diff(slower) > 0).all()) for slower, _ in self.plain_ends())

    @claim("<", 1.5, "limit", "(14), $B_n$", as_printed=True, rtol=0.02)
    def size(self) -> float:
        """$K=@{K}$: Theorem 4's $B_n$ (constant and clock corrected) over the measured one after
        step 200: largest over rates and times"""
        return (1 / self.share[:, self.moments[1:] > 200]).max()

    @claim("in", [0.999, 1.001], "limit", rtol=1e-4)
    def size_why(self) -> float:
        r"""at the start the measured share is $-q_0/E'_{nn'}$, what plain ascent has over what (26)
        has: ratio of the two"""
        return self.onset_share / self.plain_share

    without = group()

    def fall(self, name: str, queries: int) -> Array:
        """The entropy's mean fall: (8 cells,)."""
        return START - self.ends[name, queries].mean(axis=0)

    def left_over(self, name: str) -> np.floating:
        """The share of the entropy's fall with momentum that a variant has, mean of 16 cells."""
        shares = [self.fall(name, q) / self.fall("momentum 0.9", q) for q in QUERIES]
        return np.mean(shares)

    @control("H1", "<", 0.5, rtol=0.05)
    def no_momentum(self) -> np.floating:
        """less than half of the entropy's fall is left without momentum, mean of 16 cells"""
        return self.left_over("none")

    def wild(self, **changes: Any) -> Array:
        """Entropies of the cell with the largest rates, one query: (many,)."""
        options = dict(steps=100, init="uniform", seeds=range(self.many)) | changes
        run = train(syn_medium(1), 30.0, 3.0, **options)
        return distinct_entropy(run.attention, run.layout.classes)[:, 0, -1]

    @once
    def cell(self) -> dict[Any, Any]:
        """The same by what is sampled."""
        return {
            "as in Figure 6": self.wild(),
            "endless sequences": self.wild(T=INFINITE),
            "batches of 2048, endless": self.wild(T=INFINITE, batch_size=2048),
            "no sampling": self.wild(T=INFINITE, batch_size=INFINITE),
            "no momentum": self.wild(momentum=0.0),
        }

    @control("H2", "<=", 0.001, kind="statistical", rtol=0.9)
    def wild_sampled(self) -> float:
        """largest rates, one query: the ends of the seeds scatter more than without sampling
        (p-value of Fligner and Killeen's test of equal spread)"""
        sampled, exact = self.cell["as in Figure 6"], self.cell["no sampling"]
        return stats.fligner(sampled, exact).pvalue if np.std(sampled) > np.std(exact) else 1.0

    @control("H2", "<", -0.3, rtol=0.1)
    def wild_tilted(self) -> float:
        """the more unbalanced the *first* batch, the lower the end: rank correlation of tilt and
        entropy"""
        streams = (np.random.default_rng([seed, 1]) for seed in range(self.many))  # the engine's
        tilts = [abs(rng.multinomial(128, [0.5, 0.5])[0] - 64) / 64 for rng in streams]
        return stats.spearmanr(tilts, self.cell["as in Figure 6"]).statistic

    @control("H3", ">", 0, rtol=0.2)
    def cut_off(self) -> float:
        r"""the order of ratios 1 and 2 turns around after iteration 100 ($\eta_Z=1$): entropy at
        ratio 1 minus ratio 2, mean of two seeds, at the end, where it was below it at iteration
        100"""
        lead = self.late[0] - self.late[1]
        return lead[-1] if lead[self.times.index(100)] < 0 else np.nan

    @control("H5", "<", 0, atol=0.01)
    def memory_rewritten(self) -> float:
        """with a decoder relearned under the sparse attention, halved likewise, none of the three
        cells becomes denser in 1000 iterations: largest rise of the entropy"""
        return self.rise("relearned, halved").max()

    @claim(">", 0, "inequality", rtol=0.1)
    def memory_kept(self) -> float:
        """with the decoder of iteration 300, halved, each of the three cells becomes denser, the
        frozen one (ratio 2) too: smallest rise of the entropy in 1000 iterations"""
        return self.rise("decoder halved").min()

    @control("H4", ">", 1, rtol=0.05)
    def sampled_training(self) -> float:
        r"""in the figures' own cell $\eta_Z=1$, ratio 10, one query, momentum multiplies the
        entropy's fall after 100 iterations: with over without"""
        return self.fall("momentum 0.9", 1)[3] / self.fall("none", 1)[3]
