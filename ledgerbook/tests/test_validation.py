"""Values that a user gives: what is refused in words, and what comes back."""

import math
from dataclasses import dataclass

import pytest
from ledgerbook.ledger import fields
from ledgerbook.ledger.checks import Checks
from ledgerbook.project.validation import require


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
        (dict(M=21), "M = 21, allowed: a whole number from 3 to 20"),
        (dict(M=4.0), "M = 4.0, allowed: a whole number"),
        (dict(M=True), "M = True, allowed: a whole number"),
        (dict(rate="1e-1"), "rate = '1e-1', allowed: a finite number >= 0.1 and <= 4, no text"),
        (dict(rate=math.nan), "rate = nan, allowed: a finite number >= 0.1 and <= 4"),
        (dict(rate=math.inf), "rate = inf, allowed: a finite number >= 0.1 and <= 4"),
        (dict(rate=True), "rate = True, allowed: a finite number"),
        (dict(rate="x"), "rate = 'x', allowed: a finite number"),
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
    with pytest.raises(ValueError, match=r"kind = 'xxx.* …, allowed") as found:
        Sample(kind="x" * 10_000)
    assert len(str(found.value)) < 500


@dataclass
class Ranged(Checks):
    M: int = fields.whole(9, 3, 20, holds=(8, 10), why="a table of more does not fit")
    K: int = fields.whole(4, 2, 99, holds=(3, lambda self: self.M - 1))
    rate: float = fields.real(0.5, 0.1, 2, holds=(0.4, 0.6))
    seed: int = fields.seed()


def test_between_the_two_ranges_a_value_is_computed_and_told():
    assert fields.beyond(Ranged()) == []
    assert fields.beyond(Ranged(M=5, K=5, rate=1)) == [
        "M = 5: the rows are claimed from 8 to 10",
        "K = 5: the rows are claimed from 3 to 4",
        "rate = 1: the rows are claimed from 0.4 to 0.6",
    ]
    with pytest.raises(ValueError, match="M = 21, .* from 3 to 20: a table of more does not fit"):
        Ranged(M=21)


def test_the_ends_are_those_of_where_the_rows_are_claimed():
    assert fields.extremes(Ranged, False) == dict(M=8, K=3, rate=0.4, seed=0)
    assert fields.extremes(Ranged, True) == dict(M=10, K=9, rate=0.6, seed=0)


def test_a_range_of_one_value_is_refused_where_it_is_written():
    with pytest.raises(ValueError, match="range = .*else it is a constant"):
        fields.whole(2, 2, 2)
