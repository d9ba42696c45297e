"""What becomes of the value of a changed function: every floating number moves, nothing else."""

import sys
import types
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
from ledgerbook.alterations import SIGN, Size, altered, change, changes

from ledgerbook import alterations, paths


class Pair(NamedTuple):
    number: float
    count: int


@dataclass(frozen=True)
class Record:
    number: float
    name: str
    inner: Pair


class Exact:
    """A number of mpmath, as far as its type tells."""

    __module__ = "mpmath.ctx_mp_python"

    def __init__(self, number):
        self.number = number

    def __mul__(self, factor):
        return Exact(self.number * factor)


class Arrows:
    """Which of two points to which, as a graph of networkx says it."""

    def __init__(self, *edges, directed=True):
        self.edges, self.directed = edges, directed

    def is_directed(self):
        return self.directed

    def reverse(self):
        return Arrows(*((j, i) for i, j in self.edges))


class Shape:
    """It has a shape and is no array."""

    shape = 1.5


class Typed:
    """It has a type of numbers and is no array."""

    dtype = float


def twice(value):
    return value * 2


@pytest.mark.parametrize(
    "value", [None, True, 3, "words", b"bytes", Shape(), Typed(), Record, Pair]
)
def test_what_is_no_floating_number_stays(value):
    assert altered(value, twice) is value


@pytest.mark.parametrize(
    ("value", "then"),
    [
        (1.5, 3.0),
        (np.float64(1.5), 3.0),
        ([1.5, [2, 2.5]], [3.0, [2, 5.0]]),
        ((1.5, "a"), (3.0, "a")),
        (Pair(1.5, 2), Pair(3.0, 2)),
        (Record(1.5, "a", Pair(0.5, 1)), Record(3.0, "a", Pair(1.0, 1))),
    ],
)
def test_every_floating_number_of_a_value_moves(value, then):
    found = altered(value, twice)
    assert found == then and type(found) is type(value)


def test_arrays_move_if_they_hold_floating_numbers():
    assert altered(np.array([1.5, 2]), twice).tolist() == [3, 4]
    whole = np.arange(3)
    assert altered(whole, twice) is whole


def test_every_value_of_a_dictionary_moves():
    assert altered({"a": 1.5, "b": [2, 2.5]}, twice) == {"a": 3.0, "b": [2, 5.0]}


def test_a_flipped_sign_turns_the_edges_of_a_directed_graph_round():
    arrows, both = Arrows((0, 1), (1, 2)), Arrows((0, 1), directed=False)
    assert altered({4: [arrows]}, lambda x: -x)[4][0].edges == ((1, 0), (2, 1))
    assert altered(arrows, twice) is arrows and altered(both, lambda x: -x) is both


def test_a_number_of_any_precision_moves():
    assert altered(Exact(3), twice).number == 6


def test_a_changed_function_keeps_its_name_and_gets_its_arguments(monkeypatch):
    module = types.ModuleType("made_up")
    exec("def half(x, *, more=0.0):\n    return (x / 2 + more, 'half')", vars(module))
    monkeypatch.setitem(sys.modules, "made_up", module)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": None})
    change("made_up:half", twice)
    assert module.half(3.0, more=1.0) == (5.0, "half") and module.half.__name__ == "half"


NAMES = [f"power.a:f{count}" for count in range(200)]


def moved(by, number=1.0):
    return [how(number) for how in changes(NAMES, by).values()]


@pytest.mark.parametrize("size", [1e-9, 0.05, 1.0])
def test_a_factor_is_half_to_the_whole_size_from_one_up_or_down(size):
    far = [factor - 1 for factor in moved(Size(size))]
    assert all(0.499 * size < abs(one) <= 1.001 * size for one in far)
    assert 60 < sum(one > 0 for one in far) < 140 and len(set(far)) == 200
    assert max(map(abs, far)) > 0.95 * size and min(map(abs, far)) < 0.55 * size


def test_at_the_size_of_a_sign_a_factor_is_minus_one_or_one():
    factors = moved(Size(SIGN))
    assert set(factors) == {-1.0, 1.0} and 60 < factors.count(-1.0) < 140
    assert SIGN == abs(-1.0 - 1.0)  # its distance from 1, as every size is one


def test_an_exponent_grows_and_keeps_the_sign():
    powers = np.array(moved(Size(1.0, exponent=True), -2.0))
    assert np.all(powers < 0)
    exponents = np.log2(-powers)
    assert np.all((1.5 <= exponents) & (exponents <= 2)) and np.ptp(exponents) > 0.4
    assert moved(Size(1.0, exponent=True), 0.0) == [0.0] * 200


def test_the_draw_is_that_of_the_seed_on_every_machine():
    draws = [tuple(moved(Size(SIGN, seed=seed))) for seed in (0, 0, 1, 2)]
    assert draws[0] == draws[1] and len(set(draws)) == 3
    first = {name: how(1.0) for name, how in changes(NAMES[:1], Size(1.0)).items()}
    assert first == {NAMES[0]: pytest.approx(1 + 0.8789771, abs=1e-6)}
    assert alterations.Size(1.0) == Size(1.0, exponent=False, seed=0)
