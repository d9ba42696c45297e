"""The multipliers that attention picks: known ones, a choice on paper, and their sum."""

import numpy as np
import pytest

from lib.bridge.class_contexts import class_contexts, class_multipliers
from lib.bridge.kept_attention import chosen, kept, leaks
from lib.mechanics.samples import NextTokenData


def square(weight, counts=1):
    """Labels 0 and 1 of one query, losers 2 and 3 in both: four pairs, one of them too many."""
    table = np.array([[1, 0, 1, 1, 0], [0, 1, 1, 1, 0]]) * counts
    return NextTokenData(table, [4, 4], [0, 1], np.eye(5), weight, complete=False)


@pytest.mark.parametrize("rho", [0, 0.3, 1])
def test_classes_have_the_multipliers_of_the_formula(rho):
    weight = np.array([0.5, 0.1, 0.4])
    problem = leaks(class_contexts(3, 2, rho, weight=weight))
    common, own = class_multipliers(3, 2, rho)
    wanted = np.where(problem.triples[:, 2] == 9, common, own)
    assert problem.one_choice and problem.tight.all()
    np.testing.assert_allclose(chosen(problem), wanted, atol=1e-9)


def test_a_choice_on_paper():
    """Multipliers with equal sums by label and by loser are unique up to one number; the odds of
    the four keep their cross ratio, which weights leave at 1 and counts do not."""
    problem = leaks(square([0.9, 0.1]))
    assert not problem.one_choice
    np.testing.assert_allclose(chosen(problem), 0.25, atol=1e-9)
    uneven = np.ones((2, 5))
    uneven[0, 2] = 9
    first, second, third, fourth = chosen(leaks(square([0.9, 0.1], uneven)))
    assert first * fourth / (second * third) == pytest.approx(9)
    np.testing.assert_allclose([first + second, first + third], 0.5, atol=1e-9)


def test_their_sum_is_the_solution():
    problem = leaks(square([0.2, 0.8], np.arange(1, 6)))
    np.testing.assert_allclose(problem.rows.T @ chosen(problem), problem.W, atol=1e-9)


def test_contexts_that_share_a_pair_are_added_up():
    table = [[1, 1, 0, 0], [1, 2, 1, 0]]
    data = NextTokenData(table, [3, 3], [0, 0], np.eye(4), [0.4, 0.6], complete=False)
    assert leaks(data).triples.tolist() == [[3, 0, 1], [3, 0, 2]]
    np.testing.assert_allclose(leaks(data).share, [0.4 + 1.2, 0.6])
    np.testing.assert_allclose(kept(data, np.array([[9, 1, 9, 9], [9, 2, 3, 9.0]])), [3, 3])
