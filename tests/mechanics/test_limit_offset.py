"""Facts about the offset: closed forms, the flow as an independent reference, degenerate data."""

import numpy as np
import pytest

from lib.mechanics.draws import cyclic_draw
from lib.mechanics.graph_svm import least_norm
from lib.mechanics.limit_offset import Leaks, Offset, leaks, offset, tight_rows, unsupported
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences

DEGENERATE = from_sequences([[1, 3, 0], [2, 0]], [1, 0], np.eye(4))


def solved(data):
    problem = Problem(data)
    split, fin = problem.split, problem.fin
    w = split.coordinates(problem.svm.W)[1]
    return split, fin, w, leaks(split, fin.x)


@pytest.mark.parametrize("counts", [(1, 1), (2, 1), (9, 2)])
def test_independent_constraints_sit_at_the_log_of_force_over_multiplier(counts):
    data = from_sequences([[1, 0]] * counts[0] + [[2, 0]] * counts[1], [0] * sum(counts), np.eye(3))
    split, _, w, found = solved(data)
    W = split.matrix(np.zeros(0), offset(found, w).rho)
    wanted = np.log(3 * np.array(counts) / sum(counts))  # multipliers 1/3
    np.testing.assert_allclose([W[0, 0] - W[1, 0], W[0, 0] - W[2, 0]], wanted, atol=1e-12)


def test_weights_are_multipliers_and_one_rate_is_one():
    split, fin, w, found = solved(cyclic_draw(np.random.default_rng(4), n=20))
    rest = offset(found, w)
    np.testing.assert_allclose(found.rows.T @ rest.weights, w, atol=1e-10)
    assert np.abs(rest.rates - 1).min() < 1e-10
    assert (rest.weights > 0).tolist() == tight_rows(found, w).tolist()


def test_degenerate_data_are_refused_and_named():
    _, _, w, found = solved(DEGENERATE)
    with pytest.raises(ValueError, match=r"leaks = \[\[0, 3\]\]"):
        offset(found, w)


def test_degenerate_constraint_has_a_direction_of_its_own():
    _, _, w, found = solved(DEGENERATE)
    rows = unsupported(found, w)
    creep = least_norm(rows[rows.any(axis=1)])[0]
    assert abs(creep @ w) < 1e-12
    assert np.linalg.norm(creep) == pytest.approx(np.sqrt(3 / 4))


def test_tied_multipliers_are_not_degenerate():
    diamond = from_sequences([[1, 2, 3, 0], [2, 4, 0], [3, 4, 0], [4, 0]], [1, 2, 3, 4], np.eye(5))
    _, _, w, found = solved(diamond)
    assert not unsupported(found, w).any()
    assert (offset(found, w).weights[tight_rows(found, w)] > 0).all()


@pytest.mark.parametrize(
    ("rates", "excess", "slowest"),
    [([0.5, 1], np.inf, 0.5), ([1, 2], 0.3, 0.3), ([2, 3], np.inf, 1.0), ([1.5, 0.1], 4.0, 1.0)],
)
def test_the_slowest_of_flow_slack_and_time_rules_the_approach(rates, excess, slowest):
    none = np.zeros(0)
    assert Offset(none, none, none, np.array(rates), excess).exponent == slowest


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_slack_row_off_the_span_of_the_tight_ones_only_sets_a_pace(size):
    """Rows s (1, 0), s (2, 1), w = (1 / s, 0): 3 e^-g + g / s^2 is least at g = log 3 s^2."""
    found = Leaks(np.array([[0, 1], [1, 1]]), size * np.array([[1.0, 0], [2, 1]]), np.log([3.0, 5]))
    rest = offset(found, np.array([1 / size, 0]))
    np.testing.assert_allclose(size * rest.rho, [np.log(3) + 2 * np.log(size), 0], atol=1e-9)
    assert rest.excess == pytest.approx(1) and rest.basis.shape == (1, 2)


def test_leaks_sum_to_the_leak_far_out():
    data = cyclic_draw(np.random.default_rng(3), n=15)
    split, fin, w, found = solved(data)
    terms = found.log_c - found.rows @ (25 * w)
    assert np.exp(terms).sum() == pytest.approx(split.leak(fin.x, 25 * w).value, rel=1e-9)


def test_flow_comes_to_rest_at_the_offset():
    data = cyclic_draw(np.random.default_rng(1), n=12)
    split, fin, w, found = solved(data)
    rest = offset(found, w)
    end = 25 / rest.exponent
    path = gradient_flow(split, 0 * fin.x, 0 * w, [1.0, end], rtol=1e-9)
    assert np.linalg.norm(rest.basis @ (path.z[-1] - end * w - rest.rho)) < 1e-5
