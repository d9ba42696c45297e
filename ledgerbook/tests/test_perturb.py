"""Which functions a module of rows calls, and how one is replaced everywhere and put back."""

import importlib
from typing import NamedTuple

import numpy as np
import pytest
from ledgerbook.project import paths
from ledgerbook.rows import perturb

BELOW = """
import functools

HEIGHT = 3


def more(x):
    return x + 1


class Kind:
    height = HEIGHT

    def up(self):
        return more(1)

    def _hidden(self):
        return more(2)

    @property
    def wide(self):
        return more(3)

    @functools.cached_property
    def deep(self):
        return more(4)
"""
ABOVE = """
from made_up.below import Kind, more as plus


def twice(x):
    return plus(plus(x))
"""
KIND = [f"made_up.below:Kind.{part}" for part in ("deep", "up", "wide")]


@pytest.fixture
def made_up(package, tmp_path, monkeypatch):
    """A package of two modules, one of which has a function of the other under another name."""
    package("made_up", __init__="", below=BELOW, above=ABOVE)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path, "ledgerbook": tmp_path})

    return importlib.import_module("made_up.above")


def test_a_module_names_what_it_imports_and_not_its_own(made_up):
    assert list(perturb.formulas(made_up)) == [*KIND, "made_up.below:more"]


def test_a_function_is_replaced_wherever_it_is_bound_and_put_back(made_up):
    from made_up import below

    with perturb.replaced("made_up.below:more", lambda old: lambda x: 10 * old(x)):
        assert (below.more(1), made_up.plus(1), made_up.twice(1)) == (20, 20, 210)
    assert (below.more(1), made_up.twice(1)) == (2, 3)


@pytest.mark.parametrize(("name", "before"), [(KIND[0], 5), (KIND[1], 2), (KIND[2], 4)])
def test_a_part_of_a_class_stays_what_it_is(made_up, name, before):
    from made_up.below import Kind

    part = name.rpartition(".")[2]
    kind = type(vars(Kind)[part])
    value = lambda: getattr(Kind(), part)() if part == "up" else getattr(Kind(), part)
    with perturb.replaced(name, lambda old: lambda self: -old(self)):
        assert type(vars(Kind)[part]) is kind and value() == -before
    assert value() == before


class Pair(NamedTuple):
    number: float
    count: int


def test_a_change_reaches_every_floating_number_and_no_other():
    done = perturb.altered((1.0, 2, "a", np.ones(2), np.arange(2), Pair(1.0, 3), [True]), 2)
    assert done[:3] == (2.0, 2, "a") and done[3].tolist() == [2, 2] and done[4].tolist() == [0, 1]
    assert done[5] == Pair(2.0, 3) and done[6] == [True]
