"""The running example has the tokens, queries and words that its text names, and one clock."""

import numpy as np
import pytest

from lib.scan_snap import decoder, four_classes
from lib.scan_snap.four_classes import (
    COUNTS,
    MOMENTS,
    NEXT_TOKENS,
    SNAP,
    VOCABULARY,
    WORDS,
)
from tests.tooling.shares import shares

CLASSES = four_classes.four_classes()


def test_one_common_word_and_two_distinct_ones_a_class():
    assert [WORDS[i] for i in CLASSES.common_tokens] == ["play"]
    assert [WORDS[i] for i in CLASSES.distinct_tokens(0)] == ["strum", "chord"]
    assert [WORDS[i] for i in CLASSES.distinct_tokens(3)] == ["serve", "court"]


def test_two_next_tokens_behind_each_query():
    named = {
        WORDS[m]: [WORDS[CLASSES.next_token[n]] for n in np.flatnonzero(CLASSES.query == m)]
        for m in np.unique(CLASSES.query)
    }
    assert named == {"band": ["guitar", "drums"], "team": ["goal", "racket"]}
    assert tuple(WORDS[n] for n in CLASSES.next_token) == NEXT_TOKENS


def test_no_number_is_two_words_and_the_other_words_are_silent():
    contexts = set(np.flatnonzero(CLASSES.support.any(axis=0)))
    groups = contexts, set(CLASSES.query), set(CLASSES.next_token)
    assert sum(map(len, groups)) == len(set().union(*groups)) == len(WORDS)
    assert CLASSES.vocab_size == VOCABULARY > len(WORDS)


def test_the_counts_are_the_law():
    for n in range(4):
        ids = [0, *CLASSES.distinct_tokens(n)]
        assert np.allclose(CLASSES.conditional[n, ids], np.array(COUNTS) / 12)


def test_at_t_0_the_two_terms_of_45_are_equal():
    """By the flow itself, not by its solution: half of the way in time is the flat softmax's."""
    u = VOCABULARY * decoder.h(decoder.snap_time(VOCABULARY, 4, 1.0) / 4, VOCABULARY, 1.0)
    assert np.exp(u) == pytest.approx((VOCABULARY - 1) * u, rel=1e-12)
    assert MOMENTS[2] == SNAP == round(decoder.snap_time(VOCABULARY, 4, 1.0))


def test_the_shared_word_loses_and_the_modified_run_is_ahead_of_the_ordinary_one():
    play, modified = (shares(decoder=name)[:, :, 0] for name in ("gradient", "modified"))
    assert (np.diff(play, axis=0) < 0).all() and (np.diff(modified, axis=0) < 0).all()
    assert (modified[1:] < play[1:]).all()


def test_a_vocabulary_holds_the_words_that_occur():
    with pytest.raises(ValueError, match="vocabulary"):
        four_classes.four_classes(vocabulary=14)
