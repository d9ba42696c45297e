"""The exercises and their score: one formula changed, a perfect and a blind answer, one seed."""

import json
import re
from dataclasses import replace

import pytest

from ledgerbook import hunt, hunt_quiz, reader_ext


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


def test_an_equation_is_changed_from_eleven_characters_on():
    assert list(hunt.changes(" a=b^2+c-de ")) == []
    assert dict(hunt.changes(" a=b^2+c-def ")).keys() == {"sign", "factor", "exponent"}


def test_the_ways_to_be_wrong():
    found = dict(hunt.changes("w_n=x_n^2-\\ln y_n"))
    assert found["sign"] == r"w_n=x_n^2+\ln y_n"
    assert found["factor"] == r"w_n=2\,x_n^2-\ln y_n"
    assert found["exponent"] == r"w_n=x_n^3-\ln y_n"
    assert found["index"] == r"w_n=x_m^2-\ln y_n"


def test_exercises_are_a_page_each_and_a_list_without_answers(made, tmp_path, monkeypatch):
    some = [one for one in made if one.wrong][:3]
    monkeypatch.setattr(hunt, "exercises", lambda seed: some)
    assert hunt.write(tmp_path) == some
    listed = (tmp_path / "exercises.json").read_text(encoding="utf-8")
    assert json.loads(listed) == {"seed": 0, "exercises": [one.number for one in some]}
    assert listed.splitlines()[:3] == ["{", ' "seed": 0,', ' "exercises": [']
    for one in some:
        page = (tmp_path / f"{one.number}.md").read_text(encoding="utf-8")
        assert one.text in page and one.tag not in page
    assert len([*tmp_path.iterdir()]) == 4


@pytest.fixture(scope="module")
def quiz():
    return hunt_quiz.chosen()


def test_the_quiz_has_ten_chapters_and_most_kinds_of_change(quiz, made):
    assert len({one.tag for one in quiz}) == len(quiz) == 10
    assert len({one.kind for one in quiz}) >= 6 and any(one.wrong is None for one in quiz)
    assert all(one in made for one in quiz)  # scored by the same oracle


def test_the_right_choice_is_the_formula_that_was_changed(quiz):
    for one in quiz:
        asked, answer, right = hunt_quiz.question(one)
        listed = dict(re.findall(r"^- \*\*\(([a-z])\)\*\* (.*)$", asked, re.M))
        assert 3 <= len(listed) <= 5 and asked.startswith(one.text)
        if one.wrong is None:
            assert listed[right] == "none of them"
        else:
            found = list(hunt.FORMULA.finditer(one.text))[one.wrong - 1]
            assert listed[right] == f"${hunt_quiz.bare(found[1] or found[2])}$"
            assert hunt_quiz.bare(one.right) in answer and listed[right] not in answer
        assert all(f"({letter})" in answer for letter in listed if letter != right or one.wrong)


def test_a_question_has_at_most_1200_characters():
    text = "$$a_n=b_n^2+c-d$$ and $$w_n=x_n^2+y-z$$".ljust(1200, ".")
    one = hunt.Exercise("H001", "Lemma 5", text, 1, "sign", tag="scan-snap.lemma-05")
    assert hunt_quiz._fits(one) and not hunt_quiz._fits(replace(one, text=f"{text}."))


def test_every_formula_to_choose_from_but_one_stands_in_its_chapter(quiz):
    for one in quiz:
        stated = hunt._statements(hunt_quiz.statement(one.tag))
        foreign = [tex for _, tex in hunt_quiz.candidates(one) if not any(tex in s for s in stated)]
        assert len(foreign) == (one.wrong is not None), (one.tag, foreign)


def test_the_page_has_a_fold_and_the_choices_of_each(quiz):
    page = reader_ext.hunt_page("book/hunt")
    assert page.count(":::{dropdown} Answer") == page.count('class="choices"') == len(quiz)
    names = re.findall(r":name: (\S+)", page)
    assert len(set(names)) == len(quiz)


@pytest.mark.parametrize(
    ("tex", "bare"),
    [(r"a=b, \qquad\text{(24)}", "a=b"), (r"a=b\tag{3}", "a=b"), (r" a=\text{(x)}b. ", "a=b")],
)
def test_a_formula_to_choose_has_no_number(tex, bare):
    assert hunt_quiz.bare(tex) == bare


def test_the_formula_of_a_slip_is_not_that_of_its_correction(made):
    for one in made:
        if one.kind == "slip":
            formulas = [found[1] or found[2] for found in hunt.FORMULA.finditer(one.text)]
            assert formulas[one.wrong - 1] and one.text != one.right
