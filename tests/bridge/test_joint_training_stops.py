"""A flow that does not reach its end says where it stopped, and why."""

from types import SimpleNamespace

import numpy as np
import pytest

from lib.bridge import joint_training as joint


def test_what_a_solver_says_of_its_end_is_passed_on_with_the_time(monkeypatch):
    ended = SimpleNamespace(success=False, t=np.array([-3.0, 1.5]), message="no step")
    monkeypatch.setattr(joint, "solve_ivp", lambda *given, **more: ended)
    with pytest.raises(RuntimeError, match=r"^the flow stopped at log t = 1\.5: no step$"):
        joint.joint_flow(joint.one_hot_data([[1, 1]], [0], [0]), np.eye(2), np.zeros((2, 2)), [2])


def test_a_flow_that_leaves_the_finite_numbers_says_how_far_it_was_to_go(monkeypatch):
    ended = SimpleNamespace(success=True, y=np.array([[np.nan]]))
    monkeypatch.setattr(joint, "solve_ivp", lambda *given, **more: ended)
    data = joint.one_hot_data([[1, 1]], [0], [0])
    with pytest.raises(RuntimeError, match=r"left the finite numbers before log t = 3$"):
        joint.joint_flow(data, np.eye(2), np.zeros((2, 2)), [1, 2, 3])
