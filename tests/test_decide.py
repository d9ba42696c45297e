"""A decision procedure proves what is true, refutes what is false, and sees empty premises."""

import pytest
import z3

from lib.decide import follows

x, y = z3.Reals("x y")


def test_a_true_inequality_follows():
    assert follows(x * x + y * y >= 2 * x * y)


def test_a_false_one_does_not():
    assert not follows(x * x + y * y > 2 * x * y)


def test_assumptions_are_used():
    assert follows(x / (1 + x) < y / (1 + y), x > 0, y > x)
    assert not follows(x / (1 + x) < y / (1 + y), y > x)


def test_contradicting_assumptions_prove_nothing():
    with pytest.raises(ValueError, match="allowed: some reals"):
        follows(x > 0, x < 0, x > 1)
