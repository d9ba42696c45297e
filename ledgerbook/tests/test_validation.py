"""Each refusal names the argument, what came in and what is allowed."""

import pytest
from ledgerbook.validation import require_choice, require_integer, require_real, require_seed


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
    ],
)
def test_errors_name_the_argument_and_the_range(call, message):
    with pytest.raises(ValueError, match=message):
        call()
