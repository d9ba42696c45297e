"""Rows under other conditions: what is asked, what is a complaint and what is only told."""

from dataclasses import dataclass

import pytest
from ledgerbook.ledger.checks import Checks, claim, control
from ledgerbook.ledger.fields import seed, whole
from ledgerbook.rows import robust


@dataclass
class Sample(Checks):
    n: int = whole(5, 1, 9)
    seed: int = seed()

    tag = "textbook.theorem-01"
    hypotheses = {"H1": "words"}

    @claim("<=", 9, "limit")
    def small(self):
        """words"""
        return 9 // self.n if self.n != 2 else 10

    @control("H1", ">", 1)
    def more(self):
        """words"""
        return self.n


@pytest.fixture
def found(monkeypatch):
    """The complaints about a class under a condition, its stored record being that of defaults."""
    record = robust.recorded(Sample())
    monkeypatch.setattr(robust.collect, "record_of", lambda row: record)

    def ask(name, kind=Sample):
        return list(robust.complaints(kind, robust.CONDITIONS[name]))

    return ask


def test_each_end_of_the_ranges_and_three_seeds_are_asked():
    asked = {name: one.parameters(Sample) for name, one in robust.CONDITIONS.items()}
    assert [one["n"] for one in asked.values()] == [5, 5, 5, 1, 9]
    assert len({one["seed"] for one in asked.values()}) == 4
    assert [one.threads for one in robust.CONDITIONS.values()].count(2) == 1


def test_at_an_end_a_control_is_told_and_nothing_is_wrong(found):
    (line,) = found("smallest")
    assert line.startswith("note: control more") and found("largest") == found("seed-10007") == []


def test_a_claim_that_turns_red_is_a_complaint_and_so_is_the_status(found):
    @dataclass
    class Wide(Sample):
        n: int = whole(5, 2, 9)
        tag = "textbook.theorem-01"
        small, more = Sample.small, Sample.more

    assert [line.partition(":")[0] for line in found("smallest", Wide)] == [
        "textbook.theorem-01"
    ] * 2
    assert found("smallest", Wide)[1].endswith("does not hold, stored: holds")


def test_what_cannot_be_computed_is_one_line_with_its_place(found, capsys):
    @dataclass
    class Broken(Sample):
        n: int = whole(5, 0, 9)
        tag = "textbook.theorem-01"
        small, more = Sample.small, Sample.more

    assert robust._asked(Broken, robust.CONDITIONS["smallest"]) is True
    said = capsys.readouterr().out
    assert said.startswith("RED textbook.theorem-01 smallest") and "ZeroDivisionError at" in said


def test_the_command_asks_each_class_in_a_process_of_its_own(companion_in, tmp_path):
    book = companion_in(tmp_path, "power_iteration")
    asked = ("--only", "textbook.theorem-01", "--conditions", "smallest", "seed-10007")
    code, said = book.run("robust", *asked)
    assert code == 0 and said.endswith("2 passed, 0 failed\n"), said
    assert "ok  textbook.theorem-01 smallest" in said
    book.replace("power/iteration.py", "return", "return 2 *")
    code, said = book.run("robust", *asked)
    assert code == 1 and "RED textbook.theorem-01" in said
