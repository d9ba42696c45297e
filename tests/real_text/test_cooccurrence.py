"""Facts about co-occurrence counts: exact expectations under the null, and planted structure that
is found.
"""

import numpy as np
import pytest

from lib.real_text.cooccurrence import (
    collision_rate,
    events_of,
    expected_omega,
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


def test_expected_omega_is_the_mean_over_permutations():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(6), [30, 10, 5, 3, 1, 1])
    drawn = [len(set(rng.permutation(labels)[:7].tolist())) for _ in range(4000)]
    assert expected_omega(np.bincount(labels), 7) == pytest.approx(
        np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(4000)
    )


def test_expected_omega_at_its_limits():
    counts = np.array([3, 2, 1])
    assert expected_omega(counts, [0, 1, 6]) == pytest.approx([0, 1, 3])


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
    for feature in (table.log_lift, table.choosiness, table.log_omega_excess):
        assert abs(feature.mean()) < 0.05
    assert abs(np.corrcoef(table.choosiness, table.log_frequency)[0, 1]) < 0.2


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
    assert table.key[np.argmax(table.choosiness)] == 30 and table.omega[decides] == 1
    assert table.log_omega_excess[decides] < -1 < table.log_omega_excess[does_not]


def test_rows_are_the_pairs_with_enough_events():
    rng = np.random.default_rng(4)
    events = events_of(text(rng), V, length=8)
    table = key_table(events, [1, 2], minimum=100, without=(0,))
    assert table.events.min() >= 100 and set(table.query.tolist()) <= {1, 2} and 0 not in table.key
    row = 5
    shared = {
        int(r)
        for r in events.row[events.key == table.key[row]]
        if events.query[r] == table.query[row]
    }
    assert table.events[row] == len(shared)
    assert table.omega[row] == len({int(events.next_token[r]) for r in shared})


def test_fifty_expected_collisions_weigh_as_much_as_the_prior():
    """A key with none where 50 collisions were expected: its rate is pulled half way back."""
    from lib.real_text.cooccurrence import _shrunk_log_ratio

    events, rate = 201, 50 / (201 * 200)
    assert _shrunk_log_ratio(0, events, rate) == pytest.approx(np.log(1 / 2))
    assert _shrunk_log_ratio(50, events, rate) == pytest.approx(0)
    assert _shrunk_log_ratio(150, events, rate) == pytest.approx(np.log(2))


def test_label_that_is_missed_only_if_all_others_are_drawn():
    """Of 3 + 1 events 3 are drawn: the single one is missed in one of four orders."""
    assert expected_omega([3, 1], 3) == pytest.approx(1 + 3 / 4)


def test_one_event_collides_with_none():
    assert collision_rate([1, 0]) == collision_rate([0]) == 0.0
