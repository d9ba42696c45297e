"""The words by which the search finds a page: what a reader may ask, and what is said instead."""

import tomllib

from ledgerbook.project.project import current
from ledgerbook.references import search_index, targets


def test_every_page_has_questions_that_it_answers():
    asked = tomllib.loads((current().book / "questions.toml").read_text(encoding="utf-8"))
    assert {f"book/{name}" for name in asked} == {*targets.documents()}
    assert min(len(words.split()) for words in asked.values()) > 5


def test_words_for_one_thing_stand_once_in_a_set_and_have_company():
    same = tomllib.loads((current().book / "synonyms.toml").read_text(encoding="utf-8"))["same"]
    assert [one for one in same if len(one) < 2 or len({*map(str.lower, one)}) < len(one)] == []


def test_a_text_is_known_by_its_words_each_once_and_without_formulas():
    assert search_index.vocabulary("a step, two steps: step $step$ by Step") == "step steps two"
