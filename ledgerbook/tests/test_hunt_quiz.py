"""The quiz of the hunt: which formulas there are to choose from, what is asked and answered."""

from dataclasses import replace

import pytest
from ledgerbook.hunt import Exercise

from ledgerbook import hunt_quiz

FORMULAS = [f"v_{k}=a_{k}^2+b_{k}" for k in range(2, 8)]
TEXT = "With $x$: " + ", ".join(f"${tex}$" for tex in FORMULAS[:-1]) + f" and $${FORMULAS[-1]}$$"
ONE = Exercise("H001", "Theorem 1", TEXT, 2, "sign", "v_2=a_2^2-b_2", "textbook.theorem-01")
TWO = replace(ONE, text=r"$$v_2=a_2^2+b_2.\tag{7}$$ and $v_3=a_3^2+b_3$", wrong=1)


@pytest.mark.parametrize(
    ("wrong", "numbers"),
    [
        (None, [2, 3, 4, 5]),
        (1, [1, 2, 3, 4]),
        (2, [2, 3, 4, 5]),
        (5, [2, 3, 4, 5]),
        (6, [3, 4, 5, 6]),
        (7, [4, 5, 6, 7]),
    ],
)
def test_four_formulas_are_to_choose_from_the_wrong_one_among_them(wrong, numbers):
    named = ["x", *FORMULAS]
    found = hunt_quiz.candidates(replace(ONE, wrong=wrong))
    assert found == [(number, named[number - 1]) for number in numbers]


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        ({}, True),
        ({"tag": ""}, False),
        ({"text": TEXT.ljust(1200)}, True),  # what is read in a minute
        ({"text": TEXT.ljust(1201)}, False),
        ({"text": f"## A heading\n\n{TEXT}"}, False),
        ({"text": f"{TEXT}\n\n:::{{note}}\n:::"}, False),
        ({"text": f"{TEXT}\n\n```\nx\n```"}, False),
        ({"text": f"{{ref}}`a` {TEXT}"}, False),
        ({"text": f"${FORMULAS[0]}$ and $x$", "wrong": 1}, False),
        ({"text": f"${FORMULAS[0]}$ and $${FORMULAS[0]},$$", "wrong": 1}, False),
        ({"text": f"${FORMULAS[0]}$ and $${FORMULAS[1]},$$", "wrong": 1}, True),
    ],
)
def test_a_question_is_plain_text_of_a_chapter_with_formulas_that_differ(change, fits):
    assert hunt_quiz._fits(replace(ONE, **change)) == fits


def test_a_chapter_is_asked_once_and_each_kind_before_one_comes_again(monkeypatch):
    made = [
        replace(ONE, number=f"H{number:03}", tag=f"textbook.t-{chapter:02}", kind=kind)
        for number, (chapter, kind) in enumerate(
            [
                (1, "sign"),
                (1, "rate"),
                (2, "sign"),
                (3, "factor"),
                (4, ""),
                (5, "term"),
                (6, "term"),
            ]
            + [(chapter, "sign") for chapter in range(7, 14)]
        )
    ]
    made[4] = replace(made[4], tag="")
    monkeypatch.setattr(hunt_quiz.hunt, "exercises", lambda seed: made if seed == 0 else [])
    found = [(one.tag[-2:], one.kind) for one in hunt_quiz.chosen()]
    assert found[:3] == [("01", "sign"), ("03", "factor"), ("05", "term")]
    assert found[3:6] == [("02", "sign"), ("06", "term"), ("07", "sign")]
    assert len(found) == len({tag for tag, _ in found}) == 10


def test_a_question_lists_its_formulas_and_the_answer_speaks_of_each():
    asked, answer, right = hunt_quiz.question(TWO)
    assert asked == (
        f"{TWO.text}\n\nWhich of these is wrong?\n\n"
        "- **(a)** $v_2=a_2^2+b_2$\n- **(b)** $v_3=a_3^2+b_3$\n- **(c)** none of them"
    )
    assert (right, answer) == (
        "a",
        "**(a)**: a sign is turned. In the chapter it reads $v_2=a_2^2-b_2$.\n\n"
        "(b) stands here as in the chapter; so (c) is wrong, too.",
    )
    assert hunt_quiz.question(replace(ONE, wrong=3))[1].endswith(
        "\n\n(a), (c), (d) stand here as in the chapter; so (e) is wrong, too."
    )
    asked, answer, right = hunt_quiz.question(replace(TWO, wrong=None, kind="clean"))
    assert (right, answer) == ("c", "**(c)**. (a), (b) all stand here as in the chapter.")


def test_a_block_names_its_exercise_and_its_links_are_those_of_the_page():
    def moved(text, row):
        return text.replace("and", f"AND {row.number}")

    block = hunt_quiz.block(TWO, "[there](a.md)", moved)
    assert ":name: hunt-h001\n\n**H001**, from [there](a.md)\n\n$$v_2" in block
    assert "AND Theorem 1 $v_3" in block and "{dropdown} Answer\n**(a)**" in block
    assert 'data-right="a" data-choices="a b c"' in block
