"""Contexts of classes: overlaps of queries, multipliers against the solver."""

import numpy as np
import pytest

from lib.bridge.class_contexts import class_contexts, class_multipliers, uneven_multipliers
from lib.mechanics.problem import Problem


@pytest.mark.parametrize(("K", "distinct", "rho"), [(2, 1, 0.0), (5, 2, 0.4), (4, 1, 1)])
def test_multipliers_are_the_solvers(K, distinct, rho):
    svm = Problem(class_contexts(K, distinct, rho)).svm
    common = K + K * distinct
    by_common, by_distinct = class_multipliers(K, distinct, rho)
    for (_, _, loser), dual in zip(svm.pairs, svm.duals, strict=True):
        assert dual == pytest.approx(by_common if loser == common else by_distinct, rel=1e-9)


def test_queries_overlap_by_rho_and_contexts_hold_what_they_should():
    data = class_contexts(3, 2, 0.3, counts=np.full((3, 4), 2))
    gram = data.queries @ data.queries.T
    np.testing.assert_allclose(gram, 0.7 * np.eye(3) + 0.3, atol=1e-14)
    assert np.flatnonzero(data.counts[1]).tolist() == [1, 5, 6, 9]
    assert set(data.counts[1]) == {0, 2}


def test_one_query_for_all_when_rho_is_one():
    assert len(set(class_contexts(4, 1, 1).last.tolist())) == 1


@pytest.mark.parametrize("wrong", [(1, 1, 0.5), (3, -1, 0.5), (3, 1, 1.5)])
def test_bad_sizes_are_named(wrong):
    with pytest.raises(ValueError, match="K|distinct|rho"):
        class_contexts(*wrong)


def test_classes_of_one_size_are_the_equal_case():
    assert uneven_multipliers(3, 2, 6) == pytest.approx(class_multipliers(3, 2, 1))


def test_uneven_multipliers_are_the_solvers():
    counts = [[1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0]]  # 2, 2, 1 distinct losers
    svm = Problem(class_contexts(3, 2, 1, counts=counts)).svm
    by_class = [uneven_multipliers(3, own, 5) for own in (2, 2, 1)]
    for (_, label, loser), dual in zip(svm.pairs, svm.duals, strict=True):
        common, distinct = by_class[label]
        assert dual == pytest.approx(common if loser == 9 else distinct, abs=1e-9)


def test_no_distinct_loser_leaves_label_and_common_token():
    data = class_contexts(2, 0, 0.5)
    assert data.counts.tolist() == [[1, 0, 1, 0, 0], [0, 1, 1, 0, 0]]
    assert data.last.tolist() == [3, 4] and data.weight.tolist() == [0.5, 0.5]


def test_a_negative_multiplier_is_none():
    counts = [[1, 1, 1, 1], [1, 1, 0, 0]]
    svm = Problem(class_contexts(2, 2, 1, counts=counts)).svm
    assert uneven_multipliers(2, 2, 2)[0] < 0 <= svm.duals.min()
