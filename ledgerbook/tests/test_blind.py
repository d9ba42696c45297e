"""Claims without a size: which wrong formulas they are asked with, in which order, how many."""

import ast

import pytest

from ledgerbook import blind, paths, perturb

BELOW = """
import math
from math import exp


def more(x):
    return x + 1


def less(x):
    return x - 2


def half(x):
    return x / 2


class Kind:
    def up(self):
        return 1 + 1


other = max
"""
ABOVE = "from made_up.below import half\n\n\ndef top(x):\n    return half(x) * 3\n"
TAG = "textbook.theorem-01"
CHAPTER = f"""
from ledgerbook.ledger import Ledger
ledger = Ledger("{TAG}")
start = 1 + 2
ledger.claim("first", "words", start, "==", 3, kind="exact")
middle = start * 4
ledger.step("second", middle - 5, "words")
ledger.control("without", 6 - 7)
print(8 * 9 + 14 * 15)
ledger.claim("third", 10 + 11)
end = 12 + 13
"""


@pytest.fixture
def made_up(package, tmp_path, monkeypatch):
    """A package of two modules, one of which has a function of the other."""
    package("made_up", __init__="", below=BELOW, above=ABOVE)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path})


def test_beside_functions_stand_the_others_that_their_modules_define(made_up):
    below = [f"made_up.below:{name}" for name in ("more", "less", "half")]
    assert blind.beside([below[1]]) == [below[0], below[2]]
    assert blind.beside(["made_up.above:top", below[0]]) == below[1:]
    assert blind.beside(["made_up.above:gone"]) == ["made_up.above:top"]
    assert blind.beside([]) == []


def test_the_same_formulas_are_asked_on_every_machine_each_function_before_any_twice(made_up):
    found = blind.drawn(["made_up.below:more", "made_up.below:less", "made_up.below:half"])
    assert [(wrong.name.rpartition(":")[2], wrong.what) for wrong in found] == [
        ("less", "Sub becomes Add"),
        ("more", "1 becomes 2"),
        ("half", "2 becomes 3"),
        ("less", "2 becomes 3"),
        ("more", "term missing"),
        ("half", "Div becomes Mult"),
        ("more", "Add becomes Sub"),
        ("less", "term missing"),
    ]


def test_twelve_formulas_are_asked_of_functions_that_have_more(made_up):
    names = [f"made_up.below:{name}" for name in ("more", "less", "half", "Kind.up")]
    names.append("made_up.above:top")
    assert sum(len(blind.wrong_formulas.wrongs(name)) for name in names) > 13
    found = blind.drawn(names)
    assert len(found) == 12 and {wrong.name for wrong in found[:5]} == {*names}


class Execution:
    """Stands for ``perturb.execute``: what each execution was asked, and what turns red in it."""

    def __init__(self, *red):
        self.red, self.asked, self.codes = iter(red), [], []

    def __call__(self, code, folder, prepare=None, *, limit, asked):
        assert (folder, limit) == ("folder", 30)
        self.codes.append(code)
        self.asked.append({id for _, id in asked})
        red = next(self.red, ())
        passed = {key: key[1] not in red for key in asked if key[1] != "unreached"}
        return perturb.NOTHING._replace(passed=passed)


@pytest.fixture
def execution(monkeypatch):
    """The function that puts an ``Execution`` in place."""

    def put(*red):
        stand_in = Execution(*red)
        monkeypatch.setattr(blind.perturb, "execute", stand_in)
        return stand_in

    return put


def keys(*ids):
    return {(TAG, id) for id in ids}


WRONGS = [
    blind.Wrong("a.b:f", 0, 1, "term missing"),
    blind.Wrong("a.b:Kind.g", 1, 2, "minus dropped"),
    blind.Wrong("a.b:h", 0, 3, "Add becomes Sub"),
]


def test_what_one_wrong_function_turned_red_is_not_asked_again(execution):
    ran = execution({"one"}, {"one", "two"})
    found = blind.red_by_functions("code", "folder", WRONGS, keys("one", "two"), 30)
    assert found == {(TAG, "one"): "`f`: term missing", (TAG, "two"): "`Kind.g`: minus dropped"}
    assert ran.asked == [{"one", "two"}, {"two"}]  # and none is left for the last


def test_a_claim_that_was_not_reached_is_not_red(execution):
    ran = execution()
    open_ = keys("unreached", "green")
    assert blind.red_by_functions("code", "folder", WRONGS, open_, 30) == {}
    assert ran.asked == [{"unreached", "green"}] * 3
    assert blind.red_by_lines(CHAPTER.replace("first", "unreached"), "folder", open_, 30) == {}


@pytest.mark.parametrize(
    ("line", "id"),
    [
        ('ledger.claim("a", 1)', "a"),
        ('ledger.step("b", 1)', "b"),
        ('ledger.control("c", 1)', None),
        ("ledger.claim(name, 1)", None),
        ("ledger.claim()", None),
        ('claim("d", 1)', None),
        ('row = ledger.claim("e", 1)', None),
        ("x = 1", None),
        ("ledger.rows", None),
    ],
)
def test_a_statement_makes_a_claim_if_it_says_so_by_itself(line, id):
    (statement,) = ast.parse(line).body
    assert blind.claimed(statement) == id


@pytest.mark.parametrize(
    ("id", "numbers"),
    [
        ("first", {1, 2}),
        ("second", {4, 5}),
        ("third", {6, 7, 8, 9, 10, 11}),
        ("nothing", set()),
        ("without", set()),
    ],
)
def test_a_claims_own_lines_begin_behind_the_claim_before(id, numbers):
    lines = blind.own_lines(CHAPTER, id)
    changed = {
        number
        for line in lines
        for number in range(1, 14)
        if f"{number} becomes {number + 1}" == line.what
    }
    assert changed == numbers


def test_the_first_claims_own_lines_begin_where_the_chapter_does():
    lines = blind.own_lines('x = 1 + 2\nledger.claim("first", x)', "first")
    assert "1 becomes 2" in {line.what for line in lines}


def test_one_place_of_a_line_is_made_wrong_and_nothing_else():
    right = ast.unparse(ast.parse(CHAPTER))
    lines = blind.own_lines(CHAPTER, "first")
    wrong = {line.what: blind.with_line(CHAPTER, line) for line in lines}
    assert wrong == {
        "term missing": right.replace("1 + 2", "1"),
        "Add becomes Sub": right.replace("1 + 2", "1 - 2"),
        "1 becomes 2": right.replace("1 + 2", "2 + 2"),
        "2 becomes 3": right.replace("1 + 2", "1 + 3"),
    }


def test_a_claims_own_lines_are_asked_until_one_turns_it_red(execution):
    ran = execution((), {"first"}, {"second"})
    found = blind.red_by_lines(CHAPTER, "folder", keys("second", "first"), 30)
    assert {id for _, id in found} == {"first", "second"}
    assert ran.asked == [{"first"}, {"first"}, {"second"}]
    own = [blind.with_line(CHAPTER, line) for line in blind.own_lines(CHAPTER, "first")]
    # the same two of four on every machine
    assert ran.codes[:2] == [own[3], own[1]]
    assert found[TAG, "first"] == "own line: Add becomes Sub"


def test_what_a_claims_own_lines_compare_is_made_wrong_too():
    code = 'count = sum(x < 3 for x in (1, 5))\nledger.claim("few", count, "==", 1)'
    (line,) = blind.own_lines(code, "few")
    assert line.what == "Lt becomes GtE"
    assert "x >= 3" in blind.with_line(code, line)


@pytest.mark.parametrize(("id", "times"), [("first", 4), ("third", 12), ("nothing", 0)])
def test_at_most_twelve_of_a_claims_own_lines_are_asked(execution, id, times):
    ran = execution()
    assert blind.red_by_lines(CHAPTER, "folder", keys(id), 30) == {}
    assert len(ran.codes) == len(set(ran.codes)) == times


def test_first_named_functions_are_asked_then_others_then_own_lines(made_up, execution):
    ran = execution({"third"}, {"second"}, {"first"})
    open_ = keys("first", "second", "third", "none")
    found = blind.asked(CHAPTER, "folder", ["made_up.above:top"], open_, 30)
    assert {id: said.partition(":")[0] for (_, id), said in found.items()} == {
        "third": "`top`",
        "second": "`top`",
        "first": "own line",
    }
    assert ran.asked[-1] == {"first"}  # "none" has no line of its own


def test_what_no_formula_turns_red_is_asked_of_what_named_functions_compare(
    package, tmp_path, monkeypatch, execution
):
    package("made_up", __init__="", above="def top(x):\n    return x * 3 if x > 2 else x\n")
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path})
    names, open_ = ["made_up.above:top"], keys("third")
    assert {wrong.what for wrong in blind.drawn(names)} == {"Mult becomes Div", "3 becomes 4"}
    ran = execution((), (), {"third"})
    found = blind.asked(CHAPTER, "folder", names, open_, 30)
    assert found == {(TAG, "third"): "`top`: Gt becomes LtE"} and len(ran.codes) == 3


def test_what_named_functions_leave_is_asked_of_their_neighbors(made_up, execution):
    execution({"third"}, (), (), {"second"})
    names = ["made_up.below:more", "made_up.below:less"]
    found = blind.asked(CHAPTER, "folder", names[:1], keys("second", "third"), 30)
    assert found[TAG, "third"].startswith("`more`: ")
    assert found[TAG, "second"].startswith(("`less`: ", "`half`: "))


def test_where_nothing_is_open_nothing_is_asked(execution):
    assert blind.asked("no (code", "folder", ["no.such:function"], set(), 30) == {}
