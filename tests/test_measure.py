"""Exponents, relative errors and argument checks against cases that are known exactly."""

import numpy as np
import pytest

from lib.measure import power_law, relative_error
from lib.validation import (
    require_choice,
    require_integer,
    require_probability_table,
    require_rate,
    require_real,
    require_seed,
)


@pytest.mark.parametrize(("exponent", "constant"), [(-1.5, 3.0), (0.0, 2.0), (2.0, 1e-6)])
def test_a_pure_power_law_is_found(exponent, constant):
    x = np.geomspace(1e-3, 1e5, 30)
    fit = power_law(x, constant * x**exponent)
    assert (
        fit.exponent == pytest.approx(exponent, abs=1e-12)
        and fit.constant == pytest.approx(constant, rel=1e-10)
        and fit.stderr < 1e-7
    )


def test_relative_error_is_scale_free_and_asymmetric_at_zero():
    a, b = np.array([1.0, 2.0]), np.array([1.0, 2.5])
    assert relative_error(a, b) == relative_error(1e9 * a, 1e9 * b) == pytest.approx(0.2)
    assert relative_error(np.array([1e-3]), np.array([0.0])) == 1e-3
    with pytest.raises(ValueError, match="value.shape"):
        relative_error(np.ones(2), np.ones(3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: require_integer("K", 0, 1, 5), r"K = 0, allowed: a whole number from 1 to 5"),
        (lambda: require_integer("K", 2.0, 1), r"K = 2.0"),
        (lambda: require_integer("K", True, 0), r"K = True"),
        (
            lambda: require_integer("M", 10**23, 1),
            r"M = 10+, allowed: a whole number from 1 up, below 2\^63",
        ),
        (lambda: require_rate("eta_y", float("inf")), r"eta_y = inf, allowed: a finite number > 0"),
        (lambda: require_rate("eta_y", 0), r"eta_y = 0"),
        (lambda: require_rate("eta_y", float("nan")), "eta_y = nan"),
        (
            lambda: require_real("rho", 1.5, at_least=0, at_most=1),
            r"rho = 1.5, allowed: a finite number >= 0 and <= 1",
        ),
        (
            lambda: require_seed("seed", -1),
            r"seed = -1, allowed: a whole number from 0 to 4294967295",
        ),
        (lambda: require_seed("seed", 1.5), r"seed = 1.5"),
        (lambda: require_seed("seed", 2**32), r"seed = 4294967296"),
        (lambda: require_choice("kind", "x", ("a", "b")), r"kind = 'x', allowed: one of 'a', 'b'"),
        (lambda: require_probability_table("p", [[0.5, 0.6]]), r"p\[0\].sum\(\)"),
        (lambda: require_probability_table("p", [[1.5, -0.5]]), r"smallest entry -0.5"),
        (lambda: require_probability_table("p", [[np.nan, 1.0]]), r"non-finite"),
        (lambda: require_probability_table("p", [0.5, 0.5]), r"p.shape"),
    ],
)
def test_errors_name_the_argument_and_the_range(call, message):
    with pytest.raises(ValueError, match=message):
        call()
