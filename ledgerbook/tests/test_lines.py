"""The lines that previews show."""

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
