"""The draws and runs on which early bias is measured.

The chapter: ``book/bridge/early_bias.ipynb``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

from ledgerbook import Checks, once, real, seed, whole
from lib.arrays import Array
from lib.bridge.turning import turn
from lib.bridge.two_samples import (
    PAIRS,
    bounded_turn,
    cos_half,
    gap_gram,
    joint_turn,
    measured_turn,
    named_pair,
    pair_over,
)
from lib.bridge.unequal_weights import LateGrowth, UnequalWeights, direction_turn, late_growth
from lib.mechanics.draws import drawn, random_draw
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import has_cycle

DECADES = np.array([2.0, 3, 4, 5, 6])  # of the weight, in the picture
ANGLES = 45, 60, 75, 86, 89, 97, 105, 112, 117, 120, 122, 135, 150, 170
CLOCKS = np.array([0.5, 0.9, 1.1, 1.3, 1.7, 2.5, 4.0])
APART = np.array([0.3, 0.8, 1.4, 2.5, 4])  # clocks, none of them near a wake
TURNS = np.linspace(1.005, 4, 150)  # clocks; at its own wake nobody else pulls
JOINT_SIZES = 80.0, 160.0  # log r of the joint layer's runs


def turns_in_range(tokens: Array) -> bool:
    """Whether W_svm needs both of the unrelated pair, and it turns neither at once nor too late."""
    try:
        expected = turn(gap_gram(pair_over(tokens, 1.0)))
    except ValueError:  # one gap implies the other: W_svm is one sample's
        return False
    return 0.05 < expected.ratio and expected.clock < 6


class Place(NamedTuple):
    """between: where log t_* lies between its bounds, 0 to 1; constant: t_* 2 G h^2 / r^sigma."""

    degrees: float
    more: float
    between: float
    constant: float


def place(degrees: float, more: float) -> Place:
    """The ``Place`` of log r = log(1 + 2h) + more."""
    half = cos_half(degrees)
    log_r = np.log1p(2 * half) + more
    when, low, high = bounded_turn(degrees, log_r)
    constant = 4 * half**2 * np.exp(when - log_r / (2 - 2 * half))
    return Place(degrees, more, (when - low) / (high - low), constant)


def acyclic(data: NextTokenData) -> bool:
    """Whether no token-priority graph has a cycle."""
    return not has_cycle(data)


def samples(
    rng: Generator, n: int, K: int, wanted: Callable[[NextTokenData], bool]
) -> NextTokenData:
    """n samples of three of K orthonormal tokens that are as wanted."""
    return drawn(lambda: random_draw(rng, n, 3, K, np.eye(K)), wanted, "n, T, K", (n, 3, K))


def one_heavy(data: NextTokenData) -> UnequalWeights:
    """Sample 0 heavy, the others alike."""
    return UnequalWeights(data, np.minimum(np.arange(len(data.label)), 1.0))


def relative_distance(found: Array, wanted: Array) -> Any:
    """In the Euclidean norm, along the last axis."""
    return np.linalg.norm(found - wanted, axis=-1) / np.linalg.norm(wanted, axis=-1)


def over(
    tokens: str, inputs: Sequence[str], wakes: Sequence[float], embeddings: Array | None = None
) -> UnequalWeights:
    """Samples, each a string of its tokens, the label first; the last of ``tokens`` is the query.

    embeddings: orthonormal when omitted.
    """
    counts = np.array([[token in one for token in tokens] for one in inputs], dtype=int)
    labels = np.array([tokens.index(one[0]) for one in inputs])
    last = np.full(len(inputs), len(tokens) - 1)
    E = np.eye(len(tokens)) if embeddings is None else embeddings
    return UnequalWeights(NextTokenData(counts, last, labels, E, complete=False), np.array(wakes))


TWO_LIGHT = over(  # x is light
    "abcyzxq", ["ab", "bc", "yz", "xa", "xy", "az", "bz"], [0, 0, 0, 1, 1, 0.5, 3]
)
AWAKE_AT_1 = over("abcyzxq", ["ab", "bc", "yz", "xa", "xy"], [0, 0, 0, 1, 1])
TIED = over("abcde", ["ab", "cd", "ad"], [0, 1, 0.5])
THREE_HINGES = "ab", "bc", "yz", "qs", "st", "tp", "xay", "xqc", "xys"  # below the chains' heads


@dataclass
class EarlyRuns(Checks):
    """Two samples, many samples and the joint layer, one sample much heavier or lighter."""

    draws: int = whole(6, 2, 12, holds=(2, 10))
    pairs: int = whole(8, 2, 16, holds=(2, 12))
    heaviest: float = real(
        200.0, 100, 240, holds=(180, 240), why="beyond, the light weights are 0 in floating point"
    )
    seed: int = seed(7)

    @once
    def measured(self) -> dict[str, Array]:
        """log t of the turn of the picture's pairs, by name."""
        sizes = DECADES * np.log(10)
        return {
            name: np.array([measured_turn(named_pair(name, y), y) for y in sizes]) for name in PAIRS
        }

    @once
    def places(self) -> list[Place]:
        """The ``Place`` of every angle and weight."""
        sizes = lambda degrees: (0.1, 1.0, 3.0, 150.0) if degrees in (86, 89) else (1.0, 3.0, 150.0)
        return [place(degrees, more) for degrees in ANGLES for more in sizes(degrees)]

    @once
    def sets(self, rng: Generator) -> list[UnequalWeights]:
        """Draws of five samples, one light or one heavy by turns."""
        found = []
        for number in range(self.draws):
            data, chosen = samples(rng, 5, 6, acyclic), np.eye(5)[rng.integers(5)]
            found.append(UnequalWeights(data, chosen if number % 2 else 1 - chosen))
        return found

    @once
    def settling(self) -> list[LateGrowth]:
        """The ``LateGrowth`` of every draw, weights 1 and e^3 (log r = -3)."""
        return [late_growth(each, -3.0) for each in self.sets]

    @once
    def crowds(self, rng: Generator) -> Array:
        """(draws, 2): of eight samples, one heavy, the clock of the turn, swept and trained."""
        draws = (one_heavy(samples(rng, 8, 8, acyclic)) for _ in range(self.draws))
        return np.array([direction_turn(each, self.heaviest, TURNS) for each in draws])

    @once
    def supported(self) -> list[LateGrowth]:
        """The draws with unique, positive multipliers."""
        return [one for one in self.settling if one.unique_positive]

    @once
    def supported_draws(self) -> int:
        """How many they are."""
        return len(self.supported)

    @once
    def half(self) -> float:
        """The smaller log r of a growth."""
        return self.heaviest / 2

    @once
    def reach(self, rng: Generator) -> Array:
        """|W - V log r| of a tied wall, two light samples, draws, at ``half`` and ``heaviest``."""
        cases = [TIED, AWAKE_AT_1]
        for _ in range(self.draws):
            data = samples(rng, 5, 6, acyclic)
            cases.append(UnequalWeights(data, rng.permutation([0, 0, 0.5, 1, 1])))
        sizes = self.half, self.heaviest
        return np.array([[case.miss(size, APART) for size in sizes] for case in cases])

    @once
    def frozen(self) -> list[float]:
        """log t of the turn, decoder frozen at I, conflict, at both sizes."""
        times = lambda size: np.linspace(1.5 * size, 2.5 * size, 80)
        run = lambda size: joint_turn(named_pair("conflict", size), times(size), eta_y=0)
        return [run(size).log_time for size in JOINT_SIZES]

    @once
    def learned(self) -> float:
        """log t of the turn, decoder learned, unrelated, at the larger size."""
        size = JOINT_SIZES[1]
        times = np.linspace(0.9 * size, 4 * size, 400)
        return joint_turn(named_pair("unrelated", size), times).log_time

    @once
    def far(self) -> list[Any]:
        """Heavy and light gap in conflict, log r = 20, at log t = 20,000 and 100,000."""
        conflict = named_pair("conflict", 20.0)
        return [joint_turn(conflict, [1e3, 1e4, end])[1:] for end in (2e4, 1e5)]
