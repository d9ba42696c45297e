"""The theory, token by token: from trained attention logits to effects with intervals.

Features of a (query, key) pair come from counts alone (``lib.cooccurrence``), logits from a
trained model; the two meet only in the regression of ``lib.bias_test``.
"""

import argparse
import sys

import numpy as np

from lib import corpus as corpora
from lib.bias_test import partial_effects, variance_inflation, winners_and_losers
from lib.cooccurrence import events_of, key_table
from lib.text_experiments import DATA, GRIDS, QUERIES, provenance, rounded, write_json

FEATURES = ("log_frequency", "log_lift", "choosiness_global")
LOCAL = ("log_frequency", "log_lift", "choosiness")
READ = 10         # queries whose winners and losers are listed


def special(corpus):
    """Ids that are no words: ``<unk>`` and ``<eos>`` where the vocabulary has them."""
    return [i for i, word in enumerate(corpus.vocabulary) if word in (corpora.UNKNOWN, corpora.END)]


def queries_of(corpus, count=QUERIES):
    """The commonest queries, without ``<unk>`` and ``<eos>``."""
    return [i for i in range(min(count, corpus.vocab_size)) if i not in special(corpus)]


def pair_table(corpus, text=None, windows=20_000, minimum=50, skip=0):
    """``KeyTable`` of a corpus (or of another text over its vocabulary, such as the shuffled one)."""
    text = corpus.train if text is None else text
    events = events_of(text[skip:], corpus.vocab_size, windows=windows)
    return key_table(events, queries_of(corpus), minimum, special(corpus))


def matrix(table, features=FEATURES):
    """The features as columns: (rows, features)."""
    return np.stack([getattr(table, name) for name in features], axis=1)


def effects(logits, table, rng, features=FEATURES, draws=200):
    """``Effects`` of the features on content logits (queries, V)."""
    return partial_effects(logits[table.query, table.key], matrix(table, features), table.query, table.key, rng, draws)


def reliability(one, other, feature):
    """Correlation of a feature between two halves of the text, over the pairs that both have."""
    place = {pair: i for i, pair in enumerate(zip(one.query.tolist(), one.key.tolist(), strict=True))}
    both = [(place[pair], j) for j, pair in enumerate(zip(other.query.tolist(), other.key.tolist(), strict=True)) if pair in place]
    i, j = np.array(both).T
    return float(np.corrcoef(getattr(one, feature)[i], getattr(other, feature)[j])[0, 1])


def combined(values, level=0.99):
    """Mean over seeds of effects and a normal interval from the pooled spread of the draws around the seeds' mean.

    values: list of ``Effects`` of one cell, one per seed.  Returns (features,) mean, low, high.
    """
    draws = np.mean([value.draws for value in values], axis=0)  # queries and keys resampled, seeds averaged
    spread = np.array([value.value for value in values]).std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
    mean = np.mean([value.value for value in values], axis=0)
    from scipy.stats import norm
    half = norm.ppf((1 + level) / 2) * np.sqrt(draws.std(axis=0) ** 2 + spread**2)
    return mean, mean - half, mean + half


def readable(logits, table, corpus, count=3):
    """Winners and losers of the first ``READ`` queries that are words: list of (query, winners, losers) as words."""
    chosen = [m for m in queries_of(corpus) if corpus.vocabulary[m].isalpha() and (table.query == m).sum() >= 4 * count][:READ]
    rows = winners_and_losers(logits[table.query, table.key], table.query, table.key, chosen, count)
    return [(corpus.vocabulary[m], corpus.words(won), corpus.words(lost)) for m, won, lost in rows]


def main(arguments=None):
    """Command line: effects of every stored run of the grid ``token_by_token``, as ``book/data/token_by_token.json``."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", help="folder of the grid's finished runs")
    parser.add_argument("--corpus", default="wikitext")
    parser.add_argument("--vocab-size", type=int, default=8000)
    parser.add_argument("--width", type=int, default=200)
    options = parser.parse_args(arguments)
    corpus = corpora.load(options.corpus, options.vocab_size)
    command = "python -m lib.text_bias " + " ".join(arguments or sys.argv[1:])
    write_json(DATA / "token_by_token.json", rounded(grid_effects(corpus, options.folder, options.width))
               | {"provenance": provenance(corpus, command, vocab_size=options.vocab_size, width=options.width)})


def grid_effects(corpus, folder, width, seeds=range(5)):
    """Effects per cell, seed and checkpoint, collinearity, reliability, and readable examples."""
    table = pair_table(corpus)
    halves = [pair_table(corpus, windows=10_000, minimum=20, skip=skip) for skip in (0, 350_000)]
    result = {"rows": len(table.key), "features": list(FEATURES), "cells": [], "examples": {},
              "inflation": variance_inflation(matrix(table), table.query),
              "inflation_omega": variance_inflation(np.column_stack([matrix(table)[:, :2], -np.log(_omega(corpus))[table.key]]), table.query),
              "reliability": {name: reliability(*halves, name) for name in (*FEATURES[1:], "choosiness")}}
    for name in GRIDS["token_by_token"](corpus.vocab_size, width):
        slug = "".join(c if c.isalnum() else "_" for c in name)
        found = {}
        for seed in seeds:
            path = f"{folder}/{slug}-{seed}.npz"
            try:
                stored = np.load(path)
            except FileNotFoundError:
                continue
            used = table
            if "shuffled" in name:
                used = pair_table(corpus, np.random.default_rng(seed).permutation(corpus.train))
            for iteration in stored.files:
                found.setdefault(int(iteration), []).append(effects(stored[iteration], used, np.random.default_rng(0)))
            if seed == 0 and "shuffled" not in name:
                result["examples"][name] = readable(stored[stored.files[-1]], table, corpus)
            local = effects(stored[stored.files[-1]], used, np.random.default_rng(0), LOCAL)
            found.setdefault("local", []).append(local)
        for iteration, values in found.items():
            mean, low, high = combined(values)
            result["cells"].append({"cell": name, "iteration": iteration, "seeds": len(values), "each": [v.value for v in values],
                                    "mean": mean, "low": low, "high": high})
    return result


def _omega(corpus):
    """|Omega(l)| over the whole text: distinct next tokens of the events that hold l; 1 where there is none."""
    events = events_of(corpus.train, corpus.vocab_size)
    V = corpus.vocab_size
    seen = np.bincount(events.key * V + events.next_token[events.row], minlength=V * V).reshape(V, V)
    return np.maximum((seen > 0).sum(axis=1), 1)


if __name__ == "__main__":
    main()
