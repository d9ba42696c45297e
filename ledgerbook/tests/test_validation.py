"""Each refusal names the argument, what came in and what is allowed; all else comes back."""

import math

import pytest
from ledgerbook.project.validation import (
    require,
    require_choice,
    require_integer,
    require_real,
    require_seed,
)

WHOLE = "a whole number from"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: require(False, "W", 7, "even"), "W = 7, allowed: even"),
        (lambda: require_integer("K", 0, 1, 5), f"K = 0, allowed: {WHOLE} 1 to 5"),
        (lambda: require_integer("K", 6, 1, 5), f"K = 6, allowed: {WHOLE} 1 to 5"),
        (lambda: require_integer("K", 2.0, 1), f"K = 2.0, allowed: {WHOLE} 1 up"),
        (lambda: require_integer("K", 1e30, 1), f"K = 1e+30, allowed: {WHOLE} 1 up"),
        (lambda: require_integer("K", True, 0), f"K = True, allowed: {WHOLE} 0 up"),
        (
            lambda: require_integer("M", 2**63, 1),
            f"M = 9223372036854775808, allowed: {WHOLE} 1 up, below 2^63",
        ),
        (
            lambda: require_real("rho", 1.5, at_least=0, at_most=1),
            "rho = 1.5, allowed: a finite number >= 0 and <= 1",
        ),
        (
            lambda: require_real("rho", -0.5, at_least=0, at_most=1),
            "rho = -0.5, allowed: a finite number >= 0 and <= 1",
        ),
        (lambda: require_real("h", 0, above=0), "h = 0, allowed: a finite number > 0"),
        (lambda: require_real("h", 1, below=1), "h = 1, allowed: a finite number < 1"),
        (lambda: require_real("h", math.inf), "h = inf, allowed: a finite number"),
        (lambda: require_real("h", True), "h = True, allowed: a finite number"),
        (lambda: require_real("h", "x"), "h = 'x', allowed: a finite number"),
        (lambda: require_seed("seed", -1), f"seed = -1, allowed: {WHOLE} 0 to 4294967295"),
        (lambda: require_seed("seed", 1.5), f"seed = 1.5, allowed: {WHOLE} 0 to 4294967295"),
        (
            lambda: require_seed("seed", 2**32),
            f"seed = 4294967296, allowed: {WHOLE} 0 to 4294967295",
        ),
        (lambda: require_choice("kind", "x", ("a", "b")), "kind = 'x', allowed: one of 'a', 'b'"),
    ],
)
def test_errors_name_the_argument_and_the_range(call, message):
    with pytest.raises(ValueError) as error:
        call()
    assert str(error.value) == message
