"""The table of effects: planted ones are recovered by name, sign and size; nulls stay null."""

from dataclasses import replace

import numpy as np
import pytest

from lib.real_text import effects_table
from lib.real_text.effects_table import cell_effects, grid_effects
from lib.real_text.experiments import token_cell
from lib.real_text.partial_effects import partial_effects
from lib.real_text.token_effects import FEATURES, matrix, pair_table
from tests.real_text.walk import V

CELL = token_cell(V)


def planted(table, values):
    """Logits (V, V) that hold ``values`` at the table's pairs, and zero elsewhere."""
    logits = np.zeros((V, V))
    logits[table.query, table.key] = values
    return logits


def rows_of(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


@pytest.mark.parametrize(("feature", "sign"), [(0, -1), (1, 1), (2, -1)])
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


def test_a_shuffled_cell_is_read_against_its_own_seed_s_text(corpus, table):
    seed = 3
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


def test_the_grid_s_table_holds_exactly_its_seeds(corpus, table):
    seeds = [10, 11]
    cells = {"straight": CELL, "mixed": replace(CELL, shuffled=True)}
    asked = []

    def logits_of(name, seed):
        asked.append((name, seed))
        rng = np.random.default_rng(seed)
        return {
            i: planted(table, i * table.log_lift + rng.normal(size=len(table.key)))
            for i in (100, 0)
        }

    result = grid_effects(corpus, cells, seeds, logits_of)
    assert asked == [(name, seed) for name in cells for seed in seeds]
    for name in cells:
        assert [row["seed"] for row in rows_of(result["cells"], cell=name, counted="seen")] == seeds
        assert len(result["agreement"][name]["seeds"]) == len(seeds) * (len(seeds) - 1) // 2
    unseen = rows_of(result["cells"], cell="straight", counted="unseen", seed=seeds[0])
    assert [row["iteration"] for row in unseen] == [0, 100]
    assert unseen[-1]["value"][1] > 0.9 > abs(unseen[0]["value"][1]) + 0.5
    assert list(result["examples"]) == ["straight"]
    assert result["rows"] == len(table.key) and min(result["inflation"]) >= 1
    assert all(np.mean(a["seeds"]) > 0.9 for a in result["agreement"].values() if a["seeds"])


def test_what_is_said_of_the_features_themselves(corpus, table, monkeypatch):
    """|Omega| takes choosiness's place beside frequency and co-occurrence; reliability is asked of
    pairs that share twenty events in each part.
    """
    parts = []
    monkeypatch.setattr(
        effects_table, "reliability", lambda one, two, name: parts.extend((one, two)) or name
    )
    said = effects_table._about_features(corpus, table)
    assert len(said["inflation"]) == len(said["inflation_omega"]) == 3
    assert list(said["reliability"]) == ["log_lift", "choosiness_global", "choosiness"]
    assert [min(part.events) for part in parts] == [20] * 6


def test_a_row_s_interval_is_that_of_200_resamples_and_five_spreads_wide(corpus, table):
    noise = np.random.default_rng(6).normal(size=(V, V))
    row = cell_effects(corpus, "x", CELL, table, {5: noise})[0]
    pairs = table.query, table.key
    found = partial_effects(noise[pairs], matrix(table), *pairs, np.random.default_rng(0), 200)
    assert (row["low"], row["high"]) == (found.low.tolist(), found.high.tolist())
    width = np.subtract(row["high"], row["low"])
    assert row["spread"] == pytest.approx(width / 5.15, rel=0.2)  # 99 % of a normal law
