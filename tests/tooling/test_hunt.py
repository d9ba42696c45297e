"""The exercises and their score: one formula changed, a perfect and a blind answer, one seed."""

import pytest

from ledgerbook import hunt


@pytest.fixture(scope="module")
def made():
    return hunt.exercises(0)


def test_there_are_two_hundred_and_they_follow_from_the_seed(made):
    assert sum(one.wrong is not None for one in made) >= 200
    assert made == hunt.exercises(0) != hunt.exercises(1)
    assert any(one.kind == "slip" for one in made) and any(one.kind == "clean" for one in made)


def test_exactly_the_formula_that_is_named_differs(made):
    for one in made:
        if one.right and one.kind != "slip":
            formulas = [found[1] or found[2] for found in hunt.FORMULA.finditer(one.text)]
            assert formulas[one.wrong - 1] != one.right
            assert formulas[one.wrong - 1].partition("=")[0] == one.right.partition("=")[0]


def test_a_perfect_answer_a_blind_one_and_none(made):
    perfect = {one.number: one.wrong for one in made}
    assert hunt.score({"seed": 0, "answers": perfect})["recall"] == 1
    assert hunt.score({"seed": 0, "answers": perfect})["precision"] == 1
    blind = hunt.score({"seed": 0, "answers": dict.fromkeys(perfect, 1)})
    assert blind["precision"] < 0.9 and 0 < blind["recall"] < 1
    assert hunt.score({"seed": 0, "answers": {}})["recall"] == 0


def test_an_unknown_exercise_is_named():
    with pytest.raises(ValueError, match="H999"):
        hunt.score({"seed": 0, "answers": {"H999": 1}})


@pytest.mark.parametrize(
    "tex",
    [
        r"a^2+b^2\le c^2+d^2",
        "a^2+b^2+c^2=0",
        "a^2=b^2+c^2=c^2",
        r"a\approx b^2+c^2+d^2",
        r"S=\mathrm{span}\{a^2-b\}",
    ],
)
def test_what_may_stay_true_is_not_changed(tex):
    assert list(hunt.changes(tex)) == []


def test_the_ways_to_be_wrong():
    found = dict(hunt.changes("w_n=x_n^2-\\ln y_n"))
    assert found["sign"] == r"w_n=x_n^2+\ln y_n"
    assert found["factor"] == r"w_n=2\,x_n^2-\ln y_n"
    assert found["exponent"] == r"w_n=x_n^3-\ln y_n"
    assert found["index"] == r"w_n=x_m^2-\ln y_n"
