"""The words by which the search finds a page: what a reader may ask, and all that it says."""

import tomllib

from ledgerbook.project.project import current
from ledgerbook.references import search_index, targets


def test_every_page_has_questions_that_it_answers():
    asked = tomllib.loads((current().book / "questions.toml").read_text(encoding="utf-8"))
    assert {f"book/{name}" for name in asked} == {*targets.documents()}
    assert min(len(words.split()) for words in asked.values()) > 5


def test_a_text_is_known_by_its_words_each_once_and_without_formulas():
    text = "a step, two steps: step $step$ by Step, 1,500 of 12"
    assert search_index.vocabulary(text) == "1,500 step steps two"


def test_a_page_is_known_by_the_formulas_that_it_states():
    text = "# On $a+b$\n\n## Statement\n\nFor $x$ and\n\n$$\ne^{Mh}\n = 1\n$$\n\n## Walk\n\n$c+d+e$"
    assert search_index.formulas(text) == "e^{Mh} = 1"
    assert search_index.formulas("in a line $a+b=c$, alone $$d+e=f$$") == "d+e=f"
