"""The lines that previews show."""

from xml.etree import ElementTree

import pytest

from ledgerbook import lines


@pytest.mark.parametrize(
    ("claims", "why_not", "known"),
    (
        (["a"], None, "1 claim on it"),
        (["a", "b"], None, "2 claims on it"),
        ([], "a definition of $x$", "a definition of <math"),
        ([], None, "no claim"),
    ),
)
def test_an_equation_that_no_page_displays_says_what_is_known_of_it(claims, why_not, known):
    line = lines.of_unshown("7", {"claims": claims, "why_not": why_not})
    assert line.startswith(f"<b>(7)</b> not displayed in this book; {known}")


@pytest.mark.parametrize(
    "tex, inside", [("x^2", ["msup"]), ("x", ["mi"]), ("a+b", ["mi", "mo", "mi"])]
)
def test_a_formula_of_a_line_keeps_its_parts_and_loses_the_group_around_them(tex, inside):
    root = ElementTree.fromstring(lines.formula(tex))
    assert [part.tag for part in root] == inside


@pytest.mark.parametrize(
    "given",
    [
        ["<b>x</b> and <i>y</i>", "<b>z</b>"],
        [f"<a{number}>words<a{number}>" for number in range(2 * len(lines.CODES))],
    ],
    ids=["some", "more than there are characters"],
)
def test_packed_lines_are_shorter_and_unpacked_they_are_the_lines(given):
    parts, packed = lines.packed(given)
    assert sum(map(len, packed)) < sum(map(len, given))
    assert ["".join(parts.get(sign, sign) for sign in line) for line in packed] == given
