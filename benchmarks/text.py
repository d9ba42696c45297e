"""Text training: tokens a second beside PyTorch's encoder layer; memory.

The plain one is what most people would write: ``nn.TransformerEncoder``, ``nn.Linear``,
cross-entropy, ``clip_grad_norm_``, ``optim.SGD``.  Same model, same optimizer, same process,
one thread.
"""

import math
import resource
import sys
import time

import torch
from torch import nn

from lib.real_text.models import Architecture, EmbeddingTransformer, sinusoids
from lib.real_text.train import sgd_step
from lib.sweeps.threads import one_torch_thread

BATCH, LENGTH, RATE, CLIP = 20, 35, 5.0, 0.5
KINDS = ("float32", "bfloat16")  # of the output layer's products


class Plain(nn.Module):
    """The Figure 7 model from PyTorch's own parts."""

    def __init__(self, a):
        super().__init__()
        self.scale = math.sqrt(a.width)
        self.embedding = nn.Embedding(a.vocab_size, a.width)
        layer = nn.TransformerEncoderLayer(a.width, 1, a.feed_forward_width, a.dropout)
        self.encoder = nn.TransformerEncoder(layer, a.layers, enable_nested_tensor=False)
        self.dropout, self.decoder = nn.Dropout(a.dropout), nn.Linear(a.width, a.vocab_size)
        self.register_buffer("positions", sinusoids(LENGTH, a.width)[:, None])
        self.register_buffer("mask", nn.Transformer.generate_square_subsequent_mask(LENGTH))
        for table in (self.embedding.weight, self.decoder.weight):
            nn.init.uniform_(table, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)

    def forward(self, tokens):
        """Logits (T, B, V) of tokens (T, B)."""
        return self.decoder(
            self.encoder(
                self.dropout(self.embedding(tokens) * self.scale + self.positions), self.mask
            )
        )


def plain_step(a):
    """A function that does one training step of the plain model."""
    model = Plain(a).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)

    def step(tokens, targets):
        optimizer.zero_grad()
        logits = model(tokens.T)
        nn.functional.cross_entropy(logits.flatten(0, 1), targets.T.flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()

    return step


def our_step(a, output):
    """The same for ``EmbeddingTransformer``; ``output`` as its argument."""
    model, generator = EmbeddingTransformer(a, output=output), torch.Generator().manual_seed(0)

    def step(tokens, targets):
        model.loss(tokens, targets, generator=generator).backward()
        sgd_step(model.parameters, RATE, {}, CLIP)

    return step


def seconds_per_step(step, a, steps):
    """Median over three rounds of the processor time of a step, after a warm-up."""
    generator = torch.Generator().manual_seed(1)
    batches = [
        torch.randint(a.vocab_size, (BATCH, LENGTH + 1), generator=generator) for _ in range(steps)
    ]
    rounds = []
    for round_ in range(4):
        started = time.process_time()
        for batch in batches:
            step(batch[:, :-1], batch[:, 1:])
        rounds.append((time.process_time() - started) / steps)
    return sorted(rounds[1:])[1]


def main(vocab_size=8000, width=200, steps=5):
    """Print one line per way of doing the same step."""
    a = Architecture(vocab_size, width, width, layers=1)
    print(
        f"text training, vocabulary {a.vocab_size}, width {a.width}, batch {BATCH} x {LENGTH}, one"
        " thread"
    )
    with one_torch_thread():
        ways = {
            "plain PyTorch encoder layer": plain_step(a),
            **{f"this book, output in {kind}": our_step(a, kind) for kind in KINDS},
        }
        spent = {name: seconds_per_step(step, a, steps) for name, step in ways.items()}
    for name, seconds in spent.items():
        faster = spent["plain PyTorch encoder layer"] / seconds
        print(f"  {name:30s} {BATCH * LENGTH / seconds:9,.0f} tokens/s   {faster:5.2f} x plain")
    ours = {kind: spent[f"this book, output in {kind}"] for kind in KINDS}
    best = min(ours, key=ours.get)
    print(f"  faster on this machine, in book/grids/figure_10.toml: output = {best!r}")
    unit = 1 if sys.platform == "darwin" else 1024
    print(
        "  peak memory of this process:"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20:,.0f} MiB"
    )


if __name__ == "__main__":
    main()
