"""Two counters as predictors: how often a token was the label, and how often it was in the window.

Both are kept for each pair of a last token k and a token j: j was *on offer* in a training window
with last token k that holds it, and was its *label* where it came next.  Nothing is optimized.

Chapter: ``book/bridge/text_graph.ipynb``.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lib.arrays import Array, Ids
from lib.bridge.text_contexts import Choices, Contexts, choices, law
from lib.validation import require

EARLY = 0.75  # of the training contexts: the counters that choose the shares are filled on these


def labels_and_offers(given: Choices) -> tuple[Ids, Ids]:
    """(labels (P,), offers (P,)): of each pair of ``Choices`` with their own pairs.

    Raises ``ValueError`` for entries of no known pair.
    """
    size = len(given.pairs)
    known = (given.pair < size).all()
    require(known, "given", "an entry of no known pair", "choices with their own pairs")
    labels = np.bincount(given.pair[given.won], minlength=size)
    return labels, np.bincount(given.pair, minlength=size)


def one_by_one(found: Contexts) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    """``labels_and_offers`` of ``Contexts``, counted window by window.

    Returns (labels, offers), each {(k, j): how often}.
    """
    labels, offers = Counter(), Counter()
    for window, label in zip(found.windows.tolist(), found.label.tolist(), strict=True):
        for token in set(window):
            offers[window[-1], token] += 1
        labels[window[-1], label] += 1
    return labels, offers


def count_laws(given: Choices, asked: Choices) -> dict[str, Array]:
    """{name: (m,)}: what the counters of ``given`` say of the contexts ``asked``, of its pairs.

    ``label counts``: P(j) proportional to the labels of (k, j).  ``labels per offer``: to labels
    over offers; a pair that was never on offer has 0.
    """
    labels, offers = (np.append(x, 0.0) for x in labels_and_offers(given))
    per_offer = labels / np.maximum(offers, 1)
    return {
        "label counts": asked.normalized(labels[asked.pair]),
        "labels per offer": asked.normalized(per_offer[asked.pair]),
    }


def count_nats(
    found: Contexts, given: Choices, asked: Choices, mixtures: Sequence[float] | Array
) -> dict[str, Array]:
    """{name: (n,)}: -log of the label's probability under ``count_laws``, mixed with the window.

    (1 - a) p + a counts, the share a of ``mixtures`` that is best on the last quarter of the
    training contexts, with counters filled on what stands before it: nothing of ``asked`` is looked
    at.  found: those ``Contexts``, in order.  given: their ``Choices``.  asked: others, same pairs.
    Raises ``ValueError`` for fewer than two contexts.
    """
    cut = int(EARLY * len(found.label))
    require(0 < cut < len(found.label), "found", len(found.label), "2 contexts or more")
    early = choices(found.only(slice(cut)))
    late = choices(found.only(slice(cut, None)), early.pairs)
    tried, wanted = count_laws(early, late), count_laws(given, asked)
    return {
        name: _mixed(p, asked, [best_share(tried[name], late, mixtures)])[0]
        for name, p in wanted.items()
    }


def best_share(p: Array, given: Choices, mixtures: Sequence[float] | Array) -> float:
    """The share of ``mixtures`` with which the law p (m,) has the least nats on ``given``."""
    return mixtures[_mixed(p, given, mixtures).mean(axis=1).argmin()]


def _mixed(p: Array, given: Choices, mixtures: Sequence[float] | Array) -> Array:
    """(mixtures, n): nats of the labels of ``given`` under p mixed with the window's counts."""
    mine, plain = p[given.won], law(given, np.zeros(len(given.pairs)))[given.won]
    return np.array([-np.log((1 - a) * mine + a * plain) for a in mixtures])
