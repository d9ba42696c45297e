"""The table of the token-by-token test: effects per cell and checkpoint, with the collinearity
and reliability of the features behind them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lib.arrays import Array
from lib.real_text.cells import Cell
from lib.real_text.cooccurrence import KeyTable
from lib.real_text.corpus import Corpus
from lib.real_text.partial_effects import variance_inflation
from lib.real_text.token_effects import (
    FEATURES,
    LOCAL,
    agreement,
    effects,
    matrix,
    omega,
    pair_table,
    readable,
    reliability,
)


def grid_effects(
    corpus: Corpus,
    cells: dict[str, Cell],
    seeds: Sequence[int],
    logits_of: Callable[[str, int], dict[int, Array]],
) -> dict[str, Any]:
    """Effects per cell and checkpoint, collinearity, reliability, and readable examples.

    cells: name to ``Cell``.  logits_of: function of (name, seed) to logits (queries, V) by
    iteration.  Features are counted on the validation and test parts, which no model has seen: on
    the training part a chance co-occurrence would show in feature and logit alike.
    """
    table = pair_table(corpus, corpus.held_out)
    result = _about_features(corpus, table) | {"cells": [], "examples": {}, "agreement": {}}
    for name, cell in cells.items():
        last = []
        for seed in seeds:
            logits = logits_of(name, seed)
            result["cells"] += cell_effects(corpus, name, cell.trained(seed=seed), table, logits)
            last.append(logits[max(logits)])
        if not cell.shuffled:
            result["examples"][name] = readable(last[0], table, corpus)
        result["agreement"][name] = agreement(last, table)
    return result


def _about_features(corpus: Corpus, table: KeyTable) -> dict[str, Any]:
    """The pairs and features of ``table``: how many, how collinear, how reliable between halves."""
    raw = np.column_stack([matrix(table)[:, :2], np.log(omega(corpus, corpus.held_out))[table.key]])
    halves = [pair_table(corpus, part, minimum=20) for part in (corpus.valid, corpus.test)]
    return {
        "rows": len(table.key),
        "features": list(FEATURES),
        "inflation": variance_inflation(matrix(table), table.query).tolist(),
        "inflation_omega": variance_inflation(raw, table.query).tolist(),
        "reliability": {
            name: reliability(halves[0], halves[1], name) for name in (*FEATURES[1:], "choosiness")
        },
    }


def cell_effects(
    corpus: Corpus, name: str, cell: Cell, table: KeyTable, logits: dict[int, Array]
) -> list[dict[str, Any]]:
    """Rows of one run.  ``counted`` says on what its features were counted.

    ``unseen``: on held-out text, at every checkpoint; at the last one also ``per query``, with
    choosiness counted within each query, and ``seen``, on the training part.  A shuffled cell's
    features are counted on the text in its own random order.  table: of the held-out text.
    """
    last = max(logits)
    if cell.shuffled:
        table = pair_table(corpus, cell.order(corpus.held_out))
    seen = pair_table(corpus, cell.order(corpus.train))
    counted = [("unseen", iteration, table, FEATURES) for iteration in sorted(logits)]
    counted += [("per query", last, table, LOCAL), ("seen", last, seen, FEATURES)]
    rows = []
    for kind, iteration, pairs, features in counted:
        found = effects(logits[iteration], pairs, np.random.default_rng(0), features)
        rows.append(
            {
                "cell": name,
                "seed": cell.training.seed,
                "iteration": iteration,
                "counted": kind,
                "value": found.value.tolist(),
                "low": found.low.tolist(),
                "high": found.high.tolist(),
                "spread": found.draws.std(axis=0).tolist(),
            }
        )
    return rows
