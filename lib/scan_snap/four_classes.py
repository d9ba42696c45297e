"""The running example of the first half: four next tokens behind two queries, one common word.

In the terms of *Scan and Snap*, Section 3: a **class** is all sequences with the same next token.
There are ``K = 4`` classes in a vocabulary of ``M = 50`` tokens.  The **query** (last token) is
"band" for the classes *guitar* and *drums*, "team" for *goal* and *racket*.  "play" is the one
**common** token, as it occurs in every class; each class has two **distinct** tokens, which no
other class has.  Before each next token, counted over many contexts,

    P(l | n) = count / 12,   count = 4 for "play", 5 and 3 for the two distinct tokens.

Fifteen tokens occur (nine in contexts, two queries, four next tokens); the other 35 are
**silent**: the softmax gives them probability and learns not to.  Training is the ascent of (3)
with both learning rates 1, on endless contexts (the expectation), every step the mean over all
four classes.  The moments of its table are multiples of ``t_0`` (``snap_time``).
"""

import numpy as np

from lib.scan_snap.decoder import snap_time
from lib.scan_snap.sequence_classes import SequenceClasses
from lib.validation import require_integer, require_real

NEXT_TOKENS = ("guitar", "drums", "goal", "racket")
CONTEXT = ("play", "strum", "chord", "beat", "stick", "kick", "net", "serve", "court")
QUERIES = ("band", "team")
WORDS = CONTEXT + QUERIES + NEXT_TOKENS  # word ``i`` has id ``i``; the silent ones follow
COUNTS = (4, 5, 3)  # of the common, the frequent and the rare word of a class, of twelve
COMMON_WEIGHT = COUNTS[0] / COUNTS[1]  # beside distinct words of weight 1 and 0.6
VOCABULARY = 50  # M
RATE = 1.0  # eta_Y and eta_Z
SNAP = round(snap_time(VOCABULARY, len(NEXT_TOKENS), RATE))  # t_0, in steps: 44
MOMENTS = (0, SNAP // 2, SNAP, 10 * SNAP, 100 * SNAP)  # start, half of t_0, t_0, ten, hundred t_0


def four_classes(
    common_weight: float = COMMON_WEIGHT, vocabulary: int = VOCABULARY
) -> SequenceClasses:
    """``SequenceClasses`` of the example: K = 4 classes, ``conditional`` of shape (4, M).

    common_weight: weight of "play" beside distinct words of weight 1 and 0.6, at least 0; without
        it the counts are 4 : 5 : 3.
    vocabulary: M, at least the 15 words that occur.

    Raises ``ValueError`` for a negative weight or a smaller vocabulary.

    >>> classes = four_classes()
    >>> (12 * classes.conditional[0, :3]).round(12).tolist()  # play, strum, chord before guitar
    [4.0, 5.0, 3.0]
    >>> [WORDS[m] for m in classes.query], [WORDS[n] for n in classes.next_token]
    (['band', 'band', 'team', 'team'], ['guitar', 'drums', 'goal', 'racket'])
    """
    weight = require_real("common_weight", common_weight, at_least=0)
    M = require_integer("vocabulary", vocabulary, len(WORDS))
    K, (_, frequent, rare) = len(NEXT_TOKENS), COUNTS
    weights = np.zeros((K, M))
    weights[:, 0] = weight
    for n in range(K):
        weights[n, 2 * n + 1], weights[n, 2 * n + 2] = 1, rare / frequent
    first_query = len(CONTEXT)
    return SequenceClasses(
        weights / weights.sum(axis=1, keepdims=True),
        query=first_query + np.arange(K) // 2,
        next_token=first_query + len(QUERIES) + np.arange(K),
    )
