"""Small language models; what is measured is the attention of the lowest layer.

``EmbeddingTransformer`` is the network of Figures 7 and 10 of *Scan and Snap* (token embedding,
W_Q, W_K, W_V, one head), with every architectural choice a field of ``Architecture``;
``lib.real_text.token_layer`` has the paper's own (Y, Z) parameterization.  Both answer ``loss``,
``attention`` and ``content_logits``; tokens are (B, T) ids, attention is (B, T, T) with rows as
queries.  Parameters lie in a plain dictionary instead of an ``nn.Module``: steps go by name (rates
differ), embeddings have sparse gradients, and dropout draws from the run's own generator.
"""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch.nn import functional

from lib.real_text.fused_loss import LinearCrossEntropy
from lib.validation import require, require_choice, require_integer, require_real

# PyTorch's own output layer, or ``lib.real_text.fused_loss`` in one of two roundings.
OUTPUTS = ("plain", "float32", "bfloat16")


@dataclass(frozen=True)
class Architecture:
    """The choices of Figure 7; each can be turned off.  Defaults are the public notebook's.

    vocab_size: V.  width, feed_forward_width: d and the hidden width.  layers: 1 up.
    positions: sinusoidal positions.  attend_self: the query may attend to itself.
    norm: ``layer`` (post-layer-norm), ``l2`` (the paper's LN(x) = x/|x|) or ``none``.
    """

    vocab_size: int
    width: int = 200
    feed_forward_width: int = 200
    layers: int = 1
    positions: bool = True
    attend_self: bool = True
    residual: bool = True
    feed_forward: bool = True
    norm: str = "layer"
    dropout: float = 0.3

    def __post_init__(self) -> None:
        require_integer("vocab_size", self.vocab_size, 2)
        require_integer("width", self.width, 2)
        require(self.width % 2 == 0, "width", self.width, "an even number")
        require_integer("feed_forward_width", self.feed_forward_width, 1)
        require_integer("layers", self.layers, 1)
        require_choice("norm", self.norm, ("layer", "l2", "none"))
        require_real("dropout", self.dropout, at_least=0, below=1)

    def build(
        self, seed: int, device: str = "cpu", output: str = "plain"
    ) -> "EmbeddingTransformer":
        """A new ``EmbeddingTransformer``."""
        return EmbeddingTransformer(self, seed=seed, device=device, output=output)


def paper_layer(vocab_size: int, width: int) -> Architecture:
    """The theory's layer, Eq. (1): no positions, self, residual or feed-forward, LN = l2."""
    return Architecture(
        vocab_size,
        width,
        positions=False,
        attend_self=False,
        residual=False,
        feed_forward=False,
        norm="l2",
        dropout=0.0,
    )


@cache
def allowed(length: int, attend_self: bool, device: Any = None) -> torch.Tensor:
    """(T, T) booleans: which keys each query may see; a first query without keys sees nothing."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril(
        0 if attend_self else -1
    )


def masked_softmax(scores: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Softmax over allowed keys; a row without any is all zero instead of NaN."""
    weights = torch.softmax(scores.masked_fill(~mask, torch.finfo(scores.dtype).min), dim=-1)
    return weights * mask


@cache
def sinusoids(length: int, width: int) -> torch.Tensor:
    """Sinusoidal positions (T, d)."""
    angle = torch.arange(length)[:, None] * torch.exp(
        torch.arange(0, width, 2) * (-math.log(10_000.0) / width)
    )
    return torch.stack([torch.sin(angle), torch.cos(angle)], dim=-1).reshape(length, width)


class EmbeddingTransformer:
    """Parameters in ``parameters`` (name to tensor), drawn from ``seed``; float32 by default.

    Initial law of the public notebook: embedding and decoder uniform in +-0.1, W_Q, W_K, W_V
    Xavier-uniform, other matrices and the feed-forward biases uniform in +-1/sqrt(inputs),
    gains of the layer norm 1, all other biases 0.  output: arithmetic of the output
    layer, one of ``OUTPUTS``.
    """

    def __init__(
        self,
        architecture: Architecture,
        seed: int = 0,
        dtype: torch.dtype = torch.float32,
        device: str = "cpu",
        output: str = "plain",
    ) -> None:
        self.architecture, self.output = architecture, require_choice("output", output, OUTPUTS)
        generator = torch.Generator().manual_seed(seed)
        shapes = _shapes(architecture)
        self.parameters = {
            name: (
                _initial(name, shape, generator, _fan_in(name, shapes))
                .to(device, dtype)
                .requires_grad_()
            )
            for name, shape in shapes.items()
        }

    def loss(
        self, tokens: torch.Tensor, targets: torch.Tensor, generator: torch.Generator | None = None
    ) -> torch.Tensor:
        """Mean cross-entropy over all positions; ``generator`` switches dropout on."""
        hidden, _ = self._hidden(tokens, generator)
        p = self.parameters
        if self.output != "plain":
            return LinearCrossEntropy.apply(
                hidden.flatten(0, 1),
                p["decoder"],
                p["decoder_bias"],
                targets.flatten(),
                self.output == "bfloat16",
            )
        return functional.cross_entropy(
            functional.linear(hidden.flatten(0, 1), p["decoder"], p["decoder_bias"]),
            targets.flatten(),
        )

    def attention(self, tokens: torch.Tensor) -> torch.Tensor:
        """Attention of the lowest layer without dropout: (B, T, T)."""
        with torch.no_grad():
            return self._hidden(tokens, None)[1]

    def content_logits(self, queries: torch.Tensor) -> torch.Tensor:
        """(len(queries), V) attention logits of the lowest layer, positions left out."""
        a, p = self.architecture, self.parameters
        with torch.no_grad():
            table = p["embedding"] * math.sqrt(a.width)
            q = functional.linear(table[queries], p["0.in"][: a.width], p["0.in_bias"][: a.width])
            k = functional.linear(
                table, p["0.in"][a.width : 2 * a.width], p["0.in_bias"][a.width : 2 * a.width]
            )
            return q @ k.T / math.sqrt(a.width)

    def _hidden(
        self, tokens: torch.Tensor, generator: torch.Generator | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        a, p = self.architecture, self.parameters
        x = functional.embedding(tokens, p["embedding"], sparse=True) * math.sqrt(a.width)
        if a.positions:
            x = x + sinusoids(tokens.shape[1], a.width).to(x)
        x = _dropout(x, a.dropout, generator)
        lowest = None
        for i in range(a.layers):
            attended, weights = self._attend(x, i, generator)
            lowest = weights if i == 0 else lowest
            x = self._norm(x + attended if a.residual else attended, i, 0)
            if a.feed_forward:
                inner = _dropout(
                    torch.relu(functional.linear(x, p[f"{i}.up"], p[f"{i}.up_bias"])),
                    a.dropout,
                    generator,
                )
                inner = _dropout(
                    functional.linear(inner, p[f"{i}.down"], p[f"{i}.down_bias"]),
                    a.dropout,
                    generator,
                )
                x = self._norm(x + inner if a.residual else inner, i, 1)
        return x, lowest

    def _attend(
        self, x: torch.Tensor, i: int, generator: torch.Generator | None
    ) -> tuple[torch.Tensor, torch.Tensor]:
        a, p = self.architecture, self.parameters
        q, k, v = functional.linear(x, p[f"{i}.in"], p[f"{i}.in_bias"]).chunk(3, dim=-1)
        mask = allowed(x.shape[1], a.attend_self, x.device)
        weights = masked_softmax(q @ k.transpose(1, 2) / math.sqrt(a.width), mask)
        mixed = _dropout(weights, a.dropout, generator) @ v
        return (
            _dropout(
                functional.linear(mixed, p[f"{i}.out"], p[f"{i}.out_bias"]), a.dropout, generator
            ),
            weights,
        )

    def _norm(self, x: torch.Tensor, i: int, j: int) -> torch.Tensor:
        a, p = self.architecture, self.parameters
        if a.norm == "layer":
            return functional.layer_norm(x, (a.width,), p[f"{i}.gain_{j}"], p[f"{i}.shift_{j}"])
        return functional.normalize(x, dim=-1) if a.norm == "l2" else x


def _shapes(a: Architecture) -> dict[str, tuple[int, ...]]:
    """Shape of each parameter by name, in the order in which they are drawn."""
    shapes = {
        "embedding": (a.vocab_size, a.width),
        "decoder": (a.vocab_size, a.width),
        "decoder_bias": (a.vocab_size,),
    }
    for i in range(a.layers):
        sizes = {"in": (3 * a.width, a.width), "out": (a.width, a.width)}
        if a.feed_forward:
            sizes |= {
                "up": (a.feed_forward_width, a.width),
                "down": (a.width, a.feed_forward_width),
            }
        for name, shape in sizes.items():
            shapes |= {f"{i}.{name}": shape, f"{i}.{name}_bias": shape[:1]}
        if a.norm == "layer":
            for j in range(1 + a.feed_forward):
                shapes |= {f"{i}.gain_{j}": (a.width,), f"{i}.shift_{j}": (a.width,)}
    return shapes


def _fan_in(name: str, shapes: dict[str, tuple[int, ...]]) -> int:
    """Number of inputs of the matrix that ``name`` is or belongs to."""
    return shapes[name.removesuffix("_bias")][-1]


def _initial(
    name: str, shape: tuple[int, ...], generator: torch.Generator, fan_in: int
) -> torch.Tensor:
    kind = name.split(".")[-1]
    if kind in ("decoder_bias", "in_bias", "out_bias") or kind.startswith("shift"):
        return torch.zeros(shape)
    if kind.startswith("gain"):
        return torch.ones(shape)
    limit = {"embedding": 0.1, "decoder": 0.1, "in": math.sqrt(6 / sum(shape))}.get(
        kind, 1 / math.sqrt(fan_in)
    )
    return (torch.rand(shape, generator=generator) * 2 - 1) * limit


def _dropout(x: torch.Tensor, rate: float, generator: torch.Generator | None) -> torch.Tensor:
    if generator is None or rate == 0:
        return x
    keep = torch.rand(x.shape, generator=generator, device=x.device, dtype=x.dtype).ge_(rate)
    return x * keep / (1 - rate)
