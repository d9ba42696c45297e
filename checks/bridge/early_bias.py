"""Early bias, late margin: what its rows measure.

The chapter: ``book/bridge/early_bias.ipynb``.
"""

from dataclasses import dataclass
from functools import partial
from itertools import count, islice
from typing import NamedTuple

import numpy as np
import sympy as sp
import z3
from scipy.integrate import solve_ivp
from scipy.stats import binomtest

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
from lib.bridge.joint_training import joint_flow, one_hot_data
from lib.bridge.sweeping import gaps, nearest, sweeping_process
from lib.bridge.turning import turn, turning_bounds, turning_log_time
from lib.decide import follows
from lib.measure import furthest, maximum
from lib.mechanics.draws import drawn, random_draw
from lib.mechanics.limit_offset import Leaks, leaks, tight_rows, unsupported
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, gaussian_embeddings
from lib.mechanics.token_priority_graph import has_cycle

PAIRS = {
    "conflict": ([[1, 1, 0, 0, 0], [0, 1, 1, 0, 0]], [0, 1]),  # a over b, b over c: 120 degrees
    "unrelated": ([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]], [0, 2]),  # a over b, c over d: 90
    "agreement": ([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0]], [0, 0]),  # a over b, a over c: 60
}
DECADES = np.array([2.0, 3, 4, 5, 6])  # of the weight, in the picture
ANGLES = 45, 60, 75, 86, 89, 97, 105, 112, 117, 120, 122, 135, 150, 170
CLOCKS = np.array([0.5, 0.9, 1.1, 1.3, 1.7, 2.5, 4.0])
MANY = 30  # draws with cycles
JOINT_SIZES = 80.0, 160.0  # log r of the joint layer's runs

theta, G, h, g, x, A, B = sp.symbols("theta G h g x A B", positive=True)  # h: cos(theta / 2)


def from_zero(problem, log_times, rtol=1e-8):
    """z of the flow from W = 0, (m, q)."""
    origin = problem.split.coordinates(np.zeros((problem.data.shape[2],) * 2))
    return gradient_flow(problem.split, *origin, log_times, rtol).z


def both_gaps(problem, log_times, rtol=1e-6):
    """The heavy and the light gap of a pair of samples along the flow from 0, (2, m)."""
    return (from_zero(problem, log_times, rtol) @ gaps(problem.split).rows.T).T


def pair(name, log_r):
    """Two samples behind one query, weights (1, 1/r)."""
    counts, labels = PAIRS[name]
    return Problem(one_hot_data(counts, [4, 4], labels, [1, np.exp(-log_r)]))


def gram(problem):
    """Inner products of the gaps' gradients."""
    rows = gaps(problem.split).rows
    return rows @ rows.T


def turning(problem, log_r, until=6.0, points=40):
    """log t, on the heavy sample's clock, at which a pair of samples turns."""
    expected = turn(gram(problem))
    times = np.linspace(0.2 * log_r, until * log_r + 10, points)
    if expected.ratio <= 0:  # it turns just after waking: look closely there
        times = np.linspace(log_r + 0.5, log_r + 7, 4 * points)
    return turning_log_time(times, expected.ratio, *both_gaps(problem, times))


def slope(make, heaviest):
    """Change of the turning log time per unit of log r, from half of ``heaviest`` to it."""
    low, high = heaviest / 2, heaviest
    until = 1.3 * turn(gram(make(low))).clock
    return (turning(make(high), high, until) - turning(make(low), low, until)) / (high - low)


def with_tokens(tokens, log_r):
    """The unrelated pair over these embeddings, weights (1, 1/r)."""
    counts, labels = PAIRS["unrelated"]
    weight, four = np.array([1, np.exp(-log_r)]), np.array([4, 4])
    return Problem(
        NextTokenData(np.array(counts), four, np.array(labels), tokens, weight, complete=False)
    )


def at_angle(degrees, log_r):
    """Two samples of one rival each whose gaps pull at this angle, with equal force."""
    angle, e = np.radians(degrees), np.eye(6)
    third = e[2] + np.cos(angle) * (e[0] - e[1]) + np.sin(angle) * np.sqrt(2) * e[3]
    return with_tokens(np.array([e[0], e[1], third, e[2], e[5]]), log_r)


def turns_in_range(tokens):
    """Whether W_svm needs both of the unrelated pair, and it turns neither at once nor too late."""
    try:
        expected = turn(gram(with_tokens(tokens, 1.0)))
    except ValueError:  # one gap implies the other: W_svm is one sample's
        return False
    return 0.05 < expected.ratio and expected.clock < 6


def cos_half(degrees):
    """h of the statement: the cosine of half the angle."""
    return np.cos(np.radians(degrees) / 2)


def located(degrees, log_r, rtol=1e-7):
    """log t of the turn and its explicit bounds, weights (1, 1/r)."""
    low, high = np.array(turning_bounds(np.radians(degrees), log_r)) - np.log(2)
    if not low < high:  # bounds that exclude each other
        return np.nan, low, high
    problem, times = at_angle(degrees, log_r), np.linspace(low - 1, high + 1, 300)
    for near in (5e-4, 0):
        gap = both_gaps(problem, times, rtol)
        when = turning_log_time(times, 2 * cos_half(degrees) - 1, *gap)
        if np.isnan(when):  # a bound is far off
            break
        times = when + np.linspace(-near, near, 9)
    return when, low, high


def leans(degrees, log_r):
    """Whether W is once nearer to the heavy sample's direction than to W_svm."""
    heavy, light = both_gaps(at_angle(degrees, log_r), np.linspace(-8, 12, 80), 1e-8)
    return bool((light < (2 * cos_half(degrees) - 1) * heavy).any())


class Place(NamedTuple):
    """between: where log t_* lies between its bounds, 0 to 1; constant: t_* 2 G h^2 / r^sigma."""

    degrees: float
    more: float
    between: float
    constant: float


def place(degrees, more):
    """The ``Place`` of log r = log(1 + 2h) + more."""
    half = cos_half(degrees)
    log_r = np.log1p(2 * half) + more
    when, low, high = located(degrees, log_r)
    constant = 4 * half**2 * np.exp(when - log_r / (2 - 2 * half))
    return Place(degrees, more, (when - low) / (high - low), constant)


def waiting_constant():
    """Limit of 2h(1+h) G t_* / r - log r at 120 degrees: A / r and the light gap, from far below
    to 0, on the clock G t / r.
    """
    rates = lambda _, y: [
        1 - y[0] / 2 / (1 + np.exp(y[1])),
        1 / (1 + np.exp(y[1])) - 1 / y[0] / 2,
        1 / (1 + np.exp(-y[1])),
    ]
    reached = lambda _, y: y[1]
    reached.terminal = True  # type: ignore[attr-defined]
    end = solve_ivp(rates, [0, 99], [2, -40, 0], events=reached, rtol=1e-11, atol=1e-12).y[:, -1]
    return np.log(end[0]) + 1.5 * end[2]


def relative_entropy(weights, first, second):
    """In symbols, from the logarithms of both."""
    return sum(a * (b - c) for a, b, c in zip(weights, first, second, strict=True))


def acyclic(data):
    """Whether no token-priority graph has a cycle."""
    return not has_cycle(data)


def five_samples(rng):
    """Five samples of three of six tokens, without cycles."""
    return drawn(lambda: random_draw(rng, 5, 3, 6, np.eye(6)), acyclic, "n, T, K", (5, 3, 6))


def eight_samples(rng):
    """Eight samples of three of eight tokens, without cycles."""
    return drawn(lambda: random_draw(rng, 8, 3, 8, np.eye(8)), acyclic, "n, T, K", (8, 3, 8))


def quarrelling(data):
    """Whether some samples contradict each other but sample 0 contradicts none, and others' gaps
    grow too."""
    if not has_cycle(data):
        return False
    found, rivals = gaps(Problem(data).split), (data.counts[0] > 0).sum() - 1
    return 0 < (found.samples == 0).sum() == rivals < len(found.rows)


def cyclic_eight(rng):
    """Eight samples of three of eight tokens, some of them in circles, sample 0 in none."""
    return drawn(lambda: random_draw(rng, 8, 3, 8, np.eye(8)), quarrelling, "n, T, K", (8, 3, 8))


def crowd_turn(data, heaviest):
    """Sample 0 heavy, the others alike: where W turns from its own direction to W_svm.

    (clock of the sweeping process, growth of training's log t per unit of log r, from half of
    ``heaviest`` to it); ``None`` where the process is nearer to W_svm from the first.
    """
    wakes = np.minimum(np.arange(len(data.label)), 1.0)
    found = gaps(weighted(data, 0 * wakes).split)
    least = lambda rows: nearest(rows, np.ones(len(rows)), np.zeros(rows.shape[1]))
    ends = [least(rows) for rows in (found.rows[found.samples == 0], found.rows)]
    unit = lambda v: v / np.linalg.norm(v, axis=-1, keepdims=True)
    along = lambda path: [unit(path) @ unit(end) for end in ends]  # its cosines with both
    clocks = np.linspace(1.005, 4, 150)  # at its own wake nobody else pulls
    heavy, light = along(sweeping_process(found, wakes, clocks))
    if light[0] >= heavy[0]:
        return None
    swept, trained = turning_log_time(clocks, 1, heavy, light), []
    for log_r in (heaviest / 2, heaviest):
        path = from_zero(weighted(data, -wakes * log_r), clocks * log_r, 1e-6)
        trained.append(turning_log_time(clocks * log_r, 1, *along(path)))
    return swept, 2 * (trained[1] - trained[0]) / heaviest


def weighted(data, log_weight):
    """The same samples with other weights."""
    return Problem(one_hot_data(data.counts, data.last, data.label, np.exp(log_weight)))


def late_z(problem):
    """z of the flow from 0 at log t = 4990 and 5000, (2, q)."""
    return from_zero(problem, [4990.0, 5000.0])


@dataclass(frozen=True, eq=False)
class Settling:
    """A draw on its way to W_svm: ``w`` in outer coordinates, ``ends`` from equal weights."""

    found: Leaks
    w: np.ndarray
    wakes: np.ndarray
    ends: np.ndarray
    weighted_ends: np.ndarray  # from weights 1 and e^3

    @property
    def tight(self):
        """Which gaps are."""
        return tight_rows(self.found, self.w)

    @property
    def unique_positive(self):
        """Whether the tight gaps have unique, positive multipliers."""
        independent = np.linalg.matrix_rank(self.found.rows[self.tight]) == self.tight.sum()
        return bool(independent and not unsupported(self.found, self.w).any())


def settling(data, wakes):
    """The ``Settling`` of a draw."""
    plain, heavy = (weighted(data, size * wakes) for size in (0.0, 3.0))
    w = plain.split.coordinates(plain.svm.W)[1]
    return Settling(leaks(plain.split, plain.fin.x), w, wakes, late_z(plain), late_z(heavy))


def relative_distance(found, wanted):
    """In the Euclidean norm, along the last axis."""
    return np.linalg.norm(found - wanted, axis=-1) / np.linalg.norm(wanted, axis=-1)


class Weighted(NamedTuple):
    """Samples whose weights are r^-wakes; ``counts``: (n, K), ``last`` and ``labels``: (n,)."""

    counts: list
    last: list
    labels: list
    wakes: np.ndarray

    def at(self, log_r):
        """The ``Problem`` at this log r."""
        weight = np.exp(-np.array(self.wakes) * log_r)
        return Problem(one_hot_data(self.counts, self.last, self.labels, weight))

    def apart(self, log_r):
        """Largest |W - V log r| at clocks 0.3 to 4, none of them near a wake."""
        problem, seen_at = self.at(log_r), np.array([0.3, 0.8, 1.4, 2.5, 4])
        swept = log_r * sweeping_process(gaps(problem.split), self.wakes, seen_at)
        return np.linalg.norm(from_zero(problem, seen_at * log_r) - swept, axis=1).max()


def over(tokens, inputs):
    """(counts, labels): each input a string of tokens, the first one its label."""
    counts = [[int(token in one) for token in tokens] for one in inputs]
    return counts, [tokens.index(one[0]) for one in inputs]


COUNTS, LABELS = over("abcyzxq", ["ab", "bc", "yz", "xa", "xy", "az", "bz"])
TWO_LIGHT = Weighted(COUNTS, [6] * 7, LABELS, np.array([0, 0, 0, 1, 1, 0.5, 3]))  # x is light
AWAKE_AT_1 = Weighted(COUNTS[:5], [6] * 5, LABELS[:5], TWO_LIGHT.wakes[:5])
COUNTS, LABELS = over("abcde", ["ab", "cd", "ad"])
TIED = Weighted(COUNTS, [4] * 3, LABELS, np.array([0, 1, 0.5]))


def three_hinges_miss(embeddings, heaviest):
    """|dW/d log r - V| / |V| at clock 1.2 for three light samples of two rivals below chains."""
    inputs = ["ab", "bc", "yz", "qs", "st", "tp", "xay", "xqc", "xys"]
    counts, labels = over("abcyzqstpx", inputs)
    light, ends = np.array([float(one[0] == "x") for one in inputs]), []
    for log_r in (heaviest / 2, heaviest):
        weight = np.exp(-light * log_r)
        problem = Problem(
            NextTokenData(counts, np.full(9, 9), labels, embeddings, weight, complete=False)
        )
        ends.append(from_zero(problem, [1.2 * log_r])[0])
    landed = sweeping_process(gaps(problem.split), light, [1.2])[0]
    return relative_distance((ends[1] - ends[0]) / (heaviest / 2), landed)


def joint_turning(name, log_r, times, **options):
    """log t of the turn in the joint layer from Y = I, and the last gaps."""
    data = pair(name, log_r).data
    path = joint_flow(data, np.eye(5), np.zeros((5, 5)), times, rtol=1e-6, atol=1e-8, **options)
    heavy, light = (
        path.Z[:, 4, label] - path.Z[:, 4, next(j for j in range(4) if row[j] and j != label)]
        for row, label in zip(data.counts, data.label, strict=True)
    )
    ratio = turn(gram(pair(name, 1.0))).ratio
    return turning_log_time(times, ratio, heavy, light), heavy[-1], light[-1]


@dataclass
class EarlyBias(Checks):
    """Early bias, late margin: one sample much heavier than the rest."""

    draws: int = whole(6, 2, 12, holds=(2, 10))
    pairs: int = whole(8, 2, 16, holds=(2, 12))
    heaviest: float = real(
        200.0, 100, 240, holds=(180, 240), why="beyond, the light weights are 0 in floating point"
    )
    seed: int = seed(7)

    tag = "bridge.early-bias"
    hypotheses = {
        "H1": "no cycles, independent embeddings",
        "H2": "the log-loss of the label's mass (the head with $CE^\\top=I$)",
        "H3": "the decoder stays as it is",
    }
    parts = {
        "(a)": ("three-point", "sweeping", "landing", "sweeping-bound", "three-hinges"),
        "(b)": (
            "angle",
            "ratio-falls",
            "turn-condition",
            "overtakes",
            "turns-iff",
            "from-the-start",
            "turning-constant",
            "conflict-constant",
            "conflict-wait",
            "random-pairs",
            "unrelated",
            "crowd",
        ),
        "(c)": ("lead", "drift", "head-start"),
        "(d)": ("log-odds",),
    }
    standing = "ours"
    trusts = (
        textbook(
            "a polyhedron whose walls move evenly sweeps a Lipschitz path before it (Moreau)", "(a)"
        ),
        textbook(
            "a polyhedral function is at least a constant times the distance from where it is 0,"
            " one that does not depend on where the walls stand (Hoffman)",
            "(a)",
        ),
        chapter(
            "mechanics.conjecture",
            "for (c): the flow's late offset minimizes the potential of"
            " `lib/mechanics/limit_offset.py`",
            "(c)",
        ),
    )

    @step("symbolic", concludes=True)
    def angle(self):
        r"""light gap over heavy gap $2\cos\frac\theta2-1$: $W$ is at equal angles to $f_1$ and
        $W_{svm}$; and $\frac1{1-(2\cos\frac\theta2-1)}=\frac1{4\sin^2\frac\theta4}$, all
        $\theta$ and lengths"""
        cosine = 2 * h**2 - 1
        duals = sp.Matrix([[1, cosine], [cosine, 1]]).inv() / G * sp.ones(2, 1)
        with_heavy = 1 / sp.sqrt(G)  # of a W with the gaps 1 and 2h - 1, times its length
        with_svm = (duals[0] + duals[1] * (2 * h - 1)) / sp.sqrt(duals[0] + duals[1])
        clock = 1 / (1 - (2 * h - 1))
        quarter = sp.sin(theta / 4) ** 2
        return (
            (sp.cos(theta), cosine.subs(h, sp.cos(theta / 2))),
            (with_heavy**2, with_svm**2),
            (sp.cos(theta / 2), 1 - 2 * quarter),
            (clock.subs(h, 1 - 2 * quarter), 1 / (4 * quarter)),
        )

    @step("symbolic", concludes=True)
    def unrelated(self):
        r"""$\dot g=2w/(1+e^g)$ from 0 has the closed form $e^g+g=2wt+1$; at light $=(\sqrt2-1)$
        heavy weights $(r,1)$ give $\log t_*/\log r\to1/\sqrt2$"""
        served = sp.exp(g) + g - 1  # 2 w t
        heavy, light = (
            sp.Limit(sp.log(served.subs(g, share * g)) / g, g, sp.oo)
            for share in (1, sp.sqrt(2) - 1)
        )
        return (
            (served.subs(g, 0), 0),
            (sp.Derivative(served, g), 1 + sp.exp(g)),
            (light / (heavy - light), 1 / sp.sqrt(2)),
        )

    @step("symbolic", concludes=True)
    def three_point(self):
        r"""(a), a label and two rivals:
        $\sum_j(p_j(W)-\pi_j)(g_j(W)-g_j(U))=KL(\pi,p(U))-KL(\pi,p(W))-KL(p(W),p(U))$"""
        at_U, at_W, p = (sp.symbols(f"{name}0:3") for name in ("u", "w", "p"))  # logs of p(U), p(W)
        goal, log_goal = sp.symbols("pi0:3"), sp.symbols("l0:3")
        risen = [at_U[a] - at_U[0] - at_W[a] + at_W[0] for a in range(3)]  # gap at W less that at U
        moved = sum((p[a] - goal[a]) * risen[a] for a in (1, 2))
        entropies = (
            relative_entropy(goal, log_goal, at_U)
            - relative_entropy(goal, log_goal, at_W)
            - relative_entropy(p, at_W, at_U)
        )
        whole_mass = {q[0]: 1 - q[1] - q[2] for q in (p, goal)}
        return moved, entropies.subs(whole_mass)

    @step("decided", concludes=True)
    def ratio_falls(self):
        r"""(b): $R=B/A$ does not rise while $R\ge1$: $(s_2-\kappa s_1)-R(s_1-\kappa s_2)\le0$ for
        $s_1\ge s_2>0$, $|\kappa|<1$"""
        s_1, s_2, kappa, R = z3.Reals("s_1 s_2 kappa R")
        return follows(
            (s_2 - kappa * s_1) - R * (s_1 - kappa * s_2) <= 0,
            *(s_1 >= s_2, s_2 > 0, kappa > -1, kappa < 1, R >= 1),
        )

    @step("symbolic", concludes=True)
    def turn_condition(self):
        r"""(b): $\dot g_2-\varrho\dot g_1=2h(1-h)\big[\frac{1+2h}B-\frac1A\big]$: below 0 as
        long as $R>1+2h$"""
        cosine, ratio = 2 * h**2 - 1, 2 * h - 1
        heavy, light = 1 / A + cosine / B, cosine / A + 1 / B
        return light - ratio * heavy, 2 * h * (1 - h) * ((1 + 2 * h) / B - 1 / A)

    @step("symbolic", concludes=True)
    def overtakes(self):
        r"""(b): $\frac{\varrho-\kappa}{2Y}=\frac{1-\kappa^2}{r(1+Y^\varrho)}$ at
        $r=4h(1+h)\frac Y{1+Y^\varrho}$, whose slope in $\ln Y$ over itself is
        $\frac{1+(1-\varrho)Y^\varrho}{1+Y^\varrho}>0$"""
        Y = sp.symbols("Y", positive=True)
        cosine, ratio = 2 * h**2 - 1, 2 * h - 1
        r = 4 * h * (1 + h) * Y / (1 + Y**ratio)
        rises = (1 + (1 - ratio) * Y**ratio) / (1 + Y**ratio)  # above 0, as 2h - 1 < 1
        return (
            ((ratio - cosine) / (2 * Y), (1 - cosine**2) / (r * (1 + Y**ratio))),
            (Y * sp.Derivative(sp.log(r), Y), rises),
        )

    @step("symbolic", concludes=True)
    def lead(self):
        r"""(c): at rest a tight gap has $wc\,e^{-x}=\lambda$, and neither $c$ nor a unique
        $\lambda$ knows $w$: $x$ moves by $\log r$ if $w$ becomes $rw$"""
        c, multiplier, w, r = sp.symbols("c lambda w r", positive=True)
        late_gap = sp.log(w * c / multiplier)  # the one solution: the exponential is monotone
        at_rest = w * c * sp.exp(-late_gap), multiplier
        return at_rest, (late_gap.subs(w, r * w) - late_gap, sp.log(r))

    @step("symbolic", concludes=True)
    def log_odds(self):
        r"""(d): $A\log(1+e^{-x})+B\log(1+e^x)$ is least at $x=\log\frac AB$: its slope is 0 there,
        and its curvature positive everywhere"""
        bowl = A * sp.log(1 + sp.exp(-x)) + B * sp.log(1 + sp.exp(x))
        curvature = (A + B) * sp.exp(x) / (1 + sp.exp(x)) ** 2
        return (
            (sp.Subs(sp.Derivative(bowl, x), x, sp.log(A / B)), 0),
            (sp.Derivative(bowl, x, 2), curvature),
        )

    two_samples = group()

    @once
    def measured(self):
        """log t of the turn of the picture's pairs, by name."""
        sizes = DECADES * np.log(10)
        return {name: np.array([turning(pair(name, y), y) for y in sizes]) for name in PAIRS}

    @claim("==", 0, "sign", concludes=True)
    def turns_iff(self):
        """five angles, $r$ 3 % below and above $1+2h$: pairs that are nearer to the heavy sample
        where they should not be, or the reverse"""
        return sum(
            leans(degrees, np.log(off * (1 + 2 * cos_half(degrees)))) != (off > 1)
            for degrees in (40, 70, 100, 130, 160)
            for off in (0.97, 1.03)
        )

    @once
    def at_120(self):
        """What the scaled flow says of 120 degrees."""
        return waiting_constant()

    @claim("in", [-1e-4, 1e-4], "limit", concludes=True, atol=1e-6)
    def conflict_constant(self):
        r"""$2h(1+h)\frac{Gt_*}r-\log r$ at 135°, 150° and 170°, $\log r=50$, against
        $-\log(-\cos\theta)$, at 120°, $\log r=150$, against the @{at_120:.4f} of the scaled flow
        (farthest from 0)"""
        beyond = []
        for degrees, log_r in ((120, 150.0), (135, 50.0), (150, 50.0), (170, 50.0)):
            half = cos_half(degrees)
            scaled = np.exp(located(degrees, log_r, 1e-9)[0] - log_r)
            wanted = self.at_120 if degrees == 120 else -np.log(-np.cos(np.radians(degrees)))
            beyond.append(4 * half * (1 + half) * scaled - log_r - wanted)
        return furthest(beyond, 0)

    @once
    def places(self):
        """The ``Place`` of every angle and weight."""
        sizes = lambda degrees: (0.1, 1.0, 3.0, 150.0) if degrees in (86, 89) else (1.0, 3.0, 150.0)
        return [place(degrees, more) for degrees in ANGLES for more in sizes(degrees)]

    @claim("in", [0, 1], "inequality", concludes=True, rtol=1e-3)
    def from_the_start(self):
        r"""14 angles, $r$ from $e$ (86° and 89°: $e^{0.1}$) to $e^{150}$ times $1+2h$: place of
        $\log t_*$ between its bounds, 0 to 1 (farther from the middle)"""
        return furthest([one.between for one in self.places], 0.5)

    @claim("in", [0.999, 1.001], "limit", concludes=True, rtol=1e-3)
    def turning_constant(self):
        r"""six angles below 110°, $\log r>150$: $2Gh^2\,t_*/r^{\sigma_*}$ (farther from 1)"""
        chosen = lambda one: one.more == 150 and one.degrees < 110 and one.degrees != 89
        return furthest([one.constant for one in filter(chosen, self.places)], 1)

    @claim("in", [0.998, 1.002], "rate", concludes=True, rtol=5e-4)
    def conflict_wait(self):
        r"""seven angles from 120° (conflict) to 178°: growth of $t_*$ (light sample's time) per
        unit of $\log r$, and `wait` of the two pulls' lengths and angle, over $1/(2Gh(1+h))$, at
        120° $\frac13$ (farthest from 1)"""
        waiting, low, high = [], self.heaviest / 2, self.heaviest
        for degrees in (120, 122, 130, 140, 150, 165, 178):
            scale = 4 * cos_half(degrees) * (1 + cos_half(degrees))
            turned = [np.exp(located(degrees, size)[0] - size) for size in (low, high)]
            waiting.append(scale * (turned[1] - turned[0]) / (high - low))
            example = pair("conflict", 1.0) if degrees == 120 else at_angle(degrees, 1.0)
            waiting.append(scale * turn(gram(example)).wait)
        return furthest(waiting, 1)

    @claim("<=", 1e-3, "rate", concludes=True, atol=1e-6)
    def random_pairs(self, rng):
        """@{pairs} pairs with Gaussian embeddings, pulls of unequal length: turning clock over the
        predicted one (largest deviation from 1)"""
        clocks = []
        for _ in range(self.pairs):
            draw = partial(gaussian_embeddings, 5, 7, rng)
            make = partial(with_tokens, drawn(draw, turns_in_range, "tokens, dimensions", (5, 7)))
            clocks.append(slope(make, self.heaviest) / turn(gram(make(1.0))).clock)
        return np.abs(np.array(clocks) - 1).max()

    many_samples = group()

    @once
    def sets(self, rng):
        """(data, wakes): draws of five samples, one light or one heavy by turns."""
        found = []
        for number in range(self.draws):
            data, chosen = five_samples(rng), np.eye(5)[rng.integers(5)]
            found.append((data, chosen if number % 2 else 1 - chosen))
        return found

    @once
    def settling(self):
        """The ``Settling`` of every draw."""
        return [settling(*each) for each in self.sets]

    @claim("<=", 0.03, "limit", concludes=True, atol=2e-3)
    def sweeping(self):
        r"""@{draws} draws of five samples, clocks 0.5 to 4: $|W/\log r-V|/|V|$ at
        $\log r=@{heaviest:.0f}$, largest"""
        worst = 0.0
        for data, wakes in self.sets:
            problem = weighted(data, -wakes * self.heaviest)
            swept = sweeping_process(gaps(problem.split), wakes, CLOCKS)
            W = from_zero(problem, CLOCKS * self.heaviest, 1e-6) / self.heaviest
            worst = maximum(worst, relative_distance(W, swept).max())
        return worst

    @once
    def crowds(self, rng):
        """(draws, 2): of eight samples, one heavy, the clock of the turn, swept and trained."""
        each = [crowd_turn(eight_samples(rng), self.heaviest) for _ in range(self.draws)]
        return np.array(each)

    @claim("<=", 1e-2, "rate", concludes=True, atol=2e-5)
    def crowd(self):
        r"""@{draws} draws of eight samples, one heavy: growth of the turning $\log t$ per unit of
        $\log r$ in training, less the clock at which the sweeping process turns, largest"""
        return np.abs(self.crowds[:, 1] - self.crowds[:, 0]).max()

    @claim("<", lambda self: turn(gram(pair("unrelated", 1.0))).clock, "statistical", rtol=0.05)
    def crowd_is_sooner(self):
        """@{draws} draws of eight samples, one heavy: the latest clock at which a draw turns in
        training, against that of two unrelated samples"""
        return self.crowds[:, 1].max()

    @once
    def quarrels(self, rng):
        """(draws, 2): the same of draws with cycles in which the heavy sample has no part."""
        each = (crowd_turn(cyclic_eight(rng), self.heaviest) for _ in count())
        return np.array(list(islice(filter(None, each), MANY)))

    # A wake that is sudden in the process takes some units of log t in training: two at each end.
    @claim("<=", lambda self: 4 / self.heaviest, "rate", atol=2e-5)
    def crowd_with_cycles(self):
        r"""30 draws of eight samples with cycles, the heavy sample in none, that have something to
        turn: growth of the turning $\log t$ per unit of $\log r$ in training, less the clock at
        which the sweeping process of the gaps between components turns, largest"""
        return np.abs(self.quarrels[:, 1] - self.quarrels[:, 0]).max()

    @claim(">", 0.5, "statistical", atol=0.1)
    def mostly_sooner(self):
        """30 draws of eight samples with cycles: share of the draws that turn before two unrelated
        samples would, low end of its exact 95 % interval (Clopper and Pearson; above a half by
        chance in 1 case of 40)"""
        sooner = self.quarrels[:, 1] < turn(gram(pair("unrelated", 1.0))).clock
        found = binomtest(int(sooner.sum()), len(sooner)).proportion_ci(0.95, "exact")
        return float(found.low)

    @once
    def supported(self):
        """The draws with unique, positive multipliers."""
        return [one for one in self.settling if one.unique_positive]

    @once
    def supported_draws(self):
        """How many they are."""
        return len(self.supported)

    @claim("<=", 1e-9, "limit", concludes=True, atol=1e-9)
    def drift(self):
        r"""@{supported_draws} draws with unique, positive multipliers, weights 1 and $e^3$,
        $\log t=5000$: $dW/d\log t-W_{svm}$, largest entry"""
        growth = lambda one: (one.weighted_ends[1] - one.weighted_ends[0]) / 10
        return maximum(np.abs(growth(one) - one.w).max() for one in self.supported)

    @claim("<=", 1e-9, "limit", concludes=True, atol=1e-9)
    def head_start(self):
        r"""@{supported_draws} draws with unique, positive multipliers: how far a tight gap moved by
        the weights is from $\log r=3$ (weighted samples) or 0 (others), largest"""
        shifts = []
        for one in self.supported:
            moved = one.found.rows[one.tight] @ (one.weighted_ends[1] - one.ends[1])
            shifts.append(np.abs(moved - 3 * one.wakes[one.found.pairs[one.tight, 0]]).max())
        return maximum(shifts)

    @claim("<=", 1e-8, "identity")
    def landing_by_hand(self):
        r"""two light samples at the wake of x, at 0 below a at 1 and y at $\frac12$: x, a, y land
        at $\frac45,\frac45,\frac25$; the nearest point that serves all has
        $\frac34,\frac34,\frac12$: largest deviation"""
        split, light = TWO_LIGHT.at(1.0).split, TWO_LIGHT.wakes
        found = gaps(split)
        before, after = sweeping_process(found, light, [1 - 1e-9, 1.0])
        awake = light[found.samples] <= 1
        jump = nearest(found.rows[awake], 1 - light[found.samples][awake], before)
        row = lambda token: np.outer(np.eye(7)["abcyzxq".index(token)], np.eye(7)[6])
        at = np.array([split.coordinates(row(token))[1] for token in "xay"])
        return np.abs(
            [at @ after, at @ jump] - np.array([[0.8, 0.8, 0.4], [0.75, 0.75, 0.5]])
        ).max()

    @claim("<=", 0.01, "limit", concludes=True, atol=1e-3)
    def landing(self):
        r"""a over b over c, y over z heavy; x over a, x over y light; a over z since clock 0.5, b
        over z asleep until 3: $|W/\log r-V|/|V|$ at clock 1.1, $\log r=@{heaviest:.0f}$"""
        problem = TWO_LIGHT.at(self.heaviest)
        end = from_zero(problem, [1.1 * self.heaviest])[0] / self.heaviest
        landed = sweeping_process(gaps(problem.split), TWO_LIGHT.wakes, [1.1])[0]
        return relative_distance(end, landed)

    @once
    def half(self):
        """The smaller log r of a growth."""
        return self.heaviest / 2

    @once
    def reach(self, rng):
        """|W - V log r| of a tied wall, two light samples, draws, at ``half`` and ``heaviest``."""
        cases = [TIED, AWAKE_AT_1]
        for _ in range(self.draws):
            data = five_samples(rng)
            wakes = rng.permutation([0, 0, 0.5, 1, 1])
            cases.append(Weighted(data.counts, data.last, data.label, wakes))
        return np.array(
            [[case.apart(size) for size in (self.half, self.heaviest)] for case in cases]
        )

    @claim("<=", 0.5, "rate", concludes=True, atol=1e-2)
    def sweeping_bound(self):
        r"""(a), a wall met without a push, two light samples, @{draws} draws with ties of wakes:
        power of $\log r$ with which $|W-V\log r|$ grows, $\log r=@{half:.0f}$ to @{heaviest:.0f},
        largest"""
        return np.log2(self.reach[:, 1] / self.reach[:, 0]).max()

    @claim("<=", lambda self: 1 / self.heaviest, "limit", concludes=True, atol=2e-5)
    def three_hinges(self, rng):
        r"""chains of two, three and four heavy, three light samples of two rivals each that wake
        below them, orthonormal and two oblique sets of tokens, clock 1.2: $|dW/d\log r-V|/|V|$,
        largest"""
        tokens = [np.eye(10) + by * rng.normal(size=(10, 10)) for by in (0, 0.2, 0.2)]
        return maximum(three_hinges_miss(one, self.heaviest) for one in tokens)

    joint_layer = group()

    @once
    def frozen(self):
        """log t of the turn, decoder frozen at I, conflict, at both sizes."""
        times = lambda size: np.linspace(1.5 * size, 2.5 * size, 80)
        return [joint_turning("conflict", y, times(y), eta_y=0)[0] for y in JOINT_SIZES]

    @once
    def learned(self):
        """log t of the turn, decoder learned, unrelated, at the larger size."""
        size = JOINT_SIZES[1]
        return joint_turning("unrelated", size, np.linspace(0.9 * size, 4 * size, 400))[0]

    @claim("in", [0.97, 1.03], "rate", rtol=1e-2)
    def joint_frozen(self):
        r"""decoder frozen at $I$, conflict: slope of the turning $\log t$ in $\log r$ (heavy clock)
        over the predicted 2"""
        return (self.frozen[1] - self.frozen[0]) / (JOINT_SIZES[1] - JOINT_SIZES[0]) / 2

    @claim("in", [0.8, 1.2], "limit", rtol=1e-2)
    def joint_learned(self):
        r"""decoder learned, unrelated: $(\log t_*-\log r)/(\log t_*)^{\sqrt2-1}$ at $\log r=160$"""
        return (self.learned - JOINT_SIZES[1]) / self.learned ** (np.sqrt(2) - 1)

    @once
    def far(self):
        """Heavy and light gap in conflict, log r = 20, at log t = 20,000 and 100,000."""
        return [joint_turning("conflict", 20.0, [1e3, 1e4, end])[1:] for end in (2e4, 1e5)]

    @claim("in", [0.98, 1.02], "rate", rtol=1e-3)
    def joint_conflict(self):
        r"""decoder learned, conflict, $\log r=20$, $\log t=2\cdot10^4$ to $10^5$: slopes of the
        heavy and the light gap in $\log\log t$ over 2 and $-2$, as the direction of snapping has it
        if the light sample's rival wins (further from 1)"""
        return furthest(np.diff(self.far, axis=0)[0] / np.log(5) / [2, -2], 1)

    @finding("joint-conflict")
    def decoder_takes_over(self):
        r"""With a decoder that learns as fast as attention, from the identity, a sample $e^{20}$
        times lighter than one it conflicts with is served by the decoder, through its label's
        rival: up to $\log t=10^5$ attention parts label and rival the heavy sample's way."""

    dropped = group()

    @control("H1", "<=", 1e-6, kind="identity")
    def cycle(self):
        r"""a over b against b over a, $\log r=13.8$: the gap comes to rest at the log-odds, so W
        does not turn (distance to $13.8$ at $\log t=300$)"""
        data = one_hot_data([[1, 1, 0], [1, 1, 0]], [2, 2], [0, 1], [1, np.exp(-13.8)])
        split = Problem(data).split
        rest = gradient_flow(split, *split.coordinates(np.zeros((3, 3))), [30.0, 300.0])
        W = split.matrix(rest.x[-1], rest.z[-1])
        return abs(W[0, 2] - W[1, 2] - 13.8)

    @control("H2", ">", 1.03)  # the tolerance of `joint-frozen`
    def bounded_head(self):
        r"""the head $I$ under a softmax, conflict, $\log r=160$: turning clock where the log-loss
        of the mass has 1"""
        return self.frozen[1] / JOINT_SIZES[1]

    @control("H3", "<", 1 + 1 / np.sqrt(2))
    def learned_decoder(self):
        r"""decoder learned, unrelated, $\log r=160$: turning clock, below the $1+\frac1{\sqrt2}$ of
        a fixed one"""
        return self.learned / JOINT_SIZES[1]
