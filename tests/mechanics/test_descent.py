"""Descent, the split of the loss, the limits, the automaton."""

import numpy as np
import pytest

from lib.mechanics.attention_layer import attention, gradient, risk
from lib.mechanics.automaton import automaton_law, generate, model_law
from lib.mechanics.descent import cosine, descend, initial_weights, observables
from lib.mechanics.draws import authors_draw, cyclic_draw
from lib.mechanics.limit_paths import (
    gradient_flow,
    minimizer_in_ball,
    regularization_path,
    slow_flow,
)
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences, stack
from lib.mechanics.token_priority_graph import project

DATA = cyclic_draw(np.random.default_rng(0), n=25)
PROBLEM = Problem(DATA)
SPLIT, FIN = PROBLEM.split, PROBLEM.fin


def test_split_adds_up_and_has_the_gradient():
    W = np.random.default_rng(1).normal(size=(8, 8))
    x, z = SPLIT.coordinates(W)
    leak, inner = SPLIT.leak(x, z), SPLIT.cyclic(x)
    assert inner.value + leak.value == pytest.approx(risk(W, DATA), rel=1e-13)
    assert inner.value == pytest.approx(
        risk(project(SPLIT.finite_basis, W), PROBLEM.cyclic_data), rel=1e-12
    )
    whole = np.r_[leak.gradient[: len(x)] + inner.gradient, leak.gradient[len(x) :]]
    np.testing.assert_allclose(
        np.concatenate(SPLIT.coordinates(gradient(W, DATA))), whole, atol=1e-14
    )
    np.testing.assert_allclose(
        np.exp(SPLIT.outside_mass(x, z)),
        (attention(W, DATA) * SPLIT.outside).sum(axis=1),
        rtol=1e-10,
    )


def test_hessian_is_the_gradient_s_slope():
    rng, h = np.random.default_rng(2), 1e-5
    x, z = SPLIT.coordinates(rng.normal(size=(8, 8)))
    v = rng.normal(size=len(x) + len(z))

    def slope(s):
        return SPLIT.leak(x + s * v[: len(x)], z + s * v[len(x) :]).gradient

    np.testing.assert_allclose(
        (slope(h) - slope(-h)) / (2 * h), SPLIT.leak(x, z).hessian @ v, atol=1e-9
    )


def test_finite_part_is_stationary_and_balanced_pairs_give_zero():
    assert FIN.gradient_norm < 1e-14 and FIN.least_curvature > 0
    balanced = from_sequences([[0, 1, 2], [0, 1, 2]], [0, 1], np.eye(3))
    assert np.abs(Problem(balanced).fin.W).max() < 1e-15


def test_descent_keeps_the_component_outside_the_data_span():
    start = initial_weights(1, 8, np.random.default_rng(3))[0]
    last, _ = descend(start, DATA, 0.5, 50)
    off = [W - SPLIT.matrix(*SPLIT.coordinates(W)) for W in (start, last)]
    np.testing.assert_allclose(off[0], off[1], atol=1e-13)
    assert risk(last, DATA) < risk(start, DATA)


def test_blocks_and_observables():
    rng = np.random.default_rng(4)
    sets = [authors_draw(rng) for _ in range(2)]
    problems = [Problem(data) for data in sets]
    start, batch = initial_weights(2, 8, rng), stack(sets)
    last, seen = descend(start, batch, 0.01, 300, normalized=True, observe=observables(problems))
    again, path = descend(start, batch, 0.01, 300, normalized=True)
    assert path["W"].shape == (301, 2, 8, 8)
    np.testing.assert_array_equal(last, again)
    np.testing.assert_allclose(
        np.linalg.norm(np.diff(path["W"], axis=0), axis=(2, 3)), 0.01, rtol=1e-9
    )
    for t, problem in enumerate(problems):
        svm, fin, split = problem.svm, problem.fin, problem.split
        W, part = last[t], project(split.finite_basis, last[t])
        direct = {
            "norm": np.linalg.norm(W),
            "cosine": cosine(W, svm.W),
            "outer": cosine(W - part, svm.W),
            "ridge": cosine(W, fin.W + (W * svm.W).sum() / svm.norm**2 * svm.W),
            "distance": np.linalg.norm(part - fin.W),
            "mass": (attention(W, sets[t]) * split.inside).sum(axis=1).mean(),
        }
        for name, value in direct.items():
            assert seen[name][-1, t] == pytest.approx(value, rel=1e-9), name


def test_flow_is_small_steps_of_descent():
    start = SPLIT.matrix(*SPLIT.coordinates(initial_weights(1, 8, np.random.default_rng(5))[0]))
    fine, _ = descend(start, DATA, 2e-3, 5000)
    path = gradient_flow(SPLIT, *SPLIT.coordinates(start), [np.log(10.0)])
    np.testing.assert_allclose(SPLIT.matrix(path.x[0], path.z[0]), fine, atol=2e-3)


def test_slow_flow_continues_the_flow():
    path = gradient_flow(SPLIT, *SPLIT.coordinates(np.zeros((8, 8))), [12, 15.0])
    after = slow_flow(SPLIT, FIN.x, path.z[0], [12, 15.0])
    np.testing.assert_allclose(after.z[1], path.z[1], atol=1e-3)
    np.testing.assert_allclose(
        after.gap[1], path.gap[1], rtol=0.05, atol=1e-3 * np.abs(path.gap[1]).max()
    )


def test_paths_go_the_svm_s_way():
    svm, times = PROBLEM.svm, [100.0, 1e5]
    flow = gradient_flow(SPLIT, *SPLIT.coordinates(np.zeros((8, 8))), times)
    ridge = regularization_path(SPLIT, [10.0, 600.0])
    assert cosine(SPLIT.matrix(flow.x[1], flow.z[1]), svm.W) > 1 - 1e-6
    assert cosine(SPLIT.matrix(ridge.x[1], ridge.z[1]), svm.W) > 0.999
    assert np.linalg.norm(ridge.gap[1]) < 1e-12


def test_ball_minimizer_has_its_radius_and_is_stationary():
    x, z = minimizer_in_ball(SPLIT, 3.0)
    W = SPLIT.matrix(x, z)
    assert np.linalg.norm(W) == pytest.approx(3, rel=1e-8)
    assert cosine(W, -gradient(W, DATA)) == pytest.approx(1, abs=1e-9)


def test_automaton_is_the_limit_of_the_model():
    svm = PROBLEM.svm
    limit = automaton_law(PROBLEM, DATA.counts, DATA.last)
    np.testing.assert_allclose(
        model_law(FIN.W + 60 * svm.W, DATA.counts, DATA.last, DATA.embeddings), limit, atol=1e-12
    )
    assert (limit[~SPLIT.inside] == 0).all()
    with pytest.raises(ValueError, match=r"last\[0\] = 5"):
        automaton_law(PROBLEM, np.eye(6)[[5]], [5])


def test_generation_follows_the_law():
    def shift(counts, last):
        return np.eye(4)[(last + 1) % 4]

    assert generate(shift, 4, [2, 3], 4, np.random.default_rng(0)) == [2, 3, 0, 1, 2, 3]
