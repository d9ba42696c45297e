"""The compiled slopes against the split's own, which come with a Hessian."""

import numpy as np
import pytest

from lib.mechanics.draws import cyclic_draw
from lib.mechanics.problem import Problem
from lib.mechanics.samples import from_sequences

SPLIT = Problem(cyclic_draw(np.random.default_rng(1))).split


@pytest.mark.parametrize("size", [0.1, 3.0, 30.0])  # at 30 samples leak less than e^-40
@pytest.mark.parametrize("log_scale", [0.0, 25.0])
def test_values_and_slopes_are_those_that_come_with_the_hessian(size, log_scale):
    rng = np.random.default_rng(0)
    x, z = (size * rng.normal(size=len(b)) for b in (SPLIT.finite_basis, SPLIT.outer_basis))
    ahead = log_scale - rng.uniform(size=SPLIT.inside.shape)
    pairs = [
        [SPLIT.cyclic(x, hessian) for hessian in (True, False)],
        [SPLIT.leak(x, z, log_scale, hessian) for hessian in (True, False)],
        [SPLIT.leak(x, z, log_scale, hessian, ahead) for hessian in (True, False)],
    ]
    for plain, fast in pairs:
        assert fast.value == pytest.approx(plain.value, rel=1e-12)
        scale = np.abs(plain.gradient).max()
        np.testing.assert_allclose(fast.gradient, plain.gradient, rtol=0, atol=1e-12 * scale)


def test_a_step_that_overshoots_looks_bad_and_not_infinite():
    x, z = np.zeros(len(SPLIT.finite_basis)), np.full(len(SPLIT.outer_basis), 900.0)
    fast = SPLIT.leak(x, z, 800.0, hessian=False)
    plain = SPLIT.leak(x, z, 800.0)
    assert 1e300 < fast.value < np.inf and fast.value == pytest.approx(plain.value)


def test_samples_of_one_component_do_not_leak():
    """Two tokens that beat each other: nothing lies outside."""
    data = from_sequences([[1, 0], [1, 0]], [0, 1], np.eye(2))
    part = Problem(data).split.leak(np.ones(1), np.zeros(0), 5.0, hessian=False)
    assert part.value == 0 and not part.gradient.any()
