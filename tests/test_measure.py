"""Exponents and relative errors against cases that are known exactly."""

import math

import numpy as np
import pytest

from lib.measure import furthest, maximum, minimum, power_law, relative_error


@pytest.mark.parametrize(("exponent", "constant"), [(-1.5, 3.0), (0.0, 2.0), (2.0, 1e-6)])
def test_a_pure_power_law_is_found(exponent, constant):
    x = np.geomspace(1e-3, 1e5, 30)
    fit = power_law(x, constant * x**exponent)
    assert (
        fit.exponent == pytest.approx(exponent, abs=1e-12)
        and fit.constant == pytest.approx(constant, rel=1e-10)
        and fit.stderr < 1e-7
    )


def test_the_furthest_value_keeps_its_side_and_hands_on_a_nan():
    assert furthest([1.0, 0.7, 1.2], 1) == 0.7 and furthest([1.0, 0.9, 1.2], 1) == 1.2
    assert np.isnan(furthest([1.2, np.nan, 0.7], 1)) and np.isnan(furthest([np.nan, 1.2], 1))
    with pytest.raises(ValueError, match="values.shape"):
        furthest([], 1)


def test_relative_error_is_scale_free_asymmetric_at_zero_and_infinite_between_shapes():
    a, b = np.array([1.0, 2.0]), np.array([1.0, 2.5])
    assert relative_error(a, b) == relative_error(1e9 * a, 1e9 * b) == pytest.approx(0.2)
    assert relative_error(np.array([1e-3]), np.array([0.0])) == 1e-3
    assert relative_error(np.ones(2), np.ones(3)) == relative_error(1.0, np.ones(3)) == np.inf


def test_a_worst_case_that_could_not_be_computed_is_nan():
    for values in ([0.1, math.nan, 2.0], [math.nan, 0.1], [np.float64("nan"), 1]):
        assert math.isnan(maximum(values)) and math.isnan(minimum(*values))


def test_beside_nan_extremes_are_those_of_python():
    assert maximum(3, 1, 2) == maximum(iter([3, 1])) == 3 and minimum([2, 1.5]) == 1.5
    assert maximum([], default=0) == 0 and minimum([(2, 1), (1, 9)]) == (1, 9)
    with pytest.raises(ValueError):
        maximum([])
