"""Your own text: what the rows measure.  The chapter: ``book/real-text/your_own_text.ipynb``."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from checks.real_text.texts import OnText
from ledgerbook import claim, control, group, once, real, seed, whole
from lib.arrays import Array
from lib.real_text.cells import run_cell
from lib.real_text.cooccurrence import KeyTable
from lib.real_text.experiments import figure_07_cells, token_cell
from lib.real_text.token_effects import effects, pair_table, shuffled_table
from lib.real_text.train import Training, uniform_entropy
from lib.validation import require

FREQUENCY, TOGETHER, CHOOSY = range(3)  # the columns of the features
EVERY = 50  # iterations between two looks
UNIFORM = {  # whether a query may attend to itself is what sets the layers apart here
    "(Y, Z) layer": uniform_entropy(Training().length, attend_self=False),
    "embedding layer": uniform_entropy(Training().length, attend_self=True),
}


@dataclass
class YourOwnText(OnText):
    """What one attention layer does with a text."""

    vocab_size: int = whole(
        1000, 500, 2000, holds=(800, 1000)
    )  # with fewer, a larger rate or more steps (Y, Z) may need order to be this sparse
    width: int = whole(64, 32, 128, holds=(48, 64))
    iterations: int = whole(200, 100, 400, holds=(200, 300))
    rate: float = real(50.0, 25, 100, holds=(30, 60))
    minimum: int = whole(30, 15, 60, holds=(20, 40))
    seed: int = seed()

    tag = "real-text.your-own-text"
    hypotheses = {
        "H1": "the text has an order",
        "H2": "the text is long enough for its size of vocabulary",
    }
    standing = "ours"

    def validate(self) -> None:
        """Sine and cosine in pairs."""
        require(self.width % 2 == 0, "width", self.width, "an even number")

    @once
    def layers(self) -> dict[Any, Any]:
        """The two layers, as they are trained."""
        length = {"iterations": self.iterations, "every": EVERY, "seed": self.seed}
        full = figure_07_cells(self.vocab_size, self.width)["one layer"]
        return {
            "embedding layer": full.trained(**length),
            "(Y, Z) layer": token_cell(self.text.vocab_size, rate=self.rate, **length),
        }

    def run(self, layer: str, shuffled: bool = False) -> dict[str, Any]:
        """What a layer's run on the text, or on its shuffled copy, gives."""
        cell = replace(self.layers[layer], shuffled=shuffled)
        return run_cell(self.text, cell, keep=(self.iterations,))

    @once
    def runs(self) -> dict[Any, Any]:
        """The runs on the text, by layer."""
        return {layer: self.run(layer) for layer in self.layers}

    @once
    def mixed(self) -> dict[Any, Any]:
        """The runs on the shuffled copy, by layer."""
        return {layer: self.run(layer, shuffled=True) for layer in self.layers}

    def path(self, layer: str, name: str) -> Array:
        """A number at the looks of a layer's run on the text."""
        return np.array([record.get(name, np.nan) for record in self.runs[layer]["records"]])

    def sparsity(self, runs: dict[str, dict[str, Any]], layer: str) -> float:
        """Entropy over that of uniform attention at the end."""
        return runs[layer]["records"][-1]["entropy"] / UNIFORM[layer]

    @property
    def logits(self) -> Array:
        """Logits of the (Y, Z) layer at the end."""
        return self.runs["(Y, Z) layer"]["logits"][self.iterations]

    @once
    def pairs(self) -> KeyTable:
        """Counts of pairs of a query and a key."""
        return pair_table(self.text, minimum=self.minimum)

    @once
    def effects(self) -> dict[Any, Any]:
        """Effects of the features on the logits: in the text, in its copy, with half the counts."""
        half = replace(self.text, train=self.text.train[: len(self.text.train) // 2])
        copy = self.mixed["(Y, Z) layer"]["logits"][self.iterations]
        samples = {
            "text": (self.logits, self.pairs),
            "shuffled copy": (copy, shuffled_table(self.text, self.seed, self.minimum)),
            "half": (self.logits, pair_table(half, minimum=self.minimum)),
        }
        rng = lambda: np.random.default_rng(self.seed)  # the same draws for each
        return {kind: effects(*sample, rng(), draws=100) for kind, sample in samples.items()}

    def spread(self, kind: str) -> Array:
        """(features,): standard deviation of the effects."""
        return self.effects[kind].draws.std(axis=0)

    def excess(self, feature: int) -> tuple[float, float]:
        """Excess of an effect over that in the shuffled copy, and half of its 95 % interval."""
        text, copy = (self.effects[kind].value[feature] for kind in ("text", "shuffled copy"))
        half = 1.96 * np.hypot(self.spread("text"), self.spread("shuffled copy"))[feature]
        return text - copy, half

    def fall(self, runs: dict[str, dict[str, Any]], layer: str) -> float:
        """By how much entropy over uniform falls in a layer's run."""
        return runs[layer]["records"][0]["entropy"] / UNIFORM[layer] - self.sparsity(runs, layer)

    def left_of_fall(self, layer: str) -> float:
        """The share of the fall that is left on the shuffled copy; of no fall there is none."""
        fall = self.fall(self.runs, layer)
        return self.fall(self.mixed, layer) / fall if fall > 0 else np.nan

    @claim(
        "<",
        lambda self: self.sparsity(self.mixed, "embedding layer"),
        "inequality",
        concludes=True,
        rtol=0.3,
    )
    def live_sparser(self) -> float:
        """embedding layer: entropy over uniform at the end, against the same after training on
        the shuffled copy"""
        return self.sparsity(self.runs, "embedding layer")

    @claim(
        "<",
        lambda self: self.path("(Y, Z) layer", "entropy")[1] / UNIFORM["(Y, Z) layer"],
        "inequality",
        concludes=True,
        rtol=0.05,
    )
    def live_token_sparser(self) -> float:
        """$(Y,Z)$ layer, which starts uniform: entropy over uniform at the end, against the same
        after 50 iterations"""
        return self.sparsity(self.runs, "(Y, Z) layer")

    @claim("<", 1, "inequality", concludes=True, rtol=0.9)
    def live_token_slows(self) -> float:
        """$(Y,Z)$ layer: change in the last 50 iterations over the change in the first 50"""
        change = self.path("(Y, Z) layer", "change")
        return change[-1] / change[1]

    without = group()

    @control("H1", ">", 0, kind="sign", rtol=0.2)
    def live_shuffled(self) -> float:
        """$(Y,Z)$ layer: without order there is less to learn: loss on the real validation text
        after training on the shuffled copy, minus that after training on the text"""
        copy, text = (runs["(Y, Z) layer"]["records"] for runs in (self.mixed, self.runs))
        return copy[-1]["loss"] - text[-1]["loss"]

    @control("H1", "<", 0.5, atol=0.1)
    def live_shuffled_dense(self) -> float:
        """embedding layer: most of the fall of its entropy needs order, share of it that is left
        after training on the shuffled copy"""
        return self.left_of_fall("embedding layer")

    @claim(">", 0.5, "inequality", rtol=0.3)
    def live_shuffled_token(self) -> float:
        """$(Y,Z)$ needs no order for most of it: share of the fall of its entropy that is left
        after training on the shuffled copy"""
        return self.left_of_fall("(Y, Z) layer")

    @claim("<", 1, "inequality", rtol=0.9)
    def live_shuffled_slows(self) -> float:
        """$(Y,Z)$ needs no order to calm down: change in the last 50 iterations over that in the
        first 50, on the shuffled copy"""
        first, *_, last = self.mixed["(Y, Z) layer"]["records"][1:]
        return last["change"] / first["change"]

    @control("H2", ">", 1, rtol=0.2)
    def live_half(self) -> float:
        """counts on half of the text say less: width of the interval of the effect of
        co-occurrence, relative to the whole text"""
        return self.spread("half")[TOGETHER] / self.spread("text")[TOGETHER]
