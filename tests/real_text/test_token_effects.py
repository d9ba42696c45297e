"""Planted effects are recovered, by name, by sign and by size; nulls stay null."""

from dataclasses import replace

import numpy as np
import pytest

from lib.real_text.cooccurrence import KeyTable, events_of
from lib.real_text.corpus import Corpus
from lib.real_text.effects_table import cell_effects, grid_effects
from lib.real_text.experiments import token_cell
from lib.real_text.token_effects import (
    FEATURES,
    agreement,
    combined,
    omega,
    pair_table,
    queries_of,
    readable,
    reliability,
    shuffled_table,
)

V = 40
WORDS = ("<eos>", "<unk>", *("w" + chr(97 + i // 26) + chr(97 + i % 26) for i in range(V - 2)))
CELL = token_cell(V)


@pytest.fixture(scope="module")
def corpus():
    """A text whose pairs of neighbors are far from random: a noisy walk over 40 tokens."""
    rng = np.random.default_rng(5)
    law = rng.dirichlet(np.full(V, 0.3), size=V)
    ids = [0]
    for u in rng.random(40_000):
        ids.append(int(np.searchsorted(law[ids[-1]].cumsum(), u).clip(max=V - 1)))
    ids = np.array(ids)
    return Corpus("walk", ids[:24_000], ids[24_000:32_000], ids[32_000:], WORDS, V, "0" * 64)


@pytest.fixture(scope="module")
def table(corpus):
    return pair_table(corpus, corpus.held_out)


def planted(table, values):
    """Logits (V, V) that hold ``values`` at the table's pairs, and zero elsewhere."""
    logits = np.zeros((V, V))
    logits[table.query, table.key] = values
    return logits


def rows_of(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def test_queries_are_words(corpus):
    assert queries_of(corpus, 10) == list(range(2, 10))


@pytest.mark.parametrize("feature", [0, 1, 2])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_planted_feature_wins_with_its_sign(corpus, table, feature, sign):
    values = sign * getattr(table, FEATURES[feature])
    noise = np.random.default_rng(0).normal(size=len(values)) * values.std()
    logits = {0: np.zeros((V, V)), 7: planted(table, values + noise)}
    rows = cell_effects(corpus, "x", CELL, table, logits)
    (start,), (end,) = (rows_of(rows, counted="unseen", iteration=i) for i in (0, 7))
    assert start["value"] == [0, 0, 0]
    inside = end["low"][feature] * sign, end["high"][feature] * sign
    assert min(inside) > 0.2
    others = [i for i in range(3) if i != feature]
    assert max(abs(end["value"][i]) for i in others) < abs(end["value"][feature]) / 2


def test_what_is_counted_on_what(corpus, table):
    """An effect planted in the training part's counts shows there; so for choosiness per query."""
    seen = pair_table(corpus)
    rng = np.random.default_rng(1)
    chance = rng.normal(size=(V, V))
    logits = {9: chance.copy()}
    logits[9][seen.query, seen.key] += 5 * seen.log_lift
    rows = cell_effects(corpus, "x", CELL, table, logits)
    assert [row["counted"] for row in rows] == ["unseen", "per query", "seen"]
    unseen, per_query, on_train = (row["value"] for row in rows)
    assert on_train[1] > unseen[1] and rows[0]["low"][1] > 0
    local = {9: chance.copy()}
    local[9][table.query, table.key] += 20 * table.choosiness
    rows = cell_effects(corpus, "x", CELL, table, local)
    assert rows[1]["value"][2] > rows[0]["value"][2] + 0.1


@pytest.mark.parametrize("seed", [0, 3, 11])
def test_a_shuffled_cell_is_read_against_its_own_seed_s_text(corpus, table, seed):
    cell = replace(CELL, shuffled=True).trained(seed=seed)
    mixed = pair_table(corpus, np.random.default_rng(seed).permutation(corpus.held_out))
    noise = np.random.default_rng(2).normal(size=len(mixed.query)) * mixed.log_lift.std() / 5
    logits = {3: planted(mixed, mixed.log_lift + noise)}
    own = rows_of(cell_effects(corpus, "x", cell, table, logits), counted="unseen")[0]
    other = rows_of(
        cell_effects(corpus, "x", cell.trained(seed=seed + 1), table, logits), counted="unseen"
    )[0]
    straight = rows_of(
        cell_effects(corpus, "x", replace(cell, shuffled=False), table, logits), counted="unseen"
    )[0]
    assert own["value"][1] > 0.9 and own["seed"] == seed
    assert abs(other["value"][1]) < 0.5 and abs(straight["value"][1]) < 0.5


def test_a_shuffled_cell_s_training_text_is_the_one_it_read(corpus, table):
    cell = replace(CELL, shuffled=True).trained(seed=4)
    mixed = shuffled_table(corpus, 4)
    noise = np.random.default_rng(2).normal(size=len(mixed.query)) * mixed.log_lift.std() / 5
    logits = {3: planted(mixed, mixed.log_lift + noise)}
    row = rows_of(cell_effects(corpus, "x", cell, table, logits), counted="seen")[0]
    assert row["value"][1] > 0.9


@pytest.mark.parametrize("seeds", [[3], [10, 11], [0, 1, 2]])
def test_the_grid_s_table_holds_exactly_its_seeds(corpus, table, seeds):
    cells = {"straight": CELL, "mixed": replace(CELL, shuffled=True)}
    asked = []

    def logits_of(name, seed):
        asked.append((name, seed))
        rng = np.random.default_rng(seed)
        return {
            i: planted(table, i * table.log_lift + rng.normal(size=len(table.key)))
            for i in (100, 0, 20)
        }

    result = grid_effects(corpus, cells, seeds, logits_of)
    assert asked == [(name, seed) for name in cells for seed in seeds]
    for name in cells:
        assert [row["seed"] for row in rows_of(result["cells"], cell=name, counted="seen")] == seeds
        assert len(result["agreement"][name]["seeds"]) == len(seeds) * (len(seeds) - 1) // 2
    unseen = rows_of(result["cells"], cell="straight", counted="unseen", seed=seeds[0])
    assert [row["iteration"] for row in unseen] == [0, 20, 100]
    assert unseen[-1]["value"][1] > 0.9 > abs(unseen[0]["value"][1]) + 0.5
    assert list(result["examples"]) == ["straight"]
    assert result["rows"] == len(table.key) and min(result["inflation"]) >= 1
    assert all(np.mean(a["seeds"]) > 0.9 for a in result["agreement"].values() if a["seeds"])


def test_features_are_counted_on_text_that_no_model_has_seen(corpus):
    other = replace(corpus, train=corpus.train[::-1].copy())
    logits_of = lambda name, seed: {1: np.random.default_rng(0).normal(size=(V, V))}
    one, two = (grid_effects(c, {"x": CELL}, [0], logits_of) for c in (corpus, other))
    kinds = ("unseen", "per query", "seen")
    same = [
        rows_of(one["cells"], counted=kind) == rows_of(two["cells"], counted=kind) for kind in kinds
    ]
    assert same == [True, True, False] and one["reliability"] == two["reliability"]


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


def test_intervals_of_combined_cover_a_planted_mean():
    """99 % intervals over runs that share one error of pairs and have each one of the seed."""
    rng, hits = np.random.default_rng(0), 0
    for _ in range(400):
        common = rng.normal(scale=0.2)
        rows = [{"value": [common + rng.normal(scale=0.1)], "spread": [0.2]} for _ in range(5)]
        _, low, high = combined(rows, level=0.95)
        hits += low[0] <= 0 <= high[0]
    assert 0.91 <= hits / 400 <= 0.985


def test_agreement_knows_one_direction_and_two_seeds(table):
    rng = np.random.default_rng(4)
    taste = rng.normal(size=V)
    alike = np.outer(rng.normal(size=V), taste)
    found = agreement([alike + 7.0, alike], table)
    assert found["one_direction"] == pytest.approx(1) and found["seeds"] == [pytest.approx(1)]
    noise = [rng.normal(size=(V, V)) for _ in range(3)]
    found = agreement(noise, table)
    assert found["one_direction"] < 0.3 and np.abs(found["seeds"]).max() < 0.15
    assert len(found["seeds"]) == 3 and agreement(noise[:1], table)["seeds"] == []
    opposite = agreement([noise[0], -noise[0]], table)
    assert opposite["seeds"] == [pytest.approx(-1)]


def test_omega_counts_distinct_next_tokens(corpus):
    text = np.array([2, 3, 4, 2, 3, 5] * 12)[:36]
    found = omega(corpus, text)
    assert found[39] == 1 and found[2] == 4 and found[3] == 4
    text[30] = 7  # follows once
    events = events_of(text, V)
    followed = {(key, events.next_token[row]) for key, row in zip(events.key, events.row)}
    counts = np.bincount([key for key, _ in followed], minlength=V)
    assert (omega(corpus, text) == np.maximum(counts, 1)).all() and counts[2] == 5
