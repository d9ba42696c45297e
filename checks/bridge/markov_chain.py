"""Question 10: what its rows measure.  The chapter: ``book/bridge/markov_chain.ipynb``."""

from dataclasses import dataclass
from typing import Any

import flint
import networkx as nx
import numpy as np
import sympy as sp
import z3
from ledgerbook.ledger.facts import Facts
from numpy.random import Generator
from scipy import stats

from ledgerbook import (
    Checks,
    chapter,
    claim,
    control,
    finding,
    group,
    once,
    seed,
    step,
    textbook,
    whole,
)
from lib.arrays import Array, Ids
from lib.bridge.joint_training import one_hot_data
from lib.bridge.markov_chain import (
    conditioned_law,
    copies_law,
    log_chain,
    transition_matrix,
    weights_of,
)
from lib.decide import follows
from lib.measure import maximum, relative_error
from lib.mechanics.automaton import model_law, retrieve
from lib.mechanics.draws import ChoiceLaw, choice_draw, random_law
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences, gaussian_embeddings
from lib.mechanics.token_priority_graph import priority_graphs

m, w, rest, total, p, q, r, c = z3.Reals("m w rest total p q r c")
PROMPTS = [[0, 1, 3], [1, 2, 3], [2, 0, 0, 3]]  # last token 3
COUNTS = np.array([np.bincount(prompt, minlength=4) for prompt in PROMPTS])
PROMPT, LABEL = np.nonzero(COUNTS)  # every prompt with every label that it can have
PAIRS = ((0.2, 2), (0.4, 2), (0.6, 2), (0.2, 5), (0.4, 5), (0.6, 5))  # odds, and odds back


def chain(truth: ChoiceLaw) -> Array:
    """The transition matrix behind a ``ChoiceLaw`` of one tier."""
    odds = np.exp(truth.strengths)
    return odds / odds.sum(axis=1, keepdims=True)


def two_tokens(odds: float, back: float) -> Array:
    """The chain in which 1 follows 0 with these odds against 0, and 0 follows 1 with odds back."""
    rows = np.array([[1.0, odds], [back, 1.0]])
    return rows / rows.sum(axis=1, keepdims=True)


def mean_copies(odds: float, back: int, times: list[int]) -> np.ndarray:
    """Expected copies of token 1 after ``times`` tokens, over all texts."""
    laws = copies_law(two_tokens(odds, back), times)
    return np.array([law @ np.arange(1, len(law) + 1) for law in laws])


def mutual_reach() -> tuple[tuple[Any, ...], Any, Any]:
    """(assumptions, no arrow leaves a strong component, weak components are the strong ones).

    In first-order logic, on tokens of any number: arrows, what reaches what, what is joined.  The
    latter two are the least of their kind, said of the one relation each that the proof needs.
    """
    token = z3.DeclareSort("token")
    arrow, reaches, joined = (
        z3.Function(name, token, token, z3.BoolSort()) for name in ("arrow", "reaches", "joined")
    )
    x, y, z = z3.Consts("x y z", token)
    strong = lambda a, b: z3.And(reaches(a, b), reaches(b, a))
    inside = lambda small, large: z3.ForAll([x, y], z3.Implies(small(x, y), large(x, y)))
    onward = lambda of: z3.And(
        z3.ForAll([x], of(x, x)),
        z3.ForAll([x, y, z], z3.Implies(z3.And(of(x, y), of(y, z)), of(x, z))),
    )
    both_ways = lambda of: z3.ForAll([x, y], of(x, y) == of(y, x))
    holds_arrows = lambda of: z3.And(onward(of), inside(arrow, of))
    assumed = (
        holds_arrows(reaches),
        holds_arrows(joined),
        both_ways(joined),
        z3.Implies(holds_arrows(joined), inside(reaches, joined)),  # reaches: the least such
        z3.Implies(z3.And(holds_arrows(strong), both_ways(strong)), inside(joined, strong)),
    )
    same = z3.ForAll([x, y], joined(x, y) == strong(x, y))
    return assumed, inside(arrow, strong), same


def exact_rank(prompts: list[list[int]], odds: list[int]) -> int:
    """Rank over the rationals of the sum of the prompts' Fisher informations about log odds."""
    tokens = len(odds)
    total = flint.fmpq_mat(tokens, tokens)
    for row in prompts:
        weight = [m * o for m, o in zip(row, odds, strict=True)]
        mass = [flint.fmpq(one, sum(weight)) for one in weight]
        entries = [
            (mass[i] if i == j else flint.fmpq(0)) - mass[i] * mass[j]
            for i in range(tokens)
            for j in range(tokens)
        ]
        total += flint.fmpq_mat(tokens, tokens, entries)
    return total.rank()


def together(P: Array) -> Array:
    """How likely a prompt of ``PROMPTS`` with its label is, prompts being uneven."""
    laws = conditioned_law(P, COUNTS, [3, 3, 3])
    return np.array([0.2, 0.3, 0.5])[PROMPT] * laws[PROMPT, LABEL]


def sampled(often: Array, E: Array) -> Problem:
    """The three prompts with their labels, each as ``often``; none of those that never came."""
    came = [PROMPTS[r] for r in PROMPT[often > 0]]
    return Problem(from_sequences(came, LABEL[often > 0], E, weight=often[often > 0]))


def hard_by_upsets(samples: int, delta: float) -> float:
    """Probability that the Graph-SVM is not zero, one number of upsets after the other."""
    hard = 0.0
    for upsets in range(samples + 1):
        labels = [1] * upsets + [0] * (samples - upsets)
        svm = Problem(from_sequences([[1, 0]] * samples, labels, np.eye(2))).svm
        hard += stats.binom.pmf(upsets, samples, 1 / (1 + np.exp(delta))) * (svm.norm > 0)
    return hard


def is_ordered(rng: Generator, samples: int, gap: float) -> bool:
    """Whether a data set on {0, 1} orders the two tokens: the Graph-SVM is not zero."""
    two = ChoiceLaw(np.zeros((2, 2)), np.array([[gap, 0.0], [gap, 0.0]]))
    data = choice_draw(rng, two, samples, 2, np.eye(2), (0,), repeats=False)
    return Problem(data).svm.norm > 0


def rank_is_off(rng: Generator, tokens: int) -> tuple[bool, bool]:
    """Three random prompts: whether rank and classes disagree, and whether they fall apart."""
    prompts = np.array([np.bincount(rng.choice(tokens, size=2), minlength=tokens) for _ in "abc"])
    labels = [rng.choice(np.flatnonzero(prompt)) for prompt in prompts]
    graph = priority_graphs(one_hot_data(prompts, [0, 0, 0], labels))[0].graph
    weak = nx.number_weakly_connected_components(graph)
    odds = [int(o) for o in rng.integers(1, 9, size=tokens)]
    return exact_rank(prompts.tolist(), odds) != len(graph) - weak, weak > 1


@dataclass
class MarkovChain(Checks):
    """Question 10: attention as a chain that the context conditions."""

    tag = "bridge.markov-chain"
    standing = "reconstructed"
    hypotheses = {
        "H1": "the head with $CE^\\top=I$: the output is the attention mass",
        "H2": "labels are drawn from the layer itself, prompts independently",
        "H3": "for each last token one class holds every token",
        "H4": "token 0 is likelier after 0, and at least twice as likely as 1 after 1",
    }
    parts = {
        "the chain": ("every-chain",),
        "1, what prompts tell": ("equivalence", "odds-are-seen", "a-factor-is-not"),
        "2, weak and strong": ("no-arrow-between",),
        "3, by chance": ("all-alike", "gumbel"),
    }
    trusts = (
        chapter("mechanics.convexity", "the log-loss is convex", "the chain"),
        textbook(
            "a regular exponential family's maximum likelihood is consistent", "2, weak and strong"
        ),
        textbook("in the long run a text follows its mean path (urns)", "beyond the print"),
    )

    K: int = whole(5, 2, 10, holds=(4, 8))
    d: int = whole(7, 3, 14, holds=(lambda self: self.K + 2, 12))
    draws: int = whole(60, 10, 200)
    sets: int = whole(100, 50, 300)
    steps: int = whole(10000, 5000, 20_000, holds=(5000, 12000))
    seed: int = seed(3)

    @once
    def shares(self, rng: Generator) -> dict[int, tuple[np.ndarray, list[Any]]]:
        """{samples: (log odds less log samples, share of data sets that order the two tokens)}."""
        found, shifts = {}, np.array([-1.0, 0.0, 1.0, 2.5])
        for samples in (10, 50, 250):
            gaps = np.log(samples) + shifts
            found[samples] = (
                shifts,
                [
                    np.mean([is_ordered(rng, samples, gap) for _ in range(self.sets)])
                    for gap in gaps
                ],
            )
        return found

    @property
    def eighths(self) -> list[int]:
        """Tokens written: an eighth of ``steps``, doubled three times."""
        return [self.steps // 8 * k for k in (1, 2, 4, 8)]

    @once
    def grown(self) -> dict[Any, Any]:
        """{(odds, back): {tokens written: expected copies of the loser}}; times to draw as well."""
        drawn = np.geomspace(10, self.steps, 14).astype(int)  # evenly in the logarithm
        times = sorted({*drawn.tolist(), *self.eighths})
        return {
            pair: dict(zip(times, mean_copies(*pair, times).tolist(), strict=True))
            for pair in PAIRS
        }

    @once
    def small(self, rng: Generator) -> tuple[Array, ChoiceLaw]:
        """Embeddings of four tokens, and a soft truth."""
        return gaussian_embeddings(4, 5, rng), random_law(4, 1, rng, spread=0.7)

    @step("decided", concludes=True)
    def equivalence(self) -> bool:
        r"""$\frac{m_jw_j}{m_jw_j+R}$ is the same with $w/Z$ in place of $w=e^{a}$, $R$ the weight
        of all other tokens of the context, $Z$ of the whole row"""
        share = m * (w / total) / (m * (w / total) + rest / total)
        return follows(m * w / (m * w + rest) == share, m > 0, w > 0, rest >= 0, total > 0)

    @step("symbolic", concludes=True)
    def every_chain(self) -> Facts:
        r"""$W=C^\top LC$ has the scores $EWE^\top=L$, for any $L=\log P^\top$, any $K$ and $d$"""
        tokens, width = sp.symbols("K d", integer=True, positive=True)
        E, L = sp.MatrixSymbol("E", tokens, width), sp.MatrixSymbol("L", tokens, tokens)
        head = (E * E.T).inverse() * E
        return E * (head.T * L * head) * E.T, L

    @step("decided", concludes=True)
    def odds_are_seen(self) -> bool:
        r"""a prompt's law gives the odds of its tokens, $\frac{m p/T}{m'q/T}\frac{m'}m=\frac pq$,
        and odds multiply along a path: equal laws mean equal odds in each class"""
        seen = (m * p / total) / (c * q / total) * (c / m) == p / q
        positive = [one > 0 for one in (m, c, p, q, r, total)]
        return follows(z3.And(seen, (p / q) * (q / r) == p / r), *positive)

    @step("decided", concludes=True)
    def a_factor_is_not(self) -> bool:
        r"""a factor $c$ on a whole class changes no prompt inside it:
        $\frac{mcp}{mcp+cR}=\frac{mp}{mp+R}$"""
        same = m * c * p / (m * c * p + c * rest) == m * p / (m * p + rest)
        return follows(same, m > 0, c > 0, p > 0, rest >= 0)

    @step("decided", concludes=True)
    def no_arrow_between(self) -> bool:
        """no arrow leads from one strong component to another iff each weak component is strong,
        any number of tokens"""
        assumed, no_arrow, same = mutual_reach()
        return follows(no_arrow == same, *assumed)

    @step("symbolic", concludes=True)
    def all_alike(self) -> Facts:
        r"""all $n$ labels one token, or all the other: $p^n+(1-p)^n$ with $\frac
        p{1-p}=e^\Delta$ is $(1+e^{-\Delta})^{-n}+(1+e^\Delta)^{-n}$"""
        size, gap = sp.symbols("n", positive=True), sp.symbols("x", real=True)
        likelier = sp.exp(gap) / (1 + sp.exp(gap))
        shown = (1 + sp.exp(-gap)) ** -size + (1 + sp.exp(gap)) ** -size
        return likelier**size + (1 - likelier) ** size, shown

    @step("symbolic", concludes=True)
    def gumbel(self) -> Facts:
        r"""$(1+e^{-\Delta})^{-n}\to e^{-e^{-x}}$ for $\Delta=\log n+x$, $n\to\infty$"""
        size, x = sp.symbols("n", positive=True), sp.symbols("x", real=True)
        stays = (1 - 1 / (1 + size * sp.exp(x))) ** size
        return sp.Limit(stays, size, sp.oo), sp.exp(-sp.exp(-x))

    def apart(self, rng: Generator) -> float:
        """Largest difference of three kinds of laws and the chains behind them, once drawn."""
        E, W = gaussian_embeddings(self.K, self.d, rng), rng.normal(size=(self.d, self.d))
        counts, last = rng.integers(0, 4, size=(30, self.K)), rng.integers(self.K, size=30)
        counts[np.arange(30), last] += 1
        P, law = rng.dirichlet(np.ones(self.K), size=self.K), random_law(self.K, 1, rng)
        pairs = (
            (model_law(W, counts, last, E), transition_matrix(W, E)),
            (model_law(weights_of(P, E), counts, last, E), P),
            (law.probabilities(counts, last), chain(law)),
        )
        return maximum(np.abs(one - conditioned_law(P, counts, last)).max() for one, P in pairs)

    law = group()

    @claim("<=", 1e-12, "identity", atol=1e-12)
    def same_law(self, rng: Generator) -> float:
        r"""attention against $m_jP_{kj}/\sum_lm_lP_{kl}$, the layer made for a random $P$ against
        its chain, and labels of one tier against theirs: largest difference"""
        return maximum(self.apart(rng) for _ in range(self.draws))

    @once
    def families(self, rng: Generator) -> Ids:
        """Of random families of prompts: those whose rank is off, those in several classes."""
        return np.sum([rank_is_off(rng, self.K) for _ in range(self.draws)], axis=0)

    @claim("==", 0, "exact")
    def identified(self) -> int:
        """rank of the exact Fisher information is tokens minus classes, classes from the label
        graph without its arrows: exceptions"""
        return self.families[0]

    samples = group()

    @claim("<=", 1e-7, "identity", atol=1e-7)
    def log_chain(self) -> float:
        r"""each label as often as a chain has it, log odds up to 8, uneven prompts with
        multiplicities: $W^{fin}$ against $\log P$, in the coordinates of $\mathcal S_{fin}$,
        relative difference"""
        E, truth = self.small
        spread = np.ptp(truth.strengths[3])  # of the last token of PROMPTS
        steep = chain(ChoiceLaw(truth.tiers, 8 / spread * truth.strengths))
        endless = sampled(together(steep), E)
        return relative_error(log_chain(steep, endless.split), endless.fin.x)

    @claim("<=", 1e-12, "identity")
    def hard_by_chance(self) -> float:
        r"""probability of $W^{svm}\ne0$, summed over all numbers of upsets, against
        $(1+e^{-\Delta})^{-n}+(1+e^\Delta)^{-n}$: 1 to 8 samples, $\Delta=0$ to 3"""

        def off(samples: int, delta: float) -> float:
            shape = (1 + np.exp(-delta)) ** -samples + (1 + np.exp(delta)) ** -samples
            return abs(hard_by_upsets(samples, delta) / shape - 1)

        return maximum(off(n, delta) for n in (1, 2, 3, 5, 8) for delta in (0.0, 0.5, 1.0, 3.0))

    texts = group()

    @claim("<=", 1e-6, "limit", atol=1e-6)
    def zero_temperature(self, rng: Generator) -> float:
        r"""chain with log odds from 1 to 3, at $\beta=40$, against hard retrieval on the graph of
        its samples: largest difference of the two laws, plus tokens beyond one in a component"""
        order = rng.permuted(np.tile(np.arange(4.0), (4, 1)), axis=1)  # log odds of 1 to 3
        cold = ChoiceLaw(np.zeros((4, 4)), 40 * order)
        data = choice_draw(rng, cold, 2000, 3, self.small[0], (3,), repeats=False)
        graphs = priority_graphs(data)
        single = maximum(map(len, graphs[3].components))
        kept = retrieve(graphs, data.counts, data.last)
        law = conditioned_law(chain(cold), data.counts, data.last)
        return np.abs(law - kept / kept.sum(axis=1, keepdims=True)).max() + single - 1

    @once
    def doublings(self) -> dict[Any, Any]:
        """{(odds, back): exponents of the loser's expected copies over three doublings}."""
        return {
            pair: np.diff(np.log2([grown[t] for t in self.eighths]))
            for pair, grown in self.grown.items()
        }

    @property
    def slopes(self) -> dict[Any, Any]:
        """{(odds, back): exponent over the last doubling}."""
        return {pair: float(found[-1]) for pair, found in self.doublings.items()}

    @claim("<=", 1, "rate", rtol=1e-4)
    def loser(self) -> float:
        """expected copies of the loser over all texts, exactly: exponent continued to endless texts
        from its last three doublings (Aitken), minus its odds after the winner, over what the
        continuation added; largest of six pairs of odds"""
        apart = []
        for (odds, _), found in self.doublings.items():
            before, last = np.diff(found)
            added = last**2 / (before - last)
            apart.append(abs(found[-1] + added - odds) / abs(added))
        return maximum(apart)

    @claim("<=", 1e-14, "identity")
    def two_written(self) -> float:
        """copies of a token after two tokens written, from a text with one of each of two that ends
        with the other: their exact law against the law by hand, largest difference"""
        apart = []
        for odds, back in PAIRS:
            (_, up), (_, stay) = P = two_tokens(odds, back)
            again = 2 * stay / (2 * stay + P[1, 0])  # two copies are there, and one stands last
            late = up / (up + 2 * P[0, 0])  # one copy is there, and the other token stands last
            by_hand = [P[0, 0] * (1 - late), P[0, 0] * late + up * (1 - again), up * again]
            (found,) = copies_law(P, [2])
            apart.append(np.abs(found - by_hand).max())
        return maximum(apart)

    @finding("identified", "hard-by-chance")
    def weak_and_strong(self) -> None:
        """Identifiability asks for weak components of the label graph, a finite estimate for strong
        ones; what lies between them is the Graph-SVM."""

    without = group()

    @control("H1", "in", [69 / 64 - 1e-9, 69 / 64 + 1e-9], kind="identity")
    def mixing_head(self) -> float:
        r"""head $\frac12I+\frac1{2K}$, $P=(0.6,0.3,0.1)$: the odds of the first two tokens without
        the third and beside five copies of it, in the ratio $\frac{69}{64}$"""
        P = np.array([[0.6, 0.3, 0.1]] * 3)
        laws = conditioned_law(P, np.array([[1, 1, 0], [1, 1, 5]]), [0, 0])
        without, beside = laws @ (0.5 * np.eye(3) + 0.5 / 3)
        return (without[0] / without[1]) / (beside[0] / beside[1])

    @control("H2", "==", 10, kind="statistical")
    def priorities(self, rng: Generator) -> int:
        r"""labels drawn by tiers, 1000 samples: data sets of 10 with $W^{svm}\ne0$"""
        tiers = rng.permuted(np.tile(np.arange(4), (10, 4, 1)), axis=2)
        laws = (ChoiceLaw(ranks, np.zeros((4, 4))) for ranks in tiers)
        sets = (choice_draw(rng, law, 1000, 3, np.eye(4), (0,)) for law in laws)
        return sum(Problem(data).svm.norm > 0 for data in sets)

    @control("H3", "in", [1 - 1e-6, 1 + 1e-6], kind="limit")
    def two_classes(self) -> float | None:
        r"""prompts $\{0,1\}$ and $\{2,3\}$ only, labels of the chain without end, $W^{svm}=0$:
        total variation from the truth on $\{0,1,2,3\}$, over $\frac12\tanh1$, what even odds of the
        two pairs miss"""
        P = chain(ChoiceLaw(np.zeros((5, 5)), np.tile([1.0, 0.0, -1.0, -2.0, 0.0], (5, 1))))
        apart = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 1, 0]])  # token 4 is last, and no key
        likely = conditioned_law(P, apart, [4, 4])
        row, label = np.nonzero(likely)
        samples = apart[row], np.full(4, 4), label, np.eye(5), likely[row, label] / 2
        blind, whole = Problem(NextTokenData(*samples, complete=False)), [[1, 1, 1, 1, 0]]
        if blind.svm.norm > 0:
            return None
        guess = model_law(blind.fin.W, whole, [4], np.eye(5))
        return np.abs(guess - conditioned_law(P, whole, [4])).sum() / np.tanh(1)

    @control("H4", "in", [-0.01, 0.01], rtol=1e-6)
    def nobody_wins(self) -> Array:
        r"""odds of changing $\frac73$ and $\frac32$: expected share of token 0, exactly, minus
        $\frac7{19}$"""
        (settled,) = copies_law(two_tokens(7 / 3, 3 / 2), [self.steps])
        copies = np.arange(1, self.steps + 2)
        return 1 - settled @ copies / (self.steps + 2) - 7 / 19
