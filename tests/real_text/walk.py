"""A text for tests whose pairs of neighbors are far from random: a noisy walk over 40 tokens."""

import numpy as np

from lib.real_text.corpus import Corpus

V = 40
WORDS = ("<eos>", "<unk>", *("w" + chr(97 + i // 26) + chr(97 + i % 26) for i in range(V - 2)))


def walk():
    """The walk as a ``Corpus``: 24,000 tokens to train on, 8,000 and 8,001 that are held out."""
    rng = np.random.default_rng(5)
    law = rng.dirichlet(np.full(V, 0.3), size=V)
    ids = [0]
    for u in rng.random(40_000):
        ids.append(int(np.searchsorted(law[ids[-1]].cumsum(), u).clip(max=V - 1)))
    ids = np.array(ids)
    return Corpus("walk", ids[:24_000], ids[24_000:32_000], ids[32_000:], WORDS, V, "0" * 64)
