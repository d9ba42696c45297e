"""Text training: tokens a second beside PyTorch's encoder layer and bare matrix products; memory.

The plain one is what most people would write: ``nn.TransformerEncoder``, ``nn.Linear``,
cross-entropy, ``clip_grad_norm_``, ``optim.SGD``.  Same model, same optimizer, same process,
one thread.
"""

import argparse
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


def product_step(a, kind):
    """Only the matrix products that the model cannot do without, forward and backward."""
    n = BATCH * LENGTH
    hidden, out = (
        torch.randn(n, a.width, dtype=kind),
        torch.randn(a.vocab_size, a.width, dtype=kind),
    )
    slope = torch.randn(n, a.vocab_size, dtype=kind)
    inner = [
        torch.randn(rows, a.width)
        for rows in (3 * a.width, a.width, a.feed_forward_width, a.feed_forward_width)
    ]
    state = torch.randn(n, a.width)

    def step(tokens, targets):
        hidden @ out.T, slope @ out, slope.T @ hidden
        for _ in range(a.layers):
            for matrix in inner:
                forward = state @ matrix.T
                forward @ matrix, forward.T @ state

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


def _print_ways(a, steps):
    """One line per way of doing the same step."""
    ways = {
        "plain PyTorch encoder layer": plain_step(a),
        "this book": our_step(a, "float32"),
        "this book, output in bfloat16": our_step(a, "bfloat16"),
        "matrix products alone": product_step(a, torch.float32),
        "matrix products alone, output in bfloat16": product_step(a, torch.bfloat16),
    }
    plain = None
    for name, step in ways.items():
        seconds = seconds_per_step(step, a, steps)
        plain = plain or seconds
        print(
            f"  {name:42s} {BATCH * LENGTH / seconds:9,.0f} tokens/s   {plain / seconds:5.2f} x"
            " plain"
        )


def main(arguments=None):
    """Print one line per way of doing the same step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--width", type=int, default=200)
    parser.add_argument("--layers", type=int, default=1)
    parser.add_argument("--steps", type=int, default=5)
    options = parser.parse_args(arguments or [])
    a = Architecture(options.vocab_size, options.width, options.width, layers=options.layers)
    print(
        f"text training, vocabulary {a.vocab_size}, width {a.width}, {a.layers} layer(s), batch"
        f" {BATCH} x {LENGTH}, one thread"
    )
    with one_torch_thread():
        _print_ways(a, options.steps)
    unit = 1 if sys.platform == "darwin" else 1024
    print(
        "  peak memory of this process:"
        f" {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20:,.0f} MiB"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
