"""The running example has the tokens, queries and words that its text names."""

import numpy as np

from lib.scan_snap.four_classes import NEXT_TOKENS, WORDS, four_classes


def test_one_common_word_and_two_distinct_ones_a_class():
    classes = four_classes()
    assert [WORDS[i] for i in classes.common_tokens] == ["play"]
    assert [WORDS[i] for i in classes.distinct_tokens(0)] == ["strum", "chord"]
    assert [WORDS[i] for i in classes.distinct_tokens(3)] == ["serve", "court"]


def test_two_next_tokens_behind_each_query():
    classes = four_classes()
    named = {
        WORDS[m]: [NEXT_TOKENS[n] for n in classes.classes_of_query(m)]
        for m in np.unique(classes.query)
    }
    assert named == {"band": ["guitar", "drums"], "team": ["goal", "racket"]}
    assert classes.vocab_size == len(WORDS)


def test_the_first_distinct_word_is_the_more_frequent():
    law = four_classes().conditional[0, :3]
    assert np.allclose(law, np.array([0.8, 1, 0.6]) / 2.4)
