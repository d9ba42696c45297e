"""A row's witness: what is found, what is kept, and which edits of a row's code it sees."""

import ast
import dataclasses
import json
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
import sympy as sp
from ledgerbook.project.project import current
from ledgerbook.rows import changes, kept, own_code, sides, trial

FILE, KEPT = "checks/textbook/theorem_01.py", "checks/textbook/witnesses.json"
ASK = "from ledgerbook.rows import witness; print(witness.trouble('textbook.theorem-01'))"


@pytest.fixture(scope="module")
def found(companion_in, tmp_path_factory):
    """The companion of power iteration with its witnesses, and the witnesses of the theorem."""
    book = companion_in(tmp_path_factory.mktemp("witness"), "power_iteration")
    code, said = book.run("witness", "--only", "textbook.theorem-01", "textbook.corollary-01")
    assert code in (0, 1), said
    known = json.loads((book.root / KEPT).read_text(encoding="utf-8"))
    return book, {key.partition("#")[2]: one for key, one in known.items() if "theorem" in key}


@pytest.fixture
def edited(found, tmp_path, companion_in):
    """The function that edits the rows' module: the lines of what is wrong then."""

    def edit(old, new):
        book = companion_in(tmp_path, "power_iteration")
        (book.root / KEPT).write_bytes((found[0].root / KEPT).read_bytes())
        book.replace(FILE, old, new)
        code, said = book.run("-c", ASK, module="")
        assert code == 0, said
        return said

    return edit


def test_a_row_names_a_function_that_it_calls_and_a_change_under_which_it_fails(found):
    known = found[1]
    assert known["tie"]["own"] and known["tie"]["seen"] < 0.99  # a quotient of one function
    assert known["tangent"]["of"] == "power.iteration:rate" and known["tangent"]["seen"] > 1
    assert known["tangent"]["reads"] == ["matrices"] and known["tangent"]["calls"]
    assert known["two-by-two"]["own"] and " -> " in known["two-by-two"]["change"]
    assert known["sine"]["moves"]  # it fails as printed: another number is all that can be seen


def test_rows_that_are_as_they_were_are_only_looked_up(edited):
    assert edited('"""an orthogonal', '"""words alone: an orthogonal').strip() == "[]"


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("return tangent[40] / tangent[0]", "return tangent[40] / tangent[40]", "ways"),
        ("return self.worst[1]", "return self.worst[0] * 0", "any more"),
        ("range(self.matrices)", "range(200)", "reads the parameters"),
        ("range(self.matrices)", "range(self.matrices // 5)", "times, with its witness"),
        ("return after[1] / after[0], (two", "return (two / one) ** 7 * y / x, (two", "ways"),
        ("tangent[40] / tangent[0]", "tangent[99] / tangent[0]", "it stops: IndexError"),
        ("[seen].max()", "[seen][:-1].max()", "other parts of its arrays"),
        ('"H1", ">=", 0.99', '"H1", ">=", -1e9', "any more"),
        ('"H1", ">=", 0.99', '"H1", ">=", 2', "its verdict is another one"),
    ],
)
def test_an_edit_after_which_a_row_sees_less_is_named(edited, old, new, word):
    said = edited(old, new)
    assert word in said and "witness --only textbook.theorem-01" in said


def test_an_edit_that_leaves_the_row_what_it_was_is_none(edited):
    assert edited("(a / (bound * a[0]))[seen]", "(a / bound / a[0])[seen]").strip() == "[]"


@dataclasses.dataclass(frozen=True)
class Held:
    size: float
    name: str


x = sp.Symbol("x")


@pytest.mark.parametrize(
    ("change", "value", "wanted"),
    [
        ("times 1.1", 2.0, 2.2),
        ("times 1.1", 2, 2),
        ("times 1.1", Fraction(1, 2), Fraction(11, 20)),
        ("times 1.1", x, sp.Rational(11, 10) * x),
        ("times 1.1", (1.0, "a", [2.0]), (1.1, "a", [2.2])),
        ("times 2", Held(1.0, "a"), Held(2.0, "a")),
        ("times 2", {"a": 1.0, "b": "c"}, {"a": 2.0, "b": "c"}),
        ("plus 1", 3, 4),
        ("plus 1", True, True),
        ("turned round", True, False),
        ("one place later", [1, 2, 3], [3, 1, 2]),
        ("without its last", (1, 2), (1,)),
        ("all as its first", [1, 2], [1, 1]),
        ("times 1.1", None, None),
    ],
)
def test_a_change_is_made_to_what_it_is_for_and_to_nothing_else(change, value, wanted):
    assert changes.altered(value, change) == wanted


def test_arrays_and_graphs_are_changed_as_numbers_and_by_an_edge():
    ring = nx.cycle_graph(4)
    assert changes.altered(ring, "without an edge").number_of_edges() == 3
    assert ring.number_of_edges() == 4
    square = np.arange(4.0).reshape(2, 2)
    assert changes.altered(square, "with its diagonal alone").tolist() == [[0, 0], [0, 3]]
    assert changes.altered(square, "one place later").tolist() == [[2, 3], [0, 1]]
    assert square.tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize("change", changes.CHANGES)
def test_the_other_way_is_the_way_back(change):
    other = changes.CHANGES[change][2]
    assert not other or changes.CHANGES[other][2] == change


@pytest.mark.parametrize(
    "line",
    [
        "relative_error(odds, odds)",
        "a.b / a.b - 1",
        "f(x) - f(x)",
        "np.allclose(y, y, atol=1)",
        "x[0] == x[0]",
    ],
)
def test_an_expression_that_is_compared_with_itself_is_named(line):
    assert len(list(sides.alike(f"def row():\n    return {line}\n"))) == 1


def test_a_pair_of_a_symbolic_row_has_two_sides():
    row = '@step("symbolic")\ndef row(self):\n    return [(a, b), (a, a)]\n'
    assert list(sides.alike(row)) == ["3: (a, a)"]
    assert not list(sides.alike("def shape():\n    return M, M\n"))


def test_answers_are_alike_to_a_share_and_words_are_the_same_or_not():
    assert kept.alike(1.0, 1.005, 0.01) and not kept.alike(1.0, 1.02, 0.01)
    assert kept.alike([1, "a"], [1, "a"], 0.01) and not kept.alike("a", 1, 0.01)
    assert kept.short(np.float64(1) / 3) == 0.3333 and kept.short(True) is True


@pytest.mark.parametrize(
    ("written", "slips"),
    [
        ("f(a, b, c)", ["f(a, c)", "f(a, b)", "f(b, a, c)"]),
        ("f(a, *b)", ["f(a)"]),
        ("f(a)", ["f(-a)"]),
        ("f(b=1)", ["f()"]),
        ("True", ["False"]),
        ("not a", ["a"]),
        ("0.3", ["0.0"]),
        ("a and b", ["b", "a"]),
        ("a & b", ["a", "b"]),
        ("a < b", ["a > b"]),
        ("a - b", ["a", "b"]),
        ("a / b", ["b / a"]),
        ("(a, b)", ["(b,)", "(a,)", "(b, a)"]),
        ("[a]", []),
    ],
)
def test_what_was_left_out_exchanged_or_turned_round_is_a_slip(written, slips):
    node = ast.parse(written, mode="eval").body
    assert [ast.unparse(one) for one in own_code._forgotten(node)] == slips


def test_another_function_of_the_same_module_is_a_slip():
    beside = own_code._beside("from numpy import dot\nfrom lib.a import f, g, Held")
    assert beside == ({"f": ["g"], "g": ["f"]} if "lib" in current().imports else {})


OWN = """
class Held:
    def plain(self, x): ...
    def other(self, x): ...
    def alone(self): ...
    def row(self):
        return self.plain(1) + self.read("one")["left"] + self.read("two")["right"]
"""


def test_another_method_and_another_word_where_such_are_told_apart_are_slips(tmp_path):
    (tmp_path / "rows.py").write_text(OWN, encoding="utf-8")
    parts = own_code.members(tmp_path / "rows.py", "Held")
    assert own_code._like(parts) == {"plain": ["other"], "other": ["plain"]}
    words = own_code._words(OWN)
    assert {where: sorted(told) for where, told in words.items()} == {
        "read(0)": ["one", "two"],
        "[0]": ["left", "right"],
    }
    node = ast.parse("self.read('two')", mode="eval").body
    assert [ast.unparse(one) for one in own_code._reworded(node, words)] == ["self.read('one')"]
    node = ast.parse("held['left', k]", mode="eval").body
    assert [ast.unparse(one) for one in own_code._reworded(node, words)] == ["held['right', k]"]


@pytest.mark.parametrize(
    ("before", "after", "weak"),
    [("a < b", "a <= b", True), ("a < b", "a > b", False), ("a == b", "a != b", False)],
)
def test_a_slip_that_only_a_tie_can_tell_comes_last(before, after, weak):
    one, other = (ast.parse(text, mode="eval").body for text in (before, after))
    assert own_code.only_at_a_tie((own_code.Slip(before, after, 0), one, other)) is weak


def test_a_trial_that_takes_too_long_ends_and_lets_a_compiler_finish_first(monkeypatch):
    busy = """
import time
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    done.append(seconds)
"""
    done: list[float] = []
    compiler = {"__name__": "numba.core.made", "done": done}
    exec(busy, compiler)
    monkeypatch.setattr(trial, "SOON", 0.01)
    with pytest.raises(trial.TookTooLong), trial.within(0.02):
        compiler["work"](0.1)
        assert done == [0.1]
        compiler["__name__"] = "lib"
        compiler["work"](5.0)
    assert done == [0.1]
