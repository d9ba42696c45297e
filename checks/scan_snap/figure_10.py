"""Figure 10: what its rows measure.  The chapter: ``book/scan-snap/figure_10.ipynb``."""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.stats import ttest_ind

from checks.real_text.texts import OnText
from ledgerbook import claim, control, finding, group, once, whole
from lib.arrays import Array, Ids
from lib.measure import maximum, minimum, relative_error
from lib.real_text.cells import Cell, run_cell
from lib.real_text.experiments import figure_10_cells
from lib.real_text.fused_loss import slopes_in_place
from lib.real_text.models import Architecture, EmbeddingTransformer
from lib.real_text.tables import (
    at,
    entropy_at_loss,
    falling_trend,
    mean_limits,
    series,
    stored,
)
from lib.validation import require

RATES, TOKEN_RATES = (1, 2, 3, 4, 5), (50, 100, 200, 400)
SLOWER = {str(rate): rate for rate in TOKEN_RATES[:3]}  # end of an id, rate of the (Y, Z) layer
LAYERS = {"full": "full", "plain": "plain"}  # end of an id, layer


def written_out(
    layer: Architecture, parameters: dict[str, torch.Tensor], tokens: Ids
) -> tuple[Array, Array]:
    """A network of one layer in NumPy: attention (T, T) and logits (T, V) of a sequence (T,)."""
    p = {name: tensor.detach().numpy() for name, tensor in parameters.items()}
    T, d = len(tokens), layer.width
    x = p["embedding"][tokens] * d**0.5
    if layer.positions:
        places = np.arange(T)[:, None] / 10000.0 ** (np.arange(0, d, 2) / d)
        x[:, ::2] += np.sin(places)
        x[:, 1::2] += np.cos(places)

    def normed(y: Array, j: int) -> Array:
        if layer.norm == "l2":
            return y / np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-12)
        away = y - y.mean(axis=1, keepdims=True)
        spread = np.sqrt((away**2).mean(axis=1, keepdims=True) + 1e-5)
        return away / spread * p[f"0.gain_{j}"] + p[f"0.shift_{j}"]

    q, k, v = ((x @ p["0.in"].T + p["0.in_bias"])[:, i * d : (i + 1) * d] for i in range(3))
    attention = np.zeros((T, T))
    for t in range(T):
        seen = t + layer.attend_self  # the first sees nothing if not itself
        weights = np.exp(q[t] @ k[:seen].T / d**0.5)
        attention[t, :seen] = weights / weights.sum()
    attended = attention @ v @ p["0.out"].T + p["0.out_bias"]
    y = normed(x + attended if layer.residual else attended, 0)
    if layer.feed_forward:
        inner = np.maximum(y @ p["0.up"].T + p["0.up_bias"], 0) @ p["0.down"].T
        inner += p["0.down_bias"]
        y = normed(y + inner if layer.residual else inner, 1)
    return attention, y @ p["decoder"].T + p["decoder_bias"]


@dataclass
class Figure10(OnText):
    """Figure 10: entropy of attention against the learning rate."""

    vocab_size: int = whole(300, 150, 600, holds=(300, 600))
    width: int = whole(32, 16, 64, holds=(32, 64))
    iterations: int = whole(250, 125, 500, holds=(250, 300))
    seeds: int = whole(2, 1, 4, holds=(2, 3))

    tag = "scan-snap.figure-10"
    hypotheses = {
        "H1": "runs are compared after equally many steps",
        "H2": "the gradient's norm is clipped at 0.5",
        "H3": "the network is the full one: positions, self-attention, residuals, feed-forward",
        "H4": "the parameters are embeddings, with one rate for all",
    }

    def validate(self) -> None:
        """Sine and cosine in pairs."""
        require(self.width % 2 == 0, "width", self.width, "an even number")

    @once
    def table(self) -> dict[str, Any]:
        """The stored runs on WikiText-2, with their origin."""
        return stored("figure_10.json")

    @once
    def token_table(self) -> dict[str, Any]:
        """The same of the (Y, Z) layer."""
        return stored("figure_10_token.json")

    @once
    def shuffled_table(self) -> dict[str, Any]:
        """The same of that layer, trained on the text with its tokens in random order."""
        return stored("figure_10_shuffled.json")

    def end(self, layer: str, rate: int, name: str) -> Array:
        """(seeds,) a number after 1500 steps."""
        table = {"token (Y, Z)": self.token_table, "shuffled (Y, Z)": self.shuffled_table}
        runs = table.get(layer, self.table)["runs"]
        return at(runs, f"{layer}, eta {rate}", 1500, name)

    @property
    def least_loss(self) -> float:
        """The least mean loss after 1500 steps of a layer at a rate, of both layers."""
        ends = (self.end(layer, rate, "loss") for layer in LAYERS for rate in RATES)
        return minimum(mean_limits(one)[0] for one in ends)

    @property
    def ngrams(self) -> dict[Any, Any]:
        """Nats of Kneser-Ney n-grams on the windows of that loss, by order."""
        return {int(order): nats for order, nats in self.table["baselines"].items()}

    def path(self, layer: str, rate: int, name: str) -> Array:
        """(seeds, checkpoints) a number along the runs of an embedding layer."""
        return series(self.table["runs"], f"{layer}, eta {rate}", name)

    @once
    def final(self) -> dict[Any, Any]:
        """(seeds, rates) entropies after 1500 steps, by layer."""
        rates = dict.fromkeys(LAYERS, RATES) | {"token (Y, Z)": TOKEN_RATES}
        return {
            layer: np.stack([self.end(layer, rate, "entropy") for rate in own], axis=1)
            for layer, own in rates.items()
        }

    @once
    def level(self) -> dict[Any, Any]:
        """The lowest loss that every run of a layer reaches, by layer."""
        return {
            layer: maximum(self.path(layer, rate, "loss").min(axis=1).max() for rate in RATES)
            for layer in LAYERS
        }

    @once
    def at_equal_loss(self) -> dict[Any, np.ndarray]:
        """(seeds, rates) entropies at that loss, by layer."""
        found = {}
        for layer, level in self.level.items():
            paths = [
                zip(self.path(layer, rate, "loss"), self.path(layer, rate, "entropy"), strict=True)
                for rate in RATES
            ]
            columns = [[entropy_at_loss(*seed, level) for seed in path] for path in paths]
            found[layer] = np.array(columns).T
        return found

    def clipped(self, layer: str) -> list[np.floating]:
        """Share of the steps after the 500th in which the clip is active, by rate."""
        return [np.nanmean(self.path(layer, rate, "clipped")[:, 6:]) for rate in RATES]

    @property
    def length(self) -> dict[Any, Any]:
        """How long the runs here are, looked at once at the end."""
        return {"iterations": self.iterations, "every": self.iterations}

    def cell(self, rate: float) -> Cell:
        """The plain layer on this text."""
        cells = figure_10_cells(self.vocab_size, self.width)
        return cells[f"plain, eta {rate}"].trained(**self.length)

    @once
    def live(self) -> dict[Any, Any]:
        """What the runs of the plain layer here give, by rate; one for each seed."""
        return {
            rate: [run_cell(self.text, self.cell(rate).trained(seed=s)) for s in range(self.seeds)]
            for rate in (1, 5)
        }

    def live_entropies(self, rate: float) -> np.ndarray:
        """(seeds,) entropies of the plain layer here at the end."""
        return np.array([run["records"][-1]["entropy"] for run in self.live[rate]])

    @once
    def errors(self) -> dict[str, float]:
        """By layer: how far attention and loss are from the formulas, for weights at random."""
        found, rng = {}, np.random.default_rng(3)
        for name, layer in LAYERS.items():
            network = figure_10_cells(20, 8)[f"{layer}, eta 1"].model
            model = EmbeddingTransformer(network, seed=1, dtype=torch.float64)
            for tensor in model.parameters.values():
                tensor.data += torch.as_tensor(rng.normal(size=tuple(tensor.shape)) / 3)
            tokens = rng.integers(20, size=(4, 7))
            rows, targets = torch.as_tensor(tokens), rng.integers(20, size=(4, 7))
            wanted = [written_out(network, model.parameters, row) for row in tokens]
            attention = relative_error(model.attention(rows), np.array([one for one, _ in wanted]))
            logits = np.concatenate([one for _, one in wanted])
            nats = np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(28), targets.ravel()]
            loss = model.loss(rows, torch.as_tensor(targets)).item()
            found[name] = maximum(attention, relative_error(loss, nats.mean()))
        return found

    stored_runs = group()

    @claim("==", 0, "identity")
    def same_settings(self) -> int:
        r"""stored runs of the three layers whose settings are not the library's for them: network,
        rate, batch, clip and number of steps, whatever the seed: how many"""
        wrong, tables = 0, (self.table, self.token_table, self.shuffled_table)
        for run in itertools.chain(*(table["runs"] for table in tables)):
            network, own = run["architecture"], run["training"]
            size = network or {"vocab_size": 2, "width": 2}  # of (Y, Z) it is not stored
            cell = figure_10_cells(size["vocab_size"], size["width"])[run["cell"]]
            wrong += vars(cell.trained(seed=0).training) != own | {"rates": (), "seed": 0}
            wrong += bool(network) and vars(cell.model) != network
        return wrong

    @claim("<=", 1e-6, "identity", cases=LAYERS, atol=1e-7)
    def formula(self, case: str) -> float:
        """@{case} layer: attention and loss on four random sequences of seven tokens, with weights
        at random, against the same written out position by position: largest relative error
        (sines in single precision)"""
        return self.errors[case]

    @claim("<=", 1, "identity")
    def one_pass(self) -> float:
        r"""the output layer's loss and slopes in one pass, logits in single precision and in
        bfloat16, against the softmax in double precision, 6 positions, 20 words: largest relative
        error over $2^{-18}$, of slopes in bfloat16 over $2^{-8}$"""
        rng, off = np.random.default_rng(4), []
        bias, targets = torch.as_tensor(rng.normal(size=20)).float(), rng.integers(20, size=6)
        for kind, rounding in ((torch.float32, 2.0**-18), (torch.bfloat16, 2.0**-8)):
            logits = torch.as_tensor(rng.normal(size=(6, 20))).to(kind)
            scores = logits.double().numpy() + bias.double().numpy()
            p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
            wanted = (p - np.eye(20)[targets]) / 6
            loss, bias_slope = slopes_in_place(logits, bias, torch.as_tensor(targets))
            nats = -np.log(p[np.arange(6), targets]).mean()
            whole = relative_error(bias_slope.double().numpy(), wanted.sum(axis=0))
            off += [relative_error(loss, nats) / 2.0**-18, whole / 2.0**-18]
            off.append(np.abs(logits.double().numpy() / wanted - 1).max() / rounding)
        return maximum(off)

    @claim(
        "<=",
        0.01,
        "statistical",
        as_printed=True,
        condition="the trend, on WikiText-2 with the 8,000 commonest types, after 1,500 iterations",
    )
    def trend_full(self) -> float:
        r"""full layer, WikiText-2, 1500 steps: p-value of Page's test that entropy falls with
        $\eta$ (the plain layer: control of H3)"""
        return falling_trend(self.final["full"])

    @claim("<=", 0.5, "statistical", cases=LAYERS)
    def size(self, case: str) -> float:
        r"""@{case} layer: mean entropy at $\eta=5$ over that at $\eta=1$"""
        return self.final[case][:, -1].mean() / self.final[case][:, 0].mean()

    @claim("<=", 0.01, "statistical")
    def equal_loss_full(self) -> float:
        """full layer, at equal loss the entropy falls with the rate: Page's p-value"""
        return falling_trend(self.at_equal_loss["full"])

    @claim("<=", 1e-12, "identity")
    def between_checkpoints(self) -> float:
        """the entropy at a loss three quarters of the way down from one checkpoint of a stored run
        to the next one, if that is lower than all before, is as far between their entropies: the
        largest relative error, both layers"""
        found = []
        for layer, rate in itertools.product(LAYERS, RATES):
            paths = (self.path(layer, rate, "loss"), self.path(layer, rate, "entropy"))
            for loss, entropy in zip(*paths, strict=True):
                lowest = np.minimum.accumulate(loss)
                for k in np.flatnonzero(np.diff(lowest)):
                    level = lowest[k] / 4 + 3 * lowest[k + 1] / 4
                    wanted = entropy[k] / 4 + 3 * entropy[k + 1] / 4
                    found.append(relative_error(entropy_at_loss(loss, entropy, level), wanted))
        return maximum(found)

    @claim("<=", 0.5, "statistical")
    def floor_plain(self) -> float:
        r"""the plain layer hardly falls beyond $\eta=4$: upper 95 % limit of the fall from 4 to 5,
        over the mean fall from 3 to 4"""
        third, fourth, fifth = self.final["plain"].T[2:]
        return -mean_limits(fifth - fourth)[1] / (third - fourth).mean()

    @claim("<=", 0.01, "statistical")
    def trend_token(self) -> float:
        """$(Y,Z)$ layer, after 1500 steps the entropy falls with the rate: Page's p-value"""
        return falling_trend(self.final["token (Y, Z)"])

    @claim(">", 0, "statistical", cases=SLOWER)
    def ordered_is_denser(self, case: int) -> float:
        """$(Y,Z)$ at rate @{case}: entropy after training on the text minus that after training on
        the same tokens in random order, lower 95 % limit (Welch)"""
        text, mixed = (
            self.end(f"{kind} (Y, Z)", case, "entropy") for kind in ("token", "shuffled")
        )
        return float(ttest_ind(text, mixed, equal_var=False).confidence_interval(0.95).low)

    @claim(">", 0, "inequality")
    def bigram(self) -> float:
        """WikiText-2, 8,000 types: least mean loss of both layers over the five rates, minus the
        nats of a Kneser-Ney bigram on the same windows"""
        return self.least_loss - self.ngrams[2]

    @claim(">", 0, "inequality")
    def trigram(self) -> float:
        """WikiText-2, 8,000 types: nats that a Kneser-Ney trigram saves against the bigram"""
        return self.ngrams[2] - self.ngrams[3]

    @claim("<", 0, "inequality")
    def unigram(self) -> float:
        """WikiText-2, 8,000 types: least mean loss of both layers over the five rates, minus the
        nats of a unigram"""
        return self.least_loss - self.ngrams[1]

    @claim(">", 0, "statistical")
    def sparser_is_worse(self) -> float:
        r"""full layer: loss at $\eta=5$, where attention is sparsest, minus that at $\eta=2$, lower
        95 % limit of the mean over seeds"""
        return mean_limits(self.end("full", 5, "loss") - self.end("full", 2, "loss"))[1]

    @finding("ordered-is-denser-50", "ordered-is-denser-100", "ordered-is-denser-200")
    def sparse_without_order(self) -> None:
        """In $(Y,Z)$, at three of the four rates, attention gets sparser on the same tokens in
        random order than on the text. There sparsity is no sign that the order of the words was
        learned."""

    @finding("bigram", "trigram", "sparser-is-worse")
    def counting_is_ahead(self) -> None:
        """At all five rates both layers predict worse than a bigram, and the full one, where its
        attention is sparsest, worse than at the rate 2."""

    here = group()

    @claim("<", 1, "statistical", rtol=0.5)
    def live_between(self) -> float:
        r"""plain layer, this text: the largest entropy at $\eta=5$ over the smallest at $\eta=1$"""
        return self.live_entropies(5).max() / self.live_entropies(1).min()

    without = group()

    @control("H1", "<=", 0.5)
    def equal_loss(self) -> float:
        r"""not needed for the trend: at equal loss, mean entropy at $\eta=5$ over that at $\eta=1$,
        plain layer"""
        equal = self.at_equal_loss["plain"]
        return equal[:, -1].mean() / equal[:, 0].mean()

    @control("H2", "<=", 0.05)
    def clip_plain(self) -> float:
        r"""not what makes the trend: in the plain layer the clip is active in at most so many of
        the steps after the 500th, up to $\eta=3$"""
        return np.max(self.clipped("plain")[:3])

    @control("H2", "<=", 0.01, kind="statistical")
    def clip_plain_trend(self) -> float:
        r"""over the three rates up to $\eta=3$ alone the plain layer's entropy falls: Page's
        p-value"""
        return falling_trend(self.final["plain"][:, :3])

    @control("H3", "<=", 0.01, kind="statistical")
    def plain_trend(self) -> float:
        """not needed: Page's p-value in the plain layer"""
        return falling_trend(self.final["plain"])

    @control("H4", ">", 0)
    def token_trend(self) -> float:
        """not needed: in $(Y,Z)$ entropy falls too while the loss rises: loss at rate 400 minus
        that at 50"""
        slow, fast = (self.end("token (Y, Z)", rate, "loss").mean() for rate in (50, 400))
        return fast - slow
