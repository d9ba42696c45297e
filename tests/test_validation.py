"""Each refusal names the argument, what came in and what is allowed."""

import numpy as np
import pytest

from lib.validation import require_integer, require_probability_table, require_rate


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: require_rate("eta_y", float("inf")), r"eta_y = inf, allowed: a finite number > 0"),
        (lambda: require_rate("eta_y", 0), r"eta_y = 0"),
        (lambda: require_rate("eta_y", float("nan")), "eta_y = nan"),
        (lambda: require_integer("K", True, 1), "K = True, allowed: a whole number from 1 up"),
        (lambda: require_integer("K", 2.0, 1), "K = 2.0"),
        (lambda: require_integer("K", 5, 1, 4), "K = 5, allowed: a whole number from 1 to 4"),
        (lambda: require_probability_table("p", [[0.5, 0.6]]), r"p\[0\].sum\(\)"),
        (lambda: require_probability_table("p", [[1.5, -0.5]]), r"smallest entry -0.5"),
        (lambda: require_probability_table("p", [[np.nan, 1.0]]), r"non-finite"),
        (lambda: require_probability_table("p", [0.5, 0.5]), r"p.shape"),
    ],
)
def test_errors_name_the_argument_and_the_range(call, message):
    with pytest.raises(ValueError, match=message):
        call()
