"""Two counters against windows counted one by one, and laws that look at no held-out context."""

import numpy as np
import pytest

from lib.bridge.text_contexts import choices, contexts
from lib.bridge.text_counts import best_share, count_laws, count_nats, labels_and_offers, one_by_one

K = 9


def drawn(seed, size=400):
    """Windows of five tokens that hold their label."""
    found = contexts(np.random.default_rng(seed).zipf(1.3, size=size) % K, K, 5)
    return found.only(found.present)


def test_counters_are_what_counting_window_by_window_gives():
    found = drawn(0)
    given = choices(found)
    slow = one_by_one(found)
    for fast, table in zip(labels_and_offers(given), slow, strict=True):
        assert fast.tolist() == [table[divmod(pair, K)] for pair in given.pairs.tolist()]
        assert table.total() == fast.sum()
    assert slow[0].total() == len(found.label) < slow[1].total()


def test_a_token_that_stands_twice_in_a_window_is_on_offer_once():
    found = contexts([0, 0, 1, 0], 2, 3)  # one window, 0 0 1, and its label 0
    labels, offers = one_by_one(found)
    assert labels == {(1, 0): 1} and offers == {(1, 0): 1, (1, 1): 1}
    assert [x.tolist() for x in labels_and_offers(choices(found))] == [[1, 0], [1, 1]]


def test_laws_are_proportional_to_the_counters():
    found, others = drawn(1), drawn(2, 80)
    given = choices(found)
    asked, (labels, offers) = choices(others, given.pairs), one_by_one(found)
    laws = count_laws(given, asked)
    for row, window in enumerate(others.windows):
        k, here = window[-1], asked.row == row
        tokens = np.unique(window)
        won = np.array([labels[k, j] for j in tokens], dtype=float)
        offered = np.array([offers[k, j] for j in tokens])
        for name, weight in (("label counts", won), ("labels per offer", won / (offered + 1e-300))):
            if weight.sum() > 0:
                assert np.allclose(laws[name][here], weight / weight.sum()), name


def test_counters_want_their_own_pairs():
    given = choices(drawn(1, 40))
    with pytest.raises(ValueError, match="given"):
        labels_and_offers(choices(drawn(2), given.pairs))


def test_the_share_is_the_best_of_those_asked():
    given = choices(drawn(3))
    perfect = given.won.astype(float)
    assert best_share(perfect, given, (0.1, 0.5, 1.0)) == 0.1
    assert best_share(1.0 - perfect, given, (0.1, 0.5, 1.0)) == 1.0


def test_nothing_held_out_chooses_the_share():
    """Nats of some contexts are the same whatever else is asked beside them."""
    found, asked = drawn(4), drawn(5, 80)
    given = choices(found)
    whole = count_nats(found, given, choices(asked, given.pairs), (0.05, 0.3, 0.9))
    for half in (slice(0, 20), slice(20, None)):
        part = count_nats(found, given, choices(asked.only(half), given.pairs), (0.05, 0.3, 0.9))
        for name, nats in part.items():
            np.testing.assert_array_equal(nats, whole[name][half])


def test_one_context_cannot_be_split():
    found = contexts([0, 0, 1, 0], 2, 3)
    with pytest.raises(ValueError, match="found"):
        count_nats(found, choices(found), choices(found), (0.5, 1.0))
