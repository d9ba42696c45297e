"""Random data sets: the authors' draw, and labels that follow a law."""

import numpy as np
import pytest

from lib.mechanics import draws
from lib.mechanics.draws import (
    ChoiceLaw,
    acyclic_with_priorities,
    authors_draw,
    authors_trials,
    choice_draw,
    crowded_draw,
    cyclic_draw,
    drawn,
    random_law,
)
from lib.mechanics.graph_svm import feasible
from lib.mechanics.samples import from_sequences, orthonormal_embeddings
from lib.mechanics.token_priority_graph import has_cycle


def test_authors_draw():
    rng = np.random.default_rng(1)
    data = authors_draw(rng)
    assert data.shape == (6, 6, 8) and has_cycle(data) and set(data.counts.sum(axis=1)) == {4}
    assert data.counts.max() == 1
    np.testing.assert_allclose(np.linalg.norm(data.embeddings, axis=1), 1, rtol=1e-14)


def test_what_never_turns_up_is_refused_with_the_sizes_of_the_draw(monkeypatch):
    numbers = iter(range(100))
    assert drawn(lambda: next(numbers), lambda number: number > 7, "n", 1) == 8
    asked = []

    def has_cycle(data):
        asked.append(data)

    monkeypatch.setattr(draws, "has_cycle", has_cycle)
    monkeypatch.setattr(draws, "random_draw", lambda *given: len(asked))
    with pytest.raises(ValueError, match=r"n, T, K = \(1, 1, 1\).* one of 10000 .*has_cycle"):
        authors_draw(np.random.default_rng(0), n=1, T=1, K=1)
    assert asked == [*range(10_000)]


@pytest.mark.parametrize(
    ("text", "labels", "wanted"),
    [([0, 1], [0, 0], False), ([0, 1], [0, 1], False), ([0, 1, 2], [0, 1], True)],
)
def test_a_cycle_and_an_order_are_wanted_of_three_tiers(monkeypatch, text, labels, wanted):
    monkeypatch.setattr(draws, "drawn", lambda *given: given)
    _, cycles_and_priorities, _, sizes = cyclic_draw(np.random.default_rng(0))
    data = from_sequences([text, text], labels, np.eye(3))
    assert cycles_and_priorities(data) is wanted and sizes == (60, 4, 6, 3)


def test_law_is_shared_by_the_best_tier_present_by_copies_and_strength():
    tiers = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]])
    law = ChoiceLaw(tiers, np.log([[1.0, 3.0, 9.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]))
    wanted = [[2 / 5, 3 / 5, 0], [0, 0, 1], [1 / 3, 1 / 3, 1 / 3]]
    counts = np.array([[2, 1, 4], [0, 0, 4], [1, 1, 1]])
    np.testing.assert_allclose(law.probabilities(counts, np.array([0, 0, 1])), wanted)


def test_labels_follow_the_law():
    rng = np.random.default_rng(3)
    law = ChoiceLaw(np.zeros((3, 3), int), np.log(np.array([[1.0, 2, 3]] * 3)))
    data = choice_draw(rng, law, 10_000, 3, np.eye(3), [0], repeats=False)
    frequency = np.bincount(data.label, minlength=3) / 10_000
    assert np.abs(frequency - np.array([1, 2, 3]) / 6).max() < 5 * np.sqrt(0.25 / 10_000)


def test_without_repeats_every_choice_of_other_tokens_is_as_likely():
    """Two of three other tokens, whichever is last: three pairs for each of four."""
    rng = np.random.default_rng(0)
    data = choice_draw(rng, random_law(4, 1, rng), 12_000, 3, np.eye(4), repeats=False)
    rows, times = np.unique(np.c_[data.last, data.counts], axis=0, return_counts=True)
    assert len(rows) == 12 and (rows[:, 1:].sum(axis=1) == 3).all() and rows[:, 1:].max() == 1
    assert np.abs(times - 1000).max() < 5 * np.sqrt(1000)


def test_the_largest_number_drawn_is_the_last_token_though_a_law_sums_to_less_than_one():
    class Largest(np.random.Generator):
        def random(self, size):
            return np.full(size, np.nextafter(1, 0))

    law = random_law(10, 1, np.random.default_rng(0), spread=0.0)
    data = choice_draw(Largest(np.random.PCG64(0)), law, 3, 10, np.eye(10), repeats=False)
    assert np.cumsum(law.probabilities(data.counts, data.last), axis=1)[0, -1] < 1
    assert data.label.tolist() == [9, 9, 9]


def test_cycles_are_drawn_in_the_sizes_that_the_book_speaks_of():
    data = cyclic_draw(np.random.default_rng(2))
    assert data.shape == (60, 6, 8) and set(data.counts.sum(axis=1)) == {4}
    assert set(data.last.tolist()) == {0, 1} and data.counts.max() > 1
    without = cyclic_draw(np.random.default_rng(2), repeats=False)
    assert without.counts.max() == 1


def test_a_random_law_has_its_tiers_and_strengths_of_its_spread():
    rng = np.random.default_rng(0)
    law = random_law(60, 3, rng)
    assert set(law.tiers.ravel().tolist()) == {0, 1, 2} and law.strengths.shape == (60, 60)
    assert law.strengths.std() == pytest.approx(1, abs=0.05)
    assert random_law(60, 1, rng, spread=3.0).strengths.std() == pytest.approx(3, abs=0.15)


def test_a_choice_draw_takes_one_token_of_one_and_every_last_token_if_none_is_named():
    law = random_law(3, 1, np.random.default_rng(0))
    data = choice_draw(np.random.default_rng(0), law, 99, 3, np.eye(3), repeats=False)
    assert (data.counts == 1).all() and set(data.last.tolist()) == {0, 1, 2}
    alone = random_law(1, 1, np.random.default_rng(0))
    assert choice_draw(np.random.default_rng(0), alone, 1, 1, np.eye(1)).counts.tolist() == [[1]]
    for name, n, T in (("n", 0, 1), ("T", 1, 0), ("T", 1, 4)):
        with pytest.raises(ValueError, match=f"{name} = "):
            choice_draw(np.random.default_rng(0), law, n, T, np.eye(3), repeats=False)


@pytest.mark.parametrize(
    ("contexts", "labels", "wanted"),
    [
        ([[1, 0], [2, 1, 0]], [1, 2], True),
        ([[1, 2, 0], [1, 2, 0]], [1, 2], False),  # a cycle, above the last token
        ([[0, 0]], [0], False),  # nothing is above anything
    ],
)
def test_acyclic_with_priorities(contexts, labels, wanted):
    assert acyclic_with_priorities(from_sequences(contexts, labels, np.eye(3))) is wanted


def test_a_crowded_draw_has_fewer_dimensions_than_tokens_and_some_are_infeasible():
    rng = np.random.default_rng(0)
    draws = [crowded_draw(rng, 2, n=12) for _ in range(8)]
    assert {data.shape for data in draws} == {(12, 6, 2)}
    assert not all(map(feasible, draws))


def test_the_authors_first_trial_is_the_one_that_their_notebook_prints():
    (data, start), *_ = authors_trials(1, 1)
    assert data.last.tolist() == [4, 2, 1, 2, 4, 0] and data.label.tolist() == [1, 5, 5, 0, 1, 3]
    assert np.flatnonzero(data.counts[0]).tolist() == [1, 2, 4, 5]
    assert np.var(start, ddof=1) == pytest.approx(0.0415, abs=5e-5)  # printed, four digits


def test_lower_tiers_never_win():
    rng = np.random.default_rng(4)
    law = random_law(5, 3, rng)
    data = choice_draw(rng, law, 400, 4, orthonormal_embeddings(5, 6, rng))
    assert data.counts.max() > 1  # tokens are put back unless that is forbidden
    best = np.where(data.counts > 0, law.tiers[data.last], 99).min(axis=1)
    assert (law.tiers[data.last, data.label] == best).all()
