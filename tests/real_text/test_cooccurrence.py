"""Facts about co-occurrence counts: exact expectations under the null, and planted structure that
is found.
"""

import numpy as np
import pytest

from checks.real_text.token_by_token import by_definition, read
from lib.real_text.cooccurrence import (
    collision_rate,
    events_of,
    key_table,
    shuffled,
)

V = 40


def text(rng, n=40_000):
    return rng.choice(V, size=n, p=np.arange(1, V + 1)[::-1] / (V * (V + 1) / 2))


def test_events_of_a_text_one_can_read():
    events = events_of(np.array([5, 7, 5, 9, 1]), 10, length=4, windows=1)
    assert events.query.tolist() == [7, 5, 9] and events.next_token.tolist() == [5, 9, 1]
    pairs = sorted(zip(events.row.tolist(), events.key.tolist(), strict=True))
    assert pairs == [(0, 5), (1, 5), (1, 7), (2, 5), (2, 7)]  # each key once per event


def test_a_key_that_decides_the_next_token_is_choosy():
    rng = np.random.default_rng(3)
    windows = rng.integers(1, 20, size=(8000, 6))
    windows[:, 4] = 0  # the query
    windows[:, 1] = rng.choice([30, 31, 32], size=8000)  # three keys, one of which decides
    windows[:, 5] = np.where(windows[:, 1] == 30, 20, rng.integers(20, 30, size=8000))
    table = key_table(
        events_of(np.append(windows.ravel(), 0), V, length=6, windows=8000), [0], minimum=200
    )
    decides, does_not = table.key == 30, table.key == 31
    assert table.key[np.argmax(table.choosiness)] == 30
    assert table.choosiness[does_not] < 0.1 < table.choosiness[decides]


def test_rows_are_the_pairs_with_enough_events():
    rng = np.random.default_rng(4)
    events = events_of(text(rng), V, length=8)
    table = key_table(events, [1, 2], minimum=100, without=(0,))
    assert table.events.min() >= 100 and set(table.query.tolist()) <= {1, 2} and 0 not in table.key
    fewer = key_table(events, [1, 2], minimum=150, without=(0,))
    assert 0 < len(fewer.key) < len(table.key)
    assert all((one == other).all() for one, other in zip(table.at_least(150), fewer, strict=True))
    row = 5
    shared = {
        int(r)
        for r in events.row[events.key == table.key[row]]
        if events.query[r] == table.query[row]
    }
    assert table.events[row] == len(shared)


def test_fifty_expected_collisions_weigh_as_much_as_the_prior():
    """A key with none where 50 collisions were expected: its rate is pulled half way back."""
    from lib.real_text.cooccurrence import _shrunk_log_ratio

    events, rate = 201, 50 / (201 * 200)
    assert _shrunk_log_ratio(0, events, rate) == pytest.approx(np.log(1 / 2))
    assert _shrunk_log_ratio(50, events, rate) == pytest.approx(0)
    assert _shrunk_log_ratio(150, events, rate) == pytest.approx(np.log(2))


def test_a_key_of_a_query_whose_next_tokens_never_repeat_is_not_choosy():
    """No two events of the query collide, nor do the key's: that is as expected."""
    windows = np.array([[1, 0, 2 + n] for n in range(30)])
    table = key_table(events_of(np.append(windows.ravel(), 1), V, length=3), [0], minimum=30)
    assert table.key.tolist() == [1] and table.choosiness.tolist() == [0]


def test_each_column_is_its_definition_counted_by_hand():
    """Token 6 is a query once, token 7 never: it opens windows, which gives no query.  Token 8
    follows a query once.
    """
    ids = np.random.default_rng(7).choice(6, size=1201, p=[0.3, 0.25, 0.2, 0.15, 0.07, 0.03])
    ids[:-1:6], ids[:-1:18], ids[3] = 6, 7, 6
    ids[next(p for p in range(20, 1200) if ids[p] == 2 and 0 < p % 6 < 5) + 1] = 8
    events = read(ids, 6)
    table = key_table(events_of(ids, 9, length=6), [2, 0], minimum=4, without=(5,))
    pairs = [(m, key) for m in (2, 0) for key in (*range(5), 6, 7)]
    shared = [sum(m == q and key in keys for q, _, keys in events) for m, key in pairs]
    assert min(shared) >= 4
    assert [*zip(table.query, table.key, table.events, strict=True)] == [
        (*pair, k) for pair, k in zip(pairs, shared, strict=True)
    ]
    logarithms = table.log_frequency, table.log_lift, table.choosiness_global, table.choosiness
    wanted = [by_definition(*pair, events) for pair in pairs]
    assert np.array(logarithms).T == pytest.approx(np.array(wanted), rel=1e-9, abs=1e-9)


def test_windows_are_thirty_five_tokens_and_at_most_twenty_thousand():
    assert len(events_of(np.zeros(71, dtype=int), 1).query) == 2 * 34
    assert len(events_of(np.zeros(60_010, dtype=int), 1, length=3).query) == 2 * 20_000
    with pytest.raises(ValueError, match="length = 2"):
        events_of(np.zeros(71, dtype=int), 1, length=2)


def test_two_events_make_a_pair_and_one_does_not():
    events = events_of(np.array([1, 2, 0, 1, 2, 0, 3, 2, 0, 1]), 4, length=3)
    table = key_table(events, [2], minimum=2)
    assert table.key.tolist() == [1] and table.events.tolist() == [2]
    with pytest.raises(ValueError, match="minimum = 1"):
        key_table(events, [2], minimum=1)
    assert collision_rate([2]) == 1.0


def test_collision_rate_does_not_depend_on_how_many_events_are_drawn():
    rng = np.random.default_rng(1)
    labels = np.repeat(np.arange(5), [40, 20, 10, 5, 5])
    rates = [collision_rate(np.bincount(rng.permutation(labels)[:6])) for _ in range(6000)]
    assert np.mean(rates) == pytest.approx(
        collision_rate(np.bincount(labels)), abs=4 * np.std(rates) / np.sqrt(6000)
    )


def test_in_a_shuffled_text_no_key_is_choosy_or_attracted():
    rng = np.random.default_rng(2)
    table = key_table(
        events_of(shuffled(np.sort(text(rng)), rng), V, length=10), list(range(5)), minimum=50
    )
    for feature in (table.log_lift, table.choosiness):
        assert abs(feature.mean()) < 0.05
    assert abs(np.corrcoef(table.choosiness, table.log_frequency)[0, 1]) < 0.2
