"""A whole number in the answer of an exercise is one that its chapter computes or sets."""

import re

import pytest
from ledgerbook.chapters import notebooks
from ledgerbook.chapters.statements import written

ANSWER = re.compile(r"(?s)\*\*\d\.\*\*.*:::\{dropdown\} Answer\n(.*?)\n:::")
WHOLE = re.compile(r"(?<![\w.^{-])\d{1,3}(?:,\d{3})+(?![\d.])|(?<![\w.^{-])\d{3,}(?![\d.])")
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?", re.IGNORECASE)


def plain(text):
    """A text without the marks that part thousands."""
    return re.sub(r"(?<=\d)(?:\{,\}|,|_)(?=\d{3}(?!\d))", "", text)


def whole_numbers(answer):
    """Numbers of three and more digits, with half of what their last digit that is not 0 says."""
    for word in WHOLE.findall(plain(answer)):
        yield int(word), 10 ** (len(word) - len(word.rstrip("0"))) / 2


def told(row):
    """(answer, all else that the chapter prints, sets and says) of a chapter's exercises."""
    cells = notebooks.read(row.chapter).cells
    sources = [cell.source for cell in cells]
    for place, source in enumerate(sources):
        if found := ANSWER.search(source):
            rest = [*sources[:place], source.replace(found[1], ""), *sources[place + 1 : place + 2]]
            rest += [o.get("text", "") for cell in cells for o in cell.get("outputs", ())]
            yield found[1], "\n".join(rest)


def missing(answer, rest):
    """The whole numbers of an answer that stand nowhere else, rounded as the answer has them."""
    shown = [float(number) for number in NUMBER.findall(plain(rest))]
    near = lambda number, half: any(abs(one - number) <= half for one in shown)
    return [number for number, half in whole_numbers(answer) if not near(number, half)]


@pytest.mark.parametrize("row", written(), ids=lambda row: row.tag)
def test_a_whole_number_in_an_answer_is_computed(row):
    found = [number for answer, rest in told(row) for number in missing(answer, rest)]
    assert found == []


def test_another_number_is_named():
    rest = "print(steps)\n49518 steps, about 2915"
    assert missing("It takes 49{,}518 or 2,900 steps.", rest) == []
    assert missing("It takes 49{,}618 or 2,800 steps.", rest) == [49618, 2800]
