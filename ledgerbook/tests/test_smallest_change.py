"""The smallest change that a claim sees: the ladder is climbed, a chapter that stops is halved."""

from types import SimpleNamespace

import pytest
from ledgerbook.alterations import SIGN, Size

from ledgerbook import resolution

ONE, TWO = ("a.b", "one"), ("a.b", "two")


@pytest.fixture
def chapter():
    """The function that makes a chapter of some functions; ``outcome`` says how a change ends."""

    def made(names, outcome):
        chapter = object.__new__(resolution.Chapter)
        chapter.names, chapter.asked = list(names), []

        def changed(names, by):
            chapter.asked.append("".join(names))
            ended, red = outcome("".join(names), by)
            return SimpleNamespace(ended=ended, passed=dict.fromkeys(red, False))

        chapter.changed = changed
        return chapter

    return made


def test_a_claim_sees_the_first_change_that_turns_it_red(chapter):
    one = chapter("f", lambda names, by: (True, [ONE] if by.size >= 0.2 else []))
    ladder = [Size(0.05), Size(0.2), Size(1.0)]
    assert one.smallest(ladder, {ONE, TWO}) == {ONE: 0.2}
    assert one.smallest(ladder, {TWO}) == {}


def test_functions_that_stop_a_chapter_are_halved_until_the_one_is_found(chapter):
    many = chapter("abcde", lambda names, by: ("c" not in names, [ONE] if names == "ab" else []))
    assert many.red(Size(0.1), {ONE, TWO}) == {ONE}
    assert many.asked == ["abcde", "cde", "de", "c", "ab"]
    assert many.names == list("abde")
    assert many.red(Size(SIGN, seed=1), {ONE}) == set() and many.names == list("abde")


def test_a_flipped_sign_that_stops_a_chapter_leaves_its_function_in(chapter):
    one = chapter("f", lambda names, by: (False, []))
    one.red(Size(SIGN, seed=1), {ONE})
    assert one.names == ["f"]
    one.red(Size(1.0), {ONE})
    assert one.names == []


def test_nothing_is_executed_when_no_function_is_left_or_every_claim_is_red(chapter):
    none = chapter("", lambda names, by: (True, [ONE]))
    assert none.red(Size(0.1), {ONE}) == set() and none.asked == []
    done = chapter("ab", lambda names, by: (False, [ONE]))
    assert done.red(Size(0.1), {ONE}) == {ONE} and done.asked == ["ab"]
    assert done.red(Size(0.1), set()) == set() and done.asked == ["ab"]


def test_a_function_is_left_out_for_good_only_where_its_smallest_change_stops_the_chapter(chapter):
    def outcome(names, by):
        stops = "d" in names or ("l" in names and by.size >= second)
        return not stops, [ONE] if names == "f" and by.size >= second else []

    second = resolution.FACTORS[1].size
    one = chapter("dlf", outcome)
    assert resolution.by_factors(one, {ONE, TWO}) == {ONE: second}
    assert one.names == ["l", "f"]


def test_of_two_functions_the_one_that_stops_the_chapter_is_left_out(chapter):
    two = chapter("ab", lambda names, by: ("b" not in names, []))
    assert two.red(Size(0.1), {ONE}) == set()
    assert (two.asked, two.names) == (["ab", "b", "a"], ["a"])


def test_what_is_known_is_told_by_tag():
    found = {("b.c", "x"): 1, ("a.b", "y"): 2, ("b.c", "a"): 3}
    assert resolution.by_tag(found) == {"a.b": {"y": 2}, "b.c": {"a": 3, "x": 1}}


def test_the_ladder_climbs_and_ends_with_flipped_signs_of_two_choices():
    sizes = [by.size for by in resolution.FACTORS if by.size != SIGN]
    assert sizes == sorted(set(sizes)) == [by.size for by in resolution.EXPONENTS]
    assert all(by.exponent for by in resolution.EXPONENTS)
    flipped = resolution.FACTORS[len(sizes) :]
    assert len({by.seed for by in flipped}) == 2 and {by.size for by in flipped} == {SIGN}


def test_a_change_may_take_four_times_as_long_and_a_little(monkeypatch, tmp_path):
    clock = iter([100.0, 110.0, 0.0, resolution.LIMIT])
    monkeypatch.setattr(resolution.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(resolution, "execute", lambda code, folder: None)
    monkeypatch.setattr(resolution, "formulas", lambda code: [])
    assert 40 < resolution.Chapter("", tmp_path).limit < 50
    assert resolution.Chapter("", tmp_path).limit == resolution.LIMIT
