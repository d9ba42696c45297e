"""A root is where the function is zero; where it has one sign there is none."""

import math

import numpy as np
import pytest

from lib.roots import root


@pytest.mark.parametrize("n", [0, 1, 7])
def test_the_roots_of_the_cosine(n):
    assert root(np.cos, n * np.pi, (n + 1) * np.pi) == pytest.approx((n + 0.5) * np.pi, abs=1e-11)


def test_a_root_at_an_end_is_one():
    assert root(lambda x: x - 1, 1, 2) == 1 and root(lambda x: x - 2, 1, 2) == 2


@pytest.mark.parametrize("function", [np.cosh, lambda x: -np.cosh(x), lambda x: np.nan * x])
def test_without_a_change_of_sign_there_is_no_number(function):
    assert math.isnan(root(function, -1.0, 2.0))


def test_the_options_are_those_of_the_method():
    assert abs(root(np.cos, 1, 2, xtol=0.1) - np.pi / 2) > abs(root(np.cos, 1, 2) - np.pi / 2)
