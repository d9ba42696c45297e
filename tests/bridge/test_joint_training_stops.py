"""A flow that does not reach its end says where it stopped, and why."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from lib.bridge import joint_training as joint


def test_what_a_solver_says_of_its_end_is_said_once_with_the_time(monkeypatch, recwarn):
    def ended(*given, **more):
        warnings.warn("no step", UserWarning, stacklevel=1)
        return SimpleNamespace(success=False, t=[], message="no step")  # nothing asked for reached

    monkeypatch.setattr(joint, "solve_ivp", ended)
    with pytest.raises(RuntimeError, match=r"^the flow stopped before log t = 2: no step$"):
        joint.joint_flow(joint.one_hot_data([[1, 1]], [0], [0]), np.eye(2), np.zeros((2, 2)), [2])
    assert not recwarn


def test_a_flow_that_leaves_the_finite_numbers_says_how_far_it_was_to_go(monkeypatch):
    ended = SimpleNamespace(success=True, y=np.array([[np.nan]]))
    monkeypatch.setattr(joint, "solve_ivp", lambda *given, **more: ended)
    data = joint.one_hot_data([[1, 1]], [0], [0])
    with pytest.raises(RuntimeError, match=r"left the finite numbers before log t = 3$"):
        joint.joint_flow(data, np.eye(2), np.zeros((2, 2)), [1, 2, 3])
