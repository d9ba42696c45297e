"""The theory, token by token: from trained attention logits to effects with intervals.

Features of a (query, key) pair come from counts alone (``lib.real_text.cooccurrence``), logits from
a trained model; the two meet only in the regression of ``lib.real_text.partial_effects``.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from scipy.stats import norm

from lib.real_text import corpus as corpora
from lib.real_text.cells import GRIDS, QUERIES, slug
from lib.real_text.cooccurrence import events_of, key_table, shuffled
from lib.real_text.partial_effects import partial_effects, variance_inflation, winners_and_losers
from lib.real_text.tables import DATA, provenance, rounded, write_json

FEATURES = ("log_frequency", "log_lift", "choosiness_global")
LOCAL = ("log_frequency", "log_lift", "choosiness")
READ = 10  # queries whose winners and losers are listed


def special(corpus):
    """Ids that are no words: ``<unk>`` and ``<eos>`` where the vocabulary has them."""
    return [i for i, word in enumerate(corpus.vocabulary) if word in (corpora.UNKNOWN, corpora.END)]


def queries_of(corpus, count=QUERIES):
    """The commonest queries, without ``<unk>`` and ``<eos>``."""
    return [i for i in range(min(count, corpus.vocab_size)) if i not in special(corpus)]


def pair_table(corpus, text=None, windows=20_000, minimum=50, skip=0):
    """``KeyTable`` of a corpus (or of another text over its vocabulary, such as the shuffled
    one).
    """
    text = corpus.train if text is None else text
    events = events_of(text[skip:], corpus.vocab_size, windows=windows)
    return key_table(events, queries_of(corpus), minimum, special(corpus))


def shuffled_table(corpus, seed, minimum=50):
    """``KeyTable`` of the training text in the random order that a shuffled run of this seed
    sees.
    """
    return pair_table(corpus, shuffled(corpus.train, np.random.default_rng(seed)), minimum=minimum)


def matrix(table, features=FEATURES):
    """The features as columns: (rows, features)."""
    return np.stack([getattr(table, name) for name in features], axis=1)


def effects(logits, table, rng, features=FEATURES, draws=200):
    """``Effects`` of the features on content logits (queries, V)."""
    return partial_effects(
        logits[table.query, table.key], matrix(table, features), table.query, table.key, rng, draws
    )


def reliability(one, other, feature):
    """Correlation of a feature between two halves of the text, over the pairs that both have."""
    place = {
        pair: i for i, pair in enumerate(zip(one.query.tolist(), one.key.tolist(), strict=True))
    }
    both = [
        (place[pair], j)
        for j, pair in enumerate(zip(other.query.tolist(), other.key.tolist(), strict=True))
        if pair in place
    ]
    i, j = np.array(both).T
    return float(np.corrcoef(getattr(one, feature)[i], getattr(other, feature)[j])[0, 1])


def combined(rows, level=0.99):
    """Mean over seeds with an interval for new seeds, queries and keys: (features,) mean, low,
    high.

    rows: rows of a stored table, one per seed.  The spread over resampled queries and keys is
    common to the seeds (it does not average out); the spread between seeds adds to it.
    """
    values = np.array([row["value"] for row in rows])
    common = np.mean([np.square(row["spread"]) for row in rows], axis=0)
    between = values.var(axis=0, ddof=1) / len(rows) if len(rows) > 1 else 0.0
    half = norm.ppf((1 + level) / 2) * np.sqrt(common + between)
    mean = values.mean(axis=0)
    return mean, mean - half, mean + half


def readable(logits, table, corpus, count=3):
    """Winners and losers of the first ``READ`` queries that are words: list of (query, winners,
    losers) as words.
    """
    chosen = [
        m
        for m in queries_of(corpus)
        if corpus.vocabulary[m].isalpha() and (table.query == m).sum() >= 4 * count
    ][:READ]
    rows = winners_and_losers(logits[table.query, table.key], table.query, table.key, chosen, count)
    return [(corpus.vocabulary[m], corpus.words(won), corpus.words(lost)) for m, won, lost in rows]


def main(arguments=None):
    """Command line: effects of every stored run of the grid ``token_by_token``, as
    ``book/data/token_by_token.json``.
    """
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", help="folder of the grid's finished runs")
    parser.add_argument("--corpus", default="wikitext")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--width", type=int, default=200)
    options = parser.parse_args(arguments)
    corpus = corpora.load(options.corpus, options.vocab_size)
    command = " ".join(
        ["python -m lib.real_text.token_effects FOLDER", *(arguments or sys.argv[1:])[1:]]
    )
    write_json(
        DATA / "token_by_token.json",
        rounded(grid_effects(corpus, options.folder, options.width))
        | {
            "provenance": provenance(
                corpus, command, vocab_size=options.vocab_size, width=options.width
            )
        },
    )


def grid_effects(corpus, folder, width):
    """Effects per cell and checkpoint, collinearity, reliability, and readable examples.

    Features are counted on the validation and test parts, which no model has seen: on the training
    part a chance co-occurrence would show in feature and logit alike.
    """
    table, unseen = pair_table(corpus, held_out(corpus)), held_out(corpus)
    raw = np.column_stack([matrix(table)[:, :2], -np.log(omega(corpus, unseen))[table.key]])
    halves = [pair_table(corpus, part, minimum=20) for part in (corpus.valid, corpus.test)]
    result = {
        "rows": len(table.key),
        "features": list(FEATURES),
        "cells": [],
        "examples": {},
        "agreement": {},
        "inflation": variance_inflation(matrix(table), table.query).tolist(),
        "inflation_omega": variance_inflation(raw, table.query).tolist(),
        "reliability": {name: reliability(*halves, name) for name in (*FEATURES[1:], "choosiness")},
    }
    for name in GRIDS["token_by_token"](corpus.vocab_size, width):
        for seed, path in enumerate(sorted(Path(folder).glob(f"{slug(name)}-[0-9].npz"))):
            stored = np.load(path)
            used = (
                pair_table(corpus, shuffled(unseen, np.random.default_rng(seed)))
                if "shuffled" in name
                else table
            )
            last = stored.files[-1]
            for iteration in stored.files:
                result["cells"].append(
                    _row(
                        name,
                        seed,
                        int(iteration),
                        "unseen",
                        effects(stored[iteration], used, np.random.default_rng(0)),
                    )
                )
            result["cells"].append(
                _row(
                    name,
                    seed,
                    int(last),
                    "per query",
                    effects(stored[last], used, np.random.default_rng(0), LOCAL),
                )
            )
            text = (
                np.random.default_rng(seed).permutation(corpus.train)
                if "shuffled" in name
                else corpus.train
            )
            result["cells"].append(
                _row(
                    name,
                    seed,
                    int(last),
                    "seen",
                    effects(stored[last], pair_table(corpus, text), np.random.default_rng(0)),
                )
            )
            if seed == 0 and "shuffled" not in name:
                result["examples"][name] = readable(stored[last], table, corpus)
        result["agreement"][name] = agreement(Path(folder), slug(name), table)
    return result


def agreement(folder, name, table):
    """What decides a logit, at the last checkpoint, over the queries and keys of ``table``, queries
    centred.

    one_direction: share of the logits' variance in their first singular direction (1: all queries
    rank the keys alike, up to sign).  seeds: mean correlation of two seeds' logits over the table's
    pairs.
    """
    last = [
        stored[stored.files[-1]]
        for stored in map(np.load, sorted(folder.glob(f"{name}-[0-9].npz")))
    ]
    keys, queries = np.unique(table.key), np.unique(table.query)
    blocks = [values[np.ix_(queries, keys)] for values in last]
    blocks = [block - block.mean(axis=1, keepdims=True) for block in blocks]
    squares = [np.linalg.svd(block, compute_uv=False) ** 2 for block in blocks]
    pairs = np.array(
        [
            block[np.searchsorted(queries, table.query), np.searchsorted(keys, table.key)]
            for block in blocks
        ]
    )
    seeds = np.corrcoef(pairs)[np.triu_indices(len(pairs), 1)] if len(pairs) > 1 else []
    return {
        "one_direction": float(np.mean([values[0] / values.sum() for values in squares])),
        "seeds": [float(value) for value in seeds],
    }


def _row(cell, seed, iteration, counted, found):
    """One row of the stored table; ``counted`` says on what the features were counted."""
    return {
        "cell": cell,
        "seed": seed,
        "iteration": iteration,
        "counted": counted,
        "value": found.value.tolist(),
        "low": found.low.tolist(),
        "high": found.high.tolist(),
        "spread": found.draws.std(axis=0).tolist(),
    }


def held_out(corpus):
    """Validation and test parts, one after the other."""
    return np.concatenate([corpus.valid, corpus.test])


def omega(corpus, text):
    """|Omega(l)| over the whole text: distinct next tokens of the events that hold l; 1 where there
    is none.
    """
    events = events_of(text, corpus.vocab_size)
    V = corpus.vocab_size
    seen = np.bincount(events.key * V + events.next_token[events.row], minlength=V * V).reshape(
        V, V
    )
    return np.maximum((seen > 0).sum(axis=1), 1)


if __name__ == "__main__":
    main()
