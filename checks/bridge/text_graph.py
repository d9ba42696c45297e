"""The automaton, asked of a text: what the rows measure.

The chapter: ``book/bridge/text_graph.ipynb``.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.random import Generator

from checks.real_text.texts import OnText
from ledgerbook import claim, control, finding, group, once, seed, text, whole
from lib.arrays import Array
from lib.bridge.text_contexts import Choices, Contexts, choices, contexts, law, repeated
from lib.bridge.text_counts import labels_and_offers, one_by_one
from lib.bridge.text_graph import Ranking, by_last, graph_of, inside, ranking, retrieve
from lib.bridge.text_laws import (
    finite_part,
    gain,
    measured,
    nats_of,
    presence,
    share_saved,
    shuffled,
)
from lib.measure import furthest, maximum, minimum
from lib.mechanics.attention_layer import attention
from lib.mechanics.problem import Problem
from lib.mechanics.samples import NextTokenData, from_sequences
from lib.mechanics.token_priority_graph import Graphs, inside_mask
from lib.real_text.kneser_ney import KneserNey
from lib.real_text.tables import stored
from lib.validation import require

TEXTS = {"here": "this text", "wikitext": "WikiText-2"}  # end of an id, words


class Moves(TypedDict):
    """How far a row may move on another machine."""

    rtol: float
    atol: float


WORDS, SHORT = 6, 4  # types of the drawn text, tokens in its windows
LIVE: Moves = {"rtol": 0.3, "atol": 0.05}  # of rows on this text: Pythons differ in it


class Drawn(NamedTuple):
    """A short text at random as this chapter sees it, and the same windows as *Mechanics* does."""

    ids: np.ndarray
    found: Contexts
    given: Choices
    ranked: Ranking
    problem: Problem

    def table(self, scores: Array) -> Array:
        """Scores (P,) of pairs as the matrix W of orthonormal embeddings."""
        W = np.zeros((WORDS, WORDS))
        W[self.given.pairs % WORDS, self.given.pairs // WORDS] = scores
        return W

    def entries(self, table: np.ndarray) -> np.ndarray:
        """A table (windows, types) at the tokens of each window: (m,)."""
        return table[self.given.row, self.given.code % WORDS]


def drawn(rng: Generator) -> Drawn:
    """Those windows of a random text of 200 tokens that hold their label."""
    ids = rng.zipf(1.5, size=200) % WORDS
    every = contexts(ids, WORDS, SHORT)
    found = every.only(every.present)
    given = choices(found)
    data = from_sequences(found.windows.tolist(), found.label, np.eye(WORDS))
    return Drawn(ids, found, given, ranking(found, given), Problem(data))


def in_largest(data: NextTokenData, graphs: Graphs) -> np.ndarray:
    """(n, K): the tokens of the largest component of two or more in the graph of a window's last
    token, of equally large ones of that with the first token."""
    found = np.zeros(data.counts.shape, bool)
    for row, k in zip(found, data.last.tolist(), strict=True):
        largest = max(graphs[k].components, key=lambda one: (len(one), -one[0]))
        row[list(largest)] = len(largest) > 1
    return found


def on_top(data: NextTokenData, graphs: Graphs) -> np.ndarray:
    """(n, K): the tokens of each window that no other of it is above."""
    top = np.zeros(data.counts.shape, bool)
    for row, counts, k in zip(top, data.counts, data.last.tolist(), strict=True):
        here = np.flatnonzero(counts).tolist()
        row[[j for j in here if not any(graphs[k].above(i, j) for i in here)]] = True
    return top


def by_counters(ids: list[int]) -> Array:
    """(words, words, words): the Kneser-Ney law after each two words, from its formula."""
    grams = {k: Counter(zip(*(ids[i:] for i in range(k)), strict=False)) for k in (1, 2, 3)}
    befores = {k: Counter(gram[1:] for gram in grams[k + 1]) for k in (1, 2)}
    p: dict[tuple[int, ...], float] = {(): 1 / WORDS}
    for k, numbers in enumerate((befores[1], befores[2], grams[3]), 1):
        times = Counter(numbers.values())
        discount = times[1] / (times[1] + 2 * times[2]) if times[1] else 0.0
        for gram in product(range(WORDS), repeat=k):
            after = [n for known, n in numbers.items() if known[:-1] == gram[:-1]]
            taken, lower = maximum(numbers[gram] - discount, 0), p[gram[1:]]
            rest = discount * len(after)
            p[gram] = (taken + rest * lower) / sum(after) if after else lower
    return np.array([p[gram] for gram in product(range(WORDS), repeat=3)]).reshape((WORDS,) * 3)


def positive(argument: str, value: str) -> None:
    """The ridges: a text of positive numbers."""
    numbers = [float(one) for one in value.split()]
    require(numbers and minimum(numbers) > 0, argument, value, "positive numbers")


@dataclass
class TextGraph(OnText):
    """The automaton, asked of a text."""

    vocab_size: int = whole(1000, 500, 2000, holds=(800, 1000))
    length: int = whole(32, 16, 64, holds=(24, 40))
    ridges: str = text("1 0.3 0.1", positive, ("1 0.3 0.1", "1 0.3 0.1"))
    seed: int = seed()

    tag = "bridge.text-graph"
    hypotheses = {
        "H1": "the text has an order",
        "H2": "what is judged was not trained on",
        "H3": "the label stands in the window",
    }
    standing = "ours"

    @once
    def table(self) -> dict[str, Any]:
        """The stored measurements of WikiText-2."""
        return stored("text_graph.json")

    @once
    def texts(self) -> dict[Any, Any]:
        """What was measured of the two texts."""
        ridges = tuple(float(one) for one in self.ridges.split())
        here = measured(self.text, self.length, self.seed, ridges, steps=80)
        return {"this text": here, "WikiText-2": self.table["text"][0]}

    @once
    def copies(self) -> dict[Any, Any]:
        """The same of the texts in random order."""
        here = measured(shuffled(self.text, self.seed), self.length, self.seed, (), steps=40)
        return {"this text": here, "WikiText-2": self.table["shuffled"][0]}

    @once
    def present(self) -> Contexts:
        """The windows of the training part that hold their label."""
        every = contexts(self.text.train, self.text.vocab_size, self.length)
        return every.only(every.present)

    def gain(self, case: str, better: str, worse: str) -> tuple[float, float, float]:
        """Nats that one law saves against another on a text: mean, low, high (99 %)."""
        return gain(self.texts[case], better, worse)

    laws = group()

    @claim("<=", 0.02, "statistical", rtol=0.5)
    def held_out_is_new(self) -> float:
        """this text: share of held-out windows that stand, label included, in the training part"""
        ids, size = (self.text.held_out, self.text.train), self.text.vocab_size
        return repeated(*(contexts(part, size, self.length) for part in ids)).mean()

    @once
    def drawn_texts(self, rng: Generator) -> list[Drawn]:
        """Short texts at random."""
        return [drawn(rng) for _ in range(5)]

    @claim("<=", 1e-12, "identity")
    def same_layer(self, rng: Generator) -> float:
        """the odds of a window's tokens from a table of random scores are the attention of
        *Mechanics*' layer with orthonormal embeddings, on five random texts of 200 tokens: largest
        difference"""
        found = []
        for one in self.drawn_texts:
            scores = rng.normal(size=len(one.given.pairs))
            wanted = one.entries(attention(one.table(scores), one.problem.data))
            found.append(np.abs(law(one.given, scores) - wanted).max())
        return maximum(found)

    @claim("==", 0, "identity")
    def same_graphs(self) -> int:
        """tokens of a window that share the label's component, that no other of the window is
        above, and that lie in the largest component, are those of *Mechanics*' priority graphs, and
        so are the arrows of each graph: windows' tokens and arrows that differ, in five random
        texts of 200 tokens"""
        wrong = 0
        for one in self.drawn_texts:
            data, graphs = one.problem.data, one.problem.graphs
            kept = retrieve(one.ranked, one.given, one.found.last)[0]
            mine = inside(one.ranked, one.given)
            wrong += int((kept != one.entries(on_top(data, graphs))).sum())
            wrong += int((mine != one.entries(inside_mask(data, graphs))).sum())
            largest = one.ranked.largest[one.given.pair]
            wrong += int((largest != one.entries(in_largest(data, graphs))).sum())
            arrows = [graph_of(one.found, rows, k).graph.edges for k, rows in by_last(one.found)]
            theirs = [graphs[k].graph.edges for k in sorted(graphs)]
            wrong += sum(len(a ^ b) for a, b in zip(arrows, theirs, strict=True))
        return wrong

    @claim("<=", 0.02, "limit")
    def same_odds(self) -> float:
        r"""the scores of the finite part, by L-BFGS over all windows, against the $W^{fin}$ of
        *Mechanics*' graphs by Newton's method, on five random texts of 200 tokens: largest
        difference"""
        found = []
        for one in self.drawn_texts:
            mine = one.table(finite_part(one.ranked, one.given, WORDS))
            found.append(np.abs(mine - one.problem.fin.W).max())
        return maximum(found)

    @claim("==", 0, "identity")
    def same_counters(self) -> int:
        """labels and offers of each pair of a last word and a word, against a count window by
        window, on five random texts of 200 tokens: pairs that differ"""
        wrong = 0
        for one in self.drawn_texts:
            pairs = [divmod(code, WORDS) for code in one.given.pairs.tolist()]
            both = zip(labels_and_offers(one.given), one_by_one(one.found), strict=True)
            wrong += sum(int((mine != [told[p] for p in pairs]).sum()) for mine, told in both)
        return wrong

    @claim("<=", 1e-12, "identity")
    def grams_sum_to_one(self) -> float:
        """the Kneser-Ney trigram's law after each two words is that of its formula, with counts
        taken gram by gram, and sums to 1 over all words, five random texts of 200 tokens and the
        first 20 of each, in which words are rare: largest difference"""
        rows = np.array(list(product(range(WORDS), repeat=3)))
        found = []
        for ids in (part for one in self.drawn_texts for part in (one.ids, one.ids[:20])):
            p = KneserNey(ids, WORDS, 3).probabilities(rows)[:, -1]
            wanted = by_counters(ids.tolist())
            found.append(np.abs(p - wanted.ravel()).max())
            found.append(np.abs(p.reshape(-1, WORDS).sum(axis=1) - 1).max())
        return maximum(found)

    @claim("in", [0.95, 1], "statistical", atol=0.02)
    def limits_hold(self, rng: Generator) -> float:
        """the 99 % limits of these rows, for 3000 pairs of laws that differ by nothing but noise,
        blocks as many and as long as of this text: share of them between whose limits 0 lies"""
        counts, held = self.texts["this text"]["counts"], 0
        for _ in range(3000):
            nats = rng.normal(counts, np.sqrt(counts), (2, len(counts)))
            drawn = {"counts": counts, "laws": dict(zip("ab", nats, strict=True))}
            _, low, high = gain(drawn, "a", "b")
            held += low < 0 < high
        return held / 3000

    @claim("<=", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def no_more_than_a_list(self, case: str) -> float:
        """@{case}: nats that retrieval saves against the list of labels ever seen after the last
        token; upper 99 % limit"""
        return self.gain(case, "retrieval", "ever a label")[2]

    @claim(">", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def retrieval(self, case: str) -> float:
        """@{case}: retrieval saves nats against the bare frequency of tokens; lower 99 % limit"""
        return self.gain(case, "retrieval", "frequency")[1]

    @claim(">", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def composition(self, case: str) -> float:
        """@{case}: composition alone saves nats against the window's counts; lower 99 % limit"""
        return self.gain(case, "composition", "counts")[1]

    @claim(">", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def together(self, case: str) -> float:
        """@{case}: the automaton saves more than retrieval alone; lower 99 % limit"""
        return self.gain(case, "automaton", "retrieval")[1]

    @claim(">", 0, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def finite_time(self, case: str) -> float:
        """@{case}: the layer trained with a ridge saves more than its limit, the automaton; lower
        99 % limit"""
        return self.gain(case, "trained layer", "automaton")[1]

    @claim("<", 0, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def less_than_counting(self, case: str) -> float:
        """@{case}: nats that the automaton saves against labels per offer; upper 99 % limit"""
        return self.gain(case, "automaton", "labels per offer")[2]

    @claim("<=", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def odds(self, case: str) -> float:
        """@{case}: nats that the odds of the finite part, on the list of labels ever seen, save
        against labels per offer; upper 99 % limit"""
        return self.gain(case, "ever, composed", "labels per offer")[2]

    @claim(">", 0, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def offers(self, case: str) -> float:
        """@{case}: labels per offer save more than label counts; lower 99 % limit"""
        return self.gain(case, "labels per offer", "label counts")[1]

    @claim("in", [0.8, 1.0], "statistical", cases=TEXTS, rtol=0.02)
    def nine_tenths(self, case: str) -> float:
        """@{case}: of what the trained layer saves against the window's counts the automaton saves
        nine tenths, give or take one: the 99 % limit of its share that is farther from 0.9"""
        limits = share_saved(self.texts[case], "automaton", "trained layer", "counts")[1:]
        return furthest(limits, 0.9)

    @claim("<", 1, "statistical", cases=TEXTS, **LIVE)
    def keeps_the_label(self, case: str) -> float | None:
        """@{case}: retrieval keeps fewer tokens than by graphs of labels drawn at random from their
        windows, share of theirs, and keeps the label more often"""
        graph = self.texts[case]["graph"]
        if graph["label_kept"] <= graph["null_label_kept"]:
            return None
        return graph["kept"] / graph["null_kept"]

    @claim(">", 0, "statistical")
    def pairs_of_neighbors_wikitext(self) -> float:
        """WikiText-2: counts of neighbours, cut down to the window, save more than the automaton;
        lower 99 % limit"""
        return self.gain("WikiText-2", "bigram", "automaton")[1]

    @claim("<", 0, "statistical")
    def composition_alone(self) -> float:
        """WikiText-2: nats that composition alone saves against the bare frequency of tokens; upper
        99 % limit"""
        return self.gain("WikiText-2", "composition", "frequency")[2]

    @claim("in", [-0.1, 0.1], "statistical", cases=TEXTS, **LIVE)
    def bigram(self, case: str) -> float:
        """@{case}: nats that the trained layer saves against a Kneser-Ney bigram cut down to the
        window; the 99 % limit farther from zero"""
        return furthest(self.gain(case, "trained layer", "n-gram 2")[1:], 0)

    @claim(">", 0, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def trigram(self, case: str) -> float:
        """@{case}: nats that a Kneser-Ney trigram, cut down to the window, saves against the
        trained layer; lower 99 % limit"""
        return self.gain(case, "n-gram 3", "trained layer")[1]

    @finding("trigram-here", "trigram-wikitext")
    def one_word_of_memory(self) -> None:
        """On the two texts a trigram that is cut down to the window predicts better than the
        trained layer, which looks at one word and at the window."""

    @finding(
        "no-more-than-a-list-here",
        "no-more-than-a-list-wikitext",
    )
    def a_list_not_a_ranking(self) -> None:
        """On the two texts the token-priority graph is a list rather than a ranking: retrieval by
        the graph saves no more nats than the rule that keeps what was ever a label there."""

    @finding(
        "less-than-counting-here",
        "less-than-counting-wikitext",
        "odds-here",
        "odds-wikitext",
    )
    def two_counters_do_as_well(self) -> None:
        """On the two texts two counters for each last word, how often a token was the label and in
        how many windows it was on offer, save more nats than the automaton. Neither the order in
        the graph nor the odds that solve the equations of its finite part are what saves them."""

    without = group()

    @control("H1", "<=", 0.02, kind="statistical", cases=TEXTS, **LIVE)
    def order(self, case: str) -> float:
        """@{case}: nats that retrieval, the automaton, and labels per offer save against the bare
        frequency of tokens, in the shuffled copy; upper 99 % limit, the largest"""
        laws = "retrieval", "automaton", "labels per offer"
        return maximum(gain(self.copies[case], law, "frequency")[2] for law in laws)

    @control("H2", ">", 0.2, kind="statistical", cases=TEXTS, **LIVE)
    def held_out(self, case: str) -> float:
        """@{case}: nats of the limit on held-out text (mixed with the counts) minus those on its
        training text (unmixed)"""
        record = self.texts[case]
        return nats_of(record, "automaton") - record["graph"]["limit_train_nats"]

    def label_in_window(self, length: int) -> dict[str, float]:
        """How often the label stands in its window, and two nulls."""
        return presence(self.text, length, np.random.default_rng(self.seed))

    @control("H3", ">", 0.3, kind="statistical", rtol=0.3)
    def outside(self) -> float:
        """share of positions whose label is not among the @{length} tokens before it"""
        return 1 - self.label_in_window(self.length)["window"]
