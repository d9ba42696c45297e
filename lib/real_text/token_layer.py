"""The paper's own (Y, Z) parameterization on a real vocabulary: free matrices, no embedding."""

from dataclasses import dataclass
from typing import Any

import torch
from torch.nn import functional

from lib.real_text.fused_loss import loss_and_slope
from lib.real_text.models import allowed, masked_softmax
from lib.validation import require_integer


@dataclass(frozen=True)
class TokenLayer:
    """The (Y, Z) layer over V tokens; the counterpart of ``lib.real_text.models.Architecture``."""

    vocab_size: int

    def __post_init__(self) -> None:
        require_integer("vocab_size", self.vocab_size, 2)

    def build(self, seed: int, device: str = "cpu", output: str = "plain") -> "TokenTransformer":
        """A new ``TokenTransformer``: it starts at zero and has no output layer."""
        return TokenTransformer(self.vocab_size, device=device)


class TokenTransformer:
    """The (Y, Z) parameterization (*Scan and Snap*, Section 3), every position of a window a query.

    Y (V, V) and Z (V^2,), row by row, zero at the start.  The query is masked from its own
    attention, equal keys add up, and the attended counts are divided by their l2 norm, Eq. (16).
    The first position has no key and takes no part in the loss.
    """

    def __init__(
        self, vocab_size: int, dtype: torch.dtype = torch.float32, device: str = "cpu"
    ) -> None:
        self.vocab_size = V = require_integer("vocab_size", vocab_size, 2)
        self.parameters = {
            name: torch.zeros(shape, dtype=dtype, device=device, requires_grad=True)
            for name, shape in {"Y": (V, V), "Z": (V * V,)}.items()
        }

    def loss(
        self, tokens: torch.Tensor, targets: torch.Tensor, generator: torch.Generator | None = None
    ) -> torch.Tensor:
        """Mean cross-entropy over the positions that have keys: minus the objective (15)."""
        own, slot = own_tokens(tokens[:, :-1])
        weights = self._weights(tokens)[:, 1:, :-1]
        shares = functional.normalize(weights @ slot.to(weights), dim=-1)  # X^T b / |X^T b|
        return RowsCrossEntropy.apply(shares, self.parameters["Y"], own, targets[:, 1:].flatten())

    def attention(self, tokens: torch.Tensor) -> torch.Tensor:
        """(B, T, T) attention per position; equal keys share their mass."""
        with torch.no_grad():
            return self._weights(tokens)

    def content_logits(self, queries: torch.Tensor) -> torch.Tensor:
        """Rows of Z: (len(queries), V)."""
        return self.parameters["Z"].detach().view(self.vocab_size, self.vocab_size)[queries]

    def _weights(self, tokens: torch.Tensor) -> torch.Tensor:
        scores = PairLogits.apply(self.parameters["Z"], tokens, self.vocab_size)
        return masked_softmax(scores, allowed(tokens.shape[1], False, tokens.device))


def own_tokens(tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The different tokens of each window, and where they stand.

    tokens: (B, T).  Returns tokens (B, D), each window's own in order and, where they are fewer
    than D, its first one again, which stands nowhere; and (B, T, D), 1 where a position holds one.
    """
    ordered, order = tokens.sort(dim=1)
    rank = (ordered.diff(dim=1, prepend=ordered[:, :1]) > 0).cumsum(dim=1)
    place = torch.empty_like(rank).scatter_(1, order, rank)
    slot = functional.one_hot(place)
    return tokens[:, :1].repeat(1, slot.shape[-1]).scatter_(1, place, tokens), slot


class PairLogits(torch.autograd.Function):
    """Entries of Z (V^2,) for all pairs in windows: (B, T, T), rows are queries.

    The gradient is summed in the small square of the batch's own tokens: sorting the pairs would
    be a quarter of a step.
    """

    @staticmethod
    def forward(ctx: Any, Z: torch.Tensor, tokens: torch.Tensor, vocab_size: int) -> torch.Tensor:
        """``Z[query * V + key]``."""
        ctx.size, ctx.vocab_size = Z.shape, vocab_size
        ctx.save_for_backward(tokens)
        return Z[_pairs(tokens, tokens, vocab_size)]

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[Any, ...]:
        """Sparse, with an entry for each pair of tokens of the batch, in order."""
        distinct, place = torch.unique(ctx.saved_tensors[0], return_inverse=True)
        square = upstream.new_zeros(len(distinct) ** 2)
        square.index_add_(0, _pairs(place, place, len(distinct)).flatten(), upstream.flatten())
        pairs = _pairs(distinct, distinct, ctx.vocab_size).flatten()
        return _sparse(pairs, square, ctx.size), None, None


class RowsCrossEntropy(torch.autograd.Function):
    """Mean cross-entropy of ``softmax(shares Y[tokens])``: the output of the (Y, Z) layer.

    shares: (B, N, D) of a window's tokens in each of its N queries; Y: (V, V); tokens: (B, D);
    targets: (B N,) ids.  First derivatives only.
    """

    @staticmethod
    def forward(
        ctx: Any, shares: torch.Tensor, Y: torch.Tensor, tokens: torch.Tensor, targets: torch.Tensor
    ) -> torch.Tensor:
        """The loss; the logits become their own gradient, for ``backward``."""
        rows = functional.embedding(tokens, Y)  # (B, D, V)
        logits = shares @ rows  # (B, N, V)
        loss, slope, _ = loss_and_slope(logits.flatten(0, 1), Y.new_zeros(len(Y)), targets)
        ctx.save_for_backward(shares, rows, tokens, slope.view_as(logits))
        return loss

    @staticmethod
    def backward(ctx: Any, upstream: torch.Tensor) -> tuple[Any, ...]:
        """Gradients with respect to shares and Y; that of Y sparse, a row for each token once."""
        shares, rows, tokens, slope = ctx.saved_tensors
        distinct, place = torch.unique(tokens, return_inverse=True)
        into_rows = (shares.mT @ slope).flatten(0, 1)
        into_y = rows.new_zeros(len(distinct), rows.shape[-1])
        into_y.index_add_(0, place.flatten(), into_rows).mul_(upstream)
        size = (rows.shape[-1],) * 2
        return upstream * (slope @ rows.mT), _sparse(distinct, into_y, size), None, None


def _pairs(queries: torch.Tensor, keys: torch.Tensor, base: int) -> torch.Tensor:
    """Number of each pair of a query and a key, last axes: (..., Q), (..., K) to (..., Q, K)."""
    return queries[..., :, None] * base + keys[..., None, :]


def _sparse(index: torch.Tensor, values: torch.Tensor, size: Any) -> torch.Tensor:
    """A sparse tensor of entries or rows that are distinct and in order."""
    return torch.sparse_coo_tensor(
        index[None], values, size, is_coalesced=True, check_invariants=False
    )
