"""What a row sees: the smallest change of one function that it calls."""

import sys
from dataclasses import dataclass

import pytest
from ledgerbook.ledger.checks import Checks, claim, control, rows, step
from ledgerbook.project import paths
from ledgerbook.rows import resolution

LIB = """
def height(x):
    return 2.0 * x


def width(x):
    return 3.0 * x
"""


@pytest.fixture
def kind(package, tmp_path, monkeypatch):
    """A class whose module imports two functions."""
    package("shapes", __init__="", plain=LIB)
    own = __name__.partition(".")[0]
    monkeypatch.setattr(paths, "IMPORTS", {"shapes": tmp_path, own: tmp_path})
    from shapes.plain import height, width

    here = sys.modules[__name__]
    monkeypatch.setattr(here, "height", height, raising=False)
    monkeypatch.setattr(here, "width", width, raising=False)
    monkeypatch.setitem(sys.modules, Sample.__module__, here)
    return Sample


@dataclass
class Sample(Checks):
    tag = "textbook.theorem-01"
    hypotheses = {"H1": "words"}

    @step("decided")
    def proved(self):
        """words"""
        return True

    @claim("<=", 1e-8, "identity")
    def tight(self):
        """words"""
        return abs(height(1.0) - 2)  # noqa: F821

    @claim("<=", 0.1, "limit")
    def loose(self):
        """words"""
        return abs(width(1.0) * height(1.0) - 6)  # noqa: F821

    @claim("==", 1.5, "exact")
    def ratio(self):
        """words"""
        return width(height(1.0)) / height(2.0)  # noqa: F821

    @claim("<=", 0, "limit")
    def red(self):
        """words"""
        return height(1.0)  # noqa: F821

    @control("H1", "==", 1)
    def nothing(self):
        """words"""
        return 1


def row(kind, id):
    return next(one for one in rows(kind) if one.id == id)


def test_the_functions_that_a_row_calls_are_those_it_is_asked_with(kind):
    height, width = "shapes.plain:height", "shapes.plain:width"
    assert resolution.called(kind, row(kind, "tight")) == [height]
    assert set(resolution.called(kind, row(kind, "loose"))) == {height, width}
    assert resolution.called(kind, row(kind, "nothing")) == []


def test_the_smallest_change_of_one_function_is_what_a_row_sees(kind):
    assert resolution.smallest(kind, row(kind, "tight")) == (1e-6, "shapes.plain:height")
    size, _ = resolution.smallest(kind, row(kind, "loose"))
    assert size == 0.05
    size, name = resolution.smallest(kind, row(kind, "ratio"))
    assert size == 1e-6 and name.startswith("shapes.plain:")  # a row keeps nine digits
    assert resolution.smallest(kind, row(kind, "nothing")) is None


def test_rows_that_are_red_or_proved_are_not_asked(kind):
    assert [one.id for one in resolution.asked(kind)] == ["tight", "loose", "ratio", "nothing"]
