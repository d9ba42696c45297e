"""Figure 5: what its rows measure.  The chapter: ``book/scan-snap/figure_05.ipynb``."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from scipy.special import softmax

from ledgerbook import Checks, choice, claim, control, group, once, text, whole
from lib.arrays import Array
from lib.measure import minimum
from lib.scan_snap.engine.batches import Layout
from lib.scan_snap.engine.optimizers import Adam, Momentum
from lib.scan_snap.engine.reference import gradients
from lib.scan_snap.engine.state import State
from lib.scan_snap.engine.train import Trajectory, train
from lib.scan_snap.sequence_classes import syn_small
from lib.scan_snap.sparsity import distinct_entropy, top_distinct
from lib.validation import require, require_rate

CLASSES, INFINITE = syn_small(), float("inf")
OWN, COMMON = CLASSES.distinct_tokens(0), CLASSES.common_tokens
END = -1  # of the moments kept: the row labelled "Final"


def require_rates(name: str, value: str) -> None:
    """Learning rates, with a space between them."""
    require(len(value.split()) >= 2, name, value, "two or more numbers, with a space between them")
    for rate in value.split():
        require_rate(name, float(rate))


def endless_steps(up_y: Adam | Momentum, up_z: Adam | Momentum, steps: int) -> State:
    """The state after so many steps of two optimizers from a zero start, without sampling."""
    state = State.initial(Layout.of(CLASSES), 1, "zero", None, torch.float64)
    for batch in state.layout.batches(steps, INFINITE, INFINITE, None):
        grad_y, grad_z, _ = gradients(state, batch)
        up_y.step(state.Y, grad_y)
        up_z.step(state.Z, grad_z)
    return state


def favorite(state: State) -> int:
    """Position of class 1's favourite, 1 the rarest."""
    logits = state.full()[1][0, CLASSES.query[0]].numpy()
    return 1 + int((CLASSES.conditional[0] * np.exp(logits))[OWN].argmax())


class Second(NamedTuple):
    """Class 1 before the second step, on its distinct tokens: its column of Y, g and f there; the
    threshold a / (f.g); the pull on z, from the engine's gradient.
    """

    rows: np.ndarray
    f: np.ndarray
    threshold: float
    pull: np.ndarray


def second_step(rate: float, optimizer: type[Adam] | type[Momentum]) -> Second:
    """``Second`` where the decoder has made a step by some optimizer."""
    state = State.initial(Layout.of(CLASSES), 1, "zero", None, torch.float64)
    batch = next(state.layout.batches(1, INFINITE, INFINITE, None))
    optimizer(rate).step(state.Y, gradients(state, batch)[0])
    Y, n = state.full()[0][0].numpy(), CLASSES.next_token[0]
    f = CLASSES.conditional[0] / np.linalg.norm(CLASSES.conditional[0])
    g = Y[:, n] - Y @ softmax(Y.T @ f)
    pull = gradients(state, batch)[1][0, 0].numpy()
    return Second(Y[OWN, n], f[OWN], g[OWN][0] / (f @ g), pull[OWN])


@dataclass
class Figure05(Checks):
    """Figure 5: which token Adam selects."""

    rates: str = text("0.1 0.5 1.0", require_rates, ("0.1 0.5 1.0", "0.1 0.5 1.0"))
    batch_size: int = whole(128, 64, 256, holds=(100, 160))
    T: int = whole(128, 64, 256, holds=(100, 160))
    final: int = whole(48, 24, 96, holds=(40, 60))
    seeds: int = whole(20, 10, 40, holds=(15, 25))
    dtype: str = choice("float64", ("float64", "float32"))

    tag = "scan-snap.figure-05"
    hypotheses = {
        "H1": "training starts at $Y(0)=Z(0)=0$",
        "H2": "both $Y$ and $Z$ are trained by Adam",
    }

    @once
    def eta(self) -> list[Any]:
        """The rates, as numbers."""
        return [float(rate) for rate in self.rates.split()]

    @once
    def rows(self) -> list[Any]:
        """The iterations that the maps show."""
        return [0, 2, 4, 6, 8, 10, self.final]

    def run(self, rates: list[float], **other: Any) -> Trajectory:
        """Training by Adam up to the maps' last row, seen at each."""
        options = dict(steps=self.final, batch_size=self.batch_size, T=self.T, keep=self.rows)
        options |= dict(optimizer="adam", dtype=self.dtype, seeds=range(self.seeds))
        return train(CLASSES, rates, rates, **(options | other))

    @once
    def sampled(self) -> Trajectory:
        """The runs as in the figure."""
        return self.run(self.eta)

    def endless(self, rates: list[float]) -> Trajectory:
        """Runs without any sampling."""
        return self.run(rates, batch_size=INFINITE, T=INFINITE, seeds=(0,))

    @once
    def limit(self) -> Trajectory:
        """Those at the rates of the figure."""
        return self.endless(self.eta)

    @once
    def noisy(self) -> Trajectory:
        """The runs from a random start."""
        return self.run(self.eta, init="uniform")

    @once
    def favorites(self) -> np.ndarray:
        """Positions of the favourites, 0 the rarest: (seeds, rates, classes)."""
        return top_distinct(self.sampled.attention[:, :, END], CLASSES)

    @once
    def positions(self) -> Array:
        """Their means over seeds and classes, 1 the rarest: (rates,)."""
        return 1 + self.favorites.mean(axis=(0, 2))

    @once
    def entropy(self) -> Array:
        """On distinct tokens: (seeds, rates, moments)."""
        return distinct_entropy(self.sampled.attention, CLASSES)

    replication = group()

    @claim(">=", 0.95, "reproduction", "Figure 5", as_printed=True, atol=0.03)
    def different_subsets(self) -> float:
        """share of seeds, classes and pairs of rates whose favourites differ"""
        pairs = np.transpose(np.tril_indices(len(self.eta), -1))
        return np.mean([self.favorites[:, a] != self.favorites[:, b] for a, b in pairs])

    @claim(">", 1, "inequality", rtol=0.05)
    def order(self) -> float:
        """the favourite moves to more frequent tokens as the rate grows, smallest step of its mean
        position"""
        return np.diff(self.positions).min()

    @claim("==", lambda self: len(self.eta), "reproduction")
    def without_chance(self) -> int:
        """without sampling the three rates favour different tokens too: number of different
        favourites, class 1"""
        return len(set(top_distinct(self.limit.attention[0, :, END], CLASSES)[:, 0].tolist()))

    @claim(">", 0.01, "sign", rtol=0.05)
    def not_sparse(self) -> float:
        """selected, but not sparse: the entropy on distinct tokens ends above its start, smallest
        mean change of the three rates"""
        return (self.entropy[:, :, END] - self.entropy[:, :, 0]).mean(axis=0).min()

    reason = group()

    @claim("<=", 1e-3, "identity", rtol=0.1, atol=1e-4)
    def first_move(self) -> float:
        r"""the first move of all 20 logits is $\eta_Z\sqrt{1+\beta_2}/(1+\beta_1)$, up to sign:
        largest relative deviation"""
        moves = self.limit.z[0, :, 1, 0][:, np.r_[COMMON, OWN]] / np.array(self.eta)[:, None]
        return np.abs(np.abs(moves) * 1.9 / np.sqrt(1.999) - 1).max()

    @once
    def by_sgd(self) -> Second:
        """``Second`` for a decoder that has made a step of SGD."""
        return second_step(self.eta[0], Momentum)

    @once
    def by_adam(self) -> Second:
        """``Second`` for a decoder that has made a step of Adam."""
        return second_step(self.eta[0], Adam)

    @claim("==", True, "sign")
    def sign_of_pull(self) -> bool:
        r"""before the second step at the smallest rate, the pull's sign is that of
        $a/(f\cdot g)-f_l$ on all ten, with the pull from the engine's own gradient"""
        _, f, threshold, pull = self.by_adam
        return bool((np.sign(pull) == np.sign(threshold - f)).all())

    without = group()

    @once
    def mixed(self) -> dict[Any, Any]:
        """Class 1's favourites, 1 the rarest, no sampling, by the optimizers of Y and of Z."""
        make: dict[str, Callable] = {"Adam": Adam, "SGD": lambda rate: Momentum(1.0)}
        return {
            (y, z): [
                favorite(endless_steps(make[y](rate), make[z](rate), self.final))
                for rate in self.eta
            ]
            for y in make
            for z in make
        }

    @control("H2", "==", lambda self: len(OWN))
    def sgd_decoder(self) -> int:
        """with the decoder by SGD and attention by Adam: smallest position of the favourite"""
        return minimum(self.mixed["SGD", "Adam"])

    @control("H1", "<", -0.1, rtol=0.05)
    def random_start(self) -> float:
        """from a random start attention does become sparser at the two larger rates: largest mean
        change of the entropy"""
        found = distinct_entropy(self.noisy.attention, CLASSES)[:, 1:]
        return (found[:, :, END] - found[:, :, 0]).mean(axis=0).max()

    @control("H1", ">=", 5, atol=2)
    def random_start_who(self) -> int:
        """from a random start chance picks the favourite: number of different favourites over the
        seeds at rate 1, class 1"""
        return len(set(top_distinct(self.noisy.attention[:, -1, END], CLASSES)[:, 0].tolist()))
