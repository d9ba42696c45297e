"""What pages say again of what is declared or computed is as it was read beside it."""

import copy

import pytest
from ledgerbook.regression import beside

PAGE = r"""# A lemma

*A headline.*

## The idea

*In one sentence.* It is so.

## Statement

:::{prf:lemma} One
:label: paper.one

- **H1** $\lambda<1$. (Else it fails.)
- **H2** two
  lines
:::

:::{prf:remark} Two
:label: paper.two

**H1** another one, and **H3** a third
:::

## What you may believe

The lemma is right. It is {value}`paper.one#row .2f` times as large.

:::{what-became}
:::

## Walk

**H4** is said later.
"""


@pytest.fixture(scope="module")
def now():
    return beside.gathered()


def test_pages_ties_and_files_are_as_they_were_read(now):
    found = [*beside.problems(beside.stored(), now)]
    assert not found, "\n".join(found)


def test_the_words_of_a_hypothesis_are_those_of_its_statement():
    one, two = (beside.hypotheses(PAGE, f"paper.{name}") for name in ("one", "two"))
    assert one["H1"] == r"$\lambda<1$. (Else it fails.)" and one["H2"] == "two lines"
    assert two["H1"] == "another one, and" and two["H3"] == "a third"
    assert one["H4"] == "is said later."


def test_a_verdict_is_headline_sentence_and_what_one_may_believe():
    told = beside.verdict(PAGE)
    for words in ("A headline", "It is so", "The lemma is right"):
        assert words in told
    assert "what-became" not in told and "is said later" not in told


def test_a_number_of_another_row_is_named_and_another_sentence_is_not():
    then, moved = {"values": {"page": beside.values(PAGE)}}, PAGE.replace("#row", "#other")
    assert [*then["values"]["page"].values()] == [["paper.one#row .2f"]]
    (line,) = beside.problems(then, {"values": {"page": beside.values(moved)}})
    assert "takes ['paper.one#other .2f'], it took ['paper.one#row .2f']" in line
    reworded = moved.replace("as large", "as long")
    assert not [*beside.problems(then, {"values": {"page": beside.values(reworded)}})]


@pytest.mark.parametrize("kind", ["verdicts", "ties", "files"])
def test_what_is_not_as_it_was_is_named(now, kind):
    name = min(now[kind])
    (line,) = beside.problems(now | {kind: now[kind] | {name: "another"}}, now)
    assert line.startswith(f"{name}: ") and "not as it was read" in line
    assert "book/intro.md" in now["verdicts"]


@pytest.mark.parametrize("side", ["declared", "page"])
def test_a_hypothesis_that_one_side_words_anew_is_told(now, side):
    then = copy.deepcopy(now)
    then["hypotheses"]["scan-snap.lemma-15"]["H3"][side] = "other words"
    (line,) = beside.problems(then, now)
    assert line.startswith(f"scan-snap.lemma-15 H3, {side}: 'other words' -> ")
