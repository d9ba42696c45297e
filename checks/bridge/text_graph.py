"""The automaton, asked of a text: what the rows measure.

The chapter: ``book/bridge/text_graph.ipynb``.
"""

from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np

from checks.real_text.texts import OnText
from ledgerbook import claim, control, finding, group, once, seed, text, whole
from lib.bridge.text_contexts import contexts, repeated
from lib.bridge.text_laws import gain, measured, nats_of, presence, share_saved, shuffled
from lib.measure import furthest, maximum, minimum
from lib.real_text.tables import stored
from lib.validation import require

TEXTS = {"here": "this text", "wikitext": "WikiText-2"}  # end of an id, words


class Moves(TypedDict):
    """How far a row may move on another machine."""

    rtol: float
    atol: float


LIVE: Moves = {"rtol": 0.3, "atol": 0.05}  # of rows on this text: Pythons differ in it


def positive(argument, value):
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
    def present(self):
        """The windows of the training part that hold their label."""
        every = contexts(self.text.train, self.text.vocab_size, self.length)
        return every.only(every.present)

    def gain(self, case, better, worse):
        """Nats that one law saves against another on a text: mean, low, high (99 %)."""
        return gain(self.texts[case], better, worse)

    laws = group()

    @claim("<=", 0.02, "statistical", rtol=0.5)
    def held_out_is_new(self):
        """this text: share of held-out windows that stand, label included, in the training part"""
        ids, size = (self.text.held_out, self.text.train), self.text.vocab_size
        return repeated(*(contexts(part, size, self.length) for part in ids)).mean()

    @claim("<=", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def no_more_than_a_list(self, case):
        """@{case}: nats that retrieval saves against the list of labels ever seen after the last
        token; upper 99 % limit"""
        return self.gain(case, "retrieval", "ever a label")[2]

    @claim(">", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def retrieval(self, case):
        """@{case}: retrieval saves nats against the bare frequency of tokens; lower 99 % limit"""
        return self.gain(case, "retrieval", "frequency")[1]

    @claim(">", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def composition(self, case):
        """@{case}: composition alone saves nats against the window's counts; lower 99 % limit"""
        return self.gain(case, "composition", "counts")[1]

    @claim(">", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def together(self, case):
        """@{case}: the automaton saves more than retrieval alone; lower 99 % limit"""
        return self.gain(case, "automaton", "retrieval")[1]

    @claim(">", 0, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def finite_time(self, case):
        """@{case}: the layer trained with a ridge saves more than its limit, the automaton; lower
        99 % limit"""
        return self.gain(case, "trained layer", "automaton")[1]

    @claim("<", 0, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def less_than_counting(self, case):
        """@{case}: nats that the automaton saves against labels per offer; upper 99 % limit"""
        return self.gain(case, "automaton", "labels per offer")[2]

    @claim("<=", 0.05, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def odds(self, case):
        """@{case}: nats that the odds of the finite part, on the list of labels ever seen, save
        against labels per offer; upper 99 % limit"""
        return self.gain(case, "ever, composed", "labels per offer")[2]

    @claim(">", 0, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def offers(self, case):
        """@{case}: labels per offer save more than label counts; lower 99 % limit"""
        return self.gain(case, "labels per offer", "label counts")[1]

    @claim("in", [0.8, 1.0], "statistical", cases=TEXTS, rtol=0.02)
    def nine_tenths(self, case):
        """@{case}: of what the trained layer saves against the window's counts the automaton saves
        nine tenths, give or take one: the 99 % limit of its share that is farther from 0.9"""
        limits = share_saved(self.texts[case], "automaton", "trained layer", "counts")[1:]
        return furthest(limits, 0.9)

    @claim("<", 1, "statistical", cases=TEXTS, **LIVE)
    def keeps_the_label(self, case):
        """@{case}: retrieval keeps fewer tokens than by graphs of labels drawn at random from their
        windows, share of theirs, and keeps the label more often"""
        graph = self.texts[case]["graph"]
        if graph["label_kept"] <= graph["null_label_kept"]:
            return None
        return graph["kept"] / graph["null_kept"]

    @claim(">", 0, "statistical")
    def pairs_of_neighbors_wikitext(self):
        """WikiText-2: counts of neighbours, cut down to the window, save more than the automaton;
        lower 99 % limit"""
        return self.gain("WikiText-2", "bigram", "automaton")[1]

    @claim("<", 0, "statistical")
    def composition_alone(self):
        """WikiText-2: nats that composition alone saves against the bare frequency of tokens; upper
        99 % limit"""
        return self.gain("WikiText-2", "composition", "frequency")[2]

    @claim("in", [-0.1, 0.1], "statistical", cases=TEXTS, **LIVE)
    def bigram(self, case):
        """@{case}: nats that the trained layer saves against a Kneser-Ney bigram cut down to the
        window; the 99 % limit farther from zero"""
        return furthest(self.gain(case, "trained layer", "n-gram 2")[1:], 0)

    @claim(">", 0, "statistical", concludes=True, cases=TEXTS, **LIVE)
    def trigram(self, case):
        """@{case}: nats that a Kneser-Ney trigram, cut down to the window, saves against the
        trained layer; lower 99 % limit"""
        return self.gain(case, "n-gram 3", "trained layer")[1]

    @finding("trigram-here", "trigram-wikitext")
    def one_word_of_memory(self) -> None:
        """A trigram that is cut down to the window predicts better than the trained layer, which
        looks at one word and at the window."""

    @finding(
        "no-more-than-a-list-here",
        "no-more-than-a-list-wikitext",
    )
    def a_list_not_a_ranking(self) -> None:
        """On a text the token-priority graph is a list rather than a ranking: retrieval by the
        graph saves no more nats than the rule that keeps what was ever a label there."""

    @finding(
        "less-than-counting-here",
        "less-than-counting-wikitext",
        "odds-here",
        "odds-wikitext",
    )
    def two_counters_do_as_well(self) -> None:
        """On a text two counters for each last word, how often a token was the label and in how
        many windows it was on offer, save more nats than the automaton. Neither the order in the
        graph nor the odds that solve the equations of its finite part are what saves them."""

    without = group()

    @control("H1", "<=", 0.02, kind="statistical", cases=TEXTS, **LIVE)
    def order(self, case):
        """@{case}: nats that retrieval, the automaton, and labels per offer save against the bare
        frequency of tokens, in the shuffled copy; upper 99 % limit, the largest"""
        laws = "retrieval", "automaton", "labels per offer"
        return maximum(gain(self.copies[case], law, "frequency")[2] for law in laws)

    @control("H2", ">", 0.2, kind="statistical", cases=TEXTS, **LIVE)
    def held_out(self, case):
        """@{case}: nats of the limit on held-out text (mixed with the counts) minus those on its
        training text (unmixed)"""
        record = self.texts[case]
        return nats_of(record, "automaton") - record["graph"]["limit_train_nats"]

    def label_in_window(self, length: int) -> dict[str, float]:
        """How often the label stands in its window, and two nulls."""
        return presence(self.text, length, np.random.default_rng(self.seed))

    @control("H3", ">", 0.3, kind="statistical", rtol=0.3)
    def outside(self):
        """share of positions whose label is not among the @{length} tokens before it"""
        return 1 - self.label_in_window(self.length)["window"]
