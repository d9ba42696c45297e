"""The data model of *Scan and Snap*, Section 3.2: sequence classes.

A class ``n`` fixes its next token, its query token ``psi(n)`` and the law
``P(l | n)`` from which the ``T - 1`` contextual tokens are drawn independently.
Without positional encoding a sequence matters only through its token counts.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike, Ids, Mask
from lib.validation import require, require_integer, require_probability_table, require_real


class Sequences(NamedTuple):
    """Vocabulary ids: ``tokens`` (B, T-1), ``query`` (B,), ``next_token`` (B,)."""

    tokens: np.ndarray
    query: np.ndarray
    next_token: np.ndarray


class TokenCounts(NamedTuple):
    """``counts`` (B, M) with row sums T-1, ``query`` (B,), ``next_token`` (B,)."""

    counts: np.ndarray
    query: np.ndarray
    next_token: np.ndarray


@dataclass(frozen=True)
class SequenceClasses:
    """K sequence classes over a vocabulary of M tokens (Section 3.2).

    conditional: (K, M), row n is ``P(l | n)``.
    query: (K,), vocabulary id of ``psi(n)``.
    next_token: (K,), vocabulary id of the next token of class n; the paper's convention
        (the first K ids) when omitted.
    prior: (K,), probability of each class; uniform when omitted.

    Raises ``ValueError`` for an invalid table, K > M, or an id outside the vocabulary.

    >>> classes = SequenceClasses([[0.5, 0.5, 0], [0.5, 0, 0.5]], query=[2, 2])
    >>> classes.common_tokens.tolist(), classes.distinct_tokens(0).tolist()
    ([0], [1])
    """

    conditional: np.ndarray
    query: np.ndarray
    # Both are filled in below.
    next_token: np.ndarray = None  # type: ignore[assignment]
    prior: np.ndarray = None  # type: ignore[assignment]
    num_classes: int = field(init=False)
    vocab_size: int = field(init=False)

    def __post_init__(self) -> None:
        table = require_probability_table("conditional", self.conditional)
        K, M = table.shape
        require(K <= M, "K", K, f"1 <= K <= M = {M}")
        next_token = np.arange(K) if self.next_token is None else self.next_token
        prior = np.full((1, K), 1 / K) if self.prior is None else np.asarray(self.prior)[None]
        values = {
            "conditional": table,
            "query": _ids("psi", self.query, K, M),
            "next_token": _ids("next_token", next_token, K, M),
            "prior": require_probability_table("prior", prior)[0],
            "num_classes": K,
            "vocab_size": M,
        }
        require(values["prior"].shape == (K,), "prior.shape", values["prior"].shape, f"({K},)")
        require(
            len(set(values["next_token"].tolist())) == K,
            "next_token",
            next_token,
            "K different ids",
        )
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def support(self) -> Mask:
        """(K, M) booleans: ``P(l | n) > 0``."""
        return self.conditional > 0

    def omega(self, token: int) -> Ids:
        """Omega(l): the classes in whose support ``token`` lies."""
        return np.flatnonzero(
            self.support[:, require_integer("token", token, 0, self.vocab_size - 1)]
        )

    @property
    def common_tokens(self) -> Ids:
        """G_CT: tokens that more than one class may emit."""
        return np.flatnonzero(self.support.sum(axis=0) > 1)

    def distinct_tokens(self, n: int) -> Ids:
        """G_DT(n): tokens that class ``n`` alone may emit."""
        return np.flatnonzero(self.support[n] & (self.support.sum(axis=0) == 1))

    def sample(
        self, batch_size: int, T: int, rng: Generator, classes: ArrayLike | None = None
    ) -> Sequences:
        """Draw ``Sequences``; ``classes`` (B,) fixes the classes, else they follow ``prior``.

        ``T >= 2`` is the position of the query; ``rng`` a ``numpy.random.Generator``.
        """
        chosen = self._choose(batch_size, T, rng, classes)
        cumulative = np.cumsum(self.conditional, axis=1)
        cumulative /= cumulative[:, -1:]
        uniform = rng.random((len(chosen), T - 1))
        tokens = np.empty(uniform.shape, dtype=np.int64)
        for n in np.unique(chosen):
            rows = chosen == n
            tokens[rows] = np.searchsorted(cumulative[n], uniform[rows], side="right")
        return Sequences(tokens, self.query[chosen], self.next_token[chosen])

    def sample_counts(
        self, batch_size: int, T: int, rng: Generator, classes: ArrayLike | None = None
    ) -> TokenCounts:
        """Draw ``TokenCounts``: the law of counting the tokens of ``sample``, without them."""
        chosen = self._choose(batch_size, T, rng, classes)
        counts = rng.multinomial(T - 1, self.conditional[chosen])
        return TokenCounts(counts, self.query[chosen], self.next_token[chosen])

    def _choose(self, batch_size: int, T: int, rng: Generator, classes: ArrayLike | None) -> Ids:
        require_integer("batch_size", batch_size, 1)
        require_integer("T", T, 2)
        if classes is None:
            return rng.choice(self.num_classes, size=batch_size, p=self.prior)
        chosen = np.asarray(classes)
        require(chosen.shape == (batch_size,), "classes.shape", chosen.shape, f"({batch_size},)")
        require(
            ((chosen >= 0) & (chosen < self.num_classes)).all(),
            "classes",
            classes,
            f"0 .. {self.num_classes - 1}",
        )
        return chosen


def _ids(argument: str, ids: ArrayLike, K: int, M: int) -> Ids:
    array = np.asarray(ids)
    require(array.shape == (K,), f"{argument}.shape", array.shape, f"({K},)")
    require(
        array.dtype.kind in "iu" and ((array >= 0) & (array < M)).all(),
        argument,
        array.tolist(),
        f"whole numbers 0 .. {M - 1}",
    )
    return array.astype(np.int64)


def token_counts(tokens: ArrayLike, vocab_size: int) -> Ids:
    """How often each token occurs in each sequence.

    tokens: (B, T-1) ids.  vocab_size: M.

    Returns (B, M).  Raises ``ValueError`` for an id outside of the vocabulary.

    >>> token_counts([[0, 2, 2], [1, 1, 1]], 3).tolist()
    [[1, 0, 2], [0, 3, 0]]
    """
    tokens = np.asarray(tokens)
    require(
        ((tokens >= 0) & (tokens < vocab_size)).all(),
        "tokens",
        "ids outside the vocabulary",
        f"0 .. {vocab_size - 1}",
    )
    counts = np.zeros((len(tokens), vocab_size), dtype=np.int64)
    np.add.at(counts, (np.arange(len(tokens))[:, None], tokens), 1)
    return counts


def syn_medium(
    num_queries: int,
    next_per_query: int = 2,
    num_common: int = 10,
    num_distinct: int = 10,
    common_weight: float = 1.0,
) -> SequenceClasses:
    """The synthetic data Syn-Medium of *Scan and Snap*, Section 8.

    Before they are normalized, a common token weighs ``common_weight`` and the distinct tokens of a
    class are evenly spaced from 0.1 to 1.

    num_queries, next_per_query: there are num_queries * next_per_query classes.
    num_common: tokens that all classes may emit.  num_distinct: tokens of each class alone.

    Returns ``SequenceClasses``.  Ids: the common tokens, then the distinct ones of each class, then
    the queries, then the next tokens.  Raises ``ValueError`` for arguments outside of their ranges.

    >>> classes = syn_medium(1, num_common=1, num_distinct=2)
    >>> (2.1 * classes.conditional[:, :5]).round(12).tolist()
    [[1.0, 0.1, 1.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.1, 1.0]]
    >>> classes.query.tolist(), classes.next_token.tolist()
    ([5, 5], [6, 7])
    """
    require_integer("num_queries", num_queries, 1)
    require_integer("next_per_query", next_per_query, 1)
    require_integer("num_common", num_common, 0)
    require_integer("num_distinct", num_distinct, 1)
    require_real("common_weight", common_weight, at_least=0)
    K = num_queries * next_per_query
    first_query = num_common + num_distinct * K
    weights = np.zeros((K, first_query + num_queries + K))
    weights[:, :num_common] = common_weight
    for n in range(K):
        start = num_common + num_distinct * n
        weights[n, start : start + num_distinct] = np.linspace(0.1, 1, num_distinct)
    return SequenceClasses(
        weights / weights.sum(axis=1, keepdims=True),
        query=first_query + np.arange(K) // next_per_query,
        next_token=first_query + num_queries + np.arange(K),
    )


def syn_small(common_weight: float = 1.0) -> SequenceClasses:
    """The synthetic data Syn-Small of *Scan and Snap*, Section 8, Figure 4.

    Two classes with a query each, ten common tokens, and ten distinct tokens for each class; see
    ``syn_medium``.

    >>> classes = syn_small()
    >>> classes.num_classes, classes.vocab_size, classes.query.tolist(), classes.next_token.tolist()
    (2, 34, [30, 31], [32, 33])
    """
    return syn_medium(2, 1, common_weight=common_weight)


def random_classes(
    K: int, M: int, rng: Generator, num_queries: int = 1, density: float = 0.5
) -> SequenceClasses:
    """Random sequence classes, for checks of general statements.

    K, M: number of classes and size of the vocabulary.  density: probability with which a token is
    in the support of a class; each support holds at least one token.  num_queries: the queries are
    the last ids, as many as this.

    Returns ``SequenceClasses``.  Raises ``ValueError`` for arguments outside of their ranges.

    >>> classes = random_classes(3, 6, np.random.default_rng(0), num_queries=2)
    >>> classes.query.tolist(), classes.conditional.sum(axis=1).round(12).tolist()
    ([5, 4, 5], [1.0, 1.0, 1.0])
    """
    require_integer("K", K, 1, M)
    require_integer("num_queries", num_queries, 1, M)
    require_real("density", density, above=0, at_most=1)
    support = rng.random((K, M)) < density
    support[np.arange(K), rng.integers(M, size=K)] = True
    weights = support * rng.gamma(1.0, size=(K, M)) + support * 1e-3
    return SequenceClasses(
        weights / weights.sum(axis=1, keepdims=True), query=M - 1 - np.arange(K) % num_queries
    )


def limit_of_rows(classes: SequenceClasses, rows: ArrayLike) -> Array:
    """c_n of Eq. (5), the limit of X^T b as T grows (Lemma 2), (..., K, M): rows sum to one.

    rows: (..., K, M), for each class the logits z_m of its query.  The largest logit inside the
    support is subtracted first, so rows of any size are safe.
    """
    logits = np.where(classes.support, np.asarray(rows, dtype=np.float64), -np.inf)
    weights = classes.conditional * np.exp(logits - logits.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def limiting_attention(classes: SequenceClasses, Z: ArrayLike) -> Array:
    """Attention of each class on endless sequences: c_n of *Scan and Snap*, Eq. (5), Lemma 2.

        c_nl = P(l | n) e^{z_ml} / sum_k P(k | n) e^{z_mk},    m the query of class n

    classes: ``SequenceClasses``, K classes over M tokens.  Z: (M, M), finite attention logits.

    Returns (K, M), rows with the sum 1.
    Raises ``ValueError`` for a Z of another shape or with entries that are not finite.

    >>> classes = SequenceClasses([[0.6, 0.4], [0, 1]], query=[0, 1])
    >>> limiting_attention(classes, np.log([[1, 3], [1, 1]])).round(6).tolist()
    [[0.333333, 0.666667], [0.0, 1.0]]
    """
    Z = np.asarray(Z, dtype=np.float64)
    M = classes.vocab_size
    require(Z.shape == (M, M), "Z.shape", Z.shape, f"({M}, {M})")
    require(np.isfinite(Z).all(), "Z", "a matrix with non-finite entries", "finite entries")
    return limit_of_rows(classes, Z[classes.query])


def normalized_attention(classes: SequenceClasses, Z: ArrayLike) -> Array:
    """Normalized attention of each class on endless sequences: the rows f_n of F^T, Eq. (7).

        f_n = c_n / |c_n|_2,    c_nl = P(l | n) e^{z_ml} / sum_k P(k | n) e^{z_mk}

    m is the query of class n; c_n is Eq. (5), ``limiting_attention``.

    classes: ``SequenceClasses``, K classes over M tokens.
    Z: (M, M), finite; row z_m has the attention logits of query m.

    Returns F^T, (K, M), rows of length 1 that are 0 outside of the class's support.
    Raises ``ValueError`` for a Z of another shape or with entries that are not finite.

    >>> classes = SequenceClasses([[0.6, 0.8], [0, 1]] / np.array([[1.4], [1]]), query=[0, 1])
    >>> normalized_attention(classes, np.zeros((2, 2))).round(12).tolist()
    [[0.6, 0.8], [0.0, 1.0]]
    """
    attention = limiting_attention(classes, Z)
    return attention / np.linalg.norm(attention, axis=1, keepdims=True)
