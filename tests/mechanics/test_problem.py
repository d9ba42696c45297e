"""A problem's parts belong together, and each is made once."""

import numpy as np
import pytest

from lib.mechanics import problem as module
from lib.mechanics.attention_layer import risk
from lib.mechanics.draws import cyclic_draw
from lib.mechanics.graph_svm import InfeasibleGraphSVM
from lib.mechanics.limit_paths import gradient_flow
from lib.mechanics.problem import Problem, Resting, slack_directions
from lib.mechanics.samples import from_sequences, gaussian_embeddings


def test_parts_share_their_graphs_and_are_made_once(monkeypatch):
    made = []
    for name in ("priority_graphs", "SplitLoss", "graph_svm", "finite_part", "cyclic_subdata"):
        original = getattr(module, name)
        monkeypatch.setattr(
            module, name, lambda *given, n=name, f=original: made.append(n) or f(*given)
        )
    problem = Problem(cyclic_draw(np.random.default_rng(0), n=25))
    for _ in range(2):
        assert problem.fin.W.shape == problem.svm.W.shape == (8, 8)
        assert problem.split.graphs is problem.graphs and problem.cyclic_data is not None
    assert sorted(made) == sorted(set(made)) and len(made) == 5
    assert len({problem, Problem(problem.data)}) == 2  # known by itself, not by its data


def test_an_infeasible_svm_is_refused_each_time_and_leaves_the_other_parts():
    rows = gaussian_embeddings(3, 3, np.random.default_rng(0))
    rows[2] = (rows[0] + rows[1]) / 2
    problem = Problem(from_sequences([[0, 2], [1, 2]], [0, 1], rows, independent=False))
    for _ in range(2):
        with pytest.raises(InfeasibleGraphSVM):
            _ = problem.svm
    assert problem.cyclic_data is None and len(problem.split.finite_basis) == 0


def test_slack_directions_and_what_lies_off_the_svm():
    """A chain: the first token beats the last by 2, which is slack but no direction of its own;
    where a third token hangs below the second alone, one is.
    """
    chain = from_sequences([[1, 0], [2, 1, 0]], [1, 2], np.eye(3))
    beside = from_sequences([[1, 2, 0], [2, 3, 0], [1, 4, 0]], [1, 2, 1], np.eye(5))
    assert not slack_directions(chain) and slack_directions(beside)
    resting = Resting(beside)
    points = np.random.default_rng(0).normal(size=(4, len(resting.w)))
    np.testing.assert_allclose(resting.off(points) @ resting.w, 0, atol=1e-14)
    np.testing.assert_allclose(resting.off(points[0]), resting.off(points)[0])
    np.testing.assert_allclose(resting.tight(resting.tight(points)), resting.tight(points))
    np.testing.assert_allclose(resting.tight(resting.w), resting.w)


def test_the_svm_and_the_finite_part_are_orthogonal_and_the_loss_ends_at_the_finite_part():
    data = cyclic_draw(np.random.default_rng(1), n=25)
    problem = Problem(data)
    assert abs((problem.fin.W * problem.svm.W).sum()) < 1e-12 * problem.svm.norm
    far = problem.fin.W + 40 * problem.svm.W
    assert risk(far, data) == pytest.approx(problem.fin.loss, rel=1e-12)
    assert risk(problem.fin.W, problem.cyclic_data) == pytest.approx(problem.fin.loss, rel=1e-12)


def test_the_flow_comes_to_rest_at_the_offset_beside_its_drift():
    """One token above two, one of them in two samples of three: nothing is slack."""
    data = from_sequences([[1, 0], [1, 0], [2, 0]], [0, 0, 0], np.eye(3))
    resting = Resting(data)
    z = gradient_flow(resting.split, np.zeros(0), np.zeros(len(resting.w)), [40.0, 80.0]).z[-1]
    left = z - 80.0 * resting.w
    np.testing.assert_allclose(resting.tight(left), resting.rest.rho, atol=1e-6)
    assert left @ resting.w / (resting.w @ resting.w) == pytest.approx(resting.c, abs=1e-6)
    assert not resting.has_slack and not slack_directions(data)
