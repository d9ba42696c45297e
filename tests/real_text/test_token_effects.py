"""What is read out of counts and logits: pairs, winners, agreement, limits over seeds."""

from dataclasses import replace

import numpy as np
import pytest

from lib.real_text.cooccurrence import KeyTable, events_of
from lib.real_text.token_effects import (
    agreement,
    combined,
    omega,
    queries_of,
    readable,
    reliability,
)
from tests.real_text.walk import V


def test_queries_are_words(corpus):
    assert queries_of(corpus, 10) == list(range(2, 10))


def small_table(pairs, **features):
    query, key = np.array(pairs).T
    zeros = np.zeros(len(pairs))
    columns = dict.fromkeys(KeyTable._fields, zeros) | {"query": query, "key": key}
    return KeyTable(**columns | {name: np.array(value) for name, value in features.items()})


def test_reliability_is_the_correlation_over_common_pairs():
    one = small_table([(1, 2), (1, 3), (4, 2), (4, 9)], log_lift=[1.0, 2.0, 4.0, 99.0])
    other = small_table([(4, 2), (7, 7), (1, 3), (1, 2)], log_lift=[8.0, -50.0, 4.5, 2.0])
    wanted = np.corrcoef([1.0, 2.0, 4.0], [2.0, 4.5, 8.0])[0, 1]
    assert reliability(one, other, "log_lift") == pytest.approx(wanted, abs=1e-12)
    assert reliability(one, one, "log_lift") == pytest.approx(1)
    assert reliability(small_table([(1, 2), (1, 3)], log_lift=[5, 3]), one, "log_lift") < -0.99
    with pytest.raises(ValueError, match="pairs in both tables = 0"):
        reliability(one, small_table([(8, 8)], log_lift=[1.0]), "log_lift")


def test_planted_winners_and_losers_are_read_out_as_words(corpus):
    """Of a query with enough keys the three best and worst; others and no-words are left out."""
    keys = range(2, 14)
    pairs = [(q, k) for q in (5, 8) for k in keys] + [(6, k) for k in range(2, 13)]
    logits = np.random.default_rng(3).uniform(-1, 1, size=(V, V))
    logits[5, [7, 2, 12]], logits[5, [3, 13, 4]] = [9, 8, 7], [-9, -8, -7]
    logits[8, [4, 6, 10]], logits[8, [2, 9, 5]] = [5, 4, 3], [-5, -4, -3]
    word = corpus.words
    assert readable(logits, small_table(pairs), corpus) == [
        (word([5])[0], word([7, 2, 12]), word([3, 13, 4])),
        (word([8])[0], word([4, 6, 10]), word([2, 9, 5])),
    ]


def test_the_first_ten_queries_that_are_words_are_read(corpus):
    logits, pairs = np.zeros((V, V)), [(q, k) for q in range(2, 20) for k in range(2, 14)]
    other = replace(corpus, vocabulary=("<eos>", "<unk>", "1,000", *corpus.vocabulary[3:]))
    read = [query for query, _, _ in readable(logits, small_table(pairs), other)]
    assert read == list(corpus.vocabulary[3:13])


def test_combined_has_the_spread_of_pairs_and_of_seeds():
    """The spread over resampled pairs is common to the seeds and does not average out."""
    values, spread = np.array([[1.0], [2.0], [6.0]]), np.array([[0.3], [0.4], [0.5]])
    rows = [{"value": v, "spread": s} for v, s in zip(values, spread)]
    mean, low, high = combined(rows, level=0.95)
    variance = (0.09 + 0.16 + 0.25) / 3 + values.var(ddof=1) / 3
    assert mean == 3 and high - mean == pytest.approx(1.959964 * np.sqrt(variance), rel=1e-6)
    assert low == pytest.approx(2 * mean - high)
    (one,) = [combined(rows[:1], level=0.95)]
    assert one[2] - one[0] == pytest.approx(1.959964 * 0.3, rel=1e-6)
    mean, low, high = combined(rows[:2])  # 99 % unless told
    variance = (0.09 + 0.16) / 2 + 0.5 / 2
    assert high - mean == pytest.approx(2.575829 * np.sqrt(variance), rel=1e-6)


def test_agreement_knows_one_direction_and_two_seeds(table):
    rng = np.random.default_rng(4)
    taste = rng.normal(size=V)
    alike = np.outer(rng.normal(size=V), taste)
    found = agreement([alike + 7.0, alike], table)
    assert found["one_direction"] == pytest.approx(1) and found["seeds"] == [pytest.approx(1)]
    two = np.zeros((V, V))
    two[5, [7, 9]], two[6, [8, 10]] = [3, -3], [1, -1]
    levels = rng.normal(size=(V, 1))
    assert agreement([two + levels], table)["one_direction"] == pytest.approx(0.9)
    noise = [rng.normal(size=(V, V)) for _ in range(3)]
    found = agreement(noise, table)
    assert found["one_direction"] < 0.3 and np.abs(found["seeds"]).max() < 0.15
    assert len(found["seeds"]) == 3 and agreement(noise[:1], table)["seeds"] == []
    opposite = agreement([noise[0], -noise[0]], table)
    assert opposite["seeds"] == [pytest.approx(-1)]


def test_intervals_of_combined_cover_a_planted_mean():
    """99 % intervals over runs that share one error of pairs and have each one of the seed."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        common = rng.normal(scale=0.2)
        rows = [{"value": [common + rng.normal(scale=0.1)], "spread": [0.2]} for _ in range(5)]
        _, low, high = combined(rows, level=0.95)
        hits += low[0] <= 0 <= high[0]
    assert 0.91 <= hits / 400 <= 0.985


def test_omega_counts_distinct_next_tokens(corpus):
    text = np.array([2, 3, 4, 2, 3, 5] * 12)[:36]
    found = omega(corpus, text)
    assert found[39] == 1 and found[2] == 4 and found[3] == 4
    text[30] = 7  # follows once
    events = events_of(text, V)
    followed = {(key, events.next_token[row]) for key, row in zip(events.key, events.row)}
    counts = np.bincount([key for key, _ in followed], minlength=V)
    assert (omega(corpus, text) == np.maximum(counts, 1)).all() and counts[2] == 5
