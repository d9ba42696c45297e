"""Rows under other conditions: what is asked, what is red and what is only told."""

from dataclasses import dataclass

import pytest
from ledgerbook.ledger.checks import Checks, claim, control, rows
from ledgerbook.ledger.fields import seed, whole
from ledgerbook.rows import pytest_plugin


@dataclass
class Sample(Checks):
    n: int = whole(5, 1, 9)
    seed: int = seed()

    tag = "textbook.theorem-01"
    hypotheses = {"H1": "words"}

    @claim("<=", 8, "limit")
    def small(self):
        """words"""
        return 9 // self.n

    @control("H1", ">", 1)
    def more(self):
        """words"""
        return self.n


class Owner:
    """What the plugin collects rows of: the class at some parameters."""

    kind = Sample

    def __init__(self, name):
        self.name = f"Sample[{name}]"
        self.made = Sample(**pytest_plugin.conditions(Sample)[name])


def test_each_end_of_the_ranges_and_three_seeds_are_asked():
    asked = pytest_plugin.conditions(Sample)
    assert [one["n"] for one in asked.values()] == [5, 5, 5, 1, 9]
    assert len({one["seed"] for one in asked.values()}) == 4


def test_at_an_end_a_claim_is_red_and_a_control_is_told():
    small, more = rows(Sample)
    assert pytest_plugin.row_holds(Owner("smallest"), small).startswith("small: words: observed 9")
    with pytest.raises(pytest.skip.Exception, match="no control at this end: more"):
        pytest_plugin.row_holds(Owner("smallest"), more)
    assert pytest_plugin.row_holds(Owner("largest"), more) is None


def test_rows_are_asked_under_each_condition_and_a_broken_formula_is_red(companion_in, tmp_path):
    book = companion_in(tmp_path, "power_iteration")
    plugins = ("-p", "ledgerbook.rows.pytest_plugin", "-p", "no:hypothesispytest", "-p", "no:nbval")
    asked = (*plugins, "-q", "--robust", "checks/textbook/theorem_01.py")
    code, said = book.run(*asked, module="pytest")
    assert code == 0, said
    book.replace("power/iteration.py", "return", "return 2 *")
    code, said = book.run(*asked, module="pytest")
    assert code == 1 and "Theorem01[smallest]" in said


@dataclass
class Assumed(Checks):
    n: int = whole(5, 1, 9)

    tag = "textbook.assumption-01"

    @claim("<=", 8, "limit", subject="a set", met=False)
    def large(self):
        """words"""
        return 2 * self.n


def test_a_subject_that_meets_an_assumption_against_the_class_is_red_and_told_at_an_end():
    owner, (row,) = Owner.__new__(Owner), rows(Assumed)
    owner.kind, owner.name, owner.made = Assumed, "Assumed", Assumed()
    assert pytest_plugin.row_holds(owner, row) is None  # 10 is more than 8: not met, as it says
    owner.made = Assumed(n=4)
    said = pytest_plugin.row_holds(owner, row)
    assert said.startswith("met, and its class says met=False: large")
    owner.name = "Assumed[smallest]"
    with pytest.raises(pytest.skip.Exception, match="met otherwise at this end"):
        pytest_plugin.row_holds(owner, row)
