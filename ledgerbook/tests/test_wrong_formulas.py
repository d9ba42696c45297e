"""What is made wrong in a formula, in its place in the file; and what a campaign makes of it."""

import ast
import json
from types import SimpleNamespace

import pytest
from ledgerbook.wrong_formulas import DoesNotRun, Wrong

from ledgerbook import paths, perturb, wrong_formulas

RATES = '''"""Rates."""
import functools


def checked(function):
    return functools.wraps(function)(lambda *x, **y: function(*x, **y))


@checked
def rate(x, *, by=4):
    """The rate."""
    if x > 9:
        raise ValueError("too large")
    return [1, 2, 3][x] * by


def area(a, b=3):
    return a * b


def noise(size, rng):
    return size * rng
'''
RATE, AREA, NOISE = (f"made_up.rates:{name}" for name in ("rate", "area", "noise"))


@pytest.fixture
def made_up(package, tmp_path, monkeypatch):
    """A package of one module with three functions."""
    package("made_up", __init__="", rates=RATES)
    for name, place in {"ROOT": tmp_path, "BUILD": tmp_path, "EQUIVALENT": tmp_path / "no"}.items():
        monkeypatch.setattr(paths, name, place)
    monkeypatch.setattr(paths, "IMPORTS", {"made_up": tmp_path})


def made_wrong(code):
    """The sources that each change of one place makes of a code."""
    found = set()
    for place in range(len(list(wrong_formulas.places(ast.parse(code))))):
        tree = ast.parse(code)
        _, change, _ = list(wrong_formulas.places(tree))[place]
        change()
        found.add(ast.unparse(ast.fix_missing_locations(tree)))
    return found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x + 2", {"x - 2", "x + 3", "x"}),
        ("x * y", {"x / y"}),
        ("x / 2.5", {"x * 2.5", "x / 3.5"}),
        ("x ** 2", {"x ** 3"}),
        ("x -= y", {"x += y"}),
        ("-x", {"+x"}),
        ("not x", set()),
        ("x[0]", {"x[1]"}),
        ("x[0:n]", {"x[1:n]"}),
        ("x[True], x['a'], f(1)", set()),
        ("require(x + 1, y), np.zeros(n + 1)", set()),
        ("raise Error(x + 1)", set()),
        ("def f(x=1 + 2):\n    return x", set()),
        ("np.sum(x, axis=-1), x.shape[1]", set()),
        ("np.sum(x, start=-1)", {"np.sum(x, start=+1)"}),
        ("x.terms[1]", {"x.terms[2]"}),
        ("np.swapaxes(x * y, -1, -2)", {"np.swapaxes(x / y, -1, -2)"}),
        ("np.roll(x, -1)", {"np.roll(x, +1)"}),
        ("x * y < 1e-9, x < 2 * tolerance", set()),
        ("x * y < 0.5", {"x / y < 0.5"}),
        ("x * y < 1e-06", {"x / y < 1e-06"}),
        ("x * y < 0.0", {"x / y < 0.0"}),
        ("x * y < 0", {"x / y < 0"}),
    ],
)
def test_signs_factors_indices_and_terms_are_made_wrong_and_axes_checks_tolerances_are_not(
    code, found
):
    assert made_wrong(code) == found


def test_what_is_wrong_is_told_by_its_line_in_the_file(made_up):
    (area,) = wrong_formulas.wrongs(AREA)
    line = RATES.splitlines().index("    return a * b") + 1
    assert area == Wrong(AREA, 0, line, "Mult becomes Div")
    assert {one.line for one in wrong_formulas.wrongs(RATE)} == {line - 4}
    assert wrong_formulas.source(area) == "def area(a, b=3):\n    return a / b"
    assert wrong_formulas._file(AREA) == "made_up/rates.py"


def test_a_wrong_function_takes_the_place_of_the_right_one_with_its_defaults(made_up):
    import made_up.rates as rates

    wrong_formulas.install(wrong_formulas.wrongs(AREA)[0])
    assert rates.area(6) == 2 and rates.area(6, b=2) == 3
    with pytest.raises(DoesNotRun):
        rates.area(1, 0)
    with pytest.raises(TypeError):  # the right one refuses it, too
        rates.area("a", "b")


def test_the_words_of_a_wrong_number_are_those_of_the_change(made_up):
    code = "x[0] + 2.5"
    words = {what for _, _, what in wrong_formulas.places(ast.parse(code))}
    numbers = {"0 becomes 1", "2.5 becomes 3.5"}
    assert words == {"term missing", "Add becomes Sub", *numbers}


@pytest.mark.parametrize(("number", "drawn"), [(0, 0), (2, 2), (4, 4), (5, 5), (99, 7)])
def test_as_many_are_drawn_as_asked_for_none_twice_each_function_before_any_twice(
    monkeypatch, number, drawn
):
    there = {"a": 1, "b": 2, "c": 4, "none": 0}
    found = {name: [Wrong(name, k, 1, "w") for k in range(count)] for name, count in there.items()}
    monkeypatch.setattr(wrong_formulas, "wrongs", lambda name: list(found[name]))
    chosen = wrong_formulas.sample(number, 3, there)
    assert len(chosen) == len(set(chosen)) == drawn
    assert len({one.name for one in chosen[:3]}) == min(3, drawn)


class Row:
    """A chapter that is known by its code alone."""

    def __init__(self, code, folder):
        self.code, self.chapter, self.kind = code, folder / code, "statement"


@pytest.fixture
def chapters(made_up, tmp_path, monkeypatch):
    """Two chapters, the longer one first, with two green claims and a red one each."""
    monkeypatch.setattr(wrong_formulas.notebooks, "read", lambda file: file.name)
    monkeypatch.setattr(wrong_formulas.notebooks, "code", str)
    claims = [{"id": id, "passed": id != "red"} for id in ("one", "two", "red")]
    closed = {"closed": {"t": {"claims": claims}}}
    monkeypatch.setattr(wrong_formulas.notebooks, "closing_records", lambda n: closed.get("closed"))
    made = SimpleNamespace(asked=[], ends=[], closed=closed)

    def execute(code, folder, prepare=None, green=()):
        made.asked.append(code)
        passed, ended, error = made.ends.pop(0)
        keys = {("t", id): value for id, value in passed.items()}
        return SimpleNamespace(passed=keys, claims=set(keys), ended=ended, error=error)

    monkeypatch.setattr(perturb, "execute", execute)
    made.rows = [Row("longer", tmp_path), Row("short", tmp_path)]
    return made


FINE, RED = (
    ({"one": True, "red": False}, True, ""),
    ({"two": False, "red": False}, False, "_Enough"),
)
STOPS, NOTHING = ({"one": True}, False, "ValueError"), ({}, False, "DoesNotRun")


@pytest.mark.parametrize(
    ("ends", "noticed", "number"),
    [
        ([FINE, FINE], "survived", 2),
        ([RED], "a claim", 1),
        ([FINE, RED], "a claim", 2),
        ([STOPS, FINE], "stopped", 2),
        ([STOPS, RED], "a claim", 2),
        ([NOTHING, FINE], "does not run", 2),
        ([NOTHING, STOPS], "does not run", 2),
        ([FINE, NOTHING], "does not run", 2),
    ],
)
def test_chapters_are_asked_the_shortest_first_until_a_green_claim_is_red(
    chapters, ends, noticed, number
):
    wrong, chapters.ends = wrong_formulas.wrongs(AREA)[0], list(ends)
    done = wrong_formulas.judge(wrong, chapters.rows)
    assert chapters.asked == ["short", "longer"][:number]
    assert done["noticed"] == noticed and (done["name"], done["line"]) == (AREA, wrong.line)
    assert done["claims"] == (["t.two"] if noticed == "a claim" else [])


def test_what_passes_in_a_chapter_without_outputs_is_found_by_executing_it(chapters):
    chapters.closed.clear()
    chapters.ends = [FINE]
    assert wrong_formulas._green(chapters.rows[0]) == {("t", "one")}


@pytest.fixture
def campaign(made_up, monkeypatch, tmp_path):
    """The function that judges made-up places, each noticed as told, and gives what it stored."""

    def run(number, **noticed):
        called = []
        rows = [Row("a", tmp_path), Row("b", tmp_path)]
        rows[1].kind = "experiment"
        monkeypatch.setattr(wrong_formulas, "written", lambda: rows)
        formulas = {AREA: [], NOISE: []}
        monkeypatch.setattr(wrong_formulas, "calls", lambda rows: called.append(rows) or formulas)
        places = [Wrong(AREA, k, k, what) for k, what in enumerate(noticed)]
        monkeypatch.setattr(wrong_formulas, "wrongs", {AREA: places}.__getitem__)
        monkeypatch.setattr(wrong_formulas.random, "Random", lambda seed: InOrder)
        claims = {"a claim": ["t.one", "t.two"]}

        def judge(wrong, rows):
            how = noticed[wrong.what].replace("_", " ")
            return {"what": wrong.what, "noticed": how, "claims": claims.get(how, [])}

        monkeypatch.setattr(wrong_formulas, "judge", judge)
        assert wrong_formulas.main(number, 0) == 0
        assert called == [rows[:1]]
        text = (tmp_path / "wrong.json").read_text(encoding="utf-8")
        assert text.startswith("[\n {\n")
        return [one["what"] for one in json.loads(text)]

    return run


class InOrder:
    """Draws the first."""

    sample = staticmethod(lambda names, number: names[:number])
    randrange = staticmethod(lambda stop: 0)


def test_another_is_asked_for_each_that_says_nothing_until_enough_are(campaign, capsys):
    told = {"a": "does_not_run", "b": "a_claim", "c": "equivalent", "d": "survived", "e": "a_claim"}
    assert campaign(2, **told) == ["a", "b", "c", "d"]
    said = capsys.readouterr().out.splitlines()
    assert said[-1] == "1 does not run, 1 a claim, 1 equivalent, 1 survived"
    assert f"a claim: {AREA} 1 b t.one" in said and f"survived: {AREA} 3 d" in said


def test_of_what_is_drawn_half_may_say_nothing(campaign):
    told = dict.fromkeys("abcde", "does_not_run")
    assert campaign(2, **told) == ["a", "b", "c", "d"]


def test_a_chapter_is_asked_for_each_function_that_it_names(chapters, monkeypatch):
    monkeypatch.setattr(perturb, "formulas", lambda code: [AREA, code])
    longer, short = chapters.rows
    found = wrong_formulas.calls(chapters.rows)
    assert found == {AREA: [longer, short], "longer": [longer], "short": [short]}
