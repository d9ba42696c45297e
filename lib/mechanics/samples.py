"""The data of *Mechanics of Next Token Prediction*: inputs, last tokens, labels, embeddings.

Without positions a sample is its token counts ("multiplicities"), its last token (the query)
and its label.  One set is a ``NextTokenData``; ``stack`` lays several of equal shape along a
leading trial axis, and every function of ``lib.mechanics.attention_layer`` takes either.

Formulas are reconstructed, not read: ``book/mechanics/part_mechanics.md``.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, ArrayLike, Ids
from lib.validation import require, require_integer


class _Derived:
    """What the attention layer reads off a data set, or off trials along leading axes ``...``."""

    counts: np.ndarray
    last: np.ndarray
    label: np.ndarray
    embeddings: np.ndarray

    @cached_property
    def queries(self) -> Array:
        """(..., n, d): embeddings of the last tokens, the rows of Q."""
        return np.take_along_axis(self.embeddings, self.last[..., None], axis=-2)

    @cached_property
    def gram(self) -> Array:
        """(..., K, K): E E^T, the inner products of the embeddings."""
        return self.embeddings @ np.swapaxes(self.embeddings, -1, -2)

    @cached_property
    def log_counts(self) -> Array:
        """(..., n, K): log m_ij, minus infinity for a token that is absent."""
        return log_counts(self.counts)

    @cached_property
    def one_hot(self) -> Array:
        """(..., n, K): the labels as rows of the identity."""
        return np.eye(self.counts.shape[-1])[self.label]


@dataclass(frozen=True)
class NextTokenData(_Derived):
    """n samples over a vocabulary of K tokens embedded in R^d.

    counts: (n, K), m_ij = how often token j stands in the input X_i; whole numbers >= 0.
    last: (n,), id of the last token of X_i; its embedding is the query.
    label: (n,), id of the next token y_i.
    embeddings: (K, d), row j is e_j.
    weight: (n,), weight of a sample's loss; 1/n when omitted.
    independent: require linearly independent embeddings (what the head with C E^T = I needs).
    realizable: require y_i in X_i (else the log-loss is infinite).
    complete: require the last token to be in X_i (False for the cyclic sub-data).

    Raises ``ValueError`` that names the sample, or the tokens, at fault.

    >>> data = NextTokenData([[1, 1, 0], [0, 1, 2]], [1, 2], [0, 1], np.eye(3))
    >>> data.weight.tolist()
    [0.5, 0.5]
    """

    counts: np.ndarray
    last: np.ndarray
    label: np.ndarray
    embeddings: np.ndarray
    weight: np.ndarray | None = None
    independent: bool = True
    realizable: bool = True
    complete: bool = True

    def __post_init__(self) -> None:
        embeddings = np.asarray(self.embeddings, dtype=float)
        table = embeddings.ndim == 2 and embeddings.size > 0
        require(table, "embeddings.shape", embeddings.shape, "(K, d) with K, d >= 1")
        require(np.isfinite(embeddings).all(), "embeddings", "non-finite entries", "finite entries")
        counts = np.asarray(self.counts, dtype=float)
        some = counts.ndim == 2 and len(counts) > 0
        require(some, "samples", len(counts), "at least one (the data set is empty)")
        (n, K), tokens = counts.shape, len(embeddings)
        require(K == tokens, "counts.shape", counts.shape, f"(n, {tokens}), {tokens} embeddings")
        weight = np.full(n, 1 / n) if self.weight is None else np.asarray(self.weight, dtype=float)
        positive = weight.shape == (n,) and (weight > 0).all()
        require(positive, "weight", weight.tolist(), f"{n} positive numbers")
        values = {"counts": counts, "embeddings": embeddings, "weight": weight}
        values |= {name: _tokens(name, getattr(self, name), n, K) for name in ("last", "label")}
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self._check_samples()
        if self.independent:
            _check_independent(embeddings)

    def _check_samples(self) -> None:
        counts, rows, size = self.counts, np.arange(len(self.counts)), self.counts.sum(axis=1)
        whole = ((counts >= 0) & (counts == np.round(counts))).all(axis=1)
        whole &= (size > 0) & (size < np.inf)
        i = whole.argmin()  # the first that is not, if any
        wanted = "whole numbers >= 0, not all 0"
        require(whole[i], f"counts[{i}]", counts[i].tolist(), wanted)
        own = (counts[rows, self.last] > 0) | (not self.complete)
        i = own.argmin()
        require(own[i], f"last[{i}]", int(self.last[i]), f"a token of sample {i}'s own input")
        inside = (counts[rows, self.label] > 0) | (not self.realizable)
        i = inside.argmin()
        wanted = f"a token of sample {i}'s input, {np.flatnonzero(counts[i]).tolist()}"
        require(inside[i], f"label[{i}]", int(self.label[i]), wanted)

    @property
    def shape(self) -> tuple[int, int, int]:
        """(n, K, d)."""
        return (*self.counts.shape, self.embeddings.shape[1])

    @cached_property
    def head(self) -> Array:
        """(K, d): the head C = (E E^T)^{-1} E, with C E^T = I."""
        return np.linalg.pinv(self.embeddings).T

    def only(self, samples: Any) -> "NextTokenData":
        """The subset ``samples`` (indices or mask), with the weights that they have here."""
        chosen = np.arange(len(self.counts))[samples]
        names = ("counts", "last", "label", "weight")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    def with_embeddings(self, embeddings: Array, independent: bool = True) -> "NextTokenData":
        """The same samples with other embeddings (K, d')."""
        return replace(self, embeddings=embeddings, independent=independent)


@dataclass(frozen=True)
class DataBatch(_Derived):
    """Trials of equal shape: the arrays of ``NextTokenData`` with a leading trial axis."""

    counts: np.ndarray
    last: np.ndarray
    label: np.ndarray
    embeddings: np.ndarray
    weight: np.ndarray


def stack(data_sets: Iterable[NextTokenData]) -> DataBatch:
    """Data sets of equal (n, K, d) as one ``DataBatch``."""
    data_sets = list(data_sets)
    require(len(data_sets) > 0, "data_sets", 0, "at least one")
    shapes = {data.shape for data in data_sets}
    require(len(shapes) == 1, "shapes", sorted(shapes), "one shape (n, K, d) for all trials")
    return DataBatch(
        *(
            np.stack([getattr(data, name) for data in data_sets])
            for name in ("counts", "last", "label", "embeddings", "weight")
        )
    )


def from_sequences(
    sequences: Iterable[Any], labels: Any, embeddings: Array, **options: Any
) -> NextTokenData:
    """Training set of *Mechanics* from sequences of tokens: ``NextTokenData``.

    Each sequence is one input X_i.  Its last token is the query, and how often each token occurs
    in it is all else that the layer sees, because it has no positions.

    sequences: n lists of token ids below K, of any lengths >= 1.
    labels: (n,), id of the next token y_i after each sequence.
    embeddings: (K, d), row j is e_j.
    options: ``weight``, ``independent`` and so on, as for ``NextTokenData``.

    Raises ``ValueError`` that names the sample at fault: no token, an id outside of the
    vocabulary, a label that does not occur in its sequence.

    >>> data = from_sequences([[0, 1, 1, 2], [2, 0]], [1, 0], np.eye(3))
    >>> data.counts.tolist(), data.last.tolist(), data.label.tolist()
    ([[1.0, 2.0, 1.0], [1.0, 0.0, 1.0]], [2, 0], [1, 0])
    """
    K = len(embeddings)
    sequences = [_tokens(f"sequences[{i}]", s, len(s), K) for i, s in enumerate(sequences)]
    for i, sequence in enumerate(sequences):
        require(len(sequence) > 0, f"sequences[{i}]", [], "at least one token")
    counts = np.array([np.bincount(sequence, minlength=K) for sequence in sequences])
    last = np.array([s[-1] for s in sequences])
    return NextTokenData(counts, last, labels, embeddings, **options)


def gaussian_embeddings(K: int, d: int, rng: Generator) -> Array:
    """Random unit vectors as embeddings, as in the authors' experiments (*Mechanics*).

        e_j = x_j / |x_j|,    x_j from N(0, I_d)

    They are not orthogonal; for K <= d they are linearly independent with probability 1.

    K: number of tokens.  d: dimension of the embeddings.  rng: ``numpy.random.Generator``.

    Returns (K, d), row j is e_j.  Raises ``ValueError`` for K or d below 1.

    >>> embeddings = gaussian_embeddings(3, 4, np.random.default_rng(0))
    >>> embeddings.shape, np.linalg.norm(embeddings, axis=1).round(12).tolist()
    ((3, 4), [1.0, 1.0, 1.0])
    """
    require_integer("K", K, 1)
    require_integer("d", d, 1)
    rows = rng.normal(size=(K, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def orthonormal_embeddings(K: int, d: int, rng: Generator) -> Array:
    """Orthonormal embeddings in a random position.

    K: number of tokens, at most d.  d: their dimension.

    Returns (K, d), with rows of length 1 that are orthogonal to each other.
    Raises ``ValueError`` for K > d.

    >>> E = orthonormal_embeddings(2, 3, np.random.default_rng(0))
    >>> np.abs(E @ E.T).round(12).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    require_integer("K", K, 1, require_integer("d", d, 1))
    return np.linalg.qr(rng.normal(size=(d, d)))[0][:K]


def log_counts(counts: ArrayLike) -> Array:
    """log m of counts of any shape, minus infinity for a token that is absent."""
    with np.errstate(divide="ignore"):
        return np.log(counts)


def _tokens(argument: str, ids: ArrayLike, n: int, K: int) -> Ids:
    ids = np.asarray(ids)
    require(ids.shape == (n,), f"{argument}.shape", ids.shape, f"({n},)")
    for i, token in enumerate(ids.tolist()):
        require(
            isinstance(token, int) and 0 <= token < K,
            f"{argument}[{i}]",
            token,
            f"a token 0 .. {K - 1}",
        )
    return ids.astype(np.int64)


def _check_independent(embeddings: Array) -> None:
    """Linearly independent rows; the message names a token that depends on the others."""
    K, d = embeddings.shape
    pair = _parallel_pair(embeddings)
    at_fault = f" (tokens {pair[0]} and {pair[1]} point the same way)" if pair else ""
    require(
        K <= d,
        "K",
        K,
        f"K <= d = {d}: more tokens than dimensions have dependent embeddings{at_fault}",
    )
    _, singular, right = np.linalg.svd(embeddings.T)
    dependent = np.flatnonzero(np.abs(right[-1]) > 1e-6).tolist()
    require(
        singular[-1] > 1e-10 * singular[0],
        "embeddings",
        f"linearly dependent rows {dependent}{at_fault}",
        "linearly independent rows",
    )


def _parallel_pair(embeddings: Array) -> tuple[int, ...] | None:
    lengths = np.linalg.norm(embeddings, axis=1)
    cosine = np.abs(embeddings @ embeddings.T) / np.maximum(np.outer(lengths, lengths), 1e-300)
    pairs = np.argwhere(np.triu(cosine > 1 - 1e-12, 1))
    return tuple(pairs[0].tolist()) if len(pairs) else None
