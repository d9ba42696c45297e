"""Interpolated Kneser-Ney n-grams: the baseline that an attention layer is compared with.

    p_k(w | h) = max(n_k(h w) - D_k, 0) / n_k(h) + D_k u_k(h) / n_k(h) p_{k-1}(w | h'),  p_0 = 1/V,

h the k - 1 tokens before w and h' h without its first.  Of the highest order n_k counts how often
h w occurs, of any lower one how many different tokens stand before it; n_k(h) sums over w, u_k(h)
counts the w seen after h, D_k = n1 / (n1 + 2 n2) with n1 and n2 the grams counted once and twice.
A context that was not seen has p_k = p_{k-1}.
"""

from typing import Any, NamedTuple

import numpy as np

from lib.arrays import Array, ArrayLike, Ids
from lib.real_text.corpus import Corpus
from lib.validation import require, require_integer


class Level(NamedTuple):
    """The k-grams of a text, increasing in codes: (id of the last k - 1 tokens) V + first token.

    numbers: n_k of each; context: id of its first k - 1 tokens; total, seen: n_k(h) and u_k(h) by
    context; discount: D_k.
    """

    codes: np.ndarray
    numbers: np.ndarray
    context: np.ndarray
    total: np.ndarray
    seen: np.ndarray
    discount: float


class KneserNey:
    """n-grams of the tokens ``ids`` below ``vocab_size``, up to ``order``.

    Raises ``ValueError`` for a text shorter than ``order`` and for ids outside the vocabulary.
    """

    def __init__(self, ids: ArrayLike, vocab_size: int, order: int) -> None:
        self.vocab_size = V = require_integer("vocab_size", vocab_size, 2)
        self.order = require_integer("order", order, 1)
        ids = np.asarray(ids, dtype=np.int64)
        require(len(ids) > order, "ids", f"{len(ids)} tokens", f"more than the order, {order}")
        require(0 <= ids.min() and ids.max() < V, "ids", ids.max(), f"tokens below {V}")
        found, ends = [], np.zeros(len(ids) + 1, dtype=np.int64)  # ids of grams by their end
        for k in range(1, order + 1):
            codes, places = np.unique(ends[1:] * V + ids[: len(ids) - k + 1], return_inverse=True)
            context = np.empty(len(codes), dtype=np.int64)
            context[places] = ends[:-1]
            found.append((codes, np.bincount(places), context))
            ends = places
        self.levels = [self._level(found, k) for k in range(order)]

    def _level(self, found: list[tuple[Ids, Ids, Ids]], k: int) -> Level:
        codes, counts, context = found[k]
        if k + 1 < len(found):
            counts = np.bincount(found[k + 1][0] // self.vocab_size, minlength=len(codes))
        size = context.max() + 1
        once, twice = (counts == 1).sum(), (counts == 2).sum()
        return Level(
            codes,
            counts,
            context,
            np.bincount(context, counts, minlength=size),
            np.bincount(context[counts > 0], minlength=size),
            once / max(once + 2 * twice, 1),
        )

    def probabilities(self, windows: ArrayLike) -> Array:
        """p of each token of ``windows`` (n, T) after those before it in its row: (n, T).

        A token with fewer than order - 1 tokens before it has a lower order's probability.
        """
        tokens = np.asarray(windows, dtype=np.int64)
        p = np.full(tokens.shape, 1 / self.vocab_size)
        ends = np.zeros((len(tokens), tokens.shape[1] + 1), dtype=np.int64)  # -1: not in the text
        for k, level in enumerate(self.levels[: tokens.shape[1]]):
            suffix, context = ends[:, 1:], ends[:, :-1]
            codes = np.where(suffix < 0, -1, suffix * self.vocab_size + tokens[:, : -k or None])
            place = np.minimum(np.searchsorted(level.codes, codes), len(level.codes) - 1)
            known = level.codes[place] == codes
            known_context = (context >= 0) & (context < len(level.total))
            h = np.where(known_context, context, 0)
            total = np.where(known_context, level.total[h], 0)
            mass = np.where(known, np.maximum(level.numbers[place] - level.discount, 0), 0)
            rest = level.discount * level.seen[h]
            lower, safe = p[:, k:], np.maximum(total, 1)
            p[:, k:] = np.where(total > 0, (mass + rest * lower) / safe, lower)
            ends = np.where(known, place, -1)
        return p

    def nats(self, windows: ArrayLike, skip: int = 1) -> float:
        """Mean -ln p over the tokens of each window but the first ``skip``: a float."""
        return float(-np.log(self.probabilities(windows)[:, skip:]).mean())


ORDERS = (1, 2, 3, 5)


def baselines(corpus: Corpus, windows: tuple[Any, Any]) -> dict[str, float]:
    """{"1": nats, …}: of n-grams of the training part, by order, on ``(tokens, targets)``.

    windows: of ``lib.real_text.train.fixed_windows``; the first token of each has no key and takes
    no part, nor has its target here.
    """
    tokens, targets = (np.asarray(part) for part in windows)
    rows = np.c_[tokens, targets[:, -1]]
    V = corpus.vocab_size
    return {str(n): KneserNey(corpus.train, V, n).nats(rows) for n in ORDERS}
