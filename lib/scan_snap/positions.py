"""An additive bias on positions (*Scan and Snap*, Section 7).

b_t is proportional to exp(z_{m x_t} + bias_t).

Positions are those of the T-1 contextual tokens.  What a bias does to long sequences depends
on its weights w_t = exp(bias_t) / sum exp(bias) alone.
"""

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike, Ids
from lib.log_sums import softmax
from lib.validation import require, require_integer


def effective_length(bias: ArrayLike) -> float:
    """How many equally weighted positions fluctuate as much (*Scan and Snap*, Section 7).

        1 / sum_t w_t^2,    w = softmax(bias)

    bias: (T-1,).  Returns a float between 1 and T-1.

    >>> round(effective_length([0, 0, 0]), 12), round(effective_length([0, -1000]), 12)
    (3.0, 1.0)
    """
    return float(1 / np.sum(softmax(np.asarray(bias, dtype=float)) ** 2))


def attend_with_bias(z: ArrayLike, tokens: ArrayLike, bias: ArrayLike) -> Array:
    """X^T b (B, M) for tokens (B, T-1), the query's logits z (M,) and a bias (T-1,)."""
    tokens, z, bias = np.asarray(tokens), np.asarray(z, dtype=float), np.asarray(bias, dtype=float)
    require(tokens.ndim == 2, "tokens.shape", tokens.shape, "(B, T-1)")
    require(bias.shape == tokens.shape[1:], "bias.shape", bias.shape, str(tokens.shape[1:]))
    weights = softmax(z[tokens] + bias)
    attended = np.zeros((len(tokens), len(z)))
    np.add.at(attended, (np.arange(len(tokens))[:, None], tokens), weights)
    return attended


def weighted_law(laws: ArrayLike, bias: ArrayLike) -> Array:
    """sum_t w_t P_t, (M,): a token at a position drawn by the bias; laws (T-1, M)."""
    laws = np.asarray(laws, dtype=float)
    require(np.shape(bias) == laws.shape[:1], "bias.shape", np.shape(bias), str(laws.shape[:1]))
    return softmax(np.asarray(bias, dtype=float)) @ laws


def sample_by_position(laws: Array, batch_size: int, rng: Generator) -> Ids:
    """Sequences (B, T-1): the token at position t follows row t of ``laws``, independently."""
    require_integer("batch_size", batch_size, 1)
    cumulative = np.cumsum(laws, axis=1)
    uniform = rng.random((batch_size, len(cumulative))) * cumulative[:, -1]
    return np.stack(
        [
            np.searchsorted(row, draws, side="right")
            for row, draws in zip(cumulative, uniform.T, strict=True)
        ],
        axis=1,
    )
