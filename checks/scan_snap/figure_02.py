"""Figure 2: what its rows measure.  The chapter: ``book/scan-snap/figure_02.ipynb``."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.random import Generator

from ledgerbook import Checks, Consequence, claim, control, group, once, real, seed, whole
from lib.arrays import Array
from lib.scan_snap.decoder import snap_time
from lib.scan_snap.engine.train import train
from lib.scan_snap.four_classes import VOCABULARY, four_classes
from lib.scan_snap.joint_ascent import joint_ascent
from lib.scan_snap.sequence_classes import limiting_attention, token_counts
from lib.scan_snap.yz_transformer import attend

CLASSES = four_classes()
K, M = CLASSES.num_classes, VOCABULARY
SNAP = 2  # the panel at t_0, of start, scan, winners and snap


def distinct(rows: Array) -> Array:
    """What a class's own words have of rows (..., K, M): (..., K, 2)."""
    own = [CLASSES.distinct_tokens(n) for n in range(K)]
    return np.stack([rows[..., n, ids] for n, ids in enumerate(own)], axis=-2)


@dataclass
class Figure02(Checks):
    """Figure 2: start, scan, winners, snap."""

    eta_y: float = real(1.0, 0.5, 2)
    eta_z: float = real(
        1.0,
        lambda self: self.eta_y / 2,
        lambda self: 2 * self.eta_y,
        holds=(lambda self: self.eta_y, lambda self: 2 * self.eta_y),
    )
    vocabulary: int = whole(300, 120, 1000)
    seeds: int = whole(5, 2, 20)
    seed: int = seed()

    tag = "scan-snap.figure-02"
    hypotheses = {
        "H1": "attention starts at zero, $Z(0)=0$",
        "H2": "sequences are endless and each class has its exact share",
        "H3": "training is plain gradient ascent of both matrices, (3)",
    }
    consequences = (Consequence("E14", fails="snap-frozen", holds="snap-frozen-modified"),)

    def turn(self, vocabulary: int = M) -> float:
        """t_0 of Theorem 4, in steps."""
        return snap_time(vocabulary, K, self.eta_y)

    @once
    def panels(self) -> np.ndarray:
        """The steps of the four panels: the start, half of t_0, t_0 and a hundred t_0."""
        snap = round(self.turn())
        return np.array([0, snap // 2, snap, 100 * snap])

    @once
    def growing(self) -> np.ndarray:
        """Steps up to the last panel, evenly in their logarithm."""
        return np.unique(np.round(np.geomspace(1, self.panels[-1], 40)).astype(int))

    @once
    def steps(self) -> list[Any]:
        """All steps at which attention is kept."""
        return sorted({*self.growing.tolist(), *self.panels.tolist(), 2, 3, 4})

    @once
    def at(self) -> list[Any]:
        """The places of the panels among them."""
        return [self.steps.index(step) for step in self.panels]

    def ascent(self, keep: list[int], decoder: str = "gradient") -> Array:
        """Z after each of some steps: (len(keep), M, M)."""
        return joint_ascent(CLASSES, self.eta_y, self.eta_z, keep, decoder).Z

    @once
    def attention(self) -> np.ndarray:
        """Attention along the run: (steps, K, M)."""
        return np.array([limiting_attention(CLASSES, Z) for Z in self.ascent(self.steps)])

    @once
    def lead(self) -> Array:
        """*strum*'s attention over *chord*'s: (steps,)."""
        return self.attention[:, 0, 1] / self.attention[:, 0, 2]

    to_winners = group()

    @once
    def spread(self) -> float:
        """The largest standard error of a word's mean share, in a K-th part of 64 sequences."""
        shares = CLASSES.conditional
        return np.sqrt((shares * (1 - shares)).max() / (4095 * 64 / K))

    @claim("<=", 4.0, "statistical", "Figure 2(a)", as_printed=True, rtol=1e-6)
    def start(self, rng: Generator) -> float:
        r"""(a) untrained attention over 64 sequences of 4095 words against $\mathbb P(l\mid n)$:
        largest difference of a class's mean, in standard errors of a mean of 16 sequences"""
        drawn = CLASSES.sample(64, 4096, rng)
        counts = torch.as_tensor(token_counts(drawn.tokens, M), dtype=torch.float64)
        untrained = attend(torch.zeros_like(counts), counts).numpy()
        answers = CLASSES.next_token
        means = np.array([untrained[drawn.next_token == n].mean(axis=0) for n in answers])
        return float(np.abs(means - CLASSES.conditional).max() / self.spread)

    @once
    def moves(self) -> Array:
        """What each step adds to the classes' query rows, from the second one on: (steps, K, M)."""
        every = self.ascent(list(range(1, self.panels[SNAP] + 200)))
        return np.diff(every, axis=0)[:, CLASSES.query]

    @claim("<", 0, "sign", "Figure 2(b)", as_printed=True, rtol=1e-3)
    def scan_common_falls(self) -> float:
        """(b) the shared word's logit falls at each of the first steps after the decoder has moved:
        largest change of a step"""
        return float(self.moves[:, :, 0].max())

    @claim(">", 0, "sign", rtol=1e-3)
    def scan_distinct_rise(self) -> float:
        """(b) the eight words of one class alone rise at each of the first steps after the decoder
        has moved: smallest change"""
        return float(distinct(self.moves).min())

    @claim(">", 1, "inequality", "Figure 2(c)", as_printed=True, rtol=1e-3)
    def winners_lead(self) -> float:
        """(c) *strum*'s attention over *chord*'s: at $t_0$ over the start"""
        return float(self.lead[self.at[SNAP]] / self.lead[0])

    @claim(">", 0.02, "inequality", rtol=1e-3)
    def winners_nobody_loses(self) -> float:
        r"""(c) the smallest gain of attention among the eight words of one class, start to
        $100\,t_0$"""
        return float(distinct(self.attention[-1] - self.attention[0]).min())

    @claim("<", 1, "inequality", rtol=1e-3)
    def winners_lead_sinks(self) -> float:
        r"""(c) *strum*'s attention over *chord*'s: at $100\,t_0$ over its largest"""
        return float(self.lead[-1] / self.lead.max())

    snap = group()

    def late_share(self, vocabulary: int, decoder: str) -> float:
        """Share of the way to 100 t_0 that comes after t_0, with more silent words."""
        wide, turn = four_classes(vocabulary=vocabulary), self.turn
        keep = [0, round(turn(vocabulary)), 100 * round(turn(vocabulary))]
        path = joint_ascent(wide, self.eta_y, self.eta_z, keep, decoder).Z
        rows = [limiting_attention(wide, Z)[0] for Z in path]
        way = [0.5 * np.abs(row - rows[0]).sum() for row in rows]
        return float(1 - way[1] / way[2])

    @once
    def shares(self) -> dict[Any, Any]:
        """The same by size and decoder."""
        sizes, decoders = (M, self.vocabulary), ("gradient", "modified")
        return {(size, name): self.late_share(size, name) for size in sizes for name in decoders}

    @claim("==", 0, "reproduction", "Figure 2(d)")
    def snap_order(self) -> int:
        r"""(d) moments from $t_0$ to $100\,t_0$ at which the words of *guitar* stand in another
        order"""
        order = np.argsort(self.attention[:, 0, :3], axis=1)
        return int((order[self.at[SNAP] :] != order[-1]).any(axis=1).sum())

    @claim("<=", 0.1, "reproduction", "Figure 2(d)", as_printed=True, rtol=1e-3)
    def snap_frozen(self) -> float:
        r"""(d) share of the way to $100\,t_0$ that comes after $t_0$, running example, training by
        (3)"""
        return self.shares[M, "gradient"]

    @claim("<=", 0.1, "reproduction", rtol=1e-3)
    def snap_frozen_modified(self) -> float:
        r"""(d) share of the way to $100\,t_0$ that comes after $t_0$, running example, modified
        update (26), a vocabulary of @{vocabulary}"""
        return self.shares[self.vocabulary, "modified"]

    without = group()

    @control("H1", ">", 4.0, rtol=1e-6)
    def random_start(self, rng: Generator) -> float:
        r"""a start uniform in $\pm1/\sqrt M$: largest difference of attention from $\mathbb P(l\mid
        n)$, in the standard errors of the row `start`"""
        Z = rng.uniform(-1, 1, (M, M)) / np.sqrt(M)
        away = np.abs(limiting_attention(CLASSES, Z) - CLASSES.conditional).max()
        return float(away / self.spread)

    @control("H2", "<", 0, rtol=1e-2)
    def sampled(self) -> float:
        """not needed: batches of 128 sequences of 127 words, @{seeds} seeds: largest change of
        attention on *play* up to $t_0$, any class"""
        end = int(self.panels[SNAP])
        batches = dict(batch_size=128, T=128, momentum=0.0, seeds=range(self.seeds))
        run = train(CLASSES, self.eta_y, self.eta_z, steps=end, keep=(0, end), **batches)
        return float(np.diff(run.attention[:, 0, :, :, 0], axis=1).max())

    @control("H3", "<", 1, rtol=1e-3)
    def modified(self) -> float:
        """the modified update (26): attention on *play* at $t_0$ over that of training"""
        Z = self.ascent([int(self.panels[SNAP])], "modified")[0]
        scanned = limiting_attention(CLASSES, Z)[0, 0]
        return float(scanned / self.attention[self.at[SNAP], 0, 0])
