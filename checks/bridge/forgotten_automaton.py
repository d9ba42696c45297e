"""The automaton's survival: what the rows measure.

The chapter: ``book/bridge/forgotten_automaton.ipynb``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from scipy.special import softmax
from scipy.stats import spearmanr

from ledgerbook import Checks, claim, control, group, once, seed, whole
from lib.arrays import Array, ArrayLike, Ids, Mask
from lib.bridge.joint_training import gradients, joint_flow, one_hot_data
from lib.bridge.many_runs import run_many, stacked
from lib.measure import furthest, maximum, minimum
from lib.mechanics.draws import drawn, random_draw
from lib.mechanics.samples import NextTokenData
from lib.mechanics.token_priority_graph import has_cycle, priority_graphs

K, LATE = 6, 12.0  # tokens; log t at which the order of attention is read off
STARTS, RATIOS = 1e-4 * 10 ** (np.arange(15) / 3), np.array([0.01, 0.1, 1, 10])
EQUAL = 2  # equal rates
FEW, MASS_STARTS, END = 10, (0.01, 0.1, 1.0), 1000.0  # draws, starts, log t of the masses
UNDECIDED = 0.1, 0.9  # a label's mass between these is neither lost nor kept
APPLES = {"three": (1, 1, 1), "eight": (1,) * 8, "often": (5, 1, 1)}  # weights of contexts
SMALL, MIDDLE, LARGE = (1e-6, 1e-4), (1e-2, 1.0), (1e2, 1e4)  # ratios, in pairs


def four_queries_no_contradiction(data: NextTokenData) -> bool:
    """Four queries, and no two samples contradict each other."""
    return len(np.unique(data.last)) == 4 and np.linalg.matrix_rank(data.counts) == 6


def sample(rng: Generator) -> NextTokenData:
    """Six samples of four tokens, four queries."""
    draw = lambda: random_draw(rng, 6, 4, K, np.eye(K))
    data = drawn(draw, four_queries_no_contradiction, "n, T, K", (6, 4, K))
    return one_hot_data(data.counts, data.last, data.label)


def label_edges(data: NextTokenData) -> list[tuple[int, int, int]]:
    """(k, i, j): i a label that beats j, not in one component with it, behind query k."""
    return sorted(
        (k, i, j)
        for k, graph in priority_graphs(data).items()
        for i, j in graph.graph.edges
        if graph.above(i, j)
    )


def attended(data: NextTokenData, Y: Array, rates: Array, late: float, normalize: bool) -> Array:
    """Rows z_m (b, queries, K) at log t = ``late`` from decoders Y (b, K, K) and no attention.

    rates: (b, 2), eta_Y and eta_Z.  Explicit steps; but where two tokens come to share the mass
    these get as short as 1/t, and a stiff solver goes there in their stead.
    """
    options = {"begin": -8, "tolerance": 0.01, "most": 1000, "normalize": normalize}
    try:
        runs = stacked([data] * len(Y))
        return run_many(runs, Y, [late], eta_y=rates[:, 0], eta_z=rates[:, 1], **options).Z[0]
    except RuntimeError:
        if len(Y) > 1:
            each = zip(Y[:, None], rates[:, None], strict=True)
            return np.concatenate([attended(data, *one, late, normalize) for one in each])
    options = {"rtol": 1e-4, "atol": 1e-6, "normalize": normalize}
    (eta_y, eta_z), begin = rates[0], np.zeros((K, K))
    path = joint_flow(data, Y[0], begin, [late], eta_y=eta_y, eta_z=eta_z, **options)
    return path.Z[:, np.unique(data.last)]


def survivors(
    data: NextTokenData,
    ratios: Array = RATIOS,
    normalize: bool = False,
    head: Array | None = None,
    late: float = LATE,
    eta_y: ArrayLike | None = None,
) -> Mask:
    """(edges, starts, ratios) booleans: the label is above the rival in the final attention."""
    shape = len(STARTS), len(ratios)
    c, ratio = (np.broadcast_to(x, shape).ravel() for x in (STARTS[:, None], ratios))
    eta_y = np.broadcast_to(np.sqrt(ratio) if eta_y is None else eta_y, c.shape)
    Y = c[:, None, None] * (np.eye(K) if head is None else head)
    rates = np.stack([eta_y, 1 / np.sqrt(ratio)], axis=1)
    Z = attended(data, Y, rates, late, normalize).reshape(*shape, 4, K)
    row = {k: place for place, k in enumerate(np.unique(data.last).tolist())}
    return np.array([Z[..., row[k], i] > Z[..., row[k], j] for k, i, j in label_edges(data)])


def thresholds(alive: Mask) -> Array:
    """The largest start at which an edge is lost, half a grid step up; 0 where it never is."""
    return np.where(alive, 0, STARTS[:, None]).max(axis=1) * np.sqrt(STARTS[1] / STARTS[0])


def settled(
    data: NextTokenData, normalize: bool, starts: tuple[float, float, float] = MASS_STARTS
) -> Array:
    """Z (starts, K, K) at log t = ``END``, equal rates."""
    begin, options = np.zeros((K, K)), {"normalize": normalize, "rtol": 1e-5, "atol": 1e-8}
    return np.array([joint_flow(data, c * np.eye(K), begin, [END], **options).Z[0] for c in starts])


def apples(weights: Sequence[float] | Array) -> NextTokenData:
    """Contexts of the token 0 and one other each: the first has the label 0, the others that one.

    Token 1, the rival of the first label, is in no other context; the query is the last token.
    """
    n, weights = len(weights), np.array(weights, dtype=float)
    counts = np.c_[np.ones(n), np.eye(n), np.zeros(n)]
    label = np.where(np.arange(n) > 0, 1 + np.arange(n), 0)
    return one_hot_data(counts, np.full(n, n + 1), label, weights / weights.sum())


def apple_border(
    data: NextTokenData, ratio: float, late: float, normalize: bool, halvings: int = 10
) -> float:
    """The start c at which the first label is level with its rival at log t = ``late``."""
    V, low, high = data.counts.shape[1], 0.05 * np.sqrt(ratio), 20 * np.sqrt(ratio)
    rates = {"eta_y": np.sqrt(ratio), "eta_z": 1 / np.sqrt(ratio), "normalize": normalize}
    for _ in range(halvings):
        c = np.sqrt(low * high)
        path = joint_flow(
            data, c * np.eye(V), np.zeros((V, V)), [late], rtol=1e-6, atol=1e-9, **rates
        )
        row = path.Z[0, data.last[0]]
        low, high = (low, c) if row[0] > row[1] else (c, high)
    return np.sqrt(low * high)


def apple_exponent(
    weights: Sequence[int], ratios: tuple[float, float], late: float, normalize: bool = False
) -> float:
    """Exponent of ``apple_border`` between two ratios: a float."""
    data = apples(weights)
    ends = [apple_border(data, ratio, late, normalize) for ratio in ratios]
    return np.log(ends[1] / ends[0]) / np.log(ratios[1] / ratios[0])


def label_mass(data: NextTokenData, Z: Array) -> Array:
    """(starts, n): attention of each context on its label, at Z (starts, K, K)."""
    attention = softmax(Z[:, data.last] + data.log_counts, axis=-1)
    return attention[:, np.arange(len(data.label)), data.label]


def pushes(data: NextTokenData, normalize: bool = False, tiny: float = 1e-6) -> Array:
    """(a, b) of every edge: attention's first push by the identity, and by Y's first gradient."""
    zero = np.zeros((K, K))
    learned = -gradients(data, zero, zero, normalize)[0]
    first, second = (
        -gradients(data, tiny * head, zero, normalize)[1] / tiny for head in (np.eye(K), learned)
    )
    edges = label_edges(data)
    found = [push[k, i] - push[k, j] for push in (first, second) for k, i, j in edges]
    return np.round(found, 9).reshape(2, -1)  # a push of 0 has no sign on any processor


def same_time(
    data: NextTokenData, ratio: float, speed: float, normalize: bool, theta: float = 15.0
) -> Array:
    """Z at t = theta / speed from 0.3 sqrt(ratio), rates speed sqrt(ratio), speed / sqrt(ratio)."""
    eta_y, eta_z = speed * np.sqrt(ratio), speed / np.sqrt(ratio)
    start, late = 0.3 * np.sqrt(ratio) * np.eye(K), np.log(theta / speed)
    options = {"eta_y": eta_y, "eta_z": eta_z, "normalize": normalize, "atol": 1e-14}
    return joint_flow(data, start, np.zeros((K, K)), [late], **options).Z[0]


def returned(data: NextTokenData, c: float, eta_y: float, eta_z: float) -> list[Any]:
    """When each edge with b < 0 < a has no gap again, over 2ca / (eta_Y |b|)."""
    found = []
    for (k, i, j), a, b in zip(label_edges(data), *pushes(data), strict=True):
        expected = 2 * c * a / (eta_y * -b) if minimum(a, -b) > 1e-4 else np.inf
        if expected < 0.05:
            around = np.linspace(0.7, 1.3, 25)
            path = joint_flow(
                data, c * np.eye(K), np.zeros((K, K)), np.log(around * expected),
                eta_y=eta_y, eta_z=eta_z, rtol=1e-9, atol=1e-17,
            )  # fmt: skip
            gap = path.Z[:, k, i] - path.Z[:, k, j]
            back = gap[0] > 0 > gap[-1]
            found.append(np.interp(0, -gap, around) if back else np.nan)
    return found


@dataclass
class ForgottenAutomaton(Checks):
    """The automaton's survival."""

    draws: int = whole(30, 20, 80, holds=(25, 50))
    seed: int = seed(6)

    tag = "bridge.forgotten-automaton"
    hypotheses = {
        "H1": "the decoder starts at $c$ times the identity",
        "H2": "the decoder learns",
    }
    parts = {
        "(a)": ("scaling", "small-ratios", "exponent", "below-the-ratio"),
        "(b)": ("reversal", "order"),
        "graded fates": ("graded",),
    }
    standing = "ours"

    @once
    def data_sets(self) -> list[NextTokenData]:
        """Draws without a cycle, of the seed alone."""
        rng = np.random.default_rng(self.seed)
        acyclic = lambda data: not has_cycle(data)
        return [drawn(lambda: sample(rng), acyclic, "draws", self.draws) for _ in range(self.draws)]

    @once
    def owner(self) -> Ids:
        """(edges,): the draw that an edge belongs to."""
        return np.repeat(range(self.draws), [len(label_edges(data)) for data in self.data_sets])

    @once
    def alive(self) -> dict[Any, Any]:
        """(edges, starts, ratios): which survive; plain and normalized."""
        return {
            name: np.concatenate([survivors(data, normalize=normal) for data in self.data_sets])
            for name, normal in (("plain", False), ("normalized", True))
        }

    @once
    def border(self) -> dict[Any, Any]:
        """(edges, ratios): the start below which an edge is lost; plain and normalized."""
        return {name: thresholds(alive) for name, alive in self.alive.items()}

    @once
    def pushed(self) -> np.ndarray:
        """(2, edges): a and b of every edge."""
        return np.concatenate([pushes(data) for data in self.data_sets], axis=1)

    proof = group()

    @claim("<=", 2e-3, "limit", concludes=True, atol=1e-4)
    def scaling(self) -> float:
        r"""(a): $Z$ at $t\sqrt{\eta_Y\eta_Z}=15$ for $\eta_Y/\eta_Z=10^{-6}$ and $10^{-8}$,
        products $\frac14$ and 9, starts $0.3\sqrt{\eta_Y/\eta_Z}$, four data sets, plain and
        normalized: relative distance, largest"""
        apart = []
        for data in self.data_sets[:4]:
            for normalize in (False, True):
                rates = (1e-8, 3.0), (1e-6, 0.5)
                end, other = (same_time(data, *pair, normalize) for pair in rates)
                apart.append(np.linalg.norm(other - end) / np.linalg.norm(end))
        return np.max(apart)

    @claim("in", [0.99, 1.01], "limit", concludes=True, rtol=1e-3)
    def reversal(self) -> float:
        r"""(b): $c=10^{-4}$, $\eta_Y=\frac12$, $\eta_Z=2$, edges there with $b<0<a$ and a time
        below 0.05: when the gap is 0 again, over $2ca/(\eta_Y|b|)$ (further from 1)"""
        return furthest(
            [time for data in self.data_sets for time in returned(data, 1e-4, 0.5, 2.0)], 1
        )

    check = group()

    def resampled(self, statistic: Callable[[Ids], float]) -> Array:
        """2.5 % and 97.5 % of a statistic of the edges (an index array), draws drawn again."""
        members = [np.flatnonzero(self.owner == n) for n in range(self.draws)]
        rng = np.random.default_rng(self.seed)
        again = (rng.integers(self.draws, size=self.draws) for _ in range(400))
        found = [statistic(np.concatenate([members[n] for n in some])) for some in again]
        return np.nanpercentile(found, [2.5, 97.5])

    @once
    def exponents(self) -> dict[Any, Any]:
        """95 % intervals of the border's exponent, of edges lost at every ratio; by head."""
        found = {}
        for name, limits in self.border.items():
            lost = (limits > 0).all(axis=1)
            logs = np.log(np.where(lost[:, None], limits, 1))

            def exponent(edges: Ids, lost: Mask = lost, logs: Array = logs) -> float:
                own = edges[lost[edges]]
                x = np.log(RATIOS)
                return np.polyfit(x, logs[own].mean(axis=0), 1)[0] if len(own) else np.nan

            found[name] = self.resampled(exponent)
        return found

    @claim(">", 0.4, "statistical", concludes=True, atol=0.05)
    def exponent(self) -> float:
        r"""exponent of an edge's border in $\eta_Y/\eta_Z$, ratios 0.01 to 10, plain and
        normalized: the lower of the low ends of its 95 % intervals"""
        return np.min([low for low, _ in self.exponents.values()])

    @claim("<", 1, "statistical", concludes=True, atol=0.05)
    def below_the_ratio(self) -> float:
        r"""exponent of an edge's border in $\eta_Y/\eta_Z$, ratios 0.01 to 10, plain and
        normalized: the higher of the high ends of its 95 % intervals"""
        return np.max([high for _, high in self.exponents.values()])

    @once
    def apple_exponents(self) -> dict[Any, Any]:
        """{(design, head): exponents between the ``SMALL``, ``MIDDLE``, ``LARGE`` ratios}."""
        times = (SMALL, 30.0), (MIDDLE, 30.0), (LARGE, END)
        return {
            (name, head): [apple_exponent(weights, *pair, head == "normalized") for pair in times]
            for name, weights in APPLES.items()
            for head in ("plain", "normalized")
            if (name, head) != ("eight", "normalized")  # as plain, and long
        }

    @claim("in", [0.48, 0.52], "rate", concludes=True, rtol=1e-2)
    def small_ratios(self) -> float:
        r"""the contexts of the idea and weights $5:1:1$ of them, plain and normalized, and eight of
        their kind, plain: exponent of the border from the ratio $10^{-6}$ to $10^{-4}$ (furthest
        from $\frac12$)"""
        return furthest([each[0] for each in self.apple_exponents.values()], 0.5)

    @claim("in", [0.48, 0.52], "rate", rtol=1e-2)
    def large_ratios(self) -> float:
        r"""the contexts of the idea and weights $5:1:1$ of them, plain and normalized, and eight of
        their kind, plain: exponent of the border from the ratio $10^2$ to $10^4$, read at
        $\ln t=1000$ (furthest from $\frac12$)"""
        return furthest([each[2] for each in self.apple_exponents.values()], 0.5)

    @claim(">=", 0.25, "rate", atol=0.02)
    def between(self) -> float:
        """the contexts of the idea, weights $5:1:1$ of them, and eight of their kind: exponent of
        the border from the ratio $10^{-2}$ to 1, the largest less the least"""
        middle = [each[1] for each in self.apple_exponents.values()]
        return maximum(*middle) - minimum(*middle)

    @property
    def gone(self) -> Mask:
        """(edges,): lost from some start at equal rates, plain."""
        return self.border["plain"][:, EQUAL] > 0

    @once
    def rules(self) -> dict[Any, Any]:
        """(edges,) each: -b/a and -b."""
        a, b = self.pushed
        # a few edges are pushed by nothing at first
        return {"-b/a": -b / np.maximum(a, 1e-3), "-b": -b}

    def rank(self, rule: str, chosen: Ids | Mask) -> float:
        """Rank correlation with the border at equal rates; 0 where no chosen edge is lost."""
        if not self.gone[chosen].any():
            return 0.0
        border = self.border["plain"][chosen, EQUAL]
        return float(spearmanr(self.rules[rule][chosen], border)[0])

    @once
    def lost_shares(self) -> tuple[float, float]:
        """Shares of the edges with b < 0, and of the others, that are lost at equal rates."""
        endangered = self.pushed[1] < 0
        return self.gone[endangered].mean(), self.gone[~endangered].mean()

    @claim(">", 0, "statistical", concludes=True, atol=0.05)
    def order(self) -> float:
        """edges lost at equal rates, plain: rank correlation of $-b/a$ with the border, low end of
        the 95 % interval (null: 0)"""
        return self.resampled(lambda s: self.rank("-b/a", s[self.gone[s]]))[0]

    @once
    def late_z(self) -> dict[str, Array]:
        """(``FEW`` draws, starts, K, K) at log t = ``END``, equal rates; plain and normalized."""
        return {
            name: np.array([settled(data, normal) for data in self.data_sets[:FEW]])
            for name, normal in (("plain", False), ("normalized", True))
        }

    @once
    def masses(self) -> dict[str, Array]:
        """(draws, starts, contexts): the label's attention there; plain and normalized."""
        pairs = {
            name: zip(self.data_sets, late, strict=False) for name, late in self.late_z.items()
        }
        return {name: np.array([label_mass(*one) for one in each]) for name, each in pairs.items()}

    @once
    def undecided(self) -> dict[str, Array]:
        """(draws, starts): share of contexts with a mass in ``UNDECIDED``; by head."""
        low, high = UNDECIDED
        return {
            name: ((low < mass) & (mass < high)).mean(axis=-1) for name, mass in self.masses.items()
        }

    def over_draws(self, values: Array) -> float:
        """2.5 % of the mean of (draws,) values, draws drawn again."""
        rng = np.random.default_rng(self.seed)
        again = rng.integers(len(values), size=(2000, len(values)))
        return np.percentile(values[again].mean(axis=1), 2.5)

    @claim(">", 0, "statistical", concludes=True, atol=0.02)
    def graded(self) -> float:
        r"""label's share of attention at $\ln t=1000$, equal rates, starts 0.01, 0.1 and 1, ten
        draws: contexts with a share between 0.1 and 0.9, normalized less plain; low end of the
        95 % interval"""
        apart = self.undecided["normalized"] - self.undecided["plain"]
        return self.over_draws(apart.mean(axis=1))

    without = group()

    def largest_start(self, head: Array) -> float:
        """Share of label edges at the end, from the largest start, equal rates, four data sets."""
        few = [survivors(data, RATIOS[2:3], head=head, late=6.0) for data in self.data_sets[:4]]
        return np.concatenate(few)[:, -1].mean()

    @control("H1", "<", lambda self: self.largest_start(np.eye(K)), kind="statistical", atol=0.03)
    def shuffled_identity(self) -> float:
        r"""the start $4.6P$ with a cyclic shift $P$ in place of the identity, plain, equal rates,
        four data sets: share of label edges whose label is ahead at $\ln t=6$, less than with the
        identity"""
        return self.largest_start(np.eye(K)[:, np.roll(np.arange(K), 1)])

    @control("H2", "<", 0.5, kind="statistical", atol=0.05)
    def frozen(self) -> float:
        r"""of the edges, one by start, that are lost at $\eta_Y/\eta_Z=10$ less than half are lost
        beside a decoder frozen at $cI$ too (share)"""
        lost = ~self.alive["plain"][:, :, -1]
        beside = [survivors(data, RATIOS[-1:], eta_y=0.0) for data in self.data_sets]
        return 1 - np.concatenate(beside)[lost].mean()
