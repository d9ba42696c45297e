"""What the lab reads out of a text: sentences, words, next words; in Chromium, without the page."""

import json

import pytest
from ledgerbook.project.project import current

pytestmark = pytest.mark.long
READ = (current().book / "_extra/lab/read.js").read_text(encoding="utf-8")


@pytest.fixture
def read(browser):
    """A function that gives what a text is read as: its sentences in words, and the notes."""

    def run(text, typed=False):
        browser.get("about:blank")
        found = browser.execute_script(
            f"{READ}\nconst {{ words, sentences, notes }} ="
            " globalThis.Read.read(arguments[0], arguments[1]);"
            "return JSON.stringify([sentences.map(({ counts, last, next }) => [Object.fromEntries("
            "Object.entries(counts).map(([j, m]) => [words[j], m])), words[last], next]), notes])",
            text,
            typed,
        )
        return json.loads(found)

    return run


PROSE = ["The cat sat on the mat.", "Again the dog slept, on the rug!", "“A bird” sang (here)."]


def in_words(sentence):
    """What a sentence should be read as."""
    *others, last, next_word = [word.strip(".,!“”()").lower() for word in sentence.split()]
    return [{word: others.count(word) for word in others}, last, next_word]


@pytest.mark.parametrize("between, how", [("\n", "one a line"), (" ", "up to its full stop")])
def test_the_last_word_of_a_pasted_sentence_is_its_next_word(read, between, how):
    sentences, notes = read(between.join(PROSE))
    assert sentences == [in_words(one) for one in PROSE] and how in notes[0]


def test_three_hundred_pasted_lines_are_three_hundred_sentences(read):
    lines = [f"The {name} {k} went to the {place}." for k in range(100) for name, place in PLACES]
    sentences, notes = read("\n".join(lines))
    assert sentences == [in_words(one) for one in lines]
    assert notes[0].startswith("Read as 300 sentences, one a line.")
    _, notes = read("\n".join(lines * 2))
    assert "The last 200 sentences of your text are left out" in notes[1]


PLACES = (("cat", "mat"), ("dog", "rug"), ("bird", "nest"))


def test_lines_that_break_within_sentences_are_joined(read):
    text = "The cat sat on\nthe mat. Again the\ndog slept on the rug. A bird\nsang for the moon."
    sentences, _ = read(text)
    assert [one[1:] for one in sentences] == [["the", "mat"], ["the", "rug"], ["the", "moon"]]


def test_what_is_too_short_is_left_out_and_said(read):
    sentences, notes = read("Yes.\nThe cat sat down.\nNo, no.\nThe dog ran away.")
    assert len(sentences) == 2
    assert "2 sentences of fewer than three words are left out." in notes


def test_case_and_marks_make_no_word_of_their_own_unless_asked(read):
    text = "The the, cat. Sat → Mat"
    sentences, notes = read(text)
    assert sentences == [[{"the": 2, "cat": 1}, "sat", "mat"]]
    assert "“The” is read as “the”, “the,” is read as “the”" in notes[0]
    sentences, notes = read(text, True)
    assert sentences == [[{"The": 1, "the,": 1, "cat.": 1}, "Sat", "Mat"]] and notes == []


def test_a_word_a_thousand_times(read):
    assert read("the*1000 cat*2 sat → mat")[0] == [[{"the": 1000, "cat": 2}, "sat", "mat"]]


def test_a_line_that_runs_from_the_right_has_its_arrow_the_other_way(read):
    assert read("شجرة قمر بيت ← نار")[0] == [[{"شجرة": 1, "قمر": 1}, "بيت", "نار"]]
    assert read("שלום עולם טוב → יום")[0] == [[{"שלום": 1, "עולם": 1}, "טוב", "יום"]]
