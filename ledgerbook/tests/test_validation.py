"""Values that a user gives: what is refused in words, and what comes back."""

import math
from dataclasses import dataclass

import pytest
from ledgerbook.ledger import fields
from ledgerbook.ledger.checks import Checks
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
        (lambda: require_integer("K", True, 0), f"K = True, allowed: {WHOLE} 0 up"),
        (
            lambda: require_integer("M", 2**63, 1),
            f"M = 9223372036854775808, allowed: {WHOLE} 1 up, below 2^63",
        ),
        (
            lambda: require_real("rho", 1.5, at_least=0, at_most=1),
            "rho = 1.5, allowed: a finite number >= 0 and <= 1",
        ),
        (lambda: require_real("h", 0, above=0), "h = 0, allowed: a finite number > 0"),
        (lambda: require_real("h", 1, below=1), "h = 1, allowed: a finite number < 1"),
        (lambda: require_real("h", math.inf), "h = inf, allowed: a finite number"),
        (lambda: require_real("h", True), "h = True, allowed: a finite number"),
        (lambda: require_real("h", "x"), "h = 'x', allowed: a finite number"),
        (lambda: require_seed("seed", -1), f"seed = -1, allowed: {WHOLE} 0 to 4294967295"),
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


def words(name, value):
    require(value.strip(), name, value, "some words")
    [float(one) for one in value.split() if one[0].isdigit()]


@dataclass
class Sample(Checks):
    M: int = fields.whole(9, 3, 20)
    K: int = fields.whole(4, 2, lambda self: self.M - 1)
    rate: float = fields.real(0.5, 0.1, lambda self: self.K)
    kind: str = fields.choice("a", ("a", "b"))
    names: str = fields.text("one two", words, ("x", "x y z"))
    seed: int = fields.seed()


def test_defaults_stand_in_their_order():
    found = fields.defaults(Sample)
    assert list(found) == ["M", "K", "rate", "kind", "names", "seed"] and found["rate"] == 0.5


def test_both_ends_follow_the_fields_before_and_keep_the_seed():
    assert fields.extremes(Sample, False) == dict(M=3, K=2, rate=0.1, kind="a", names="x", seed=0)
    assert fields.extremes(Sample, True) == dict(
        M=20, K=19, rate=19.0, kind="b", names="x y z", seed=0
    )
    for largest in (False, True):
        Sample(**fields.extremes(Sample, largest))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (dict(M=2), "M = 2, allowed: a whole number from 3 to 20"),
        (dict(M=5, K=5), "K = 5, allowed: a whole number from 2 to 4"),
        (dict(M=4.0), "M = 4.0, allowed: a whole number"),
        (dict(rate=float("nan")), "rate = nan, allowed: a finite number >= 0.1 and <= 4"),
        (dict(kind="c"), "kind = 'c', allowed: one of 'a', 'b'"),
        (dict(names=" "), "names = ' ', allowed: some words"),
        (dict(names="1a"), "names = '1a': could not convert string to float: '1a'"),
        (dict(seed=-1), "seed = -1, allowed: a whole number from 0 to 4294967295"),
    ],
)
def test_anything_else_is_refused_by_name(given, said):
    with pytest.raises(ValueError, match=said):
        Sample(**given)


def test_a_long_value_is_not_repeated_whole():
    with pytest.raises(ValueError, match=r"kind = 'xxx.* … \(10002 characters\), allowed") as found:
        Sample(kind="x" * 10_000)
    assert len(str(found.value)) < 500
