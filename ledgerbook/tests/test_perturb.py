"""Which functions a module of rows calls, and how one is replaced everywhere and put back."""

import importlib

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


@pytest.fixture
def made_up(package, tmp_path, monkeypatch):
    """A package of two modules, one of which has a function of the other under another name."""
    package("made_up", __init__="", below=BELOW, above=ABOVE)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path, "ledgerbook": tmp_path})

    return importlib.import_module("made_up.above")


def test_a_function_is_replaced_wherever_it_is_bound_and_put_back(made_up):
    from made_up import below

    with perturb.replaced("made_up.below:more", lambda old: lambda x: 10 * old(x)):
        assert (below.more(1), made_up.plus(1), made_up.twice(1)) == (20, 20, 210)
    assert (below.more(1), made_up.twice(1)) == (2, 3)
