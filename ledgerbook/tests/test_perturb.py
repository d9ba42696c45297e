"""Which formulas a chapter names, how one is replaced everywhere, and what its rows then say."""

import os
from dataclasses import replace

import pytest

from ledgerbook import figures, ledger, paths, perturb, project

BELOW = """
import functools
from typing import NamedTuple

HEIGHT = 3


def more(x):
    return x + 1


@functools.wraps(more)
def rounded(x):
    return round(more(x))


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


class Pair(NamedTuple):
    left: float
    right: float

    def both(self):
        return more(self.left + self.right)
"""
ABOVE = """
from made_up.below import Kind, more


def twice(x):
    return more(more(x))
"""
KIND = [f"made_up.below:Kind.{part}" for part in ("deep", "up", "wide")]


@pytest.fixture
def made_up(package, tmp_path, monkeypatch):
    """A package of two modules, one of which has a function of the other under its own name."""
    package("made_up", __init__="def top(): ...\n", below=BELOW, above=ABOVE)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path, "ledgerbook": tmp_path})


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("from made_up.above import twice, more", ["made_up.above:more", "made_up.above:twice"]),
        ("from made_up.below import Kind, HEIGHT", KIND),
        ("from made_up.above import Kind", []),  # it is not this module's
        ("from made_up.below import Pair", ["made_up.below:Pair.both"]),
        ("from made_up import top\nimport made_up.below\nfrom . import more", []),
        ("from json import dumps\nfrom os.path import join", []),
        ("from ledgerbook.pages import link", []),
    ],
)
def test_a_chapter_names_the_functions_that_compute_something(made_up, code, found):
    assert perturb.formulas(code) == found


def test_what_lies_below_every_formula_is_not_named(made_up, monkeypatch):
    ground = replace(project.settings(), ground=("made_up.below",))
    monkeypatch.setattr(project, "settings", lambda: ground)
    code = "from made_up.below import more\nfrom made_up.above import twice"
    assert perturb.formulas(code) == ["made_up.above:twice"]


def test_the_function_behind_a_name_is_the_one_that_is_written(made_up):
    names = [*KIND, "made_up.below:more", "made_up.below:rounded"]
    found = [perturb.function(name).__name__ for name in names]
    assert found == ["deep", "up", "wide", "more", "more"]
    assert perturb.function("made_up.below:rounded") is perturb.function("made_up.below:more")


def test_a_function_is_replaced_wherever_the_companion_has_it(made_up, monkeypatch):
    from made_up import above, below

    monkeypatch.setattr(os, "kept", below.more, raising=False)
    perturb.replace("made_up.below:more", lambda old: lambda x: 10 * old(x))
    assert (below.more(1), above.more(1), above.twice(1), os.kept(1)) == (20, 20, 210, 2)
    assert below.HEIGHT == 3 and below.rounded(1) == 20


@pytest.mark.parametrize(("name", "before"), [(KIND[0], 5), (KIND[1], 2), (KIND[2], 4)])
def test_a_part_of_a_class_is_replaced_and_stays_what_it_is(made_up, name, before):
    from made_up.below import Kind

    part = name.rpartition(".")[2]
    kind = type(vars(Kind)[part])
    perturb.replace(name, lambda old: lambda self: -old(self))
    assert type(vars(Kind)[part]) is kind
    found = getattr(Kind(), part)
    assert (found() if part == "up" else found) == -before


TAG = "textbook.theorem-01"
CHAPTER = f"""
from ledgerbook import figures
from ledgerbook.ledger import Ledger

figures.Picture("no figure", alt="")
ledger = Ledger("{TAG}", hypotheses={{"H1": "words"}})
ledger.claim("low", "words", 1.0, "<=", 2.0, kind="inequality")
ledger.claim("high", "words", 3.0, "<=", 2.0, kind="inequality")
ledger.control("without", "H1", "words", 3.0, "<=", 2.0)
"""
LOW, HIGH, WITHOUT = ((TAG, id) for id in ("low", "high", "without"))


@pytest.fixture
def judged(monkeypatch):
    """``perturb.judged``; ledgers and pictures are themselves again after it."""
    monkeypatch.setattr(ledger.Ledger, "_row", ledger.Ledger._row)
    monkeypatch.setattr(figures.Picture, "__init__", figures.Picture.__init__)
    return perturb.judged


def test_every_row_of_a_chapter_is_judged(judged):
    done = judged(CHAPTER)
    assert done.passed == {LOW: True, HIGH: False, WITHOUT: False}
    assert done.kinds[LOW] == "inequality" and done.kinds.keys() == done.passed.keys()
    assert (done.claims, done.ended, done.error) == ({LOW, HIGH}, True, "")


def test_behind_an_error_nothing_is_judged(judged):
    stop = CHAPTER.replace("ledger.control", "1 / 0\nledger.control")
    done = judged(stop)
    assert (set(done.passed), done.ended, done.error) == ({LOW, HIGH}, False, "ZeroDivisionError")


@pytest.mark.parametrize(
    ("until", "asked", "seen"),
    [
        ({LOW}, set(), {LOW, HIGH, WITHOUT}),  # it does not fail
        ({HIGH}, set(), {LOW, HIGH}),
        ({WITHOUT}, set(), {LOW, HIGH, WITHOUT}),
        (set(), {LOW}, {LOW}),
        (set(), {LOW, HIGH}, {LOW, HIGH}),
        (set(), {(TAG, "nowhere")}, {LOW, HIGH, WITHOUT}),
    ],
)
def test_no_further_than_what_is_asked(judged, until, asked, seen):
    assert set(judged(CHAPTER, until, asked).passed) == seen


def test_a_chapter_is_executed_apart_in_its_folder_with_what_was_prepared(tmp_path):
    def prepare():
        ledger.Ledger.prepared = 3.0

    code = CHAPTER.replace("1.0", "Ledger.prepared") + "open('here', 'w').close()"
    done = perturb.execute(code, tmp_path, prepare)
    assert done.passed[LOW] is False and done.ended
    assert (tmp_path / "here").exists() and not hasattr(ledger.Ledger, "prepared")


@pytest.mark.parametrize("code", ["import os; os._exit(1)", "while True: pass"])
def test_of_what_does_not_end_nothing_is_known(tmp_path, code):
    done = perturb.execute(code, tmp_path, limit=0.2)
    assert done == perturb.NOTHING == ({}, {}, set(), False, "")
