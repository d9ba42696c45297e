"""Facts about the regression within queries: planted effects, nulls, and coverage with dependent
keys.
"""

import numpy as np
import pytest

from lib.real_text import partial_effects as module
from lib.real_text.partial_effects import partial_effects, variance_inflation, winners_and_losers

QUERIES, KEYS = 30, 60


@pytest.fixture
def grid():
    query, key = np.divmod(np.arange(QUERIES * KEYS), KEYS)
    rng = np.random.default_rng(0)
    features = np.column_stack([rng.normal(size=KEYS)[key], rng.normal(size=len(key))])
    return query, key, features, rng


def test_a_planted_effect_is_found_and_the_other_is_not(grid):
    query, key, features, rng = grid
    logits = features[:, 1] + 5.0 * query + rng.normal(size=len(key))
    effects = partial_effects(logits, features, query, key, rng, draws=100)
    assert effects.low[1] < np.sqrt(0.5) < effects.high[1] + 0.02 and effects.value[
        1
    ] == pytest.approx(np.sqrt(0.5), abs=0.05)
    assert effects.low[0] < 0 < effects.high[0]


def test_intervals_know_that_logits_of_a_key_depend_on_each_other(grid):
    query, key, features, _ = grid
    misses = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        logits = rng.normal(size=KEYS)[key] + 0.1 * rng.normal(
            size=len(key)
        )  # one number a key: 60 values, not 1800
        effects = partial_effects(logits, features, query, key, rng, draws=100, level=0.95)
        misses += not effects.low[0] <= 0 <= effects.high[0]
    assert misses <= 5  # one chance in three thousand


def test_a_pair_is_resampled_once_on_average(grid, monkeypatch):
    query, key, features, rng = grid
    weights = []
    monkeypatch.setattr(
        module, "_partial_correlations", lambda y, x, group, weight: weights.append(weight) or [0.0]
    )
    partial_effects(features[:, 0], features, query, key, rng, draws=500)
    assert (weights[0] == 1).all()  # the value itself
    assert np.mean(weights[1:]) == pytest.approx(1, abs=0.1)  # ten standard errors


def test_constant_logits_have_no_effect(grid):
    query, key, features, rng = grid
    for constant in (np.zeros(len(key)), 0.1 * query):
        found = partial_effects(constant, features, query, key, rng, draws=20)
        assert not found.value.any() and not found.draws.any()


def test_limits_are_the_ends_of_99_of_100_resamples(grid):
    query, key, features, rng = grid
    found = partial_effects(rng.normal(size=len(key)), features, query, key, rng, draws=40)
    assert found.draws.shape == (40, 2)
    assert (found.low, found.high) == pytest.approx(
        np.quantile(found.draws, [0.005, 0.995], axis=0)
    )


def test_a_query_with_one_pair_says_nothing(grid):
    query, key, features, rng = grid
    logits = features[:, 1] + rng.normal(size=len(key))
    ones, others = np.arange(100), rng.normal(size=(100, 2))
    far = rng.normal(size=100, scale=50)
    more = np.append(logits, far), np.vstack([features, others])
    more += np.append(query, QUERIES + ones), np.append(key, ones % KEYS)
    one, other = (
        partial_effects(*rows, np.random.default_rng(1), 20).value
        for rows in ((logits, features, query, key), more)
    )
    assert other == pytest.approx(one, abs=1e-12)


def test_too_few_pairs_are_refused(grid):
    query, key, features, rng = grid
    with pytest.raises(ValueError, match="longer text"):
        partial_effects(features[:29, 0], features[:29], query[:29], key[:29], rng, 20)
    thirty = partial_effects(rng.normal(size=30), features[:30], key[:30], key[:30], rng, 20)
    assert thirty.value.shape == (2,)


def test_variance_inflation_sees_a_feature_under_two_names(grid):
    query, _, features, rng = grid
    for level in (0, 10):  # of a query, which the softmax does not see
        shifted = features + level * query[:, None]
        assert variance_inflation(shifted, query) == pytest.approx([1, 1], abs=0.05)
    twice = np.column_stack([features, features[:, 0] + 0.1 * rng.normal(size=len(query))])
    assert variance_inflation(twice, query)[0] > 20


def test_winners_and_losers_are_the_ends_of_the_order():
    query, key = np.array([4, 4, 4, 4, 9]), np.array([1, 2, 3, 5, 1])
    assert winners_and_losers(np.array([0.1, 3.0, -2.0, 1.0, 7.0]), query, key, [4], 2) == [
        (4, [2, 5], [3, 1])
    ]


def test_levels_of_queries_and_the_scale_of_logits_do_not_matter(grid):
    query, key, features, rng = grid
    logits = features[:, 1] + rng.normal(size=len(key))
    one, other = (
        partial_effects(y, features, query, key, np.random.default_rng(1), draws=20).value
        for y in (logits, 100 * query - 7 + 3 * logits)
    )
    assert other == pytest.approx(one, abs=1e-9)


def test_what_differs_by_key_alone_has_the_spread_of_as_many_keys(grid):
    query, key, features, rng = grid
    by_key = rng.normal(size=KEYS)[key] + 1e-3 * rng.normal(size=len(key))
    found = partial_effects(by_key, features, query, key, rng, draws=400).draws[:, 0]
    assert found.std() == pytest.approx(1 / np.sqrt(KEYS), rel=0.2)
