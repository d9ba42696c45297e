"""Ten exercises of the hunt as a quiz: choose the formula that is wrong, then read why."""

import re
from collections.abc import Iterator

from ledgerbook import hunt, markup
from ledgerbook.hunt import Exercise
from ledgerbook.statements import statement

NUMBER = 10
CHOICES = 4  # formulas to choose from, at most
LONGEST = 1200  # characters of a text that is read in a minute
# What is never in the text of a question: headings, directives, code.
MARKUP = re.compile(r"^(#|:::|```|\([\w-]+\)=)|\{[a-z:-]+\}`", re.M)
NUMBERED = re.compile(r"(\\qquad)?\s*\\(text\{\([^{}]*\)\}|tag\{[^{}]*\})")
# What was done to the formula.
SAID = {
    "sign": "a sign is turned",
    "factor": "there is a 2 too many",
    "exponent": "a square has become a cube",
    "term": "a term is missing",
    "fraction": "a fraction stands on its head",
    "logarithm": "a logarithm is missing",
    "rate": "it has the other rate",
    "overlap": "a sign is turned",
    "index": "an index is another one",
}


def bare(tex: str) -> str:
    """A formula without its number and the punctuation around it."""
    return NUMBERED.sub("", tex).strip().rstrip(".,;")


def candidates(one: Exercise) -> list[tuple[int, str]]:
    """Number and text of the formulas to choose from, the wrong one among them."""
    found = [(k, m[1] or m[2]) for k, m in enumerate(hunt.FORMULA.finditer(one.text), 1)]
    some = [(k, tex) for k, tex in found if k == one.wrong or any(hunt.changes(tex))]
    places = [k for k, _ in some]
    start = max(0, places.index(one.wrong) - CHOICES + 1) if one.wrong in places else 0
    return some[start : start + CHOICES]


def chosen() -> list[Exercise]:
    """Ten exercises: a chapter once, each kind of change before one comes again."""
    fit = [one for one in hunt.exercises(0) if _fits(one)]
    found: list[Exercise] = []
    while fit and len(found) < NUMBER:
        kinds = [one.kind for one in found]
        best = min(fit, key=lambda one: kinds.count(one.kind))
        found.append(best)
        fit = [one for one in fit if one.tag != best.tag]
    return found


def _fits(one: Exercise) -> bool:
    if not one.tag or len(one.text) > LONGEST or MARKUP.search(one.text):
        return False
    listed = [bare(tex) for _, tex in candidates(one)]
    return len(set(listed)) == len(listed) >= 2


def question(one: Exercise) -> tuple[str, str, str]:
    """Question, answer and the right choice's letter, all as Markdown of the chapter."""
    some = candidates(one)
    letters = _letters(some)
    *names, none = letters
    listed = [f"- **({name})** ${bare(tex)}$" for name, (_, tex) in zip(names, some, strict=True)]
    places = [place for place, _ in some]
    right = names[places.index(one.wrong)] if one.wrong in places else none
    asked = f"{one.text}\n\nWhich of these is wrong?\n\n" + "\n".join(listed)
    return f"{asked}\n- **({none})** none of them", "\n\n".join(_answer(one, letters, right)), right


def _letters(some: list) -> list[str]:
    """A letter for each formula to choose from, and one for none of them."""
    return [chr(ord("a") + k) for k in range(len(some) + 1)]


def _answer(one: Exercise, letters: list[str], right: str) -> Iterator[str]:
    """Why the right choice is right and each other one is not."""
    others = [f"({name})" for name in letters[:-1] if name != right]
    if one.wrong is None:
        yield f"**({right})**. {', '.join(others)} all stand here as in the chapter."
        return
    yield f"**({right})**: {SAID[one.kind]}. In the chapter it reads ${bare(one.right)}$."
    stand = "stands" if len(others) == 1 else "stand"
    yield f"{', '.join(others)} {stand} here as in the chapter; so ({letters[-1]}) is wrong, too."


def block(one: Exercise, link: str, moved) -> str:
    """An exercise as a block that a script may give buttons to.

    link: to its chapter.  moved: makes the chapter's links those of another page.
    """
    asked, answer, right = question(one)
    asked, answer = (moved(text, statement(one.tag)) for text in (asked, answer))
    name, heading = f"hunt-{one.number.lower()}", f"**{one.number}**, from {link}"
    return markup.question(name, heading, asked, answer, _letters(candidates(one)), right)
