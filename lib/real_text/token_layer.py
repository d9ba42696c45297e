"""The paper's own (Y, Z) parameterization on a real vocabulary: free matrices, no embedding."""

from dataclasses import dataclass

import torch
from torch.nn import functional

from lib.real_text.models import allowed, masked_softmax
from lib.validation import require_integer


@dataclass(frozen=True)
class TokenLayer:
    """The (Y, Z) layer over V tokens; the counterpart of ``lib.real_text.models.Architecture``."""

    vocab_size: int

    def __post_init__(self):
        require_integer("vocab_size", self.vocab_size, 2)

    def build(self, seed, device="cpu", output="plain"):
        """A new ``TokenTransformer``: it starts at zero and has no output layer."""
        return TokenTransformer(self.vocab_size, device=device)


class TokenTransformer:
    """The (Y, Z) parameterization (*Scan and Snap*, Section 3), every position of a window a query.

    Y, Z: (V, V), zero at the start.  The query is masked from its own attention, equal keys add up,
    and the attended counts are divided by their l2 norm, Eq. (16).  The first position has no key
    and takes no part in the loss.
    """

    def __init__(self, vocab_size, dtype=torch.float32, device="cpu"):
        require_integer("vocab_size", vocab_size, 2)
        self.vocab_size = vocab_size
        self.parameters = {
            "Y": torch.zeros(
                vocab_size, vocab_size, dtype=dtype, device=device, requires_grad=True
            ),
            "Z": torch.zeros(
                vocab_size * vocab_size, 1, dtype=dtype, device=device, requires_grad=True
            ),
        }

    def loss(self, tokens, targets, generator=None):
        """Mean cross-entropy over the positions that have keys: minus the objective (15)."""
        weights = self._weights(tokens)
        same = (tokens[:, :, None] == tokens[:, None, :]).to(weights)
        norm = (
            ((weights @ same) * weights).sum(-1, keepdim=True)[:, 1:].sqrt()
        )  # |X^T b|, (B, T-1, 1)
        rows = functional.embedding(tokens, self.parameters["Y"], sparse=True)  # (B, T, V)
        logits = (weights[:, 1:] / norm) @ rows
        return functional.cross_entropy(logits.flatten(0, 1), targets[:, 1:].flatten())

    def attention(self, tokens):
        """(B, T, T) attention per position; equal keys share their mass."""
        with torch.no_grad():
            return self._weights(tokens)

    def content_logits(self, queries):
        """Rows of Z: (len(queries), V)."""
        return self.parameters["Z"].detach().view(self.vocab_size, self.vocab_size)[queries]

    def _weights(self, tokens):
        pairs = tokens[:, :, None] * self.vocab_size + tokens[:, None, :]
        scores = functional.embedding(pairs, self.parameters["Z"], sparse=True).squeeze(-1)
        return masked_softmax(scores, allowed(tokens.shape[1], False, tokens.device))
