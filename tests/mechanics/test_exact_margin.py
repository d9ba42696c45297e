"""Rational certificates of max-margin problems."""

from fractions import Fraction

import numpy as np
import pytest

from lib.mechanics import exact_margin
from lib.mechanics.exact_margin import certificate
from lib.mechanics.graph_svm import InfeasibleGraphSVM, least_norm


def test_one_row_is_shared_by_both_its_tokens():
    found = certificate([[1, -1]])
    assert found.holds
    assert found.w == [Fraction(1, 2), Fraction(-1, 2)]
    assert found.multipliers == [Fraction(1, 2)]


def test_slack_rows_get_no_multiplier():
    found = certificate([[1, 0], [3, 0]])
    assert (found.multipliers, found.w) == ([1, 0], [1, 0])


@pytest.mark.parametrize(
    ("rows", "tight", "w", "multipliers"),
    [
        ([[1, 0], [3, 0]], [0, 1], (Fraction(1, 3), 0), [0, Fraction(1, 9)]),  # a margin is 1/3
        ([[1, 0], [3, 1]], [1, 1], (1, -2), [7, -2]),
    ],
)
def test_rows_that_are_guessed_wrong_as_tight_are_not_certified(
    monkeypatch, rows, tight, w, multipliers
):
    monkeypatch.setattr(exact_margin, "least_norm", lambda *given: (None, np.array(tight)))
    found = certificate(rows)
    assert not found.holds and found.multipliers == multipliers and found.w == [*w]


def test_random_rows_agree_with_the_solver_and_their_norm_is_the_sum_of_the_multipliers():
    rng = np.random.default_rng(0)
    for _ in range(20):
        rows = np.eye(8)[rng.integers(0, 4, 5)] - np.eye(8)[rng.integers(4, 8, 5)]
        found = certificate(rows)
        assert found.holds
        np.testing.assert_allclose([float(x) for x in found.w], least_norm(rows)[0], atol=1e-12)
        assert found.square == sum(found.multipliers)


def test_contradictions_and_fractions_are_refused():
    with pytest.raises(InfeasibleGraphSVM):
        certificate([[1, -1], [-1, 1]], [(0, 0, 1), (0, 1, 0)])
    with pytest.raises(ValueError, match="rows"):
        certificate([[0.5, -0.5]])
