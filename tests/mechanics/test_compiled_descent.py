"""The compiled descent is the plain one, number by number."""

import numpy as np
import pytest

from lib.mechanics.compiled_descent import observe_trial, observe_trials, run_trial, weights
from lib.mechanics.descent import descend, initial_weights
from lib.mechanics.draws import authors_draw, cyclic_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences, stack
from tests.mechanics.directly import seen as directly


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize("draw", [authors_draw, lambda rng: cyclic_draw(rng, n=9)])
def test_same_weights_and_observables(draw, normalized):
    rng = np.random.default_rng(0)
    problems = [Problem(draw(rng)) for _ in range(3)]
    starts = initial_weights(3, 8, rng)
    last, seen = observe_trials(problems, starts, 0.01, 300, normalized)
    batch = stack([problem.data for problem in problems])
    plain, path = descend(starts, batch, 0.01, 300, normalized=normalized)
    np.testing.assert_allclose(last, plain, atol=1e-11)
    for trial, problem in enumerate(problems):
        for step in (0, 150, 300):
            found = {name: values[step, trial] for name, values in seen.items()}
            assert found == pytest.approx(directly(problem, path["W"][step, trial]), abs=1e-10)


def test_without_a_cycle_the_finite_part_is_zero_and_nothing_is_off_it():
    chain = Problem(from_sequences([[0, 1], [1, 2]], [0, 1], np.eye(3)))
    start = initial_weights(1, 3, np.random.default_rng(0))
    _, seen = observe_trials([chain], start, 0.1, 5)
    np.testing.assert_allclose(seen["ridge"], np.abs(seen["cosine"]), rtol=1e-12)
    np.testing.assert_allclose(seen["outer"], seen["cosine"], rtol=1e-12)


def test_nothing_ordered_is_refused():
    data = from_sequences([[0, 1], [0, 1]], [0, 1], np.eye(2))
    with pytest.raises(ValueError, match="W_svm = 0"):
        observe_trials([Problem(data)], np.zeros((1, 2, 2)), 0.01, 5)


def test_steps_are_of_one_length_unless_the_plain_gradient_is_asked_for():
    rng = np.random.default_rng(1)
    problem, start = Problem(authors_draw(rng)), initial_weights(1, 8, rng)[0]
    moves, _, _ = run_trial(problem.data, start, 0.1, 1)
    assert np.linalg.norm(weights(problem.data, start, moves[1]) - start) == pytest.approx(0.1)
    last, seen = observe_trials([problem], start[None], 0.1, 1)
    np.testing.assert_array_equal(last[0], weights(problem.data, start, moves[1]))
    assert seen["norm"].shape == (2, 1)
    np.testing.assert_array_equal(observe_trial(problem, start, 0.1, 1)[1], last[0])
    with pytest.raises(ValueError, match="steps"):
        run_trial(problem.data, start, 0.1, 0)


def test_the_score_of_an_absent_token_plays_no_part_nor_does_the_size_of_those_present():
    data = from_sequences([[0, 1]], [0], np.eye(3))
    start = np.zeros((3, 3))
    start[:, 1] = 800, 800, 1e4
    assert run_trial(data, start, 0.1, 1)[1][0].tolist() == [[0.5, 0.5, 0]]


def test_what_is_observed_of_small_weights_is_true_of_them_however_short_the_direction():
    problem = Problem(from_sequences([[0, 1, 2], [0, 1, 2]], [0, 1], 9 * np.eye(3)))
    start = 1e-3 * initial_weights(1, 3, np.random.default_rng(2))[0]
    seen, _ = observe_trial(problem, start, 1e-6, 1)
    assert problem.svm.norm < 0.1
    found = {name: values[0] for name, values in seen.items()}
    assert found == pytest.approx(directly(problem, start), rel=1e-9)
