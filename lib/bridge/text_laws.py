"""How well the graph of a text predicts the next token: predictors, their loss in nats,
intervals from resampled blocks.

Chapter: ``book/bridge/text_graph.ipynb``.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from lib.arrays import Array, Ids, Mask
from lib.bridge.text_contexts import Choices, Contexts, choices, contexts, imbalance, law, train
from lib.bridge.text_counts import count_nats
from lib.bridge.text_graph import Ranking, inside, ranking, retrieve
from lib.real_text.corpus import Corpus
from lib.real_text.kneser_ney import KneserNey
from lib.validation import require

MIXTURES = np.r_[1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0]
RIDGES = (10.0, 1.0, 0.3, 0.1, 0.03)
ORDERS = (2, 3, 5)  # of the n-grams beside the layer
BLOCK = 1000  # tokens of a block: of the text's own split, and of the bootstrap


def presence(corpus: Corpus, length: int, rng: Generator) -> dict[str, float]:
    """How often the label occurs in its window of ``length`` tokens, and how often by chance.

    Returns shares of all positions of the training text: ``window``; ``elsewhere``, in the window
    half a text away; ``shuffled``, in the text with its tokens in random order.
    """
    found = contexts(corpus.train, corpus.vocab_size, length)
    far = np.roll(found.windows, len(found.label) // 2, axis=0)
    mixed = contexts(rng.permutation(corpus.train), corpus.vocab_size, length)
    shares = (found.present, found._replace(windows=far).present, mixed.present)
    return dict(zip(("window", "elsewhere", "shuffled"), map(_mean, shares), strict=True))


def shuffled(corpus: Corpus, seed: int) -> Corpus:
    """The ``Corpus`` with the tokens of each part in random order."""
    rng = np.random.default_rng(seed)
    parts = {part: rng.permutation(getattr(corpus, part)) for part in ("train", "valid", "test")}
    return replace(corpus, **parts)  # type: ignore[arg-type]


def measured(
    corpus: Corpus, length: int, seed: int = 0, ridges: Sequence[float] = RIDGES, steps: int = 500
) -> dict[str, Any]:
    """All measurements on one text with windows of ``length`` tokens, as plain data.

    graph: shares, over contexts whose label is present.  laws: {name: nats per block}, held-out
    contexts in ``counts`` per block, each law mixed with the window's counts by a share that the
    other half of the held-out text chooses, the laws of ``count_nats`` by one that the training
    text does.  path: the trained layer for each ridge.  Without ridges that layer is left out, and
    so are graphs of labels drawn at random (``null_…``).
    """
    train_on, held = (
        contexts(ids, corpus.vocab_size, length) for ids in (corpus.train, corpus.held_out)
    )
    train_on, held = train_on.only(train_on.present), held.only(held.present)
    given = choices(train_on)
    asked = choices(held, given.pairs)
    ranked = ranking(train_on, given)
    kept, verdict = retrieve(ranked, asked, held.last)
    fin = finite_part(ranked, given, corpus.vocab_size, steps)
    half, block = held.place >= len(corpus.valid), held.place // BLOCK
    laws = window_laws(corpus.train, asked, ranked, kept, fin, corpus.vocab_size)
    laws |= ngram_laws(corpus.train, held, asked, corpus.vocab_size)
    nats = {name: mixed_nats(p, laws["counts"], asked.won, half) for name, p in laws.items()}
    nats |= count_nats(train_on, given, asked, MIXTURES)
    graph, path = shares(ranked, given, asked, kept, verdict), []
    if ridges:
        path, nats["trained layer"] = trained_path(given, asked, half, ridges, steps)
        graph |= null_shares(train_on, given, asked, held.last, np.random.default_rng(seed))
    graph["imbalance"] = float(np.abs(imbalance(given, fin, inside(ranked, given))).max())
    limit = law(given, fin, inside(ranked, given))
    graph["limit_train_nats"] = float(-np.log(limit[given.won]).mean())
    size = np.bincount(block)
    return {
        "length": length,
        "graph": graph,
        "path": path,
        "counts": size.tolist(),
        "laws": {name: np.bincount(block, x, len(size)).tolist() for name, x in nats.items()},
    }


def finite_part(ranked: Ranking, given: Choices, K: int, steps: int = 500) -> Array:
    """W^fin (P,): the finite loss does not see a component's level, S_fin has it at 0 (a mean)."""
    fin = train(given, inside(ranked, given), steps=steps)
    own = np.c_[given.pairs // K, ranked.component[:-1]]
    _, named, size = np.unique(own, axis=0, return_inverse=True, return_counts=True)
    return fin - (np.bincount(named, fin) / size)[named]


def window_laws(
    ids: Ids, asked: Choices, ranked: Ranking, kept: Mask, fin: Array, K: int
) -> dict[str, Array]:
    """{name: (m,)}: what window, text, neighbours, graph and finite part say of each context."""
    pairs, times = np.unique(ids[:-1] * K + ids[1:], return_counts=True)
    at = np.minimum(np.searchsorted(pairs, asked.code), len(pairs) - 1)
    bigram = np.where(pairs[at] == asked.code, times[at], 0).astype(float)
    flat, ever = np.zeros(len(asked.pairs)), ranked.ever[asked.pair]
    return {
        "counts": law(asked, flat),
        "frequency": asked.normalized(np.bincount(ids, minlength=K)[asked.code % K].astype(float)),
        "bigram": asked.normalized(bigram),
        "ever a label": law(asked, flat, ever),
        "retrieval": law(asked, flat, kept),
        "composition": law(asked, fin),
        "automaton": law(asked, fin, kept),
        "ever, composed": law(asked, fin, ever),
    }


def ngram_laws(ids: Ids, found: Contexts, asked: Choices, K: int) -> dict[str, Array]:
    """{"n-gram 2": (m,), …}: Kneser-Ney after the last tokens of a window, among its tokens.

    found: the ``Contexts`` whose ``Choices`` are ``asked``.
    """
    laws = {}
    for order in ORDERS:
        rows = np.c_[found.windows[asked.row, 1 - order :], asked.code % K]
        p = KneserNey(ids, K, order).probabilities(rows)[:, -1]
        laws[f"n-gram {order}"] = asked.normalized(p)
    return laws


def mixed_nats(p: Array, counts: Array, won: Mask, half: Mask) -> Array:
    """(n,): -log of the label's probability under (1 - a) p + a counts.

    p, counts: (m,).  won: (m,).  half: (n,) booleans; each half takes the share a of ``MIXTURES``
    that is best on the other.
    """
    mine, plain = p[won], counts[won]
    return cross_fitted(np.array([-np.log((1 - a) * mine + a * plain) for a in MIXTURES]), half)


def cross_fitted(nats: Array, half: Mask) -> Array:
    """(n,): of the rows of ``nats`` (settings, n), for each half the one best on the other half."""
    require(half.any() and not half.all(), "half", int(half.sum()), "contexts in both halves")
    chosen = [nats[:, side].mean(axis=1).argmin() for side in (half, ~half)]
    return np.where(half, nats[chosen[1]], nats[chosen[0]])


def trained_path(
    given: Choices, asked: Choices, half: Mask, ridges: Sequence[float] = RIDGES, steps: int = 500
) -> tuple[list[dict[str, float]], Array]:
    """The layer trained with each ridge, weakest last: (records, cross-fitted nats (n,))."""
    z, rows, records = None, [], []
    for ridge in ridges:
        z = train(given, None, ridge, z, steps)
        rows.append(-np.log(law(asked, z)[asked.won]))
        seen = -np.log(law(given, z)[given.won]).mean()
        records.append({"ridge": ridge, "train": float(seen), "held": float(rows[-1].mean())})
    return records, cross_fitted(np.array(rows), half)


def shares(
    ranked: Ranking, given: Choices, asked: Choices, kept: Mask, verdict: Ids
) -> dict[str, float]:
    """What the graphs say of a text's contexts; ``given`` those of training, ``asked`` others."""
    of = np.bincount(verdict, minlength=3) / len(verdict)
    return {
        "largest": _mean(ranked.largest[given.pair[given.won]]),
        "decided": float(of[0]),
        "unknown": float(of[1]),
        "incomparable": float(of[2]),
        "kept": _mean(kept),
        "label_kept": _mean(kept[asked.won]),
        "label_ever": _mean(ranked.ever[asked.pair[asked.won]]),
        "same_as_ever": _mean(
            np.logical_and.reduceat(kept == ranked.ever[asked.pair], asked.start)
        ),
    }


def null_shares(
    found: Contexts, given: Choices, asked: Choices, last: Ids, rng: Generator
) -> dict[str, float]:
    """``shares`` for graphs whose labels were drawn from their windows at random."""
    n, length = found.windows.shape
    drawn = found._replace(label=found.windows[np.arange(n), rng.integers(length, size=n)])
    ranked = ranking(drawn, given)
    kept, verdict = retrieve(ranked, asked, last)
    own = choices(drawn, given.pairs)
    return {
        "null_largest": _mean(ranked.largest[own.pair[own.won]]),
        "null_decided": _mean(verdict == 0),
        "null_kept": _mean(kept),
        "null_label_kept": _mean(kept[asked.won]),
    }


def gain(
    record: dict[str, Any],
    better: str,
    worse: str,
    level: float = 0.99,
    draws: int = 4000,
    seed: int = 0,
) -> tuple[float, float, float]:
    """Nats per token that ``better`` saves against ``worse``: (mean, low, high), block bootstrap.

    record: of ``measured``.  Held-out blocks are drawn with replacement.
    """
    saved = np.array(record["laws"][worse]) - np.array(record["laws"][better])
    return _quotient(saved, np.array(record["counts"], dtype=float), level, draws, seed)


def share_saved(
    record: dict[str, Any],
    law: str,
    best: str,
    worse: str,
    level: float = 0.99,
    draws: int = 4000,
    seed: int = 0,
) -> tuple[float, float, float]:
    """What ``law`` saves against ``worse``, over what ``best`` saves: as ``gain``, a share."""
    nats = {name: np.array(record["laws"][name]) for name in (law, best, worse)}
    part, whole = nats[worse] - nats[law], nats[worse] - nats[best]
    return _quotient(part, whole, level, draws, seed)


def _quotient(
    over: Array, under: Array, level: float, draws: int, seed: int
) -> tuple[float, float, float]:
    """Sum of ``over`` (blocks,) over that of ``under``: (value, low, high), blocks resampled."""
    chosen = np.random.default_rng(seed).integers(len(over), size=(draws, len(over)))
    drawn = over[chosen].sum(axis=1) / under[chosen].sum(axis=1)
    tail = (1 - level) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return float(over.sum() / under.sum()), float(low), float(high)


def nats_of(record: dict[str, Any], name: str) -> float:
    """Nats per held-out token of one law."""
    return float(np.sum(record["laws"][name]) / np.sum(record["counts"]))


def _mean(booleans: Mask) -> float:
    return float(np.mean(booleans))
