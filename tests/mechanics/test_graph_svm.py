"""The Graph-SVM against a generic solver, its limits, and its refusals."""

import cvxpy as cp
import numpy as np
import pytest

from lib.mechanics import graph_svm as module
from lib.mechanics.draws import authors_draw, cyclic_draw
from lib.mechanics.graph_svm import (
    InfeasibleGraphSVM,
    feasible,
    graph_svm,
    least_norm,
    nonnegative_solution,
)
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences, gaussian_embeddings
from lib.mechanics.token_priority_graph import pair_matrices, priority_graphs, project


def by_cvxpy(data):
    """All pairs of the definition, handed to a conic solver."""
    W, constraints = cp.Variable((data.shape[2],) * 2), []
    for k, graph in priority_graphs(data).items():
        for i in graph.graph.nodes:
            for j in graph.graph.nodes:
                margin = (data.embeddings[i] - data.embeddings[j]) @ W @ data.embeddings[k]
                if i < j and graph.same(i, j):
                    constraints.append(margin == 0)
                elif graph.above(i, j):
                    constraints.append(margin >= 1)
    cp.Problem(cp.Minimize(cp.sum_squares(W)), constraints).solve(solver=cp.CLARABEL)
    return W.value


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("draw", [authors_draw, cyclic_draw])
def test_against_a_conic_solver(draw, seed):
    data = draw(np.random.default_rng(seed))
    problem = Problem(data)
    solution = problem.svm
    np.testing.assert_allclose(solution.W, by_cvxpy(data), atol=1e-5 * solution.norm)
    rows = pair_matrices(data, solution.pairs)
    rows = (rows - project(problem.split.finite_basis, rows)).reshape(len(rows), -1)
    np.testing.assert_allclose(rows.T @ solution.duals, solution.W.ravel(), atol=1e-9)
    assert solution.duals.min() >= 0 and solution.margins.min() > 1 - 1e-9
    assert solution.duals @ (solution.margins - 1) < 1e-9
    assert (
        np.abs(np.tensordot(problem.split.finite_basis, solution.W, axes=([1, 2], [0, 1]))).max(
            initial=0
        )
        < 1e-12
    )


def test_one_edge_in_closed_form():
    data = from_sequences([[0, 1]], [0], np.eye(2))
    solution = Problem(data).svm
    np.testing.assert_allclose(solution.W, [[0, 0.5], [0, -0.5]], atol=1e-14)
    np.testing.assert_allclose(solution.duals, [0.5])


def test_nothing_ordered_gives_zero():
    assert Problem(from_sequences([[0, 1], [0, 1]], [0, 1], np.eye(2))).svm.norm == 0


def test_contradiction_names_its_pairs():
    rows = gaussian_embeddings(3, 3, np.random.default_rng(0))
    rows[2] = (rows[0] + rows[1]) / 2  # between the two
    data = from_sequences(
        [[0, 2], [1, 2]], [0, 1], rows, independent=False
    )  # both above their middle
    with pytest.raises(
        InfeasibleGraphSVM, match="token 0 above token 2 with last token 2, token 1 above token 2"
    ) as caught:
        graph_svm(data, priority_graphs(data))
    certificate = np.tensordot(
        caught.value.weights, pair_matrices(data, caught.value.pairs), axes=1
    )
    assert caught.value.weights.min() > 0 and np.abs(certificate).max() < 1e-9


def test_twins_cannot_be_told_apart():
    data = from_sequences([[0, 1]], [0], np.array([[1.0, 0], [1.0, 0]]), independent=False)
    with pytest.raises(InfeasibleGraphSVM, match="token 0 above token 1") as caught:
        graph_svm(data, priority_graphs(data))
    assert caught.value.weights.tolist() == [1]


def test_least_norm_is_scale_free():
    rows = np.random.default_rng(1).normal(size=(4, 9))
    w, duals = least_norm(rows)
    small, _ = least_norm(1e-6 * rows)
    np.testing.assert_allclose(small, 1e6 * w, rtol=1e-9)
    np.testing.assert_allclose(rows.T @ duals, w, rtol=1e-9)


def test_contradicting_rows_without_names_are_said_by_number():
    with pytest.raises(InfeasibleGraphSVM, match="row 0, row 2") as found:
        least_norm(np.array([[1.0, -1], [1, 0], [-1, 1]]))
    assert found.value.pairs == [0, 2]
    with pytest.raises(InfeasibleGraphSVM, match="row 1"):
        least_norm(np.array([[1.0, -1], [0, 0]]))


def test_the_certificate_names_rows_of_every_length():
    """Sixteen short rows against one long one: each of them takes part, the long one barely."""
    rows = np.vstack([np.ones(16), -1e-7 * np.eye(16)])
    with pytest.raises(InfeasibleGraphSVM) as found:
        least_norm(rows)
    assert found.value.pairs == list(range(17))
    assert np.abs(found.value.weights @ rows).max() < 1e-12


def test_least_norm_scales_against_its_rows():
    rows = np.array([[1.0, 0.2], [0.3, 1.0]])
    w, duals = least_norm(rows)
    for size in (1e-12, 1e12):
        scaled, scaled_duals = least_norm(rows * size)
        np.testing.assert_allclose(scaled * size, w, rtol=1e-12)
        np.testing.assert_allclose(scaled_duals * size**2, duals, rtol=1e-12)


def test_without_an_order_nothing_is_asked():
    alone = Problem(from_sequences([[0, 0]], [0], np.eye(2))).svm
    assert (alone.W == 0).all()
    assert alone.pairs == [] and alone.margins.shape == alone.duals.shape == (0,)


def test_nonnegative_solutions_are_solutions_where_the_plain_solver_goes_wrong_too():
    """No step that stays >= 0 makes the rest smaller; what is left is what is said."""
    rng = np.random.default_rng(0)
    unlucky = np.zeros((5, 8))  # scipy's nnls stops beside the solution of this one
    unlucky[[0, 1, 2, 3, 4], [0, 3, 7, 6, 4]] = 1
    unlucky[[0, 1, 2, 3, 4], [5, 2, 1, 3, 0]] = -1
    short = np.array([4.441784171e-16, 0, 3.331338129e-16, 1, -2.220892086e-16])
    cases = [(rng.normal(size=(5, 8)), rng.normal(size=5)) for _ in range(50)]
    for matrix, aim in [*cases, (np.vstack([unlucky.T, short]), np.eye(9)[8])]:
        found, left = nonnegative_solution(matrix, aim)
        slope = matrix.T @ (aim - matrix @ found)
        assert (found >= 0).all() and slope.max() < 1e-9 and abs(slope @ found) < 1e-9
        assert left == pytest.approx(np.linalg.norm(matrix @ found - aim), abs=1e-12)


@pytest.mark.parametrize("said", [([0.0], np.sqrt(2)), ([2.0], 1.0)])
def test_neither_a_wrong_point_nor_a_wrong_rest_of_the_plain_solver_is_believed(said, monkeypatch):
    monkeypatch.setattr(module, "nnls", lambda *args, **kwargs: (np.array(said[0]), said[1]))
    found, left = nonnegative_solution(np.full((2, 1), 0.5), np.ones(2))
    assert found == pytest.approx([2]) and left == pytest.approx(0, abs=1e-12)


def test_the_other_solver_goes_to_the_end_by_itself(monkeypatch):
    rng, right = np.random.default_rng(5), module.nnls
    monkeypatch.setattr(module, "nnls", lambda matrix, aim, **kwargs: (np.zeros(6), 0.0))
    for _ in range(20):
        matrix, aim = rng.normal(size=(8, 6)), rng.normal(size=8)
        np.testing.assert_allclose(
            nonnegative_solution(matrix, aim)[0], right(matrix, aim)[0], atol=1e-10
        )


@pytest.mark.parametrize(("share", "solvable"), [(0.5, False), (1.5, True)])
def test_only_a_token_between_two_that_must_beat_it_leaves_no_solution(share, solvable):
    """Half way it cannot lie below both; on their line beyond one of them it can."""
    rows = gaussian_embeddings(3, 3, np.random.default_rng(0))
    rows[2] = rows[0] + share * (rows[1] - rows[0])
    data = from_sequences([[0, 2], [1, 2]], [0, 1], rows, independent=False)
    assert feasible(data) is solvable


def test_independent_embeddings_are_always_feasible():
    assert feasible(cyclic_draw(np.random.default_rng(1)))
